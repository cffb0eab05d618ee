import { type LifecycleState, MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { highest } from '../judging/validity.ts';
import type { RecordedSecond } from '../merging/timeline.ts';
import { droppedCount } from '../merging/totals.ts';
import type { SeriesFrame } from '../recording/frame.ts';
import { type AnyHistogram, countsByValue, latencyOf, unpacked, valueCount, without } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../recording/listener-counts.ts';
import type { ListenerCounts } from '../recording/schema.ts';
import { plainTally } from '../recording/tally.ts';

/** The course of a run in intervals of equal length. Counts are exact. Latencies are those of the worst second, so no maximum is lost. */
export type History = {
  readonly secondsPerInterval: number;
  /** From the start to the end of the run, or of the last recorded second if the end is unknown. */
  readonly seconds: number;
  /** The last one may cover less than the others, or up to half a second more; it ends at `seconds`. */
  readonly intervals: readonly Interval[];
  /** Recorded operations, in the order of tables. */
  readonly operations: readonly MeasuredOperation[];
};

/** A shorter last second is merged into the previous interval: its rates and loads would be meaningless. */
const MIN_SECONDS = 0.5;

// At one second each: forty minutes. Ten hours have intervals of sixteen seconds.
const MAX_INTERVALS = 2400;

/** Keeps the course of a run of any length in bounded memory: when it is full, it merges pairs of intervals. */
export function createHistory(mostIntervals = MAX_INTERVALS) {
  let intervals: Interval[] = [];
  let secondsPerInterval = 1;
  // Kept apart until a later second arrives, because the run may have ended within it.
  let latest = emptyInterval();
  const indexOf = (second: number): number => Math.floor(second / secondsPerInterval);
  const append = (second: Interval): void => {
    const index = indexOf(second.lastSecond);
    while (intervals.length <= index) intervals.push(emptyInterval());
    mergeInto(intervals[index] ?? emptyInterval(), second);
  };
  return {
    /** Seconds may arrive late and in parts. */
    add(frame: RecordedSecond): void {
      while (frame.second >= mostIntervals * secondsPerInterval) {
        const [whole, half] = [intervals, Math.ceil(intervals.length / 2)];
        intervals = Array.from({ length: half }, (_, n) => merged(...whole.slice(2 * n, 2 * n + 2)));
        secondsPerInterval *= 2;
      }
      const second = intervalOf(frame);
      if (frame.second > latest.lastSecond) {
        if (latest.lastSecond >= 0) append(latest);
        latest = emptyInterval();
      }
      if (frame.second < latest.lastSecond) append(second);
      else mergeInto(latest, second);
    },
    /** @param endMs when the run ended, if within the last second; `undefined` if that second is complete. */
    read(endMs: number | undefined): History {
      const coveredSeconds = coveredOf(latest.lastSecond, endMs);
      const seconds = latest.lastSecond + coveredSeconds;
      const shown = [...intervals];
      const isShort = coveredSeconds < MIN_SECONDS && shown.length > 0;
      const own = indexOf(latest.lastSecond);
      const index = isShort && own === shown.length ? own - 1 : own;
      if (latest.lastSecond >= 0) {
        while (shown.length <= index) shown.push(emptyInterval());
        // The worker's load while ending is not representative.
        shown[index] = merged(shown[index] ?? emptyInterval(), isShort ? { ...latest, busiestLoop: 0 } : latest);
      }
      return {
        secondsPerInterval,
        seconds,
        intervals: shown,
        operations: MEASURED_OPERATIONS.filter((operation) => shown.some(({ activity }) => activity.has(operation))),
      };
    },
  };
}

/** How much of the last second took place; all of it if its end is unknown or the wall clock was set during it. */
function coveredOf(second: number, endMs: number | undefined): number {
  const seconds = (endMs ?? Number.NaN) / 1000 - second;
  return seconds > 0 && seconds < 1 ? seconds : 1;
}

function merged(...parts: readonly Interval[]): Interval {
  const sum = emptyInterval();
  for (const part of parts) mergeInto(sum, part);
  return sum;
}

/** One interval of a run, over all phases. */
export type Interval = {
  /** Last second of the interval; -1 if it has none. */
  lastSecond: number;
  /** At the end of the interval; `undefined` if unknown. */
  agents: Readonly<Record<LifecycleState, number>> | undefined;
  listening: number;
  /** Highest value of any second. */
  inFlight: number;
  down: number;
  /** Sums of the counts at the ports of agents. */
  listeners: ListenerCounts;
  /** Highest share of a second in which the busiest worker's event loop was busy, 0 to 1. */
  busiestLoop: number;
  readonly activity: Map<MeasuredOperation, IntervalActivity>;
};

/** One operation in an interval. Latencies are those of its worst second, if there are any; response times cover only answered operations. */
export type IntervalActivity = {
  planned: number;
  started: number;
  dropped: number;
  sentBytes: number;
  receivedBytes: number;
  readonly outcomes: Map<string, number>;
  p50Ms: number | undefined;
  p99Ms: number | undefined;
  maxMs: number | undefined;
  serviceP99Ms: number | undefined;
  delayP99Ms: number | undefined;
  delayMaxMs: number | undefined;
  /** Operations without an answer, which response times exclude. */
  unanswered: number;
  /** Number of response times in each latency cell; see `cellOf`. */
  readonly cells: Map<number, number>;
};

/** Cells per decade of latency; each is a quarter wider than the previous one. */
export const CELLS_PER_DECADE = 10;

/** The cell of a latency: cell _n_ starts at 10^(n / 10) microseconds. */
function cellOf(milliseconds: number): number {
  return Math.max(0, Math.floor(Math.log10(milliseconds * 1000) * CELLS_PER_DECADE));
}

export function emptyInterval(): Interval {
  const nobody = { listening: 0, inFlight: 0, down: 0, listeners: NO_LISTENER_COUNTS, busiestLoop: 0 };
  return { lastSecond: -1, agents: undefined, ...nobody, activity: new Map() };
}

/** One second of the timeline, or the part of it that is known. */
function intervalOf({ second, series, workers, ...fleet }: RecordedSecond): Interval {
  const { agents, inFlight, listening, down, listeners } = fleet;
  const busiestLoop = workers.reduce((most, worker) => Math.max(most, worker.loopUtilization), 0);
  const state = { lastSecond: second, agents, inFlight, listening, down, listeners };
  const interval = { ...state, busiestLoop, activity: new Map() };
  for (const entry of series) addActivity(interval.activity, entry.operation, activityOf(entry));
  return interval;
}

/** Adds `from`, which stays unchanged. The order of additions does not matter. */
function mergeInto(into: Interval, from: Interval): void {
  if (from.lastSecond >= into.lastSecond) {
    into.lastSecond = from.lastSecond;
    into.agents = from.agents;
    into.listening = from.listening;
  }
  into.inFlight = Math.max(into.inFlight, from.inFlight);
  into.down = Math.max(into.down, from.down);
  into.listeners = sumListeners(into.listeners, from.listeners);
  into.busiestLoop = Math.max(into.busiestLoop, from.busiestLoop);
  for (const [operation, activity] of from.activity) addActivity(into.activity, operation, activity);
}

function activityOf(frame: SeriesFrame<AnyHistogram>): IntervalActivity {
  const { response: all, unanswered } = frame.histograms;
  const response = all && unanswered ? without(unpacked(all), unpacked(unanswered)) : all;
  const [answers, service, delay] = [response, frame.histograms.service, frame.histograms.delay].map(
    (histogram) => histogram && latencyOf(histogram),
  );
  return {
    planned: frame.planned,
    started: frame.started,
    dropped: droppedCount(frame),
    sentBytes: frame.sentBytes,
    receivedBytes: frame.receivedBytes,
    outcomes: new Map(Object.entries(plainTally(frame.outcomes))),
    p50Ms: answers?.p50,
    p99Ms: answers?.p99,
    maxMs: answers?.max,
    serviceP99Ms: service?.p99,
    delayP99Ms: delay?.p99,
    delayMaxMs: delay?.max,
    unanswered: unanswered === undefined ? 0 : valueCount(unanswered),
    cells: cellsOf(response),
  };
}

function cellsOf(histogram: AnyHistogram | undefined): Map<number, number> {
  const cells = new Map<number, number>();
  if (histogram !== undefined) countsByValue(histogram, (valueMs, count) => addTo(cells, cellOf(valueMs), count));
  return cells;
}

function addActivity(into: Interval['activity'], operation: MeasuredOperation, from: IntervalActivity): void {
  const known = into.get(operation);
  // A copy, because the original may also be merged elsewhere.
  if (known === undefined)
    into.set(operation, { ...from, outcomes: new Map(from.outcomes), cells: new Map(from.cells) });
  else addCounts(known, from);
}

function addCounts(into: IntervalActivity, from: IntervalActivity): void {
  for (const count of ['planned', 'started', 'dropped', 'unanswered', 'sentBytes', 'receivedBytes'] as const)
    into[count] += from[count];
  for (const [outcome, count] of from.outcomes) addTo(into.outcomes, outcome, count);
  for (const [cell, count] of from.cells) addTo(into.cells, cell, count);
  for (const key of ['p50Ms', 'p99Ms', 'maxMs', 'serviceP99Ms', 'delayP99Ms', 'delayMaxMs'] as const)
    into[key] = highest([into[key], from[key]]);
}

function addTo<K>(tally: Map<K, number>, key: K, count: number): void {
  tally.set(key, (tally.get(key) ?? 0) + count);
}
