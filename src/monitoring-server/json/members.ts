import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, QUOTE, skipColon, skipSpace, skipString, skipValue } from './scan.ts';

const BACKSLASH = 0x5c;

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
