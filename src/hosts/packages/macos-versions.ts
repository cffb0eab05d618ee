import { type Cell, type Cells, type Either, either } from '../document/nodes.ts';
import { dataFault, type HostTables, MONTH, oncePerData, readTable, TEXT } from '../host-data.ts';
import type { Monthly } from './updates.ts';

/** A version of macOS, such as `26.2`, with its build (`25C56`) and kernel (`25.2.0`). */
export type MacVersion = { readonly version: string; readonly build: string; readonly kernel: string };

/** A major version of macOS with all of its releases, in order. */
export type MacSystem = {
  /** Such as `Tahoe`. */
  readonly title: string;
  readonly versions: readonly MacVersion[];
  /** By month, from the first: the index of the newest version. */
  readonly newest: readonly number[];
  readonly releases: Monthly;
};

const FILE = 'apps/macos-versions.tsv';
const COLUMNS = { list: TEXT, month: MONTH, version: TEXT, build: TEXT, kernel: TEXT };
const rowsOf = oncePerData((data) => readTable(data, FILE, COLUMNS));

/** Reads the versions in the list of a major version. After the last one, hosts stay at it, because later versions are unknown. */
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

/** The version at a revision, as an index into those of the system. */
export function versionPlace({ newest }: MacSystem, revision: number): number {
  return newest[Math.min(revision, newest.length) - 1] as number;
}

/** A text of the version whose index is in the cell. */
export function versionTexts(
  { versions }: MacSystem,
  cells: Cells,
  textOf: (one: MacVersion) => string,
): { readonly node: Either; readonly cell: Cell } {
  const cell = cells.one();
  return { node: either(cell, versions.map(textOf)), cell };
}
