import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import { createHistogram, merge, percentileMs } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import { type Activity, countsOnce, recentActivity } from './recent-activity.ts';
import type { TimelineFrame } from './timeline.ts';
import { addTally, failuresOf, finishedCount, type Tally } from './totals.ts';

/** What is worth watching of a run while it goes. */
export type LiveFigures = {
  /** Seconds of the timeline that are over. */
  readonly elapsedSeconds: number;
  /** Of the last few seconds; undefined until the first one is over. */
  readonly recent: Activity | undefined;
  /** Response p99 of single seconds, the newest last, up to a minute; undefined where nothing finished. */
  readonly responseP99sMs: readonly (number | undefined)[];
  /** Those that have done anything yet, in the order of tables. */
  readonly operations: readonly MeasuredOperation[];
  /** Operations that ended, since the start. */
  readonly finished: number;
  /** Those of them that went wrong, by outcome. */
  readonly failures: Readonly<Record<string, number>>;
  /** The last way of going wrong that was new. */
  readonly newestFailure: FirstFailure | undefined;
};

/** The second in which an operation failed like this for the first time. */
export type FirstFailure = {
  readonly operation: MeasuredOperation;
  readonly outcome: Outcome;
  readonly second: number;
};

/** Follows a run second by second; what it keeps does not grow with the run. */
export type RunWatch = {
  add(seconds: readonly TimelineFrame[]): void;
  read(): LiveFigures;
};

const HISTORY_SECONDS = 60;

/** @param windowSeconds how many seconds `recent` is about. */
export function createRunWatch(windowSeconds: number): RunWatch {
  const outcomes = new Map<MeasuredOperation, Tally<Outcome>>();
  const firsts: FirstFailure[] = [];
  let recent: readonly TimelineFrame[] = [];
  let responseP99sMs: LiveFigures['responseP99sMs'] = [];
  let elapsedSeconds = 0;
  const account = ({ second, series }: TimelineFrame) => {
    for (const part of series) {
      const known = outcomes.get(part.operation) ?? {};
      firsts.push(...newFailures(part, known).map((outcome) => ({ operation: part.operation, outcome, second })));
      addTally(known, part.outcomes);
      outcomes.set(part.operation, known);
    }
    elapsedSeconds = Math.max(elapsedSeconds, second + 1);
  };
  return {
    add(seconds) {
      for (const frame of seconds) account(frame);
      recent = [...recent, ...seconds].slice(-windowSeconds);
      responseP99sMs = [...responseP99sMs, ...seconds.map(responseP99Ms)].slice(-HISTORY_SECONDS);
    },
    read() {
      const operations = MEASURED_OPERATIONS.filter((operation) => outcomes.has(operation));
      const isCounted = countsOnce(operations.map((operation) => ({ operation })));
      const ended: Tally<Outcome> = {};
      for (const [operation, tally] of outcomes) if (isCounted({ operation })) addTally(ended, tally);
      return {
        ...{ elapsedSeconds, responseP99sMs, operations },
        recent: recentActivity(recent),
        finished: finishedCount({ outcomes: ended }),
        failures: failuresOf(ended),
        newestFailure: firsts.findLast(isCounted),
      };
    },
  };
}

function newFailures({ outcomes }: TimelineFrame['series'][number], known: Readonly<Tally<Outcome>>): Outcome[] {
  return (Object.keys(failuresOf(outcomes)) as Outcome[]).filter((outcome) => known[outcome] === undefined);
}

function responseP99Ms({ series }: TimelineFrame): number | undefined {
  const all = createHistogram();
  for (const { histograms } of series.filter(countsOnce(series)))
    if (histograms.response !== undefined) merge(all, histograms.response);
  return percentileMs(all, 99);
}
