import { type Cell, type Cells, type Either, either } from '../document/nodes.ts';
import { dataFault, type HostTables, MONTH, oncePerData, readTable, TEXT } from '../host-data.ts';
import type { Monthly } from './updates.ts';

/** One of macOS: as `26.2`, `25C56` and `25.2.0`. */
export type MacVersion = { readonly version: string; readonly build: string; readonly kernel: string };

/** A major version of macOS: all that came out for it, in their order. */
export type MacSystem = {
  /** As `Tahoe`. */
  readonly title: string;
  readonly versions: readonly MacVersion[];
  /** By month from the first: the place of the version that was the newest then. */
  readonly newest: readonly number[];
  readonly releases: Monthly;
};

const FILE = 'apps/macos-versions.tsv';
const COLUMNS = { list: TEXT, month: MONTH, version: TEXT, build: TEXT, kernel: TEXT };
const rowsOf = oncePerData((data) => readTable(data, FILE, COLUMNS));

/** What stands in the list of a major version; it stays at the last one, as nobody knows those to come. */
export function macSystem(data: HostTables, list: string, title: string): MacSystem {
  const versions = rowsOf(data).filter((row) => row.list === list);
  const [first] = versions;
  if (first === undefined) throw dataFault({ file: FILE, line: 1, column: 'list' }, `lines of ${list}`);
  const wrong = versions.find(({ month }, place) => month <= (versions[place - 1]?.month ?? 0));
  if (wrong !== undefined)
    throw dataFault({ file: FILE, line: wrong.line, column: 'month' }, 'one after the line above');
  const last = versions.at(-1) ?? first;
  const newest = Array.from({ length: last.month - first.month + 1 }, (_, since) => {
    return versions.findLastIndex(({ month }) => month <= first.month + since);
  });
  return { title, versions, newest, releases: { revision: 1, month: first.month, security: true } };
}

/** Which version a revision is: its place among those of the system. */
export function versionPlace({ newest }: MacSystem, revision: number): number {
  return newest[Math.min(revision, newest.length) - 1] as number;
}

/** A text of the version whose place is written into the cell. */
export function versionTexts(
  { versions }: MacSystem,
  cells: Cells,
  textOf: (one: MacVersion) => string,
): { readonly node: Either; readonly cell: Cell } {
  const cell = cells.one();
  return { node: either(cell, versions.map(textOf)), cell };
}
