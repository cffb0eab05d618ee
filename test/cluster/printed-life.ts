import { readFileSync } from 'node:fs';

type Life = Readonly<Record<string, Readonly<Record<string, { readonly name: string }>>>>;

/** The table of a life in the code: its header, and a row for each event. */
export function lifeInCode(corner: string, states: readonly string[], life: Life): readonly (readonly string[])[] {
  const rows = Object.entries(life).map(([event, row]) => [
    event,
    ...Object.values(row).map(({ name }) => (name === 'ignore' ? '' : name)),
  ]);
  return [[corner, ...states], ...rows];
}

/** The table of docs/developers/mechanisms.md whose header begins with `corner`. */
export function printedLife(corner: string): readonly (readonly string[])[] {
  const page = readFileSync(new URL('../../docs/developers/mechanisms.md', import.meta.url), 'utf8');
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = page.split('\n');
  const start = lines.findIndex((line) => cellsOf(line)[0] === corner);
  const [header = '', , ...rows] = lines.slice(start, lines.indexOf('', start));
  return [header, ...rows].map(cellsOf);
}
