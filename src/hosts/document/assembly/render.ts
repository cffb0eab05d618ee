import * as OP from '../opcodes';
import { writeFraction, writeHex, writeInteger, writePadded, writeTenths, writeWide } from './digits';
import { writeFloat } from './floats';

/** First free address, after the constants of this code. */
export const firstFree: usize = __heap_base;

/**
 * Executes a program: writes its document at `target`, filled from the frame, and returns the address after its last byte. Writes
 * of whole blocks and words leave garbage after their end, which the next write overwrites.
 */
export function render(program: usize, frame: usize, shares: usize, target: usize): usize {
  let at = target;
  let next = program;
  while (true) {
    const opcode = load<u32>(next);
    const end = at + load<u32>(next, 4);
    const a = load<u32>(next, 8);
    const b = load<u32>(next, 12);
    next += OP.HEADER_BYTES;
    for (; at < end; at += OP.BLOCK_BYTES, next += OP.BLOCK_BYTES) v128.store(at, v128.load(next));
    at = end;
    switch (opcode) {
      case OP.FIXED:
        break;
      case OP.INTEGER:
        at = writeInteger(at, <i64>load<f64>(frame + a));
        break;
      case OP.FLOAT:
        at = writeFloat(at, load<f64>(frame + a));
        break;
      case OP.TENTHS:
        at = writeTenths(at, <u64>load<f64>(frame + a));
        break;
      case OP.SHARE:
        at = copyShare(at, shares + <usize>load<f64>(frame + a) * OP.SHARE_BYTES);
        break;
      case OP.WIDE:
        at = writeWide(at, <u64>load<f64>(frame + a), <u32>load<f64>(frame + b));
        break;
      case OP.PADDED:
        at = writePadded(at, <u32>load<f64>(frame + a), b);
        break;
      case OP.HEX:
        at = writeHex(at, <u32>load<f64>(frame + a), b);
        break;
      case OP.FRACTION:
        at = writeFraction(at, <u32>load<f64>(frame + a));
        break;
      case OP.COMMA:
        if (load<u8>(at - 1) !== OPENING_BRACKET) store<u8>(at++, COMMA);
        break;
      case OP.JUMP:
        next = program + a;
        break;
      case OP.UNLESS:
        if (load<f64>(frame + a) === 0) next = program + b;
        break;
      case OP.CHOOSE:
        next = program + load<u32>(program + b + ((<usize>load<f64>(frame + a)) << 2));
        break;
      case OP.WORD:
        at = copyText(at, program + load<u32>(program + b + ((<usize>load<f64>(frame + a)) << 2)));
        break;
      default:
        return at;
    }
  }
}

const OPENING_BRACKET = 0x5b;
const COMMA = 0x2c;

function copyText(at: usize, instruction: usize): usize {
  const bytes = <usize>load<u32>(instruction, 4);
  const text = instruction + OP.HEADER_BYTES;
  for (let done: usize = 0; done < bytes; done += OP.BLOCK_BYTES) v128.store(at + done, v128.load(text + done));
  return at + bytes;
}

function copyShare(at: usize, share: usize): usize {
  v128.store(at, v128.load(share));
  v128.store(at + OP.BLOCK_BYTES, v128.load(share + OP.BLOCK_BYTES));
  return at + load<u8>(share + OP.SHARE_BYTES - 1);
}
