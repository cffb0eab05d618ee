import { isUtf8 } from 'node:buffer';

/**
 * Reads untrusted JSON without building its values: one walk over the bytes, without allocation, finds the members of
 * interest. `JSON.parse` takes up to a hundred times as long for hostile texts as for real ones, and forty times their size in
 * memory. Functions take the offset where a construct starts and return the offset after it, or -1 if the text is not JSON.
 */

export type JsonRules = {
  readonly mostNesting: number;
  /** Whether escaped lone surrogates and invalid UTF-8 become U+FFFD; otherwise the text is not JSON. */
  readonly mendsText: boolean;
  readonly foldsNames: boolean;
};

/** PHP's `json_decode`, as the monitoring server calls it. */
export const PHP_JSON: JsonRules = { mostNesting: 512, mendsText: false, foldsNames: false };

/** Go's `encoding/json`, as the agent calls it. */
export const GO_JSON: JsonRules = { mostNesting: 10_000, mendsText: true, foldsNames: true };

/** A text for one walk. */
export type JsonInput = {
  readonly bytes: Buffer;
  readonly rules: JsonRules;
  /** Remaining elements and members, so that a walk takes some tenths of a second at most. */
  left: number;
};

/** No real document of the maximum body size has as many values; a text with more is treated as malformed. */
const MAX_VALUES = 8_000_000;

export function jsonInput(bytes: Buffer, rules: JsonRules): JsonInput {
  return { bytes, rules, left: MAX_VALUES };
}

/** Range of a value: its first byte and the byte after its last. */
export type ByteRange = { readonly start: number; readonly end: number };

export const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const LETTER_U = 0x75;
const SURROGATE_MASK = 0xfc00;
const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
/** Brackets and braces differ only in this bit, as do uppercase and lowercase letters. */
const CASE_BIT = 0x20;

// What may come next inside a container.
const VALUE = 0;
const NAME = 1;
const SEPARATOR = 2;

// Whether each open container is an object. Shared by all walks, because none yields before it ends.
const objects = new Uint8Array(Math.max(PHP_JSON.mostNesting, GO_JSON.mostNesting));

/** Returns the offset of the first non-whitespace byte at or after `from`, or the length of the text. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at] as number)) at++;
  return at;
}

export function isObjectAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_BRACE;
}

export function isArrayAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_BRACKET;
}

export function isNullAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === LETTER_N;
}

export function isTextAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === QUOTE;
}

/** The value of a recognized boolean; `undefined` for other values. */
export function booleanAt(bytes: Buffer, at: number): boolean | undefined {
  if (bytes[at] === LETTER_T) return true;
  return bytes[at] === LETTER_F ? false : undefined;
}

/**
 * @param from first byte of the value.
 * @param depth number of open containers around it.
 */
export function skipValue(text: JsonInput, from: number, depth: number): number {
  const { bytes, rules } = text;
  const first = bytes[from];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, from, depth);
  return first === QUOTE ? skipString(bytes, from, rules.mendsText) : skipWord(bytes, from);
}

/** @param from the opening quote. */
function skipString(bytes: Buffer, from: number, takesHalfPairs: boolean): number {
  const end = bytes.length;
  for (let at = from + 1; at < end; at++) {
    const byte = bytes[at] as number;
    // Most bytes of a payload are lowercase letters, which need only this comparison.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at = lastOfEscape(bytes, at + 1, takesHalfPairs);
    if (byte < 0x20 || at < 0) return -1;
  }
  return -1;
}

/** Skips from the end of a member's name to the first byte of its value. */
function skipColon(bytes: Buffer, from: number): number {
  if (from < 0) return -1;
  const at = skipSpace(bytes, from);
  return bytes[at] === COLON ? skipSpace(bytes, at + 1) : -1;
}

// One loop for all nesting and strings. It does most of the server's own work, and takes twice as long if split into functions.
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: see above
function skipContainer(text: JsonInput, from: number, outer: number): number {
  const { bytes, rules } = text;
  const { mostNesting, mendsText } = rules;
  const end = bytes.length;
  let { left } = text;
  let depth = outer;
  let inObject = false;
  let allowed = VALUE;
  let at = from;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      if (allowed === SEPARATOR) return -1;
      for (at++; ; at++) {
        if (at >= end) return -1;
        const letter = bytes[at] as number;
        // Most bytes of a payload are lowercase letters, which need only this comparison.
        if (letter > BACKSLASH) continue;
        if (letter === QUOTE) break;
        if (letter === BACKSLASH) at = lastOfEscape(bytes, at + 1, mendsText);
        if (letter < 0x20 || at < 0) return -1;
      }
      at++;
      if (allowed === VALUE) allowed = SEPARATOR;
      else {
        at = bytes[at] === COLON ? at + 1 : skipColon(bytes, at);
        if (at < 0) return -1;
        allowed = VALUE;
      }
    } else if (byte === COMMA) {
      if (allowed !== SEPARATOR || --left < 0) return -1;
      allowed = inObject ? NAME : VALUE;
      at++;
    } else if ((byte | CASE_BIT) === OPEN_BRACE) {
      if (allowed !== VALUE || depth === mostNesting || --left < 0) return -1;
      objects[depth++] = inObject ? 1 : 0;
      inObject = byte === OPEN_BRACE;
      at++;
      if ((bytes[at] as number) <= 0x20) at = skipSpace(bytes, at);
      allowed = isClose(bytes, at) ? SEPARATOR : inObject ? NAME : VALUE;
    } else if ((byte | CASE_BIT) === CLOSE_BRACE) {
      if (allowed !== SEPARATOR || (byte === CLOSE_BRACE) !== inObject) return -1;
      at++;
      inObject = objects[--depth] === 1;
      if (depth === outer) {
        text.left = left;
        return at;
      }
    } else if (isSpace(byte)) {
      at++;
    } else {
      if (allowed !== VALUE) return -1;
      // A list of single digits has the most values per byte.
      at = isDigit(byte) && bytes[at + 1] === COMMA ? at + 1 : skipWord(bytes, at);
      if (at < 0) return -1;
      allowed = SEPARATOR;
    }
  }
  return -1;
}

function isClose(bytes: Buffer, at: number): boolean {
  return at < bytes.length && ((bytes[at] as number) | CASE_BIT) === CLOSE_BRACE;
}

/** Skips a number or one of the three literal names. */
function skipWord(bytes: Buffer, from: number): number {
  switch (bytes[from]) {
    case LETTER_T:
      return skipName(bytes, from, 'true');
    case LETTER_F:
      return skipName(bytes, from, 'false');
    case LETTER_N:
      return skipName(bytes, from, 'null');
    default:
      return skipNumber(bytes, from);
  }
}

function skipName(bytes: Buffer, from: number, name: string): number {
  for (let i = 1; i < name.length; i++) if (bytes[from + i] !== name.charCodeAt(i)) return -1;
  return from + name.length;
}

function skipNumber(bytes: Buffer, from: number): number {
  const start = bytes[from] === MINUS ? from + 1 : from;
  let at = bytes[start] === ZERO ? start + 1 : skipDigits(bytes, start);
  if (at >= 0 && bytes[at] === DOT) at = skipDigits(bytes, at + 1);
  if (at >= 0 && at < bytes.length && ((bytes[at] as number) | CASE_BIT) === 0x65) {
    const sign = bytes[at + 1];
    at = skipDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let at = from;
  while (at < end && isDigit(bytes[at] as number)) at++;
  return at > from ? at : -1;
}

/** @param at the byte after a backslash. */
function lastOfEscape(bytes: Buffer, at: number, takesHalfPairs: boolean): number {
  const byte = bytes[at];
  if (byte === undefined) return -1;
  if (byte !== LETTER_U) return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? at : -1;
  const unit = codeUnit(bytes, at + 1);
  if (unit < 0) return -1;
  if (takesHalfPairs) return at + 4;
  if ((unit & SURROGATE_MASK) === LOW_SURROGATE) return -1;
  if ((unit & SURROGATE_MASK) !== HIGH_SURROGATE) return at + 4;
  const isPair = bytes[at + 5] === BACKSLASH && bytes[at + 6] === LETTER_U;
  return isPair && (codeUnit(bytes, at + 7) & SURROGATE_MASK) === LOW_SURROGATE ? at + 10 : -1;
}

/** The UTF-16 code unit of the four hex digits at `from`; -1 if they are not hex digits. */
function codeUnit(bytes: Buffer, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at++) {
    const digit = bytes[at];
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

// ---- Members ----

/** ASCII names of members to read. A member is identified by the index of its name in the list. */
export type MemberNames = {
  readonly ofLength: readonly (readonly KnownName[] | undefined)[];
  /** By letter: whether a name starts with it. */
  readonly first: Uint8Array;
};

type KnownName = { readonly index: number; readonly letters: Buffer };

const MAX_NAME_BYTES = 64;

/** @param names must be lowercase if they are matched case-insensitively. */
export function memberNames(names: readonly string[]): MemberNames {
  const ofLength: KnownName[][] = [];
  const first = new Uint8Array(0x80);
  for (const [index, name] of names.entries()) {
    if (name.length > MAX_NAME_BYTES) throw new RangeError(`the name ${name} is longer than ${MAX_NAME_BYTES} letters`);
    first[name.charCodeAt(0)] = 1;
    ofLength[name.length] ??= [];
    ofLength[name.length]?.push({ index, letters: Buffer.from(name) });
  }
  return { ofLength, first };
}

/** Takes the index of the name, -1 if it is unknown, and where value and quoted name start; returns the offset after the value, or -1. */
export type MemberReader = (index: number, valueStart: number, nameStart: number) => number;

export type MemberWalk = { readonly names: MemberNames; readonly read: MemberReader };

/** Walks the object that opens at `from`. */
export function readMembers(text: JsonInput, from: number, { names, read }: MemberWalk): number {
  const { bytes, rules } = text;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    if (bytes[at] !== QUOTE || --text.left < 0) return -1;
    const nameEnd = skipString(bytes, at, rules.mendsText);
    const valueStart = skipColon(bytes, nameEnd);
    const valueEnd = valueStart < 0 ? -1 : read(memberAt(text, at, names), valueStart, at);
    if (valueEnd < 0) return -1;
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

/** Walks the array that opens at `from`; `read` takes the first byte of an element and returns the offset after it. */
export function readElements(text: JsonInput, from: number, read: (valueStart: number) => number): number {
  const { bytes } = text;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    const valueEnd = --text.left < 0 ? -1 : read(at);
    if (valueEnd < 0) return -1;
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

/** The kind of a whole text: an object whose members were read, `null`, another value, or not JSON. */
export type JsonTextKind = 'object' | 'null' | 'other' | 'malformed';

/** Reads a text from its first byte to its last. */
export function readWhole(text: JsonInput, members: MemberWalk): JsonTextKind {
  const { bytes } = text;
  const start = skipSpace(bytes, 0);
  const isObject = isObjectAt(bytes, start);
  const end = isObject ? readMembers(text, start, members) : skipValue(text, start, 0);
  if (end < 0 || skipSpace(bytes, end) !== bytes.length) return 'malformed';
  if (isObject) return 'object';
  return isNullAt(bytes, start) ? 'null' : 'other';
}

// Letters of the current name. Shared by all walks, because each uses them immediately.
const letters = Buffer.alloc(MAX_NAME_BYTES);

/** @param from the opening quote of a recognized name. */
function memberAt(text: JsonInput, from: number, { ofLength, first }: MemberNames): number {
  const { bytes, rules } = text;
  const byte = bytes[from + 1] as number;
  // The first letter rules most names out.
  const isOther = byte < 0x80 && byte !== BACKSLASH && first[rules.foldsNames ? folded(byte) : byte] === 0;
  const count = isOther ? -1 : lettersOf(text, from + 1);
  const alike = count < 0 ? undefined : ofLength[count];
  if (alike === undefined) return -1;
  for (const known of alike) if (isSpelled(known.letters, count)) return known.index;
  return -1;
}

function isSpelled(name: Buffer, count: number): boolean {
  for (let i = 0; i < count; i++) if (name[i] !== letters[i]) return false;
  return true;
}

/** Copies the letters of a name into `letters`. Returns their number, or -1 if the name cannot be a known one. */
function lettersOf({ bytes, rules }: JsonInput, from: number): number {
  let count = 0;
  for (let at = from; bytes[at] !== QUOTE; count++) {
    if (count === MAX_NAME_BYTES) return -1;
    const byte = bytes[at] as number;
    const isPlain = byte < 0x80 && byte !== BACKSLASH;
    const letter = isPlain ? byte : letterAt(bytes, at);
    at += isPlain ? 1 : letterSize(bytes, at);
    const compared = rules.foldsNames ? folded(letter) : letter;
    if (compared >= 0x80) return -1;
    letters[count] = compared;
  }
  return count;
}

// The only non-ASCII characters that fold to ASCII letters.
const LONG_S = 0x17f;
const KELVIN = 0x212a;
const NO_LETTER = 0xfffd;

/** Decodes an escape or a non-ASCII character, if a known name may contain it. */
function letterAt(bytes: Buffer, at: number): number {
  const second = bytes[at + 1] as number;
  if (bytes[at] === 0xc5 && second === 0xbf) return LONG_S;
  if (bytes[at] === 0xe2 && second === 0x84 && bytes[at + 2] === 0xaa) return KELVIN;
  if (bytes[at] !== BACKSLASH) return NO_LETTER;
  if (second === LETTER_U) return codeUnit(bytes, at + 2);
  // The other escapes are control characters.
  return second === QUOTE || second === BACKSLASH || second === SLASH ? second : NO_LETTER;
}

function letterSize(bytes: Buffer, at: number): number {
  if (bytes[at] === BACKSLASH) return bytes[at + 1] === LETTER_U ? 6 : 2;
  return bytes[at] === 0xe2 ? 3 : 2;
}

function folded(letter: number): number {
  if (letter >= 0x41 && letter <= 0x5a) return letter | CASE_BIT;
  if (letter === LONG_S) return 0x73;
  return letter === KELVIN ? 0x6b : letter;
}

// ---- Values ----

/** Parses a text of up to `input.left` values, which must be few: each takes time and memory. `undefined` for any other text. */
export function parseBounded(input: JsonInput): { readonly value: unknown } | undefined {
  const { bytes, rules } = input;
  if (!rules.mendsText && !isUtf8(bytes)) return undefined;
  const end = skipValue(input, skipSpace(bytes, 0), 0);
  const isWhole = end >= 0 && skipSpace(bytes, end) === bytes.length;
  return isWhole ? { value: JSON.parse(bytes.toString()) } : undefined;
}

/** The value of a recognized string, number or literal name. */
export function decodeScalar(bytes: Buffer, { start, end }: ByteRange): string | number | boolean | null {
  switch (bytes[start]) {
    case QUOTE:
      return decodeString(bytes, { start, end });
    case LETTER_T:
      return true;
    case LETTER_F:
      return false;
    case LETTER_N:
      return null;
    default:
      return Number(bytes.toString('latin1', start, end));
  }
}

/** The value of a recognized string, whose range includes the quotes. */
export function decodeString(bytes: Buffer, { start, end }: ByteRange): string {
  return bytes.subarray(start, end).includes(BACKSLASH)
    ? (JSON.parse(bytes.toString('utf8', start, end)) as string).toWellFormed()
    : bytes.toString('utf8', start + 1, end - 1);
}
