declare const CELL: unique symbol;
declare const COLUMN: unique symbol;

/** A place in a frame. Nobody reckons with it: neighbours are reached by the names of their row. */
export type Cell = number & { readonly [CELL]: true };

/** So many cells one after another, reached with `nth`: the same value of many things, as the pids of all processes. */
export type Column = number & { readonly [COLUMN]: true };

/** A frame: the numbers one document is filled from. */
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

/** Hands out places in a frame while a document is described. */
export type Cells = {
  readonly count: () => number;
  readonly one: () => Cell;
  /** One cell for each name. */
  readonly row: <Name extends string>(...names: readonly Name[]) => Row<Name>;
  readonly list: (count: number) => readonly Cell[];
  readonly column: (count: number) => Column;
  /** One column for each name. */
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
