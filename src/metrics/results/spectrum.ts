import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import { countedPhases, measure, type Recording } from '../merging/measurement.ts';
import { CLOCKS, type ClockName } from '../recording/clocks.ts';
import { countOf, type Histogram, maxMs, percentileMs } from '../recording/histogram.ts';
import { rounded } from './latency.ts';

/** Percentiles of one operation by one clock over the counted phases, for a log-percentile plot. */
export type Spectrum = {
  readonly operation: MeasuredOperation;
  readonly clock: ClockName;
  /** 1 / (1 - percentile / 100) and the latency there in milliseconds; ends at the maximum. */
  readonly points: readonly (readonly [inverse: number, valueMs: number])[];
};

// Like HdrHistogram's own distribution: so many points until the remaining share is halved.
const POINTS_PER_HALF_DISTANCE = 5;

/** The spectra of all operations and clocks with values. */
export function spectraOf(recording: Recording): Spectrum[] {
  const counted = countedPhases(recording);
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const { histograms } = measure(recording, operation, counted).totals;
    return CLOCKS.map((clock) => ({ operation, clock, points: pointsOf(histograms[clock]) }));
  }).filter(({ points }) => points.length > 0);
}

/** Up to the last percentile that a single value stands behind. */
function pointsOf(histogram: Histogram): [number, number][] {
  const count = countOf(histogram);
  const points: [number, number][] = [];
  for (let tick = 0; 2 ** (tick / POINTS_PER_HALF_DISTANCE) < count; tick++) {
    const inverse = 2 ** (tick / POINTS_PER_HALF_DISTANCE);
    points.push([rounded(inverse), rounded(percentileMs(histogram, 100 - 100 / inverse) ?? 0)]);
  }
  return count === 0 ? [] : [...points, [count, rounded(maxMs(histogram) ?? 0)]];
}
