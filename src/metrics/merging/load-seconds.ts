import { isOperation } from '../../base/protocol/operations.ts';
import { sumsByIndex } from '../recording/frame.ts';
import { createHistogram, latencyOf, merge, percentileMs } from '../recording/histogram.ts';
import type { RecordedSecond } from './timeline.ts';
import { droppedCount, finishedCount, succeededCount } from './totals.ts';

/** Activity of a fleet at its target within one second of the run, over all operations of healthy agents. */
export type LoadSecond = {
  readonly second: number;
  /** Operations that became due in each tenth of the second. */
  readonly due: readonly number[];
  readonly arrivals: number;
  readonly succeeded: number;
  /** Operations that ended, whatever the outcome, or were dropped. */
  readonly ended: number;
  /** At the end of the second, and the least during it. */
  readonly inFlight: number;
  readonly leastInFlight: number;
  /** Response time p99 of operations that ended in this second; `undefined` if there were none. */
  readonly p99Ms: number | undefined;
  /** p99 of the generator's own delay in picking up due operations. */
  readonly delayP99Ms: number;
};

/** More than a day, in 30 MB. */
const MAX_KEPT = 100_000;
/** Nothing is judged at the end of an endless run, only as long as it runs. */
const MAX_KEPT_ENDLESS = 3600;

/** Keeps the latest ones. */
export function createLoadSeconds(isEndless: boolean) {
  const mostKept = isEndless ? MAX_KEPT_ENDLESS : MAX_KEPT;
  const kept = new Map<number, LoadSecond>();
  return {
    add: (frame: RecordedSecond): void => {
      const { second } = frame;
      kept.set(second, together(loadSecondOf(frame), kept.get(second)));
      kept.delete(second - mostKept);
    },
    read: (): readonly LoadSecond[] => [...kept.values()],
  };
}

/** A worker that was held up reports a second after the others have passed it. */
function together(one: LoadSecond, other: LoadSecond | undefined): LoadSecond {
  if (other === undefined) return one;
  const p99s = [one, other].flatMap(({ p99Ms }) => p99Ms ?? []);
  return {
    second: one.second,
    due: sumsByIndex([one.due, other.due]),
    arrivals: one.arrivals + other.arrivals,
    succeeded: one.succeeded + other.succeeded,
    ended: one.ended + other.ended,
    // Both are states of the whole fleet.
    inFlight: one.inFlight,
    leastInFlight: Math.min(one.leastInFlight, other.leastInFlight),
    p99Ms: p99s.length === 0 ? undefined : Math.max(...p99s),
    delayP99Ms: Math.max(one.delayP99Ms, other.delayP99Ms),
  };
}

function loadSecondOf({ second, series, inFlight, pace }: RecordedSecond): LoadSecond {
  const outbound = series.filter(({ operation }) => isOperation(operation));
  const p99Of = (clock: 'response' | 'delay'): number | undefined => {
    const [first, ...others] = outbound.flatMap(({ histograms }) => histograms[clock] ?? []);
    if (first === undefined || others.length === 0) return first && latencyOf(first)?.p99;
    const sum = createHistogram();
    for (const values of [first, ...others]) merge(sum, values);
    return percentileMs(sum, 99);
  };
  const sumOf = (count: (part: (typeof outbound)[number]) => number) =>
    outbound.reduce((sum, part) => sum + count(part), 0);
  const planned = sumOf((part) => part.planned);
  return {
    second,
    // A part without a pace counts as even.
    due: pace?.due ?? Array.from({ length: 10 }, () => planned / 10),
    inFlight,
    leastInFlight: pace?.leastInFlight ?? inFlight,
    ended: sumOf((part) => finishedCount(part) + droppedCount(part)),
    arrivals: sumOf(({ started }) => started),
    succeeded: sumOf(succeededCount),
    p99Ms: p99Of('response'),
    delayP99Ms: p99Of('delay') ?? 0,
  };
}
