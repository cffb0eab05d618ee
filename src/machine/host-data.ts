/** What simulated hosts are made from and written with. It is read at the edge and handed in. */
export type HostData = {
  readonly tables: HostTables;
  /** `document/render.wasm`, which writes documents. */
  readonly renderer: WebAssembly.Module;
};

/** Texts of the files in `src/machine/data`, by their paths in it, such as `packages/arch.tsv`; the README there says more. */
export type HostTables = Readonly<Record<string, string>>;

/** How the cells of a column are read. */
export type TableColumn<Value> = {
  /** Description of valid cells for error messages, such as `a whole number`. */
  readonly expected: string;
  /** The whole text of a cell that may be read. */
  readonly pattern: RegExp;
  readonly read: (cell: string) => Value;
};

type Columns = Readonly<Record<string, TableColumn<unknown>>>;

/** A line of a table, and its number in the file. */
export type TableRow<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends TableColumn<infer Value> ? Value : never;
} & { readonly line: number };

export const TEXT: TableColumn<string> = {
  expected: 'a text without blanks around it',
  pattern: /^\S(.*\S)?$/,
  read: (cell) => cell,
};

export const YES_OR_NO: TableColumn<boolean> = {
  expected: 'yes or no',
  pattern: /^(yes|no)$/,
  read: (cell) => cell === 'yes',
};

export const WHOLE_NUMBER: TableColumn<number> = { expected: 'a whole number', pattern: /^\d+$/, read: Number };

/** Numbers with commas between them. */
export const NUMBERS: TableColumn<readonly number[]> = {
  expected: 'numbers with commas between them',
  pattern: /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/,
  read: (cell) => cell.split(',').map(Number),
};

export const NUMBER: TableColumn<number> = { expected: 'a number', pattern: /^-?\d+(\.\d+)?$/, read: Number };

export const DATE: TableColumn<string> = {
  expected: 'a date such as 2026-01-31',
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  read: (cell) => cell,
};

/** A month, counted from January 1970. */
export const MONTH: TableColumn<number> = {
  expected: 'a month such as 2026-01',
  pattern: /^\d{4}-(0[1-9]|1[0-2])$/,
  read: (cell) => 12 * (Number(cell.slice(0, 4)) - 1970) + Number(cell.slice(5)) - 1,
};

/** Names with commas between them; none in an empty cell. */
export const NAMES: TableColumn<readonly string[]> = {
  expected: 'names with commas between them',
  pattern: /^([^\s,]+(,[^\s,]+)*)?$/,
  read: (cell) => (cell === '' ? [] : cell.split(',')),
};

/** The same column, of which cells may be empty. */
export function orEmpty<Value>({ expected, pattern, read }: TableColumn<Value>): TableColumn<Value | undefined> {
  return {
    expected: `${expected}, or nothing`,
    pattern: new RegExp(`^$|${pattern.source}`, pattern.flags),
    read: (cell) => (cell === '' ? undefined : read(cell)),
  };
}

export function oneOf<Name extends string>(...names: readonly Name[]): TableColumn<Name> {
  return {
    expected: `one of ${names.join(', ')}`,
    pattern: new RegExp(`^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`),
    read: (cell) => cell as Name,
  };
}

/**
 * Reads a table: a line with the names of the columns, in their order, and a line for each row, cells separated by tabs.
 * Empty cells at the end of a line may be left out.
 * @throws Error that names file, line and column of the first mistake, what was expected there and what was found.
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

/** A table of a file that has several, each behind a line with its name in brackets and before an empty one. */
export type DataSection = { readonly file: string; readonly section: string };

/**
 * The rows of such a table; none where the file does not have it.
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

/** @param first where the line with the names of the columns stands. */
function rowsOf<Of extends Columns>(
  [header = '', ...rows]: readonly string[],
  first: Omit<Place, 'column'>,
  columns: Of,
): readonly TableRow<Of>[] {
  const names = Object.keys(columns);
  const given = header.split('\t');
  const wrong = Array.from({ length: Math.max(names.length, given.length) }).findIndex((_, n) => given[n] !== names[n]);
  if (wrong >= 0) {
    const name = names[wrong];
    throw dataFault({ ...first, column: name ?? '' }, name ? `the column ${name}` : 'no more columns', given[wrong]);
  }
  return rows.map((row, index) => rowOf(row, { ...first, line: first.line + 1 + index }, columns));
}

type Place = { readonly file: string; readonly line: number; readonly column: string };

function rowOf<Of extends Columns>(row: string, place: Omit<Place, 'column'>, columns: Of): TableRow<Of> {
  const cells = row.split('\t');
  const read: Record<string, unknown> = { line: place.line };
  const entries = Object.entries(columns);
  entries.forEach(([column, { expected, pattern, read: value }], index) => {
    const cell = cells[index] ?? '';
    if (!pattern.test(cell)) throw dataFault({ ...place, column }, expected, cell);
    read[column] = value(cell);
  });
  if (cells.length > entries.length) {
    const column = entries.at(-1)?.[0] ?? '';
    throw dataFault({ ...place, column }, 'no more cells after it', cells[entries.length] ?? '');
  }
  return read as TableRow<Of>;
}

/** What is wrong with a cell of a data file. */
export function dataFault({ file, line, column }: Place, expected: string, found = ''): Error {
  return new Error(`${file}:${line}:${column}: expected ${expected}, found ${found === '' ? 'nothing' : found}`);
}

/** What is made from data, made at its first use and then kept with them. */
export function oncePerData<Made>(make: (data: HostTables) => Made): (data: HostTables) => Made {
  const made = new WeakMap<HostTables, { readonly value: Made }>();
  return (data) => {
    const known = made.get(data) ?? { value: make(data) };
    made.set(data, known);
    return known.value;
  };
}
