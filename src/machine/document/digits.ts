/** Numbers as ASCII digits straight into a buffer. Each function returns the offset after its last byte. */
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const MILLIARD = 1_000_000_000;

/** The four digits of every number below ten thousand. */
const QUADS = Uint8Array.from({ length: 40_000 }, (_, i) => {
  return ZERO + (Math.floor((i >> 2) / 10 ** (3 - (i & 3))) % 10);
});

/** Any whole number that a double holds exactly. */
export function writeInteger(out: Buffer, at: number, value: number): number {
  if (value < 0) {
    out[at] = MINUS;
    return writeInteger(out, at + 1, -value);
  }
  if (value < MILLIARD) return writeSmall(out, at, value);
  const upper = Math.floor(value / MILLIARD);
  return writePadded(out, writeSmall(out, at, upper), value - upper * MILLIARD, 9);
}

/** `upper` times a thousand millions plus `lower`, both not negative: 64 bits and more. */
export function writeWide(out: Buffer, at: number, upper: number, lower: number): number {
  if (upper === 0) return writeInteger(out, at, lower);
  return writePadded(out, writeInteger(out, at, upper), lower, 9);
}

/** Exactly `width` digits (at most 9) of a whole number. */
export function writePadded(out: Buffer, at: number, value: number, width: number): number {
  let rest = value | 0;
  let place = at + width;
  for (; place - at >= 4; place -= 4) {
    const head = (rest / 10_000) | 0;
    putQuad(out, place - 4, rest - head * 10_000);
    rest = head;
  }
  while (place > at) {
    const head = (rest / 10) | 0;
    out[--place] = ZERO + rest - head * 10;
    rest = head;
  }
  return at + width;
}

/** Nanoseconds as a fraction of a second: `.25` for 250 million, nothing for 0. */
export function writeFraction(out: Buffer, at: number, nanoseconds: number): number {
  if (nanoseconds === 0) return at;
  out[at] = POINT;
  let end = writePadded(out, at + 1, nanoseconds, 9);
  while (out[end - 1] === ZERO) end--;
  return end;
}

/** The shortest text that reads back as the same number; the rule of JSON.stringify and of Go is the same. */
export function writeFloat(out: Buffer, at: number, value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER) return writeInteger(out, at, value);
  const hundredths = Math.round(value * 100);
  if (hundredths / 100 === value && hundredths > 0 && hundredths < MILLIARD)
    return writeHundredths(out, at, hundredths);
  const digits = String(value);
  for (let i = 0; i < digits.length; i++) out[at + i] = digits.charCodeAt(i);
  return at + digits.length;
}

/** A number given in tenths, not negative. */
export function writeTenths(out: Buffer, at: number, tenths: number): number {
  if (tenths < 10) {
    out[at] = ZERO;
    if (tenths === 0) return at + 1;
    out[at + 1] = POINT;
    out[at + 2] = ZERO + tenths;
    return at + 3;
  }
  const whole = Math.floor(tenths / 10);
  const end = writeInteger(out, at, whole);
  if (tenths === whole * 10) return end;
  out[end] = POINT;
  out[end + 1] = ZERO + tenths - whole * 10;
  return end + 2;
}

function writeHundredths(out: Buffer, at: number, hundredths: number): number {
  const whole = (hundredths / 100) | 0;
  const point = writeSmall(out, at, whole);
  out[point] = POINT;
  const end = writePadded(out, point + 1, hundredths - whole * 100, 2);
  return out[end - 1] === ZERO ? end - 1 : end;
}

function writeSmall(out: Buffer, at: number, value: number): number {
  return writePadded(out, at, value, widthOf(value | 0));
}

function widthOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  return value < 100_000_000 ? (value < 10_000_000 ? 7 : 8) : 9;
}

function putQuad(out: Buffer, at: number, value: number): void {
  const quad = value << 2;
  out[at] = QUADS[quad] as number;
  out[at + 1] = QUADS[quad + 1] as number;
  out[at + 2] = QUADS[quad + 2] as number;
  out[at + 3] = QUADS[quad + 3] as number;
}
