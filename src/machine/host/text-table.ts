/** Reads a table as this room's files write it: a line each, fields between bars, blank lines left out. */
export function textTable(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((field) => field.trim()));
}
