import { MAX_ROW_BYTES, type TraceRow, writeTraceRow } from '../load/traces/row.ts';
import { createAddressNumbers } from './addresses.ts';
import { answerIn, arrivalTag, operationIn, sizeClassIn, statusIn } from './arrival-rows.ts';
import type { LoggedRequest } from './logged-request.ts';

/** Requests that were kept, moved, or dropped, and why. */
type FollowedCounts = {
  requests: number;
  /** Logged so late that they are due later than they should. */
  late: number;
  /** Logged later than that by the whole delay. */
  tooLate: number;
  /** From more addresses than there are agents. */
  beyond: number;
  /** More than fit into the buffer. */
  overflow: number;
};

/** Requests that wait for their time. */
const MAX_WAITING = 100_000;
/** A row is written this long before it is due: workers look for new ones every tenth of a second. */
const AHEAD_US = 400_000;

/**
 * Makes rows of a trace that grows from the requests of a log that grows. Each request is due a delay after it arrived. Until shortly before, requests that arrived earlier but were logged later are sorted in.
 * @param startedUs when the run started, on the clock of the log; `undefined` before
 */
export function createLogFollower(agents: number, delayUs: number, startedUs: () => number | undefined) {
  const addresses = createAddressNumbers();
  /** Rows by the time when they are due, on the clock of the log. */
  const waiting: TraceRow[] = [];
  const counts: FollowedCounts = { requests: 0, late: 0, tooLate: 0, beyond: 0, overflow: 0 };
  const offsetInSecond = createSecondOffsets();
  let writtenUs = 0;

  const insert = (row: TraceRow): void => {
    let index = waiting.length;
    while (index > 0 && (waiting[index - 1] as TraceRow).atUs > row.atUs) index--;
    waiting.splice(index, 0, row);
  };
  const rowOf = (request: LoggedRequest, agent: number): TraceRow => {
    const { atUs, isStart, isWholeSecond, durationUs } = request;
    const loggedUs = isWholeSecond ? atUs + offsetInSecond(atUs) : atUs;
    const answer = answerIn(arrivalTag(0, request));
    return {
      atUs: delayUs + (isStart || durationUs < 0 ? loggedUs : loggedUs - durationUs),
      operation: operationIn(answer),
      agent,
      sizeClass: sizeClassIn(answer),
      status: statusIn(answer),
      responseMs: durationUs < 0 ? -1 : durationUs / 1000,
    };
  };
  return {
    counts: counts as Readonly<FollowedCounts>,
    take: (request: LoggedRequest): void => {
      counts.requests++;
      const { bytes, from, to } = request.client;
      const agent = addresses.numberOf(bytes, from, to);
      if (agent >= agents) counts.beyond++;
      else if (waiting.length >= MAX_WAITING) counts.overflow++;
      else insert(rowOf(request, agent));
    },
    /** The rows that are due soon, in order; empty before the run has started. */
    rows: (nowUs: number): Buffer => {
      const startUs = startedUs();
      if (startUs === undefined) return Buffer.alloc(0);
      const count = waiting.findIndex(({ atUs }) => atUs > nowUs + AHEAD_US);
      const due = waiting.splice(0, count < 0 ? waiting.length : count);
      const bytes = Buffer.alloc(due.length * MAX_ROW_BYTES);
      let end = 0;
      for (const row of due) {
        const lateUs = nowUs - row.atUs;
        if (lateUs > delayUs) {
          counts.tooLate++;
          continue;
        }
        if (lateUs > 0) counts.late++;
        writtenUs = Math.max(writtenUs, row.atUs - startUs);
        end = writeTraceRow({ ...row, atUs: writtenUs }, bytes, end);
      }
      return bytes.subarray(0, end);
    },
  };
}

/** Distributes requests of which only the second is known over it, in their order, and evenly if there are as many as in the second before. */
function createSecondOffsets(): (secondUs: number) => number {
  let current = Number.NaN;
  let [count, before] = [0, 0];
  return (secondUs) => {
    if (secondUs !== current) [current, before, count] = [secondUs, count, 0];
    count++;
    return Math.floor(((count - 0.5) / Math.max(before, count)) * 1e6);
  };
}
