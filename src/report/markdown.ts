/** A text that Markdown shows as it is, also in a cell of a table. */
export function plainMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~]/g, (sign) => `\\${sign}`);
}

/** A table of cells that are Markdown already; all columns but the first one stand right. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const sides = headings.map((_, column) => (column === 0 ? '---' : '--:'));
  return [headings, sides, ...rows].map(line).join('\n');
}
