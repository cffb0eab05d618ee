import { EIGHT_DIGITS, withoutZeros, writeInteger, writePadded, writeSmall, writeUnsigned } from './digits';
import { writeByEngine } from './engine';

const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991;
const MILLION: f64 = 1_000_000;
const ZERO: u8 = 0x30;
const MINUS: u8 = 0x2d;
const POINT: u8 = 0x2e;
/** Powers of ten that are exact as doubles. */
const POWERS: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
];
const FRACTIONS: StaticArray<f64> = [1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
/** Veltkamp's constant: splits a double into two halves whose products are exact. */
const CUT: f64 = 134_217_729;

/**
 * Writes the shortest text that reads back as the number, as JSON.stringify and Go do. Percentages and means, which have 15 to 17
 * digits, are computed here; the engine writes rarer numbers.
 */
export function writeFloat(at: usize, value: f64): usize {
  const size = abs(value);
  if (floor(value) === value && size <= MAX_SAFE_INTEGER) return writeInteger(at, <i64>value);
  if (value > 0 && value < <f64>EIGHT_DIGITS) {
    // Few decimals: degrees, and percentages of round numbers. With at most 14 digits, no other number reads back as this text.
    const millionths = value * MILLION;
    if (millionths === floor(millionths) && millionths / MILLION === value) return writeMillionths(at, <u64>millionths);
  }
  // Numbers below a millionth have an exponent.
  if (!(size >= 1e-6 && size < <f64>EIGHT_DIGITS)) return writeByEngine(at, value);
  const start = value < 0 ? at + 1 : at;
  const exponent = exponentOf(size);
  const end = writeDigits(start + 1 + max(0, -exponent), size, exponent);
  if (end === 0) return writeByEngine(at, value);
  if (value < 0) store<u8>(at, MINUS);
  placePoint(start, exponent);
  return end;
}

function writeMillionths(at: usize, millionths: u64): usize {
  const whole = millionths / 1_000_000;
  const end = writeSmall(at, <u32>whole);
  store<u8>(end, POINT);
  return withoutZeros(writePadded(end + 1, <u32>(millionths - whole * 1_000_000), 6));
}

/** Decimal place of the first digit: 0 for the units, -1 for the tenths. */
function exponentOf(value: f64): i32 {
  let exponent = 0;
  if (value >= 1) while (value >= unchecked(POWERS[exponent + 1])) exponent++;
  else while (value < unchecked(FRACTIONS[-exponent])) exponent--;
  return exponent;
}

/** Writes the digits without a point. Returns 0 if the engine must decide: at ties, and if 16 digits exceed a double's 53 bits. */
function writeDigits(at: usize, value: f64, exponent: i32): usize {
  const fifteen = unchecked(POWERS[14 - exponent]);
  const digits = floor(value * fifteen + 0.5);
  // All numbers of 15 digits read back as different doubles, so one that reads back as this double is the only one.
  if (digits / fifteen === value) return withoutZeros(writeUnsigned(at, <u64>digits));
  const sixteen = unchecked(POWERS[15 - exponent]);
  const product = value * sixteen;
  const whole = floor(product);
  const rest = product - whole + lostIn(product, value, sixteen);
  const more = whole + floor(rest + 0.5);
  if (more >= MAX_SAFE_INTEGER || isTie(rest)) return 0;
  if (more / sixteen === value) return writeUnsigned(at, <u64>more);
  return writeSeventeen(at, value, unchecked(POWERS[16 - exponent]));
}

/** The nearest number of 17 digits always reads back. */
function writeSeventeen(at: usize, value: f64, power: f64): usize {
  const product = value * power;
  const rest = lostIn(product, value, power);
  return isTie(rest) ? 0 : writeUnsigned(at, <u64>(<i64>product + <i64>floor(rest + 0.5)));
}

/** The exact rounding error of a product (Dekker). */
function lostIn(product: f64, a: f64, b: f64): f64 {
  const shiftedA = CUT * a;
  const upperA = shiftedA - (shiftedA - a);
  const shiftedB = CUT * b;
  const upperB = shiftedB - (shiftedB - b);
  const lowerA = a - upperA;
  const lowerB = b - upperB;
  return upperA * upperB - product + upperA * lowerB + lowerA * upperB + lowerA * lowerB;
}

function isTie(rest: f64): bool {
  return rest - floor(rest) === 0.5;
}

/** Writes the point into the space before the digits, with the zeros after it or the digits before it. */
function placePoint(at: usize, exponent: i32): void {
  for (let i = 0; i <= exponent; i++) store<u8>(at + i, load<u8>(at + i + 1));
  for (let i = 0; i < -exponent; i++) store<u8>(at + (i === 0 ? 0 : i + 1), ZERO);
  store<u8>(at + (exponent < 0 ? 1 : exponent + 1), POINT);
}
