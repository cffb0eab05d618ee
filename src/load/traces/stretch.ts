import { recordOf } from '../../base/kernel/records.ts';
import { OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import type { OpenTrace, TraceReader } from './reader.ts';
import { emptyTraceRow, type TraceRow } from './row.ts';

/** A stretch of a trace: its rows from `fromUs` (inclusive) to `toUs` (exclusive), played `speed` times as fast from `startMs` on. */
export type TraceStretch = {
  readonly fromUs: number;
  readonly toUs: number;
  readonly speed: number;
  /** Since the start of the run. */
  readonly startMs: number;
  readonly grows: boolean;
};

/** @param fromMs time in the trace, @param durationMs time in the run */
export function traceStretch(
  { fromMs, speed, grows = false }: { readonly fromMs: number; readonly speed: number; readonly grows?: boolean },
  { startMs, durationMs }: { readonly startMs: number; readonly durationMs: number },
): TraceStretch {
  const fromUs = Math.round(fromMs * 1000);
  return { fromUs, toUs: fromUs + Math.floor(durationMs * 1000 * speed), speed, startMs, grows };
}

function dueMsOf({ fromUs, speed, startMs }: TraceStretch, atUs: number): number {
  return startMs + (atUs - fromUs) / (1000 * speed);
}

/** The rows of a stretch for the agents of a shard, one after another. */
export type TraceFeed = {
  /** When the next row is due, or until when it is certain that none is; `Infinity` at the end of the stretch. */
  readonly nextDueMs: () => number;
  /** Takes the row that is due next. Returns `undefined` if more had to be read first: ask again. The object is reused. */
  readonly take: () => Readonly<TraceRow> | undefined;
};

/** At the end of a file that grows. */
const LOOK_AGAIN_US = 100_000;

/** Reads a piece of the file at a time, when its first row is due at the earliest. */
export function createTraceFeed(
  trace: OpenTrace,
  stretch: TraceStretch,
  isMine: (agent: number) => boolean,
): TraceFeed {
  const { fromUs, toUs, grows } = stretch;
  const reader = trace.rowsFrom(fromUs, grows);
  let [current, ahead] = [emptyTraceRow(), emptyTraceRow()];
  let [nextUs, isRow] = [fromUs, false];
  const advance = (): void => {
    isRow = nextOf(reader, ahead, (row) => row.atUs >= fromUs && (row.atUs >= toUs || isMine(row.agent)));
    const isAtEnd = !isRow && !reader.more();
    if (isRow ? ahead.atUs >= toUs : isAtEnd && !grows) [nextUs, isRow] = [Number.POSITIVE_INFINITY, false];
    else nextUs = Math.max(isAtEnd ? nextUs + LOOK_AGAIN_US : fromUs, ahead.atUs);
  };
  advance();
  return {
    nextDueMs: () => dueMsOf(stretch, nextUs),
    take: () => {
      if (!isRow) {
        advance();
        return undefined;
      }
      [current, ahead] = [ahead, current];
      advance();
      return current;
    },
  };
}

/** Reads to the first row of the piece in memory that is wanted. */
function nextOf(reader: TraceReader, row: TraceRow, isWanted: (row: TraceRow) => boolean): boolean {
  while (reader.next(row)) if (isWanted(row)) return true;
  return false;
}

/** Arrivals of an operation in a stretch. */
export type TraceCounts = {
  readonly arrivals: number;
  /** In a whole second of the run. */
  readonly mostInSecond: number;
  /** The same for all operations together. */
  readonly mostOfAllInSecond: number;
};

/** Reads a whole trace, and counts the arrivals of each operation in each stretch. */
export function countTrace(
  trace: OpenTrace,
  stretches: readonly TraceStretch[],
): readonly Readonly<Record<Operation, TraceCounts>>[] {
  const counts = stretches.map((stretch) => {
    return { stretch, all: createSecondCount(), own: recordOf(OPERATIONS, createSecondCount) };
  });
  const count = ({ atUs, operation }: Readonly<TraceRow>): void => {
    for (const { stretch, all, own } of counts) {
      if (atUs < stretch.fromUs || atUs >= stretch.toUs) continue;
      const second = Math.floor(dueMsOf(stretch, atUs) / 1000);
      all.add(second);
      own[operation].add(second);
    }
  };
  const reader = trace.rowsFrom(0);
  const row = emptyTraceRow();
  while (reader.more()) while (reader.next(row)) count(row);
  return counts.map(({ all, own }) =>
    recordOf(OPERATIONS, (operation) => {
      return { ...own[operation].read(), mostOfAllInSecond: all.read().mostInSecond };
    }),
  );
}

/** Counts arrivals whose seconds never decrease. */
function createSecondCount() {
  let [arrivals, mostInSecond, current, inSecond] = [0, 0, -1, 0];
  return {
    add: (second: number): void => {
      inSecond = second === current ? inSecond + 1 : 1;
      current = second;
      arrivals++;
      mostInSecond = Math.max(mostInSecond, inSecond);
    },
    read: () => ({ arrivals, mostInSecond }),
  };
}
