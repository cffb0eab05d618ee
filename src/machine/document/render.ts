import { writeFloat, writeFraction, writeInteger, writePadded, writeWide } from './digits.ts';
import type { Frame } from './nodes.ts';
import { OP, type Program } from './program.ts';
import { SHARE_TEXTS } from './tick-shares.ts';

/** Below this length a loop beats the call into native code. */
const SHORT_BYTES = 24;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;

/** Writes a document; returns the offset after its last byte. There must be room for `program.maxBytes`. */
export function render(program: Program, frame: Frame, out: Buffer, offset: number): number {
  const { code, fixed } = program;
  let at = offset;
  let next = 0;
  while (next < code.length) {
    const a = code[next + 1] as number;
    const b = code[next + 2] as number;
    switch (code[next]) {
      case OP.copy:
        at = copy(fixed, a, b, out, at);
        next += 3;
        break;
      case OP.integer:
        at = writeInteger(out, at, frame[a] as number);
        next += 2;
        break;
      case OP.float:
        at = writeFloat(out, at, frame[a] as number);
        next += 2;
        break;
      case OP.share: {
        const share = SHARE_TEXTS[frame[a] as number] as Buffer;
        at = copy(share, 0, share.length, out, at);
        next += 2;
        break;
      }
      case OP.wide:
        at = writeWide(out, at, frame[a] as number, frame[a + 1] as number);
        next += 2;
        break;
      case OP.padded:
        at = writePadded(out, at, frame[a] as number, b);
        next += 3;
        break;
      case OP.fraction:
        at = writeFraction(out, at, frame[a] as number);
        next += 2;
        break;
      case OP.choose:
        next = code[next + 3 + (frame[a] as number)] as number;
        break;
      case OP.jump:
        next = a;
        break;
      case OP.unless:
        next = frame[a] === 0 ? b : next + 3;
        break;
      default:
        if (out[at - 1] !== OPENING_BRACKET) out[at++] = COMMA;
        next += 1;
    }
  }
  return at;
}

function copy(from: Buffer, start: number, end: number, out: Buffer, at: number): number {
  if (end - start > SHORT_BYTES) {
    from.copy(out, at, start, end);
    return at + end - start;
  }
  let place = at;
  for (let i = start; i < end; i++) out[place++] = from[i] as number;
  return place;
}
