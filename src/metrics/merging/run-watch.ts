import {
  isOperation,
  isPullOperation,
  isServedOperation,
  MEASURED_OPERATIONS,
  type MeasuredOperation,
} from '../../base/protocol/operations.ts';
import { createHistogram, merge, percentileMs } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS, sumListeners } from '../recording/listener-counts.ts';
import { type Outcome, reachedNothing } from '../recording/outcomes.ts';
import type { Evidence, ListenerCounts } from '../recording/schema.ts';
import { addTally, type CountBy } from '../recording/tally.ts';
import { addSecond, busiestLoopOf, noFigures, operationsIn } from './fleet-figures.ts';
import type { FleetState, TimelineFrame } from './timeline.ts';
import { failuresOf, finishedCount, sumTotals, type Totals } from './totals.ts';

export type LiveFigures = {
  readonly elapsedSeconds: number;
  /** Activity of the last few seconds; `undefined` until the first one is complete. */
  readonly recent: RecentActivity | undefined;
  /** Response p99 of individual seconds, newest last, up to a minute; `undefined` if no operation finished. */
  readonly responseP99sMs: readonly (number | undefined)[];
  /** Operations with any activity so far, in the order of tables. */
  readonly operations: readonly MeasuredOperation[];
  /** Operations that have ended since the start. */
  readonly finished: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Whether agents have tried to reach the target, and none of them has. */
  readonly reachesNothing: boolean;
  readonly newestFailure: FirstFailure | undefined;
  /** At the ports of agents, since the start. */
  readonly listeners: ListenerCounts;
};

/** First occurrence of an outcome of an operation. */
type FirstFailure = {
  readonly operation: MeasuredOperation;
  readonly outcome: Outcome;
  readonly second: number;
  /** `undefined` if there is none yet, or no more is kept. */
  readonly evidence: Evidence | undefined;
};

const HISTORY_SECONDS = 60;

/** Follows a run second by second. Its memory does not grow with the run. @param windowSeconds number of seconds that `recent` covers. */
export function createRunWatch(windowSeconds: number) {
  const outcomes = new Map<MeasuredOperation, CountBy<Outcome>>();
  const firsts: Omit<FirstFailure, 'evidence'>[] = [];
  const seen = new Map<string, Evidence>();
  let recent: readonly TimelineFrame[] = [];
  let responseP99sMs: LiveFigures['responseP99sMs'] = [];
  let elapsedSeconds = 0;
  let listeners = NO_LISTENER_COUNTS;
  let pushedBytes = 0;
  const account = ({ second, series, evidence }: TimelineFrame) => {
    for (const one of evidence ?? []) {
      const key = `${one.operation} ${one.outcome}`;
      if (!seen.has(key)) seen.set(key, one);
    }
    for (const part of series) {
      const known = outcomes.get(part.operation) ?? {};
      const newOnes = (Object.keys(failuresOf(part.outcomes)) as Outcome[]).filter((one) => known[one] === undefined);
      firsts.push(...newOnes.map((outcome) => ({ operation: part.operation, outcome, second })));
      addTally(known, part.outcomes);
      if (isOperation(part.operation)) pushedBytes += part.sentBytes;
      outcomes.set(part.operation, known);
    }
    elapsedSeconds = Math.max(elapsedSeconds, second + 1);
  };
  return {
    add(seconds: readonly TimelineFrame[]): void {
      for (const frame of seconds) account(frame);
      listeners = seconds.reduce((sum, frame) => sumListeners(sum, frame.listeners), listeners);
      recent = [...recent, ...seconds].slice(-windowSeconds);
      responseP99sMs = [...responseP99sMs, ...seconds.map(responseP99Ms)].slice(-HISTORY_SECONDS);
    },
    read(): LiveFigures {
      const operations = MEASURED_OPERATIONS.filter((operation) => outcomes.has(operation));
      const isCounted = countsOnce(operations.map((operation) => ({ operation })));
      const newest = firsts.findLast(isCounted);
      const ended: CountBy<Outcome> = {};
      const pushed = operations.filter(isOperation).flatMap((one) => Object.keys(outcomes.get(one) ?? {}) as Outcome[]);
      for (const [operation, tally] of outcomes) if (isCounted({ operation })) addTally(ended, tally);
      return {
        elapsedSeconds,
        responseP99sMs,
        operations,
        listeners,
        recent: recentActivity(recent),
        finished: finishedCount({ outcomes: ended }),
        failures: failuresOf(ended),
        reachesNothing: pushed.length > 0 && reachedNothing(pushed, pushedBytes),
        newestFailure: newest && { ...newest, evidence: seen.get(`${newest.operation} ${newest.outcome}`) },
      };
    },
  };
}

function responseP99Ms({ series }: TimelineFrame): number | undefined {
  const all = createHistogram();
  for (const { histograms } of series.filter(countsOnce(series)))
    if (histograms.response !== undefined) merge(all, histograms.response);
  return percentileMs(all, 99);
}

/** Activity of a fleet over a few seconds, and its state at their end. */
export type RecentActivity = FleetState & {
  readonly seconds: number;
  /** Sums over all operations and phases. */
  readonly totals: Totals;
  /** Operations with activity, in the order of tables. */
  readonly operations: readonly OperationActivity[];
  /** Share of the time in which the busiest worker's event loop was busy, 0 to 1; `undefined` if no worker reported. */
  readonly busiestLoopUtilization: number | undefined;
};

export type OperationActivity = { readonly operation: MeasuredOperation; readonly totals: Totals };

/** @param frames the last few seconds of the timeline, in order. */
function recentActivity(frames: readonly TimelineFrame[]): RecentActivity | undefined {
  const last = frames.at(-1);
  if (last === undefined) return undefined;
  const sum = noFigures();
  for (const frame of frames) addSecond(sum, frame, frame.second);
  const operations = operationsIn(sum).map(([operation, totals]) => ({ operation, totals }));
  const counted = operations.filter(countsOnce(operations));
  const { agents, inFlight, longestWaitMs, listening, down } = last;
  return {
    agents,
    inFlight,
    longestWaitMs,
    listening,
    down,
    // A second appears again, after later ones, if a worker reports it late.
    seconds: new Set(frames.map(({ second }) => second)).size,
    totals: sumTotals(counted.map(({ totals }) => totals)),
    operations,
    busiestLoopUtilization: busiestLoopOf(sum),
  };
}

/** Both ends of a poll of the embedded server record it. Only the poller's record counts, because the poller knows when it was due. */
function countsOnce(
  all: readonly { readonly operation: MeasuredOperation }[],
): (part: { readonly operation: MeasuredOperation }) => boolean {
  const isPulled = all.some(({ operation }) => isPullOperation(operation));
  return ({ operation }) => !isPulled || !isServedOperation(operation);
}
