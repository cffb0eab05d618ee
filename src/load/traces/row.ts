import { UserError } from '../../base/kernel/errors.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { quoted } from '../../base/notation/finding.ts';
import { OPERATIONS, type Operation } from '../../base/protocol/operations.ts';

export type TraceHeader = {
  /** Agents are numbered below this. Those that are registered before the trace begins come first. */
  readonly agents: number;
  /** Time zero of the rows, in RFC 3339. */
  readonly start: string;
};

/** An arrival. The reader uses one object for all rows. */
export type TraceRow = {
  /** Microseconds since the start of the trace; never less than in the row before. */
  atUs: number;
  operation: Operation;
  agent: number;
  /** The size of the request is at least 2 to the power of this; 0: unknown. */
  sizeClass: number;
  /** Status of the answer; 0: unknown. */
  status: number;
  /** Time from the first byte of the request to the last byte of the answer; -1: unknown. */
  responseMs: number;
};

export function emptyTraceRow(): TraceRow {
  return { atUs: 0, operation: 'register', agent: 0, sizeClass: 0, status: 0, responseMs: -1 };
}

/** The first line of a trace, with its line feed. */
export function serializeTraceHeader({ agents, start }: TraceHeader): string {
  return `# muster trace 1 agents=${agents} start=${start} unit=us\n`;
}

/** Longer lines are no rows. */
export const MAX_ROW_BYTES = 128;

const HEADER = /^# muster trace 1 agents=(\d{1,8}) start=(\S+) unit=us$/;

/** @param line the first line of the file `name`, without its line feed. */
export function parseTraceHeader(name: string, line: string): TraceHeader {
  const [, agents, start = ''] = HEADER.exec(line) ?? [];
  if (Number(agents) >= 1 && unixMsOf(start) !== undefined) return { agents: Number(agents), start };
  const example = serializeTraceHeader({ agents: 300, start: '2026-11-20T09:00:00Z' }).trimEnd();
  throw new UserError(
    `The trace ${name}: expected a first line such as ${example}, found ${quoted(line)}; make it with muster replay.`,
  );
}

const [TAB, FEED, RETURN, DASH, DOT, ZERO, NINE] = [9, 10, 13, 45, 46, 48, 57];
const LETTERS: Readonly<Record<Operation, number>> = {
  register: 0x72,
  authorize: 0x61,
  checkdata: 0x63,
  packages: 0x70,
};

/** By letter. */
const OPERATION_OF = new Map(OPERATIONS.map((operation) => [LETTERS[operation], operation]));

/**
 * Writes a row with its line feed into bytes with room for the longest one. Status and response time are left out if both are unknown.
 * Returns where it ends.
 */
export function writeTraceRow(row: TraceRow, bytes: Uint8Array, from: number): number {
  const { atUs, operation, agent, sizeClass, status, responseMs } = row;
  let at = writeWhole(bytes, from, atUs, 1);
  bytes[at++] = TAB;
  bytes[at++] = LETTERS[operation];
  bytes[at++] = TAB;
  at = writeWhole(bytes, at, agent, 1);
  bytes[at++] = TAB;
  at = writeWhole(bytes, at, sizeClass, 1);
  if (status !== 0 || responseMs >= 0) {
    bytes[at++] = TAB;
    if (status === 0) bytes[at++] = DASH;
    else at = writeWhole(bytes, at, status, 1);
    bytes[at++] = TAB;
    if (responseMs < 0) bytes[at++] = DASH;
    else at = writeDecimal(bytes, at, responseMs);
  }
  bytes[at++] = FEED;
  return at;
}

/** Writes a number with up to three decimals. */
function writeDecimal(bytes: Uint8Array, from: number, value: number): number {
  const thousandths = Math.round(value * 1000);
  const decimals = thousandths % 1000;
  let at = writeWhole(bytes, from, (thousandths - decimals) / 1000, 1);
  if (decimals === 0) return at;
  bytes[at++] = DOT;
  at = writeWhole(bytes, at, decimals, 3);
  while (bytes[at - 1] === ZERO) at--;
  return at;
}

const MILLION = 1_000_000;

/** Writes a whole number with at least this many digits. Numbers of 31 bits are fast, so larger ones are written in two parts. */
function writeWhole(bytes: Uint8Array, from: number, value: number, digits: number): number {
  if (value > 0x7fff_ffff) {
    const end = writeWhole(bytes, from, Math.floor(value / MILLION), 1);
    return writeWhole(bytes, end, value % MILLION, 6);
  }
  let end = from + 1;
  for (let power = 10; power <= value; power *= 10) end++;
  end = Math.max(end, from + digits);
  let rest = value;
  for (let offset = end - 1; offset >= from; offset--) {
    const tenth = (rest / 10) | 0;
    bytes[offset] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

/** Where `readWhole` stopped, and what it read. */
const cursor = { offset: 0, value: 0 };

/** Reads decimal digits to the next byte that is none. Returns whether there was at least one, and the number is exact. */
function readWhole(bytes: Uint8Array, from: number, end: number): boolean {
  let offset = from;
  let value = 0;
  for (; offset < end; offset++) {
    const digit = bytes[offset] as number;
    if (digit < ZERO || digit > NINE) break;
    value = value * 10 + digit - ZERO;
  }
  cursor.offset = offset;
  cursor.value = value;
  return offset > from && value <= Number.MAX_SAFE_INTEGER;
}

/** Steps over a tab. */
function readTab(bytes: Uint8Array, end: number): boolean {
  return cursor.offset < end && bytes[cursor.offset++] === TAB;
}

/** Reads a number with up to three decimals into the cursor, or a dash, as `unknown`. */
function readKnown(bytes: Uint8Array, end: number, unknown: number): boolean {
  if (bytes[cursor.offset] === DASH) {
    cursor.offset++;
    cursor.value = unknown;
    return true;
  }
  if (!readWhole(bytes, cursor.offset, end)) return false;
  if (cursor.offset === end || bytes[cursor.offset] !== DOT) return true;
  const whole = cursor.value;
  const from = cursor.offset + 1;
  if (!readWhole(bytes, from, end) || cursor.offset - from > 3) return false;
  cursor.value = whole + cursor.value / 10 ** (cursor.offset - from);
  return true;
}

/** Parses the row in the bytes from `from` to `lineEnd`, its line feed. Returns whether it is one. */
export function parseTraceRow(bytes: Uint8Array, from: number, lineEnd: number, row: TraceRow): boolean {
  const end = bytes[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
  if (!readWhole(bytes, from, end)) return false;
  row.atUs = cursor.value;
  if (!readTab(bytes, end)) return false;
  const operation = OPERATION_OF.get(bytes[cursor.offset++] ?? 0);
  if (operation === undefined) return false;
  row.operation = operation;
  if (!readTab(bytes, end) || !readWhole(bytes, cursor.offset, end)) return false;
  row.agent = cursor.value;
  if (!readTab(bytes, end) || !readWhole(bytes, cursor.offset, end) || cursor.value > 63) return false;
  row.sizeClass = cursor.value;
  row.status = 0;
  row.responseMs = -1;
  if (cursor.offset === end) return true;
  if (!readTab(bytes, end) || !readKnown(bytes, end, 0) || cursor.value > 999) return false;
  row.status = cursor.value;
  if (!readTab(bytes, end) || !readKnown(bytes, end, -1)) return false;
  row.responseMs = cursor.value;
  return cursor.offset === end;
}

/** What a line must be, for messages. */
export const TRACE_ROW =
  'a time in microseconds, r, a, c or p, an agent, a size class and perhaps a status and a response time, with tabs between them';
