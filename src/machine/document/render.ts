import {
  EIGHT_DIGITS,
  writeFraction,
  writeHex,
  writeInteger,
  writePadded,
  writeSmall,
  writeTenths,
  writeWide,
} from './digits.ts';
import { WORD_BYTES } from './pieces.ts';
import { OP, type Program } from './program.ts';
import { writeFloat } from './shortest.ts';
import { SHARE_SIZES, SHARE_WORDS, SHARE_WORDS_EACH } from './tick-shares.ts';

const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;

/** A caller's buffer, seen both ways. */
export type Target = { readonly bytes: Uint8Array; readonly view: DataView };

export function targetOf(bytes: Uint8Array): Target {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/** Writes a document; returns the offset after its last byte. There must be room for it (`roomFor`). */
export function render(program: Program, frame: Float64Array, { bytes, view }: Target, offset: number): number {
  const { code } = program;
  const { words, long } = program.pieces;
  let at = offset;
  let next = 0;
  while (next < code.length) {
    const place = code[next + 1] as number;
    const size = code[next + 2] as number;
    if (size >= 0) at = putWords(view, at, words, place, size);
    else {
      bytes.set(long[place] as Uint8Array, at);
      at -= size;
    }
    const a = code[next + 3] as number;
    const b = code[next + 4] as number;
    switch (code[next]) {
      case OP.fixed:
        next += 3;
        break;
      case OP.integer:
        at = writeCell(view, at, frame, a);
        next += 4;
        break;
      case OP.tenths:
        at = writeTenths(view, at, frame[a] as number);
        next += 4;
        break;
      case OP.float:
        at = writeFloat(view, at, frame, a);
        next += 4;
        break;
      case OP.share: {
        const share = frame[a] as number;
        at = putWords(view, at, SHARE_WORDS, share * SHARE_WORDS_EACH, SHARE_SIZES[share] as number);
        next += 4;
        break;
      }
      case OP.wide:
        at = writeWide(view, at, frame[a] as number, frame[b] as number);
        next += 5;
        break;
      case OP.padded:
        at = writePadded(view, at, frame[a] as number, b);
        next += 5;
        break;
      case OP.hex:
        at = writeHex(view, at, frame[a] as number, b);
        next += 5;
        break;
      case OP.fraction:
        at = writeFraction(view, at, frame[a] as number);
        next += 4;
        break;
      case OP.choose:
        next = code[next + 5 + (frame[a] as number)] as number;
        break;
      case OP.jump:
        next = a;
        break;
      case OP.unless:
        next = frame[a] === 0 ? b : next + 5;
        break;
      default:
        if (view.getUint8(at - 1) !== OPENING_BRACKET) view.setUint8(at++, COMMA);
        next += 3;
    }
  }
  return at;
}

/** Takes the cell, not the number: handed to a function that is not inlined, a number is put into a box. */
function writeCell(view: DataView, at: number, frame: Float64Array, cell: number): number {
  const value = frame[cell] as number;
  const small = value | 0;
  return small === value && small >= 0 && small < EIGHT_DIGITS
    ? writeSmall(view, at, small)
    : writeInteger(view, at, value);
}

function putWords(view: DataView, at: number, words: Float64Array, word: number, size: number): number {
  const end = at + size;
  for (let from = word, to = at; to < end; to += WORD_BYTES) view.setFloat64(to, words[from++] as number, true);
  return end;
}
