import { countsByBound, type Histogram } from '../metrics/recording/histogram.ts';
import type { Classes } from './family.ts';

/** From half a millisecond to beyond the time limit of a request; the same for all runs, so that they can be added up. */
const BOUNDS_SECONDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 15, 30, 60],
];
const BOUNDS_MS = BOUNDS_SECONDS.map((seconds) => seconds * 1000);

/** The values of a histogram by size, as exact as it holds them: to three digits. */
export function latencyClasses(histogram: Histogram): Classes {
  const { counts, sumMs } = countsByBound(histogram, BOUNDS_MS);
  return { bounds: BOUNDS_SECONDS, counts, sum: sumMs / 1000 };
}
