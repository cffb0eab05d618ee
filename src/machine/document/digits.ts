/**
 * Numbers as ASCII digits straight into a buffer. Each function returns the offset after its last byte; those that write
 * whole words may leave up to seven bytes of no meaning after it, which what follows overwrites.
 */
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const QUAD = 10_000;
export const EIGHT_DIGITS = 100_000_000;
const HEX_PAIRS = Int16Array.from({ length: 256 }, (_, n) => {
  return Buffer.from(n.toString(16).padStart(2, '0'), 'latin1').readInt16LE();
});

/** The four digits of every number below ten thousand as one word: with leading zeros, and without them. */
const QUADS = Int32Array.from({ length: QUAD }, (_, n) => wordOf(String(n).padStart(4, '0')));
const SHORT_QUADS = Int32Array.from({ length: QUAD }, (_, n) => wordOf(String(n).padEnd(4)));
const WIDTHS = Uint8Array.from({ length: QUAD }, (_, n) => String(n).length);

/** Any whole number that a double holds exactly. */
export function writeInteger(out: DataView, at: number, value: number): number {
  if (value < 0) {
    out.setUint8(at, MINUS);
    return writeInteger(out, at + 1, -value);
  }
  if (value < EIGHT_DIGITS) return writeSmall(out, at, value | 0);
  const upper = Math.floor(value / EIGHT_DIGITS);
  const end = upper < EIGHT_DIGITS ? writeSmall(out, at, upper | 0) : writeInteger(out, at, upper);
  const lower = (value - upper * EIGHT_DIGITS) | 0;
  const head = (lower / QUAD) | 0;
  out.setInt32(end, QUADS[head] as number, true);
  out.setInt32(end + 4, QUADS[lower - head * QUAD] as number, true);
  return end + 8;
}

/** `upper` times a thousand millions plus `lower`, both not negative: 64 bits and more. */
export function writeWide(out: DataView, at: number, upper: number, lower: number): number {
  if (upper === 0) return writeInteger(out, at, lower);
  return writePadded(out, writeInteger(out, at, upper), lower, 9);
}

/** Exactly `width` digits (at most 9) of a whole number. */
export function writePadded(out: DataView, at: number, value: number, width: number): number {
  let rest = value | 0;
  let place = at + width;
  for (; place - at >= 4; place -= 4) {
    const head = (rest / QUAD) | 0;
    out.setInt32(place - 4, QUADS[rest - head * QUAD] as number, true);
    rest = head;
  }
  while (place > at) {
    const head = (rest / 10) | 0;
    out.setUint8(--place, ZERO + rest - head * 10);
    rest = head;
  }
  return at + width;
}

/** Nanoseconds as a fraction of a second: `.25` for 250 million, nothing for 0. */
export function writeFraction(out: DataView, at: number, nanoseconds: number): number {
  if (nanoseconds === 0) return at;
  out.setUint8(at, POINT);
  return withoutZeros(out, writePadded(out, at + 1, nanoseconds, 9));
}

/** The last `width` (at most 8) hexadecimal digits of a whole number below 2^32; returns the offset after them. */
export function writeHex(out: DataView, at: number, value: number, width: number): number {
  let rest = value;
  let place = at + width;
  for (; place - at >= 2; place -= 2) {
    out.setInt16(place - 2, HEX_PAIRS[rest & 0xff] as number, true);
    rest >>>= 8;
  }
  if (place > at) out.setUint8(at, (HEX_PAIRS[(rest & 15) << 4] as number) & 0xff);
  return at + width;
}

/** A number given in tenths, not negative. */
export function writeTenths(out: DataView, at: number, tenths: number): number {
  const whole = Math.floor(tenths / 10);
  const end = writeInteger(out, at, whole);
  if (tenths === whole * 10) return end;
  out.setInt16(end, POINT | ((ZERO + tenths - whole * 10) << 8), true);
  return end + 2;
}

/** Where a fraction that ends here ends without its trailing zeros. */
export function withoutZeros(out: DataView, end: number): number {
  let last = end;
  while (out.getUint8(last - 1) === ZERO) last--;
  return last;
}

/** A whole number from 0 to below a hundred million. */
export function writeSmall(out: DataView, at: number, value: number): number {
  if (value < QUAD) {
    out.setInt32(at, SHORT_QUADS[value] as number, true);
    return at + (WIDTHS[value] as number);
  }
  const head = (value / QUAD) | 0;
  out.setInt32(at, SHORT_QUADS[head] as number, true);
  const end = at + (WIDTHS[head] as number);
  out.setInt32(end, QUADS[value - head * QUAD] as number, true);
  return end + 4;
}

function wordOf(text: string): number {
  return Buffer.from(text, 'latin1').readInt32LE();
}
