/**
 * A strict JSON recogniser over bytes that builds nothing: each function takes the offset of a construct and returns
 * the offset behind it, or -1 where the text is not JSON. It accepts what `JSON.parse` accepts, up to a nesting of 512
 * and without escapes of unpaired surrogates (both as the shipped server's parser), and needs no recursion.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
export const MAX_NESTING = 512;

const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const LETTER_U = 0x75;
const SURROGATE_MASK = 0xfc00;
const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
/** Brackets and braces differ in this bit only, as do upper and lower case letters. */
const CASE_BIT = 0x20;

// What the bytes so far allow to come next inside a container.
const VALUE = 0;
const NAME = 1;
const SEPARATOR = 2;

// Whether each open container is an object. Shared by all scans: none yields before its end.
const objects = new Uint8Array(MAX_NESTING);

/** The offset of the first byte at or behind `from` that is not white space; the length at the end of the body. */
export function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && isSpace(body[at] as number)) at++;
  return at;
}

export function isObjectAt(body: Buffer, at: number): boolean {
  return body[at] === OPEN_BRACE;
}

export function isArrayAt(body: Buffer, at: number): boolean {
  return body[at] === OPEN_BRACKET;
}

/** `from` is the value's first byte; `depth` is how many containers around it are open. */
export function skipValue(body: Buffer, from: number, depth: number): number {
  const first = body[from];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(body, from, depth);
  return first === QUOTE ? skipString(body, from) : skipWord(body, from);
}

/** `from` is the opening quote. */
function skipString(body: Buffer, from: number): number {
  const end = body.length;
  for (let at = from + 1; at < end; at++) {
    const byte = body[at] as number;
    // Most bytes of a payload are lower-case letters: one comparison settles them.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at = lastOfEscape(body, at + 1);
    if (byte < 0x20 || at < 0) return -1;
  }
  return -1;
}

/** From the end of a member's name to the first byte of its value. */
function skipColon(body: Buffer, from: number): number {
  if (from < 0) return -1;
  const at = skipSpace(body, from);
  return body[at] === COLON ? skipSpace(body, at + 1) : -1;
}

// One loop for all nesting and for strings within, because it carries most of the server's own work: split into
// functions it takes twice as long.
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: see above
function skipContainer(body: Buffer, from: number, outer: number): number {
  const end = body.length;
  let depth = outer;
  let inObject = false;
  let allowed = VALUE;
  let at = from;
  while (at < end) {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      if (allowed === SEPARATOR) return -1;
      for (at++; ; at++) {
        if (at >= end) return -1;
        const letter = body[at] as number;
        // Most bytes of a payload are lower-case letters: one comparison settles them.
        if (letter > BACKSLASH) continue;
        if (letter === QUOTE) break;
        if (letter < 0x20) return -1;
        if (letter === BACKSLASH) {
          at = lastOfEscape(body, at + 1);
          if (at < 0) return -1;
        }
      }
      at++;
      if (allowed === NAME) {
        at = body[at] === COLON ? at + 1 : skipColon(body, at);
        if (at < 0) return -1;
        allowed = VALUE;
      } else {
        allowed = SEPARATOR;
      }
    } else if (byte === COMMA) {
      if (allowed !== SEPARATOR) return -1;
      allowed = inObject ? NAME : VALUE;
      at++;
    } else if ((byte | CASE_BIT) === OPEN_BRACE) {
      if (allowed !== VALUE || depth === MAX_NESTING) return -1;
      objects[depth++] = inObject ? 1 : 0;
      inObject = byte === OPEN_BRACE;
      at = skipSpace(body, at + 1);
      allowed = isClose(body, at) ? SEPARATOR : inObject ? NAME : VALUE;
    } else if ((byte | CASE_BIT) === CLOSE_BRACE) {
      if (allowed !== SEPARATOR || (byte === CLOSE_BRACE) !== inObject) return -1;
      at++;
      inObject = objects[--depth] === 1;
      if (depth === outer) return at;
    } else if (isSpace(byte)) {
      at++;
    } else {
      if (allowed !== VALUE) return -1;
      at = skipWord(body, at);
      if (at < 0) return -1;
      allowed = SEPARATOR;
    }
  }
  return -1;
}

function isClose(body: Buffer, at: number): boolean {
  return at < body.length && ((body[at] as number) | CASE_BIT) === CLOSE_BRACE;
}

/** A number or one of the three literal names. */
function skipWord(body: Buffer, from: number): number {
  switch (body[from]) {
    case 0x74:
      return skipName(body, from, 'true');
    case 0x66:
      return skipName(body, from, 'false');
    case 0x6e:
      return skipName(body, from, 'null');
    default:
      return skipNumber(body, from);
  }
}

function skipName(body: Buffer, from: number, name: string): number {
  for (let i = 1; i < name.length; i++) if (body[from + i] !== name.charCodeAt(i)) return -1;
  return from + name.length;
}

function skipNumber(body: Buffer, from: number): number {
  const start = body[from] === MINUS ? from + 1 : from;
  let at = body[start] === ZERO ? start + 1 : skipDigits(body, start);
  if (at >= 0 && body[at] === DOT) at = skipDigits(body, at + 1);
  if (at >= 0 && at < body.length && ((body[at] as number) | CASE_BIT) === 0x65) {
    const sign = body[at + 1];
    at = skipDigits(body, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
  }
  return at;
}

/** At least one digit. */
function skipDigits(body: Buffer, from: number): number {
  const end = body.length;
  let at = from;
  while (at < end && isDigit(body[at] as number)) at++;
  return at > from ? at : -1;
}

/** `at` is the byte behind a backslash. */
function lastOfEscape(body: Buffer, at: number): number {
  const byte = body[at];
  if (byte === undefined) return -1;
  if (byte !== LETTER_U) return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? at : -1;
  const unit = codeUnit(body, at + 1);
  if (unit < 0 || (unit & SURROGATE_MASK) === LOW_SURROGATE) return -1;
  if ((unit & SURROGATE_MASK) !== HIGH_SURROGATE) return at + 4;
  const isPair = body[at + 5] === BACKSLASH && body[at + 6] === LETTER_U;
  return isPair && (codeUnit(body, at + 7) & SURROGATE_MASK) === LOW_SURROGATE ? at + 10 : -1;
}

/** The UTF-16 code unit that the four hex digits from `from` on say; -1 where there are none. */
function codeUnit(body: Buffer, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at++) {
    const digit = body[at];
    if (!isHexDigit(digit)) return -1;
    unit = unit * 16 + (isDigit(digit) ? digit - ZERO : (digit | CASE_BIT) - 0x61 + 10);
  }
  return unit;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isHexDigit(byte: number | undefined): byte is number {
  if (byte === undefined) return false;
  const letter = byte | CASE_BIT;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}

/** Takes a member's name and its value's first byte; returns the offset behind the value, or -1. */
export type MemberReader = (name: string, valueStart: number) => number;

/** Walks the object that opens at `from`; returns the offset behind it, or -1 where it is not JSON. */
export function readMembers(body: Buffer, from: number, read: MemberReader): number {
  let at = skipSpace(body, from + 1);
  if (body[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    if (body[at] !== QUOTE) return -1;
    const nameEnd = skipString(body, at);
    const valueStart = skipColon(body, nameEnd);
    const valueEnd = valueStart < 0 ? -1 : read(decodeString(body, at, nameEnd), valueStart);
    if (valueEnd < 0) return -1;
    at = skipSpace(body, valueEnd);
    if (body[at] === CLOSE_BRACE) return at + 1;
    if (body[at] !== COMMA) return -1;
    at = skipSpace(body, at + 1);
  }
}

/** Counts the elements of the array that opens at `from`, itself inside `depth` - 1 containers. */
export function countElements(body: Buffer, from: number, depth: number): { count: number; end: number } {
  let at = skipSpace(body, from + 1);
  if (body[at] === CLOSE_BRACKET) return { count: 0, end: at + 1 };
  for (let count = 1; ; count++) {
    const valueEnd = skipValue(body, at, depth);
    if (valueEnd < 0) return { count, end: -1 };
    at = skipSpace(body, valueEnd);
    if (body[at] === CLOSE_BRACKET) return { count, end: at + 1 };
    if (body[at] !== COMMA) return { count, end: -1 };
    at = skipSpace(body, at + 1);
  }
}

/** The value of a recognised string, number or literal name that stands in [start, end). */
export function decodeScalar(body: Buffer, start: number, end: number): string | number | boolean | null {
  return body[start] === QUOTE ? decodeString(body, start, end) : JSON.parse(body.toString('latin1', start, end));
}

/** The value of a recognised string, quotes included in [start, end). */
function decodeString(body: Buffer, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    if (body[at] === BACKSLASH) return JSON.parse(body.toString('utf8', start, end));
  }
  return body.toString('utf8', start + 1, end - 1);
}
