import { EIGHT_DIGITS, withoutZeros, writeInteger, writePadded, writeSmall } from './digits.ts';

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Powers of ten up to here are exact as doubles. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const FRACTIONS = Float64Array.from({ length: 7 }, (_, places) => Number(`1e-${places}`));
const MILLION = 1_000_000;
/** Veltkamp's constant: cuts a double into two halves whose products are exact. */
const CUT = 134_217_729;

/** The number being written: handed from function to function, it would be put into a box each time. */
const held = new Float64Array(1);

/**
 * The shortest text that reads back as the number in a cell; the rule of JSON.stringify and of Go is the same. Percentages
 * and means, which have 15 to 17 digits, are worked out here: `String` takes half as long again and leaves a string behind.
 */
export function writeFloat(out: DataView, at: number, frame: Float64Array, cell: number): number {
  const value = frame[cell] as number;
  if (value === 0) return writeSmall(out, at, 0);
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return writeInteger(out, at, value);
  if (value > 0 && value < EIGHT_DIGITS) {
    // Few decimals: degrees, and percents of round numbers. At most 14 digits, so no other number reads back as this.
    const millionths = value * MILLION;
    if (millionths === Math.floor(millionths) && millionths / MILLION === value)
      return writeMillionths(out, at, millionths);
  }
  // Below a millionth there is an exponent to write.
  if (!(Math.abs(value) >= 1e-6 && Math.abs(value) < EIGHT_DIGITS)) return writeByEngine(out, at, value);
  if (value < 0) out.setUint8(at, MINUS);
  const start = value < 0 ? at + 1 : at;
  held[0] = Math.abs(value);
  const exponent = exponentOfHeld();
  const end = writeDigits(out, start + 1 + Math.max(0, -exponent), exponent);
  if (end === 0) return writeByEngine(out, at, value);
  placePoint(out, start, exponent);
  return end;
}

function writeMillionths(out: DataView, at: number, millionths: number): number {
  const whole = Math.floor(millionths / MILLION);
  const end = writeSmall(out, at, whole);
  out.setUint8(end, POINT);
  return withoutZeros(out, writePadded(out, end + 1, millionths - whole * MILLION, 6));
}

/** The place of the first digit: 0 for the units, -1 for the tenths. */
function exponentOfHeld(): number {
  const value = held[0] as number;
  let exponent = 0;
  if (value >= 1) while (value >= (POWERS[exponent + 1] as number)) exponent++;
  else while (value < (FRACTIONS[-exponent] as number)) exponent--;
  return exponent;
}

/** The digits without a point; 0 where the engine has to decide: at ties, and where 16 digits exceed a double's 53 bits. */
function writeDigits(out: DataView, at: number, exponent: number): number {
  const value = held[0] as number;
  const fifteen = POWERS[14 - exponent] as number;
  const digits = Math.floor(value * fifteen + 0.5);
  // Numbers of 15 digits all read back as different doubles, so one that reads back as this is the only one.
  if (digits / fifteen === value) return withoutZeros(out, writeInteger(out, at, digits));
  const sixteen = POWERS[15 - exponent] as number;
  const product = value * sixteen;
  const whole = Math.floor(product);
  const rest = product - whole + lostIn(product, value, sixteen);
  const more = whole + Math.floor(rest + 0.5);
  if (more >= Number.MAX_SAFE_INTEGER || isTie(rest)) return 0;
  if (more / sixteen === value) return writeInteger(out, at, more);
  return writeSeventeen(out, at, 16 - exponent);
}

/** The nearest number of 17 digits always reads back. */
function writeSeventeen(out: DataView, at: number, places: number): number {
  const value = held[0] as number;
  const power = POWERS[places] as number;
  const product = value * power;
  const rest = lostIn(product, value, power);
  if (isTie(rest)) return 0;
  let upper = Math.floor(product / EIGHT_DIGITS);
  let lower = product - upper * EIGHT_DIGITS + Math.floor(rest + 0.5);
  if (lower < 0) {
    upper--;
    lower += EIGHT_DIGITS;
  } else if (lower >= EIGHT_DIGITS) {
    upper++;
    lower -= EIGHT_DIGITS;
  }
  return writePadded(out, writeInteger(out, at, upper), lower, 8);
}

/** What rounding took from a product, exactly (Dekker). */
function lostIn(product: number, a: number, b: number): number {
  const shiftedA = CUT * a;
  const upperA = shiftedA - (shiftedA - a);
  const shiftedB = CUT * b;
  const upperB = shiftedB - (shiftedB - b);
  const lowerA = a - upperA;
  const lowerB = b - upperB;
  return upperA * upperB - product + upperA * lowerB + lowerA * upperB + lowerA * lowerB;
}

function isTie(rest: number): boolean {
  return rest - Math.floor(rest) === 0.5;
}

/** Room was left before the digits: the point and zeros after it, or the digits that stand before it, go there. */
function placePoint(out: DataView, at: number, exponent: number): void {
  for (let i = 0; i <= exponent; i++) out.setUint8(at + i, out.getUint8(at + i + 1));
  for (let i = 0; i < -exponent; i++) out.setUint8(at + (i === 0 ? 0 : i + 1), ZERO);
  out.setUint8(at + (exponent < 0 ? 1 : exponent + 1), POINT);
}

function writeByEngine(out: DataView, at: number, value: number): number {
  const text = String(value);
  for (let i = 0; i < text.length; i++) out.setUint8(at + i, text.charCodeAt(i));
  return at + text.length;
}
