import { ENDPOINT_PATHS } from '../base/protocol/push.ts';
import { readTime } from './log-time.ts';
import type { LoggedRequest } from './logged-request.ts';

/* Reads the fields of a line from its bytes: a log has millions of lines, and texts would take most of the time. */

const [SPACE, HASH, COMMA, DASH, DOT, SLASH, COLON, QUESTION, BRACKET] = [32, 35, 44, 45, 46, 47, 58, 63, 91];

/** What a part of a line means. Durations are in this many microseconds. */
export type LogField =
  | { readonly kind: 'client' | 'forwarded' | 'time' | 'start' | 'request' | 'method' | 'target' | 'status' | 'size' }
  | { readonly kind: 'duration'; readonly toUs: number };

/** Reads the field between two offsets. Returns whether it is one. */
export function readLogField(
  field: LogField,
  bytes: Buffer,
  from: number,
  to: number,
  request: LoggedRequest,
): boolean {
  switch (field.kind) {
    case 'client':
      request.fields.clientFrom = from;
      request.fields.clientTo = to;
      // Before a port, the end of an IPv6 address is unknown.
      if (bytes[to] === COLON && !bytes.subarray(from, to).includes(DOT)) return false;
      for (let index = from; index < to; index++) if (bytes[index] === SPACE) return false;
      return !isUnknown(bytes, from, to);
    case 'forwarded':
      readForwarded(bytes, from, to, request);
      return true;
    case 'time':
    case 'start':
      request.isStart = field.kind === 'start';
      return readTime(bytes, from, to, request);
    case 'request':
      if (!isPost(bytes, from, to) || bytes[from + 4] !== SPACE) return true;
      request.endpoint = endpointOf(bytes, from + 5, to);
      return true;
    case 'method':
      request.fields.isPost = isPost(bytes, from, to);
      return true;
    case 'target':
      request.endpoint = endpointOf(bytes, from, to);
      return true;
    case 'status':
      request.status = Math.max(0, readNumber(bytes, from, to));
      // nginx writes 000 for a request without an answer.
      return isUnknown(bytes, from, to) || (to - from === 3 && readNumber(bytes, from, to) >= 0);
    case 'duration':
      request.durationUs = readDurations(bytes, from, to, field.toUs);
      return !Number.isNaN(request.durationUs);
    case 'size':
      request.sizeBytes = Math.max(0, readNumber(bytes, from, to));
      return !Number.isNaN(request.sizeBytes);
  }
}

function isPost(bytes: Buffer, from: number, to: number): boolean {
  return to - from >= 4 && bytes.readUInt32BE(from) === 0x50_4f_53_54;
}

const LAST_LETTER = -'t.json'.length;
const ENDS = Object.values(ENDPOINT_PATHS).map((path) => Buffer.from(path));
const LETTERS = ENDS.map((path) => path.at(LAST_LETTER));

/** The endpoint of a request target, after any prefix; -1: another one. */
function endpointOf(bytes: Buffer, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] !== SPACE && bytes[end] !== QUESTION && bytes[end] !== HASH) end++;
  // The last letter before `.json` tells them apart.
  const letter = bytes[end + LAST_LETTER];
  const index = letter === LETTERS[0] ? 0 : letter === LETTERS[1] ? 1 : letter === LETTERS[2] ? 2 : -1;
  if (index < 0) return -1;
  const path = ENDS[index] as Buffer;
  const start = end - path.length;
  if (start < from || bytes[start] !== SLASH) return -1;
  let same = path.length - 1;
  while (same > 1 && bytes[start + same] === path[same]) same--;
  // The server also takes `/Agentconnector/`.
  return same === 1 && ((bytes[start + 1] as number) | 0x20) === path[1] ? index : -1;
}

/** A dash or nothing. */
function isUnknown(bytes: Buffer, from: number, to: number): boolean {
  return from === to || (to === from + 1 && bytes[from] === DASH);
}

/** A number with or without decimals; -1 if unknown, NaN for other bytes. */
function readNumber(bytes: Buffer, from: number, to: number): number {
  if (isUnknown(bytes, from, to)) return -1;
  let value = 0;
  let decimals = 0;
  for (let index = from; index < to; index++) {
    const digit = (bytes[index] as number) - 48;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      decimals *= 10;
    } else if (bytes[index] === DOT && decimals === 0 && index > from && index + 1 < to) decimals = 1;
    else return Number.NaN;
  }
  return decimals === 0 ? value : value / decimals;
}

/** The sum of times such as `0.120`, or `0.001, 0.120 : -` of several servers that nginx asked, in microseconds. */
function readDurations(bytes: Buffer, from: number, to: number, toUs: number): number {
  let sum = -1;
  for (let at = from; at <= to; ) {
    let end = at;
    while (end < to && bytes[end] !== COMMA && bytes[end] !== SPACE) end++;
    const isColon = end === at + 1 && bytes[at] === COLON;
    const value = isColon ? -1 : readNumber(bytes, at, end);
    if (Number.isNaN(value)) return Number.NaN;
    if (value >= 0) sum = Math.max(0, sum) + Math.round(value * toUs);
    at = end + 1;
  }
  return sum;
}

/** Remembers the first address that proxies passed on, without a port. */
function readForwarded(bytes: Buffer, from: number, to: number, { fields }: LoggedRequest): void {
  const start = bytes[from] === BRACKET ? from + 1 : from;
  fields.forwardedFrom = start;
  fields.forwardedTo = start + addressLength(bytes, start, to);
}

const IPV4 = '(?:\\d{1,3}\\.){3}\\d{1,3}';
const IPV6 = `[\\da-f:]*::[\\da-f:]*(?:${IPV4})?|(?:[\\da-f]{1,4}:){7}[\\da-f]{1,4}`;
const ADDRESS = new RegExp(`^(?:${IPV4}(?=[,: ]|$)|(?:${IPV6})(?=[,\\] ]|$))`, 'i');

/** How long the IP address that begins at an offset is; 0: there is none. */
export function addressLength(bytes: Buffer, from: number, to: number): number {
  return ADDRESS.exec(bytes.toString('latin1', from, to))?.[0].length ?? 0;
}
