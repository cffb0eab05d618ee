/**
 * Numbers as ASCII digits. Each function returns the address after its last byte, and may leave up to seven garbage bytes there.
 * Digits are computed side by side in one word. A table of all four-digit groups took 90 KB of the processor's nearest cache and
 * left no room for the rest of a push.
 */
const ZEROS: u64 = 0x3030303030303030;
const ZERO: u8 = 0x30;
const MINUS: u8 = 0x2d;
const POINT: u8 = 0x2e;
export const EIGHT_DIGITS: u64 = 100_000_000;
/** Keeps one digit of a number that has only zeros. */
const LAST_DIGIT: u64 = 1 << 56;

/** The eight digits of a number below 10⁸ as values, one byte each, the first one lowest. */
function digitsOf(value: u32): u64 {
  const upper = value / 10_000;
  const quads = <u64>upper | ((<u64>(value - upper * 10_000)) << 32);
  // Multiplying and shifting divides by 100 and by 10, exactly for numbers this small.
  const hundreds = ((quads * 5243) >> 19) & 0x0000007f0000007f;
  const pairs = hundreds | ((quads - hundreds * 100) << 16);
  const tens = ((pairs * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((pairs - tens * 10) << 8);
}

/** `value` is below 10⁸. */
export function writeSmall(at: usize, value: u32): usize {
  const digits = digitsOf(value);
  const zeroBits = ctz(digits | LAST_DIGIT) & 56;
  store<u64>(at, (digits + ZEROS) >> zeroBits);
  return at + 8 - <usize>(zeroBits >> 3);
}

export function writeUnsigned(at: usize, value: u64): usize {
  if (value < EIGHT_DIGITS) return writeSmall(at, <u32>value);
  const upper = value / EIGHT_DIGITS;
  const end = upper < EIGHT_DIGITS ? writeSmall(at, <u32>upper) : writeUnsigned(at, upper);
  store<u64>(end, digitsOf(<u32>(value - upper * EIGHT_DIGITS)) + ZEROS);
  return end + 8;
}

export function writeInteger(at: usize, value: i64): usize {
  if (value >= 0) return writeUnsigned(at, value);
  store<u8>(at, MINUS);
  return writeUnsigned(at + 1, -value);
}

/** Writes `upper` × 10⁹ + `lower`, which may exceed 64 bits. */
export function writeWide(at: usize, upper: u64, lower: u32): usize {
  return upper === 0 ? writeUnsigned(at, lower) : writePadded(writeUnsigned(at, upper), lower, 9);
}

/** Exactly `width` digits, at most nine. */
export function writePadded(at: usize, value: u32, width: u32): usize {
  if (width > 8) {
    const first = value / <u32>EIGHT_DIGITS;
    store<u8>(at, ZERO + <u8>first);
    store<u64>(at + 1, digitsOf(value - first * <u32>EIGHT_DIGITS) + ZEROS);
  } else {
    store<u64>(at, (digitsOf(value) + ZEROS) >> ((<u64>(8 - width)) << 3));
  }
  return at + width;
}

/** Nanoseconds as a fraction of a second: `.25` for 250 million, nothing for 0. */
export function writeFraction(at: usize, nanoseconds: u32): usize {
  if (nanoseconds === 0) return at;
  store<u8>(at, POINT);
  return withoutZeros(writePadded(at + 1, nanoseconds, 9));
}

export function writeTenths(at: usize, tenths: u64): usize {
  const whole = tenths / 10;
  const end = writeUnsigned(at, whole);
  if (tenths === whole * 10) return end;
  store<u8>(end, POINT);
  store<u8>(end + 1, ZERO + <u8>(tenths - whole * 10));
  return end + 2;
}

/** The last `width` hexadecimal digits. */
export function writeHex(at: usize, value: u32, width: u32): usize {
  for (let place = at + width, rest = value; place > at; rest >>= 4) {
    const digit = <u8>(rest & 15);
    store<u8>(--place, digit + (digit < 10 ? ZERO : 0x57));
  }
  return at + width;
}

/** The end of a fraction without its trailing zeros. */
export function withoutZeros(end: usize): usize {
  let last = end;
  while (load<u8>(last - 1) === ZERO) last--;
  return last;
}
