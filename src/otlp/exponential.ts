import type { ExponentialHistogram } from '@opentelemetry/sdk-metrics';
import { countsByValue, type Histogram, minMs, valueCount } from '../metrics/recording/histogram.ts';

/**
 * Each bucket ends 2^(1/256) times, 0.27 %, above the one before. It is the finest scale of Prometheus' native histograms: a finer
 * one would be made coarser there, and a coarser one would lose what was recorded to three digits.
 */
export const SCALE = 8;
const BUCKETS_PER_DOUBLING = 2 ** SCALE;

/**
 * What was recorded, in seconds, as an exponential histogram. Each value counts in the bucket that has the upper border of where the HDR
 * histogram counts it, which is what summaries tell. So a quantile lies in the same bucket in both; count and sum are the same.
 */
export function exponentialOf(histogram: Histogram): ExponentialHistogram {
  const bucketCounts: number[] = [];
  let offset: number | undefined;
  let index = 0;
  let [max, upper] = [0, 0];
  // Values rise: most lie in the bucket of the one before, or in the next.
  const sumMs = countsByValue(histogram, (valueMs, count) => {
    max = valueMs / 1000;
    if (max > upper) {
      index = bucketOf(max);
      upper = lowerBoundOf(index + 1);
    }
    offset ??= index;
    for (let place = bucketCounts.length; place <= index - offset; place++) bucketCounts.push(0);
    bucketCounts[index - offset] = (bucketCounts[index - offset] ?? 0) + count;
  });
  const min = minMs(histogram);
  return {
    count: valueCount(histogram),
    sum: sumMs / 1000,
    ...(min !== undefined && { min: min / 1000, max }),
    ...{ scale: SCALE, zeroCount: 0 },
    positive: { offset: offset ?? 0, bucketCounts },
    negative: { offset: 0, bucketCounts: [] },
  };
}

/** The bucket above whose lower bound, and up to whose upper one, a value lies that is greater than zero. */
function bucketOf(value: number): number {
  const index = Math.ceil(Math.log2(value) * BUCKETS_PER_DOUBLING) - 1;
  // The logarithm of what lies close to a bound may be rounded over it.
  if (value <= lowerBoundOf(index)) return index - 1;
  return value > lowerBoundOf(index + 1) ? index + 1 : index;
}

export function lowerBoundOf(index: number): number {
  return 2 ** (index / BUCKETS_PER_DOUBLING);
}
