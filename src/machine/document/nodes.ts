/**
 * A JSON document with holes. Everything that is the same for all hosts of a shape stands there as plain values; what
 * differs per host or instant is a slot that names a cell of the frame, the array of numbers a host fills for each
 * document. One description gives both the compiled text and the plain object, so they cannot drift apart.
 */
export const SLOT: unique symbol = Symbol('slot');

/** Holes that stand for a number, or for a part of a string inside `text`. */
export type NumberSlot =
  | { readonly [SLOT]: 'integer'; readonly cell: number }
  /** Shortest text that reads back as the same number. */
  | { readonly [SLOT]: 'float'; readonly cell: number }
  /** A number with one decimal: the cell holds tenths. */
  | { readonly [SLOT]: 'tenths'; readonly cell: number }
  /** A share of a scheduler window: the cell holds a place in the table of `tick-shares.ts`. */
  | { readonly [SLOT]: 'share'; readonly cell: number }
  /** A 64-bit integer that a double cannot hold: the cell has the thousand millions, the next cell the rest. */
  | { readonly [SLOT]: 'wide'; readonly cell: number };

/** Holes that only make sense inside a string. */
export type TextSlot =
  /** A whole number with leading zeros. */
  | { readonly [SLOT]: 'padded'; readonly cell: number; readonly width: number }
  /** A whole number below 2^32 in hexadecimal digits with leading zeros. */
  | { readonly [SLOT]: 'hex'; readonly cell: number; readonly width: number }
  /** Nanoseconds as a decimal fraction with its point, without trailing zeros; nothing for zero. */
  | { readonly [SLOT]: 'fraction'; readonly cell: number };

export type Text = { readonly [SLOT]: 'text'; readonly parts: readonly (string | NumberSlot | TextSlot)[] };

/** One of several forms; the cell holds which. */
export type Either = { readonly [SLOT]: 'either'; readonly cell: number; readonly forms: readonly Node[] };

/** A list element that is left out while its cell holds 0. */
export type Optional = { readonly [SLOT]: 'optional'; readonly cell: number; readonly node: Node };

/** An object whose keys differ per host; the cells must give them in the order of the alphabet. */
export type Keyed = {
  readonly [SLOT]: 'keyed';
  readonly members: readonly { readonly key: Text; readonly value: Node }[];
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
  | readonly (Node | Optional)[]
  | { readonly [key: string]: Node };

export const integer = (cell: number): NumberSlot => ({ [SLOT]: 'integer', cell });
export const float = (cell: number): NumberSlot => ({ [SLOT]: 'float', cell });
export const tenths = (cell: number): NumberSlot => ({ [SLOT]: 'tenths', cell });
export const share = (cell: number): NumberSlot => ({ [SLOT]: 'share', cell });
export const wide = (cell: number): NumberSlot => ({ [SLOT]: 'wide', cell });
export const padded = (cell: number, width: number): TextSlot => ({ [SLOT]: 'padded', cell, width });
export const hex = (cell: number, width: number): TextSlot => ({ [SLOT]: 'hex', cell, width });
export const fraction = (cell: number): TextSlot => ({ [SLOT]: 'fraction', cell });
export const text = (...parts: Text['parts']): Text => ({ [SLOT]: 'text', parts });
export const either = (cell: number, forms: readonly Node[]): Either => ({ [SLOT]: 'either', cell, forms });
export const optional = (cell: number, node: Node): Optional => ({ [SLOT]: 'optional', cell, node });
export const keyed = (members: Keyed['members']): Keyed => ({ [SLOT]: 'keyed', members });

export type Slotted = NumberSlot | TextSlot | Text | Either | Optional | Keyed;

export function isSlotted(node: Node | Optional): node is Exclude<Slotted, TextSlot> {
  return typeof node === 'object' && node !== null && SLOT in node;
}

/** The numbers one document is filled from. */
export type Frame = Float64Array;

/** Hands out places in a frame while a document is described. */
export type Cells = { readonly count: () => number; readonly take: (howMany?: number) => number };

export function createCells(): Cells {
  let next = 0;
  return {
    count: () => next,
    take(howMany = 1) {
      const first = next;
      next += howMany;
      return first;
    },
  };
}
