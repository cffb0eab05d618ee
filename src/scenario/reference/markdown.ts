// Few cells are wider, and need not push the others aside.
const WIDEST = 60;

/** A table of cells that are Markdown already, in columns as wide as their cells; the last one is as it comes. */
export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = headings.map((_, column) =>
    column === headings.length - 1 ? 3 : Math.min(WIDEST, Math.max(3, ...cells.map((row) => row[column]?.length ?? 0))),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = '', ...body] = cells.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

export function linkTo(heading: string, text: string): string {
  return `[${text}](#${anchorOf(heading)})`;
}

/** `a`, `b` or `c`. */
export function eitherOf(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), texts.at(-1)].filter((text) => text !== '').join(' or ');
}
