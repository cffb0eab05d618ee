import { oncePerObject } from '../base/kernel/memoize.ts';

/** Data and renderer for simulated hosts. The edge of the process reads them and passes them in. */
export type HostData = {
  readonly tables: HostTables;
  /** `document/render.wasm`, which writes documents. */
  readonly renderer: WebAssembly.Module;
};

/** Texts of the files in `src/hosts/data`, by their path there, such as `packages/arch.tsv`. See the README in that folder. */
export type HostTables = Readonly<Record<string, string>>;

export type TableColumn<Value> = {
  /** Description of valid cells for error messages, such as `a whole number`. */
  readonly expected: string;
  /** Matches the whole text of a valid cell. */
  readonly pattern: RegExp;
  readonly read: (cell: string) => Value;
};

/** Columns by name. In files, `memoryMib` is `memory_mib`. */
export type Columns = Readonly<Record<string, TableColumn<unknown>>>;

/** A row of a table, with its line number in the file. */
export type TableRow<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends TableColumn<infer Value> ? Value : never;
} & { readonly line: number };

export const column = {
  text: { expected: 'a text without blanks around it', pattern: /^\S(.*\S)?$/, read: (cell: string) => cell },
  yesOrNo: { expected: 'yes or no', pattern: /^(yes|no)$/, read: (cell: string) => cell === 'yes' },
  number: { expected: 'a number', pattern: /^-?\d+(\.\d+)?$/, read: Number as (cell: string) => number },
  wholeNumber: { expected: 'a whole number', pattern: /^\d+$/, read: Number as (cell: string) => number },
  numbers: {
    expected: 'numbers with commas between them',
    pattern: /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/,
    read: (cell: string): readonly number[] => cell.split(',').map(Number),
  },
  date: { expected: 'a date such as 2026-01-31', pattern: /^\d{4}-\d{2}-\d{2}$/, read: (cell: string) => cell },
  /** A month, as a count of months since January 1970. */
  month: {
    expected: 'a month such as 2026-01',
    pattern: /^\d{4}-(0[1-9]|1[0-2])$/,
    read: (cell: string) => 12 * (Number(cell.slice(0, 4)) - 1970) + Number(cell.slice(5)) - 1,
  },
  /** Comma-separated names; none if the cell is empty. */
  names: {
    expected: 'names with commas between them',
    pattern: /^([^\s,]+(,[^\s,]+)*)?$/,
    read: (cell: string): readonly string[] => (cell === '' ? [] : cell.split(',')),
  },
  oneOf: <Name extends string>(...names: readonly Name[]): TableColumn<Name> => ({
    expected: `one of ${names.join(', ')}`,
    pattern: new RegExp(`^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`),
    read: (cell) => cell as Name,
  }),
  /** The same column, with empty cells allowed. */
  orEmpty: <Value>({ expected, pattern, read }: TableColumn<Value>): TableColumn<Value | undefined> => ({
    expected: `${expected}, or nothing`,
    pattern: new RegExp(`^$|${pattern.source}`, pattern.flags),
    read: (cell) => (cell === '' ? undefined : read(cell)),
  }),
};

/**
 * Reads a tab-separated table. The first line has the column names in their order, each further line is a row. Empty cells at the
 * end of a line may be omitted.
 * @throws Error that names the file, line and column of the first mistake, the expected content and the found content.
 */
export function readTable<Of extends Columns>(data: HostTables, file: string, columns: Of): readonly TableRow<Of>[] {
  return rowsOf(linesOf(data, file), { file, line: 1 }, columns);
}

function linesOf(data: HostTables, file: string): readonly string[] {
  const text = data[file];
  if (text === undefined) throw new Error(`${file}: expected a data file of this name, found none`);
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** One table of a file with several. Each follows a line with its name in brackets and ends at an empty line. */
export type DataSection = { readonly file: string; readonly section: string };

/**
 * Reads the rows of a section; none if the file does not have it.
 * @throws Error like `readTable`.
 */
export function readSection<Of extends Columns>(
  data: HostTables,
  { file, section }: DataSection,
  columns: Of,
): readonly TableRow<Of>[] {
  const lines = linesOf(data, file);
  const head = lines.indexOf(`[${section}]`);
  if (head < 0) return [];
  const end = lines.indexOf('', head);
  return rowsOf(lines.slice(head + 1, end < 0 ? undefined : end), { file, line: head + 2 }, columns);
}

/** The cells of all tables by the name of their column, without empty ones. */
export function cellsByColumn(data: HostTables): ReadonlyMap<string, readonly string[]> {
  const cells = new Map<string, string[]>();
  for (const file of Object.keys(data)) {
    let names: readonly string[] | undefined;
    for (const line of linesOf(data, file)) {
      const row = line.split('\t');
      if (line === '' || (row.length === 1 && line.startsWith('['))) names = undefined;
      else if (names === undefined) names = row;
      else addCells(cells, names, row);
    }
  }
  return cells;
}

function addCells(cells: Map<string, string[]>, names: readonly string[], row: readonly string[]): void {
  for (const [index, cell] of row.entries()) {
    const name = names[index] ?? '';
    if (cell === '') continue;
    const known = cells.get(name);
    if (known === undefined) cells.set(name, [cell]);
    else known.push(cell);
  }
}

const PROPERTY = { property: column.text, value: column.orEmpty(column.text) };

/**
 * Reads a section with a line for each property: its name, and its value as in the cells of a column. Empty ones may be omitted.
 * @throws Error like `readTable`.
 */
export function readRecord<Of extends Columns>(data: HostTables, at: DataSection, columns: Of): TableRow<Of> {
  const { file } = at;
  const rows = new Map(readSection(data, at, PROPERTY).map((row) => [row.property, row]));
  const read: Record<string, unknown> = { line: 1 };
  for (const [name, own] of Object.entries(columns)) {
    const property = nameInFile(name);
    const { line = 1, value = '' } = rows.get(property) ?? {};
    read[name] = readCell(own, value, { file, line, column: property });
    rows.delete(property);
  }
  const [unknown] = rows.values();
  if (unknown === undefined) return read as TableRow<Of>;
  throw dataFault({ file, line: unknown.line, column: 'property' }, 'a known property', unknown.property);
}

/** @param first position of the line with the column names. */
function rowsOf<Of extends Columns>(
  [header = '', ...rows]: readonly string[],
  first: Omit<Position, 'column'>,
  columns: Of,
): readonly TableRow<Of>[] {
  const read = Object.entries(columns).map(([name, own]) => ({ name, own, column: nameInFile(name) }));
  const names = read.map(({ column }) => column);
  const found = header.split('\t');
  const wrong = Array.from({ length: Math.max(names.length, found.length) }).findIndex((_, n) => found[n] !== names[n]);
  if (wrong >= 0) {
    const name = names[wrong];
    throw dataFault({ ...first, column: name ?? '' }, name ? `the column ${name}` : 'no more columns', found[wrong]);
  }
  return rows.map((row, index) => rowOf<Of>(row, { ...first, line: first.line + 1 + index }, read));
}

function nameInFile(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Position = { readonly file: string; readonly line: number; readonly column: string };

function rowOf<Of extends Columns>(
  row: string,
  position: Omit<Position, 'column'>,
  columns: readonly { readonly name: string; readonly own: TableColumn<unknown>; readonly column: string }[],
): TableRow<Of> {
  const cells = row.split('\t');
  const read: Record<string, unknown> = { line: position.line };
  columns.forEach(({ name, own, column }, index) => {
    read[name] = readCell(own, cells[index] ?? '', { ...position, column });
  });
  if (cells.length > columns.length) {
    const last = columns.at(-1)?.column ?? '';
    throw dataFault({ ...position, column: last }, 'no more cells after it', cells[columns.length] ?? '');
  }
  return read as TableRow<Of>;
}

function readCell({ expected, pattern, read }: TableColumn<unknown>, cell: string, position: Position): unknown {
  if (!pattern.test(cell)) throw dataFault(position, expected, cell);
  return read(cell);
}

export function dataFault(position: Position, expected: string, found = ''): Error {
  const { file, line } = position;
  return new Error(
    `${file}:${line}:${position.column}: expected ${expected}, found ${found === '' ? 'nothing' : found}`,
  );
}

/** Memoizes a value derived from data. It is created at first use and lives as long as the data. */
export function oncePerData<Made>(make: (data: HostTables) => Made): (data: HostTables) => Made {
  return oncePerObject(make);
}
