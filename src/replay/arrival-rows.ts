import type { Operation } from '../base/protocol/operations.ts';
import { ENDPOINTS } from '../base/protocol/push.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Memory for what does not fit: numbers, written at the end and read anywhere. */
export type Spill = {
  readonly write: (values: Float64Array) => void;
  /** Reads the numbers from an offset on, counted from the first that was written. */
  readonly read: (into: Float64Array, offset: number) => void;
};

/** Rows are three numbers each: time in microseconds since 1970, tag, and duration in microseconds (-1: unknown). */
export const ROW_NUMBERS = 3;

/** Address, endpoint, size class and status of an arrival in one number. */
export function arrivalTag(address: number, { endpoint, sizeBytes, status }: LoggedRequest): number {
  const sizeClass = sizeBytes > 1 ? Math.min(MOST_SIZE_CLASS, Math.floor(Math.log2(sizeBytes))) : 0;
  return address * ADDRESS_UNIT + ((endpoint << 16) | (sizeClass << 10) | status);
}

const ADDRESS_UNIT = 2 ** 18;
const MOST_SIZE_CLASS = 63;

export function addressIn(tag: number): number {
  return Math.floor(tag / ADDRESS_UNIT);
}

/** What a tag says apart from the address, for the functions below. The remainder of a division is much slower. */
export function answerIn(tag: number): number {
  return (tag - addressIn(tag) * ADDRESS_UNIT) | 0;
}
export function endpointIn(answer: number): number {
  return answer >> 16;
}
export function sizeClassIn(answer: number): number {
  return (answer >> 10) & 63;
}
export function statusIn(answer: number): number {
  return answer & 1023;
}

const REGISTER = ENDPOINTS.indexOf('register_agent');
export const CHECKDATA_ENDPOINT = ENDPOINTS.indexOf('submit_checkdata');
/** Status of the answer to an agent that confirmed its password. */
const AUTHORIZED = 200;

/** What an agent did, from the endpoint and the status. */
export function operationIn(answer: number): Operation {
  const endpoint = endpointIn(answer);
  if (endpoint !== REGISTER) return endpoint === CHECKDATA_ENDPOINT ? 'checkdata' : 'packages';
  return statusIn(answer) === AUTHORIZED ? 'authorize' : 'register';
}

/** Status of the answer to a registration that made the agent known. */
const REGISTERED = 201;

/** Whether the server knows the agent since this registration. */
export function isRegistered(answer: number): boolean {
  return operationIn(answer) === 'register' && statusIn(answer) === REGISTERED;
}

export type ArrivalSorter = ReturnType<typeof createArrivalSorter>;

/** Rows in memory, before they are sorted and spilled. */
const RUN_ROWS = 2 ** 18;
/** Rows of a run that are read together. */
const PIECE_ROWS = 4096;

/** A sorted part of the rows; the offset in the spill counts numbers. */
type Run = { readonly offset: number; readonly rows: number; readonly firstUs: number };

/**
 * Sorts arrivals by time, in bounded memory; those of the same time keep the order in which they were added.
 * A request whose log has only whole seconds arrives somewhere in its second: the requests of a second are distributed evenly over it, in
 * the order of the log.
 * @param observe gets each sorted run once, early; runs may overlap in time
 */
export function createArrivalSorter(spill: Spill, observe: (rows: Float64Array) => void) {
  const rows = new Float64Array(RUN_ROWS * ROW_NUMBERS);
  const runs: Run[] = [];
  let count = 0;
  let spilled = 0;
  // The rows of the current second, of which only the second is known, begin here.
  let secondFrom = 0;
  let secondUs = Number.NaN;

  const endSecond = (): void => {
    const stepUs = 1e6 / (count - secondFrom);
    for (let row = secondFrom; row < count; row++) {
      const at = row * ROW_NUMBERS;
      const offsetUs = Math.floor((row - secondFrom + 0.5) * stepUs);
      rows[at] = (rows[at] as number) + offsetUs;
    }
    secondFrom = count;
    secondUs = Number.NaN;
  };
  const endRun = (): void => {
    if (!Number.isNaN(secondUs)) endSecond();
    const run = sortedRows(rows.subarray(0, count * ROW_NUMBERS));
    observe(run);
    spill.write(run);
    runs.push({ offset: spilled, rows: count, firstUs: run[0] as number });
    spilled += run.length;
    count = 0;
    secondFrom = 0;
  };
  return {
    add: (request: LoggedRequest, address: number): void => {
      if (count === RUN_ROWS) endRun();
      const { atUs, isWholeSecond, isStart, durationUs } = request;
      if (!Number.isNaN(secondUs) && (!isWholeSecond || atUs !== secondUs)) endSecond();
      if (!isWholeSecond) secondFrom = count + 1;
      else secondUs = atUs;
      const at = count++ * ROW_NUMBERS;
      rows[at] = isStart || durationUs < 0 ? atUs : atUs - durationUs;
      rows[at + 1] = arrivalTag(address, request);
      rows[at + 2] = durationUs;
    },
    /** Call at the end of a file: the next one may be of another server. */
    endFile: (): void => {
      if (!Number.isNaN(secondUs)) endSecond();
    },
    count: (): number => spilled / ROW_NUMBERS + count,
    /** Call after the last file. */
    end: (): void => {
      if (count > 0) endRun();
    },
    /** All rows in pieces, after the end. A piece is valid until the next one. */
    sorted: () => merged(spill, runs),
  };
}

/** The same memory if the rows are sorted by time, otherwise a sorted copy. */
function sortedRows(rows: Float64Array): Float64Array {
  let least = rows[0] as number;
  let most = least;
  let isSorted = true;
  for (let at = ROW_NUMBERS; at < rows.length; at += ROW_NUMBERS) {
    const time = rows[at] as number;
    if (time >= most) most = time;
    else {
      isSorted = false;
      if (time < least) least = time;
    }
  }
  if (isSorted) return rows;
  let [from, to] = [rows.slice(), new Float64Array(rows.length)];
  for (let unit = 1; unit <= most - least; unit *= DIGIT) {
    sortByDigit(from, to, (time) => Math.floor((time - least) / unit) % DIGIT);
    [from, to] = [to, from];
  }
  return from;
}

const DIGIT = 65_536;

/** A pass of a radix sort: stable, and as fast with few inversions as with many. */
function sortByDigit(from: Float64Array, to: Float64Array, digitOf: (time: number) => number): void {
  const positions = new Uint32Array(DIGIT + 1);
  for (let at = 0; at < from.length; at += ROW_NUMBERS) {
    const digit = digitOf(from[at] as number) + 1;
    positions[digit] = (positions[digit] as number) + 1;
  }
  for (let digit = 1; digit <= DIGIT; digit++)
    positions[digit] = (positions[digit] as number) + (positions[digit - 1] as number);
  for (let at = 0; at < from.length; at += ROW_NUMBERS) {
    const digit = digitOf(from[at] as number);
    const offset = (positions[digit] as number) * ROW_NUMBERS;
    positions[digit] = (positions[digit] as number) + 1;
    for (let number = 0; number < ROW_NUMBERS; number++) to[offset + number] = from[at + number] as number;
  }
}

type Cursor = { readonly order: number; offset: number; rowsLeft: number; piece: Float64Array; at: number };

/** Reads the next piece of a run. Returns whether there is one. */
function refill(cursor: Cursor, spill: Spill): boolean {
  const rows = Math.min(PIECE_ROWS, cursor.rowsLeft);
  if (rows === 0) return false;
  if (rows * ROW_NUMBERS !== cursor.piece.length) cursor.piece = new Float64Array(rows * ROW_NUMBERS);
  spill.read(cursor.piece, cursor.offset);
  cursor.offset += cursor.piece.length;
  cursor.rowsLeft -= rows;
  cursor.at = 0;
  return true;
}

function timeOf({ piece, at }: Cursor): number {
  return piece[at] as number;
}

function* merged(spill: Spill, runs: readonly Run[]): Generator<Float64Array, undefined> {
  // Runs are opened when their time comes, so that few are in memory.
  const waiting = runs
    .map(({ offset, rows, firstUs }, order) => ({
      order,
      offset,
      rowsLeft: rows,
      firstUs,
      piece: new Float64Array(0),
      at: 0,
    }))
    .sort((a, b) => b.firstUs - a.firstUs || b.order - a.order);
  const open: Cursor[] = [];
  for (;;) {
    const [best, second] = firstTwo(open);
    const next = waiting.at(-1);
    if (next !== undefined && (best === undefined || timeOf(best) >= next.firstUs)) {
      refill(next, spill);
      open.push(next);
      waiting.pop();
      continue;
    }
    if (best === undefined) return;
    const limit = Math.min(
      second === undefined ? Number.POSITIVE_INFINITY : timeOf(second),
      next?.firstUs ?? Number.POSITIVE_INFINITY,
    );
    const { piece, at: from } = best;
    best.at = from + rowsBefore(piece.subarray(from), limit) * ROW_NUMBERS;
    yield piece.subarray(from, best.at);
    if (best.at === piece.length && !refill(best, spill)) open.splice(open.indexOf(best), 1);
  }
}

/** The number of rows before a time, and at least one. */
function rowsBefore(rows: Float64Array, limitUs: number): number {
  let at = ROW_NUMBERS;
  while (at < rows.length && (rows[at] as number) < limitUs) at += ROW_NUMBERS;
  return at / ROW_NUMBERS;
}

/** The cursors whose next rows come first and second; of the same time, those of the earlier run. */
function firstTwo(open: readonly Cursor[]): readonly [Cursor | undefined, Cursor | undefined] {
  const isBefore = (one: Cursor, other: Cursor): boolean =>
    timeOf(one) < timeOf(other) || (timeOf(one) === timeOf(other) && one.order < other.order);
  let first: Cursor | undefined;
  let second: Cursor | undefined;
  for (const cursor of open) {
    if (first === undefined || isBefore(cursor, first)) [first, second] = [cursor, first];
    else if (second === undefined || isBefore(cursor, second)) second = cursor;
  }
  return [first, second];
}
