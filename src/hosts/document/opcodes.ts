/**
 * What an instruction writes after its fixed text. `a` and `b` are its operands. Cells are byte offsets from the start of the
 * frame, addresses byte offsets from the start of the program. `program.ts` writes the instructions, `assembly/render.ts` executes
 * them.
 */
export const END = 0;
export const FIXED = 1;

/* Values; `a` is their cell. */
export const INTEGER = 2;
export const FLOAT = 3;
export const TENTHS = 4;
export const SHARE = 5;
/** `b`: cell of the lower part. */
export const WIDE = 6;
/** `b`: width. */
export const PADDED = 7;
/** `b`: width. */
export const HEX = 8;
export const FRACTION = 9;

/** A comma, except right after an opening bracket. */
export const COMMA = 10;
/** Continues at `a`. */
export const JUMP = 11;
/** Continues at `b` if the cell `a` holds 0. */
export const UNLESS = 12;
/** Continues at an address from the list at `b`. The cell `a` holds its index. */
export const CHOOSE = 13;
/** The fixed text of an instruction from the list of addresses at `b`. The cell `a` holds its index. */
export const WORD = 14;

/** Each instruction starts with its opcode, the bytes of its fixed text, `a` and `b`, 32 bits each. */
export const HEADER_BYTES = 16;
/** Texts are copied in blocks of this size, so up to one block of free space must follow each. */
export const BLOCK_BYTES = 16;

/** Rounds up to whole blocks. */
export function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Size of each text in the table of shares. The last byte is its length. */
export const SHARE_BYTES = 32;
