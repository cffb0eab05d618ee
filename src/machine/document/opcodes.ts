/**
 * What an instruction writes after its fixed text; `a` and `b` are its operands. Cells are told as bytes from the frame's
 * begin, addresses as bytes from the program's. See `program.ts`, which writes them, and `assembly/render.ts`, which obeys.
 */
export const END = 0;
/** Nothing. */
export const FIXED = 1;
/** `a`: cell. */
export const INTEGER = 2;
/** `a`: cell. */
export const FLOAT = 3;
/** `a`: cell. */
export const TENTHS = 4;
/** `a`: cell. */
export const SHARE = 5;
/** `a`: cell of the upper part, `b`: of the lower. */
export const WIDE = 6;
/** `a`: cell, `b`: width. */
export const PADDED = 7;
/** `a`: cell, `b`: width. */
export const HEX = 8;
/** `a`: cell. */
export const FRACTION = 9;
/** A comma, except right after an opening bracket. */
export const COMMA = 10;
/** Goes on at `a`. */
export const JUMP = 11;
/** Goes on at `b` while the cell `a` holds 0. */
export const UNLESS = 12;
/** Goes on at the address that stands in the cell's place of a list at `b`. `a`: cell. */
export const CHOOSE = 13;

/** Of each instruction: opcode, bytes of fixed text, `a` and `b`, 32 bits each. */
export const HEADER_BYTES = 16;
/** Texts are copied in blocks of so many bytes, so there is room up to a whole one after each. */
export const BLOCK_BYTES = 16;
/** Of each text in the table of shares; the last byte is its length. */
export const SHARE_BYTES = 32;
