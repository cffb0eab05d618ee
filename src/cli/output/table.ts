import { wrap } from '../../report/layout.ts';

const GAP = '  ';
/** Minimum width of the last column. */
const MIN_LAST_COLUMNS = 16;

/**
 * Formats a table: columns are as wide as their widest cells, with two spaces between them. If a row is wider than `columns`, its
 * last cell wraps; the row is still one string, with line breaks in it.
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  columns: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  const widths = widthsOf(rows);
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const lastColumns = Math.max(MIN_LAST_COLUMNS, columns - before);
  return rows.map((row) => {
    const head = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0) + GAP);
    const lines = wrap(row.at(-1) ?? '', lastColumns);
    return `${head.join('')}${lines.join(`\n${' '.repeat(before)}`)}`.trimEnd();
  });
}

/** Drops columns until the table fits, in the order of `dispensable`, which lists headings. */
export function narrowTable(
  rows: readonly (readonly string[])[],
  dispensable: readonly string[],
  columns: number,
): readonly (readonly string[])[] {
  const [least, ...others] = dispensable;
  const width = widthsOf(rows).reduce((sum, cells) => sum + cells + GAP.length, -GAP.length);
  if (least === undefined || width <= columns) return rows;
  const dropped = rows[0]?.indexOf(least) ?? -1;
  return narrowTable(
    rows.map((row) => row.filter((_, column) => column !== dropped)),
    others,
    columns,
  );
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  return rows.reduce<number[]>((wide, row) => row.map((cell, column) => Math.max(cell.length, wide[column] ?? 0)), []);
}
