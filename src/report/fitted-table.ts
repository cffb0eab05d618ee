import { type Page, tableColumns } from './layout.ts';
import type { Paint } from './palette.ts';

export type Cell = { readonly text: string; readonly paint: Paint };

/** A line of a table, or one that stands below a row and belongs to it. */
export type Line = { readonly name: Cell; readonly cells: readonly Cell[] } | { readonly note: string };

/** How far every row stands from the edge. */
export const INDENT = 2;

type Columns = { readonly headings: readonly Cell[]; readonly dispensable: readonly string[] };

/**
 * A table whose columns are as wide as their widest cells, figures to the right, two blanks apart where there is room.
 * Where the page is too narrow, columns go in the order of `dispensable`, the least telling first.
 */
export function fittedTable({ headings, dispensable }: Columns, lines: readonly Line[], page: Page): string[] {
  const rows = lines.filter((line) => 'cells' in line);
  const nameColumns = Math.max(...rows.map(({ name }) => name.text.length));
  const widths = headings.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.text.length ?? 0)));
  const shown = new Set(headings.keys());
  const total = (gap: number) =>
    [...shown].reduce((sum, column) => sum + gap + (widths[column] ?? 0), INDENT + nameColumns);
  for (const name of dispensable) {
    if (total(1) <= tableColumns(page)) break;
    shown.delete(headings.findIndex(({ text }) => text === name));
  }
  const gap = total(2) <= tableColumns(page) ? 2 : 1;
  return lines.map((line) => {
    if ('note' in line) return line.note;
    const cells = [...shown].map((column) => rightAligned(line.cells[column], gap + (widths[column] ?? 0)));
    return `${' '.repeat(INDENT)}${line.name.paint(line.name.text)}${' '.repeat(nameColumns - line.name.text.length)}${cells.join('')}`;
  });
}

function rightAligned(cell: Cell | undefined, columns: number): string {
  return cell === undefined ? '' : `${' '.repeat(columns - cell.text.length)}${cell.paint(cell.text)}`;
}
