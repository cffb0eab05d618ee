import {
  CLOCKS,
  type ClockName,
  emptyClocks,
  LEFT_OUT_COUNTS,
  LEFT_OUT_HISTOGRAMS,
  type LeftOut,
  type SeriesFrame,
} from '../recording/frame.ts';
import { createHistogram, type Histogram, merge, type PackedHistogram, valueCount } from '../recording/histogram.ts';
import { type AnswerDoubt, DROPS, type DropReason, isSuccess, type Outcome } from '../recording/outcomes.ts';
import { addTally, type CountBy, mostFrequent, tallyEntries, tallySum } from '../recording/tally.ts';

/** Sums over any number of frames, shards and phases. Addition is commutative and associative. */
export type Totals = {
  planned: number;
  started: number;
  readonly dropped: CountBy<DropReason>;
  readonly outcomes: CountBy<Outcome>;
  readonly doubts: CountBy<AnswerDoubt>;
  succeededWithin: number;
  sentBytes: number;
  receivedBytes: number;
  /** Absent if nothing was left out. */
  leftOut?: LeftOut<Histogram> | undefined;
  readonly histograms: Readonly<Record<ClockName, Histogram>>;
};

/** @param clocks those that have values; the others share one empty histogram each, because an empty one takes as much memory. */
export function emptyTotals(clocks: readonly ClockName[] = CLOCKS): Totals {
  const own = clocks.map((clock) => [clock, createHistogram()] as const);
  return {
    planned: 0,
    started: 0,
    dropped: {},
    outcomes: {},
    doubts: {},
    succeededWithin: 0,
    sentBytes: 0,
    receivedBytes: 0,
    histograms: { ...NO_VALUES, ...Object.fromEntries(own) },
  };
}

const NO_VALUES = emptyClocks();

/** Returns a new sum and leaves the parts unchanged. */
export function sumTotals(parts: Iterable<Addend>, clocks = CLOCKS as readonly ClockName[]): Totals {
  const sum = emptyTotals(clocks);
  for (const part of parts) addTotals(sum, part);
  return sum;
}

/** Sums, or the counts of a series with packed histograms or not. */
type Addend = Omit<SeriesFrame<Histogram | PackedHistogram>, 'phase' | 'operation'>;

const COUNTS = ['planned', 'started', 'succeededWithin', 'sentBytes', 'receivedBytes'] as const;

export function addTotals(into: Totals, from: Addend): void {
  for (const count of COUNTS) into[count] += from[count];
  addTally(into.dropped, from.dropped);
  addTally(into.outcomes, from.outcomes);
  if (from.doubts !== undefined) addTally(into.doubts, from.doubts);
  if (from.leftOut !== undefined) into.leftOut = addLeftOut(into.leftOut, from.leftOut);
  for (const clock of CLOCKS) {
    const histogram = from.histograms[clock];
    if (histogram !== undefined) merge(into.histograms[clock], histogram);
  }
}

export function toSeriesFrame(totals: Totals, key: Pick<SeriesFrame, 'phase' | 'operation'>): SeriesFrame<Histogram> {
  const { histograms, doubts, ...counts } = totals;
  const filled = CLOCKS.filter((clock) => valueCount(histograms[clock]) > 0);
  return {
    ...key,
    ...counts,
    ...(doubtCount(totals) > 0 && { doubts }),
    histograms: Object.fromEntries(filled.map((clock) => [clock, histograms[clock]])),
  };
}

/** Operations that ended, whatever the outcome. */
export function finishedCount(totals: Pick<Totals, 'outcomes'>): number {
  return tallySum(totals.outcomes);
}

/** Answers that agents take and a person would not. */
export function doubtCount({ doubts }: Pick<Totals, 'doubts'>): number {
  return tallySum(doubts);
}

export function succeededCount(totals: Pick<Totals, 'outcomes'>): number {
  return tallyEntries(totals.outcomes).reduce((sum, [outcome, count]) => (isSuccess(outcome) ? sum + count : sum), 0);
}

export function failedCount(totals: Pick<Totals, 'outcomes'>): number {
  return finishedCount(totals) - succeededCount(totals);
}

export function failuresOf(outcomes: Readonly<CountBy<Outcome>>): Record<string, number> {
  return Object.fromEntries(tallyEntries(outcomes).filter(([outcome]) => !isSuccess(outcome)));
}

export function droppedCount(totals: Pick<Totals, 'dropped'>): number {
  return tallySum(totals.dropped);
}

/** Operations that are left out of what thresholds judge, because the generator delayed or dropped them. */
export function leftOutCounts({ leftOut, dropped }: Pick<Totals, 'leftOut' | 'dropped'>): LeftOut<Histogram> {
  const none = { finished: 0, failed: 0, dropped: 0, succeededWithin: 0 };
  return { ...none, ...leftOut, dropped: (leftOut?.dropped ?? 0) + lostCount({ dropped }) };
}

/** Operations that the generator dropped, whatever the server and the scenario did. */
export function lostCount({ dropped }: Pick<Totals, 'dropped'>): number {
  return tallySum(lostOf(dropped));
}

/** The most frequent reason among them; `undefined` if there are none. */
export function lostCause({ dropped }: Pick<Totals, 'dropped'>): string | undefined {
  const [most] = mostFrequent(lostOf(dropped));
  return most && DROPS[most[0]].cause;
}

function lostOf(dropped: CountBy<DropReason>): CountBy<DropReason> {
  return Object.fromEntries(tallyEntries(dropped).filter(([reason]) => DROPS[reason].isOfGenerator));
}

/** Adds to the sum, whose histograms belong to it. */
function addLeftOut(sum: LeftOut<Histogram> | undefined, from: NonNullable<Addend['leftOut']>): LeftOut<Histogram> {
  const counts = LEFT_OUT_COUNTS.map((count) => [count, (sum?.[count] ?? 0) + from[count]]);
  const histograms = LEFT_OUT_HISTOGRAMS.map((name) => {
    const values = from[name];
    const own = sum?.[name] ?? (values && createHistogram());
    if (own !== undefined && values !== undefined) merge(own, values);
    return [name, own];
  });
  return Object.fromEntries([...counts, ...histograms.filter(([, own]) => own !== undefined)]) as LeftOut<Histogram>;
}
