import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import type { TimelineFrame } from '../merging/timeline.ts';
import { emptyInterval, type Interval, intervalOf, mergeInto } from './interval.ts';

/**
 * The course of a run in intervals of equal length. Counts are sums and lose nothing; a latency of several seconds is that
 * of the worst of them, so every maximum is there.
 */
export type History = {
  readonly secondsPerInterval: number;
  /** From the start to the end of the last second that was recorded. */
  readonly seconds: number;
  readonly intervals: readonly Interval[];
  /** Those that were seen at all, in the order of tables. */
  readonly operations: readonly MeasuredOperation[];
};

export type HistoryCollector = {
  /** Seconds may come late and in parts. */
  add(frame: TimelineFrame): void;
  read(): History;
};

// At one second each: forty minutes. Ten hours have intervals of sixteen seconds.
const MOST_INTERVALS = 2400;

/** Keeps the course of a run of any length in bounded memory: when it is full, every two intervals become one. */
export function createHistory(mostIntervals = MOST_INTERVALS): HistoryCollector {
  let intervals: Interval[] = [];
  let secondsPerInterval = 1;
  let seconds = 0;
  return {
    add(frame) {
      while (frame.second >= mostIntervals * secondsPerInterval) {
        intervals = halved(intervals);
        secondsPerInterval *= 2;
      }
      const index = Math.floor(frame.second / secondsPerInterval);
      while (intervals.length <= index) intervals.push(emptyInterval());
      mergeInto(intervals[index] ?? emptyInterval(), intervalOf(frame));
      seconds = Math.max(seconds, frame.second + 1);
    },
    read: () => ({
      secondsPerInterval,
      seconds,
      intervals,
      operations: MEASURED_OPERATIONS.filter((operation) => intervals.some(({ activity }) => activity.has(operation))),
    }),
  };
}

function halved(intervals: readonly Interval[]): Interval[] {
  return Array.from({ length: Math.ceil(intervals.length / 2) }, (_, index) => {
    const merged = emptyInterval();
    for (const part of intervals.slice(2 * index, 2 * index + 2)) mergeInto(merged, part);
    return merged;
  });
}
