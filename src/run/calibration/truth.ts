import { type Histogram, percentileMs, valueCount } from '../../metrics/recording/histogram.ts';
import { RESULT_WAIT_MS } from '../../wire/agent/lifecycle.ts';

/** The true and the measured value of a percentile, in milliseconds. */
export type TruthComparison = { readonly percentile: number; readonly trueMs: number; readonly measuredMs: number };

/** Allowed error in milliseconds, in addition to the histogram's precision. */
export type Tolerance = { readonly belowMs: number; readonly aboveMs: number };

export const CALIBRATION_PERCENTILES = [50, 90, 99] as const;

/** Three significant digits, in whole microseconds. */
const RELATIVE_PRECISION = 0.001;
const ABSOLUTE_PRECISION_MS = 0.001;

/**
 * The exact value that `percentile` (0 to 100) percent of the values do not exceed, with the same ranks as the histograms.
 * @throws RangeError if there are no values.
 */
export function percentileOf(values: readonly number[], percentile: number): number {
  const exact = (percentile / 100) * values.length;
  // As in HdrHistogram, a share that exceeds a whole rank only by rounding stays on that rank.
  const rank = Math.max(1, Math.ceil(exact - exact * Number.EPSILON));
  const value = values.toSorted((a, b) => a - b)[rank - 1];
  if (value === undefined) throw new RangeError(`no percentile ${percentile} of ${values.length} values`);
  return value;
}

/** Compares a histogram's percentiles with those of the exact values. @throws RangeError if the histogram is empty. */
export function compareWithTruth(truth: readonly number[], measured: Histogram): readonly TruthComparison[] {
  return CALIBRATION_PERCENTILES.map((percentile) => {
    const measuredMs = percentileMs(measured, percentile);
    if (measuredMs === undefined) throw new RangeError('nothing was measured');
    return { percentile, trueMs: percentileOf(truth, percentile), measuredMs };
  });
}

/** Measured minus true value, reduced by the precision of the histogram; 0 means no measurable error. */
export function errorMs({ trueMs, measuredMs }: TruthComparison): number {
  const precisionMs = trueMs * RELATIVE_PRECISION + ABSOLUTE_PRECISION_MS;
  const differenceMs = measuredMs - trueMs;
  if (Math.abs(differenceMs) <= precisionMs) return 0;
  return differenceMs > 0 ? differenceMs - precisionMs : differenceMs + precisionMs;
}

export function isWithin(comparison: TruthComparison, { belowMs, aboveMs }: Tolerance): boolean {
  const error = errorMs(comparison);
  return error >= -belowMs && error <= aboveMs;
}

/** Number of values above a limit in milliseconds, within the precision of the histogram. */
export function countAbove(histogram: Histogram, milliseconds: number): number {
  const count = valueCount(histogram);
  // Binary search over ranks: the value at a rank never decreases as the rank grows.
  let [low, high] = [0, count];
  while (low < high) {
    const rank = Math.floor((low + high) / 2);
    // Half a rank less gives the same value and is safe from rounding.
    const value = percentileMs(histogram, ((rank + 0.5) / count) * 100) ?? 0;
    if (value > milliseconds) high = rank;
    else low = rank + 1;
  }
  return count - low;
}

/** An open load at a constant rate with agents in turn. The server freezes once and otherwise answers immediately. */
export type FrozenLoad = {
  readonly ratePerSecond: number;
  readonly agents: number;
  readonly durationMs: number;
  readonly freezeMs: number;
};

export type FrozenTimes = {
  readonly responseMs: readonly number[];
  readonly serviceMs: readonly number[];
  readonly dropped: number;
};

/**
 * Expected values of the clocks. Each arrival during the freeze waits for its end, so its response time is the rest of the freeze. Service
 * time includes this wait only for an agent's request in flight. The agent's other arrivals wait inside the agent and are served
 * immediately after the freeze, unless they have waited too long and are dropped.
 */
export function timesUnderFreeze({ ratePerSecond, agents, durationMs, freezeMs }: FrozenLoad): FrozenTimes {
  const intervalMs = 1000 / ratePerSecond;
  const arrivals = Math.ceil(durationMs / intervalMs);
  const frozen = Math.ceil(freezeMs / intervalMs);
  const calm: readonly number[] = Array.from({ length: arrivals - frozen }, () => 0);
  const waits = Array.from({ length: frozen }, (_, n) => freezeMs - n * intervalMs);
  const inFlight = waits.slice(0, agents);
  const behind = waits.slice(agents);
  const served = behind.filter((wait) => wait <= RESULT_WAIT_MS);
  return {
    responseMs: [...calm, ...inFlight, ...served],
    serviceMs: [...calm, ...inFlight, ...served.map(() => 0)],
    dropped: behind.length - served.length,
  };
}
