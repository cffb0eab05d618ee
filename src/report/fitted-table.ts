import { type Page, tableColumns } from './layout.ts';
import { type Paint, unpainted } from './palette.ts';

export type TextCell = { readonly text: string; readonly paint: Paint };

type TableRow = { readonly name: TextCell; readonly cells: readonly TextCell[] };

/** A row of a table, or a note that belongs to the row above it. */
export type TableLine = TableRow | { readonly note: string };

/** A row whose cells are painted alike. */
export function tableRow(name: string, cells: readonly string[], paint: Paint = unpainted): TableRow {
  return { name: { text: name, paint }, cells: cells.map((text) => ({ text, paint })) };
}

/** The beginning of a name that is longer than its column. */
export function shortened(name: string, columns: number): string {
  return name.length <= columns ? name : `${name.slice(0, columns - 1)}…`;
}

/** Indent of every row. */
export const INDENT = 2;

type Columns = {
  /** Heading of the names. */
  readonly name: string;
  readonly headings: readonly string[];
  readonly dispensable: readonly string[];
};

/**
 * A table whose columns are as wide as their widest cells, with right-aligned figures and two spaces between columns if they fit.
 * On a narrow page, columns are omitted in the order of `dispensable`.
 */
export function fittedTable(
  { name, headings, dispensable }: Columns,
  lines: readonly TableLine[],
  page: Page,
): string[] {
  const all = [tableRow(name, headings, page.faint), ...lines];
  const rows = all.filter((line) => 'cells' in line);
  const nameColumns = Math.max(...rows.map(({ name }) => name.text.length));
  const widths = headings.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.text.length ?? 0)));
  const columns = new Set(headings.keys());
  const total = (gap: number) =>
    [...columns].reduce((sum, column) => sum + gap + (widths[column] ?? 0), INDENT + nameColumns);
  for (const heading of dispensable) {
    if (total(1) <= tableColumns(page)) break;
    columns.delete(headings.indexOf(heading));
  }
  const gap = total(2) <= tableColumns(page) ? 2 : 1;
  return all.map((line) => {
    if ('note' in line) return line.note;
    const cells = [...columns].map((column) => rightAligned(line.cells[column], gap + (widths[column] ?? 0)));
    return `${' '.repeat(INDENT)}${line.name.paint(line.name.text)}${' '.repeat(nameColumns - line.name.text.length)}${cells.join('')}`;
  });
}

function rightAligned(cell: TextCell | undefined, columns: number): string {
  return cell === undefined ? '' : `${' '.repeat(columns - cell.text.length)}${cell.paint(cell.text)}`;
}
