declare const CELL: unique symbol;
declare const COLUMN: unique symbol;

/** Index of a cell in a frame. No code computes with it: other cells are reached by the names of their row. */
export type Cell = number & { readonly [CELL]: true };

/** Consecutive cells, accessed with `nth`: the same value of many things, such as the PIDs of all processes. */
export type Column = number & { readonly [COLUMN]: true };

/** A frame: the numbers that fill one document. */
export type CellValues = { [cell: Cell]: number };

export function valueAt(frame: CellValues, cell: Cell): number {
  return frame[cell] as number;
}

/** A cell of a column; the index is not checked. */
export function nth(column: Column, index: number): Cell {
  return (column + index) as Cell;
}

/** The row of a table; the index is not checked. */
export function rowAt<Name extends string>(table: Table<Name>, index: number): Row<Name> {
  const cells = Object.entries<Column>(table).map(([name, column]) => [name, nth(column, index)]);
  return Object.fromEntries(cells) as Row<Name>;
}

export type Row<Name extends string> = Readonly<Record<Name, Cell>>;
export type Table<Name extends string> = Readonly<Record<Name, Column>>;

/** Allocates cells of a frame while a document is described. */
export type Cells = {
  readonly count: () => number;
  readonly one: () => Cell;
  readonly row: <Name extends string>(...names: readonly Name[]) => Row<Name>;
  readonly list: (count: number) => readonly Cell[];
  readonly column: (count: number) => Column;
  readonly table: <Name extends string>(count: number, ...names: readonly Name[]) => Table<Name>;
};

export function createCells(): Cells {
  let next = 0;
  const one = () => next++ as Cell;
  const column = (count: number) => {
    const first = next as Column;
    next += count;
    return first;
  };
  const named = <Name extends string, Value>(names: readonly Name[], value: () => Value) => {
    return Object.fromEntries(names.map((name) => [name, value()])) as Readonly<Record<Name, Value>>;
  };
  return {
    count: () => next,
    one,
    column,
    list: (count) => Array.from({ length: count }, one),
    row: (...names) => named(names, one),
    table: (count, ...names) => named(names, () => column(count)),
  };
}

/**
 * A JSON document with slots. Values that all hosts of a variant share are plain. A value that differs by host or time is a slot,
 * which names a cell of the frame. A host fills this array of numbers for each document. One description gives both the compiled
 * text and the plain object, so they cannot diverge.
 */
export const SLOT: unique symbol = Symbol('slot');

/**
 * Slots for a number, or for a part of a string inside `text`. A `float` has the shortest text that reads back as the same number.
 * The cell of `tenths` holds a number with one decimal in tenths, that of a `share` of a scheduler window an index into `SHARES`.
 */
export type NumberSlot =
  | { readonly [SLOT]: 'integer' | 'float' | 'tenths' | 'share'; readonly cell: Cell }
  /** A 64-bit integer that a double cannot hold: the cell has the multiple of 10⁹, `lower` the rest. */
  | { readonly [SLOT]: 'wide'; readonly cell: Cell; readonly lower: Cell };

/** Slots that are valid only inside a string. */
export type TextSlot =
  /** A whole number with leading zeros; in hexadecimal digits below 2^32. */
  | { readonly [SLOT]: 'padded' | 'hex'; readonly cell: Cell; readonly width: number }
  /** One of several words; the cell holds its index. */
  | { readonly [SLOT]: 'word'; readonly cell: Cell; readonly words: readonly string[] }
  /** Nanoseconds as a decimal fraction with its point, without trailing zeros; nothing for zero. */
  | { readonly [SLOT]: 'fraction'; readonly cell: Cell };

export type Text = { readonly [SLOT]: 'text'; readonly parts: readonly (string | NumberSlot | TextSlot)[] };

/** One of several forms; the cell holds its index. */
export type Either = { readonly [SLOT]: 'either'; readonly cell: Cell; readonly forms: readonly Node[] };

/** A list element or object member that is omitted while its cell holds 0. An object needs another member that is always present. */
export type Optional = { readonly [SLOT]: 'optional'; readonly cell: Cell; readonly node: Node };

/** List elements in the host's own order, of which any may be omitted. The number of elements ends the chain of indices. */
export type Chain = {
  readonly [SLOT]: 'chain';
  readonly first: Cell;
  readonly next: Column;
  readonly elements: readonly Node[];
};

export type Element = Node | Optional | Chain;

/** An object whose keys differ by host. The cells must produce them in alphabetical order. One member is always present. */
export type Keyed = {
  readonly [SLOT]: 'keyed';
  readonly members: readonly { readonly key: Text; readonly value: Node | Optional }[];
};

export type Node =
  | string
  | number
  | boolean
  | null
  | NumberSlot
  | Text
  | Either
  | Keyed
  | readonly Element[]
  | { readonly [key: string]: Node | Optional };

export const slot = {
  integer: (cell: Cell): NumberSlot => ({ [SLOT]: 'integer', cell }),
  float: (cell: Cell): NumberSlot => ({ [SLOT]: 'float', cell }),
  tenths: (cell: Cell): NumberSlot => ({ [SLOT]: 'tenths', cell }),
  tickShare: (cell: Cell): NumberSlot => ({ [SLOT]: 'share', cell }),
  wide: (cell: Cell, lower: Cell): NumberSlot => ({ [SLOT]: 'wide', cell, lower }),
  padded: (cell: Cell, width: number): TextSlot => ({ [SLOT]: 'padded', cell, width }),
  hex: (cell: Cell, width: number): TextSlot => ({ [SLOT]: 'hex', cell, width }),
  word: (cell: Cell, words: readonly string[]): TextSlot => ({ [SLOT]: 'word', cell, words }),
  fraction: (cell: Cell): TextSlot => ({ [SLOT]: 'fraction', cell }),
  text: (...parts: Text['parts']): Text => ({ [SLOT]: 'text', parts }),
  either: (cell: Cell, forms: readonly Node[]): Either => ({ [SLOT]: 'either', cell, forms }),
  optional: (cell: Cell | undefined, node: Node): Node | Optional => {
    return cell === undefined ? node : { [SLOT]: 'optional', cell, node };
  },
  chain: (first: Cell, next: Column, elements: Chain['elements']): Chain => ({
    [SLOT]: 'chain',
    first,
    next,
    elements,
  }),
  keyed: (members: Keyed['members']): Keyed => ({ [SLOT]: 'keyed', members }),
};

export type Slotted = NumberSlot | TextSlot | Text | Either | Optional | Chain | Keyed;

export function isSlotted(node: Element): node is Exclude<Slotted, TextSlot> {
  return typeof node === 'object' && node !== null && SLOT in node;
}

/**
 * Percentages as a Linux agent computes them: the difference of two CPU times in hundredths of a second, held as doubles, over the
 * window's length. The subtraction leaves noise in the last digits (69.30693069306881), so the table has several start times for
 * each share.
 */
export const WINDOW_TICKS = [99, 100, 101] as const;
const STARTS_SECONDS = [0, 1503.67, 20_448.91, 312_907.33] as const;
const ROW = 102;

export const SHARES: readonly number[] = WINDOW_TICKS.flatMap((window) =>
  STARTS_SECONDS.flatMap((start) => Array.from({ length: ROW }, (_, ticks) => shareOf(start, ticks, window))),
);

/** Index of a share of this many ticks. `window` is 0, 1 or 2 for 99, 100 or 101 ticks, `start` is 0 to 3. */
export function shareIndex(window: number, start: number, ticks: number): number {
  return (window * STARTS_SECONDS.length + start) * ROW + ticks;
}

function shareOf(start: number, ticks: number, window: number): number {
  if (ticks === 0) return 0;
  if (ticks === window) return 100;
  const seconds = start + ticks / 100 - start;
  return Math.min(100, (seconds / (window / 100)) * 100);
}
