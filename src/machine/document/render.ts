import { writeFloat, writeFraction, writeInteger, writePadded, writeTenths, writeWide } from './digits.ts';
import { writeHex } from './hex.ts';
import type { Frame } from './nodes.ts';
import { OP, type Program } from './program.ts';
import { SHARE_TEXTS } from './tick-shares.ts';

/** Below this length a loop beats the call into native code. */
const SHORT_BYTES = 8;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;

/** Writes a document; returns the offset after its last byte. There must be room for `program.maxBytes`. */
export function render(program: Program, frame: Frame, out: Buffer, offset: number): number {
  const { code, pieces } = program;
  let at = offset;
  let next = 0;
  while (next < code.length) {
    const piece = code[next + 1] as number;
    if (piece >= 0) at = put(pieces[piece] as Uint8Array, out, at);
    const a = code[next + 2] as number;
    const b = code[next + 3] as number;
    switch (code[next]) {
      case OP.fixed:
        next += 2;
        break;
      case OP.integer:
        at = writeInteger(out, at, frame[a] as number);
        next += 3;
        break;
      case OP.tenths:
        at = writeTenths(out, at, frame[a] as number);
        next += 3;
        break;
      case OP.float:
        at = writeFloat(out, at, frame[a] as number);
        next += 3;
        break;
      case OP.share:
        at = put(SHARE_TEXTS[frame[a] as number] as Buffer, out, at);
        next += 3;
        break;
      case OP.wide:
        at = writeWide(out, at, frame[a] as number, frame[a + 1] as number);
        next += 3;
        break;
      case OP.padded:
        at = writePadded(out, at, frame[a] as number, b);
        next += 4;
        break;
      case OP.hex:
        at = writeHex(out, at, { value: frame[a] as number, width: b });
        next += 4;
        break;
      case OP.fraction:
        at = writeFraction(out, at, frame[a] as number);
        next += 3;
        break;
      case OP.choose:
        next = code[next + 4 + (frame[a] as number)] as number;
        break;
      case OP.jump:
        next = a;
        break;
      case OP.unless:
        next = frame[a] === 0 ? b : next + 4;
        break;
      default:
        if (out[at - 1] !== OPENING_BRACKET) out[at++] = COMMA;
        next += 2;
    }
  }
  return at;
}

function put(piece: Uint8Array, out: Buffer, at: number): number {
  const size = piece.length;
  if (size > SHORT_BYTES) out.set(piece, at);
  else for (let i = 0; i < size; i++) out[at + i] = piece[i] as number;
  return at + size;
}
