import type { ExponentialHistogram } from '@opentelemetry/sdk-metrics';
import { countsByValue, type Histogram, minMs, valueCount } from '../../metrics/recording/histogram.ts';

/**
 * Each bucket ends 0.27%, a factor of 2^(1/256), above the previous one. This is the finest scale of Prometheus' native histograms:
 * Prometheus would merge finer buckets, and coarser ones would lose some of the three recorded digits.
 */
export const SCALE = 8;
const BUCKETS_PER_DOUBLING = 2 ** SCALE;

/**
 * Converts to an exponential histogram in seconds. Each value counts in the bucket that contains the upper bound of its HDR bucket, which
 * is also the value that summaries report. A quantile is therefore in the same bucket in both; count and sum are equal.
 */
export function exponentialOf(histogram: Histogram): ExponentialHistogram {
  const bucketCounts: number[] = [];
  let offset: number | undefined;
  let index = 0;
  let [max, upper] = [0, 0];
  // Values ascend, so most of them belong to the bucket of the previous one, or to the next.
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

/** Index of the bucket of a value greater than zero. The lower bound is exclusive and the upper one inclusive. */
function bucketOf(value: number): number {
  const index = Math.ceil(Math.log2(value) * BUCKETS_PER_DOUBLING) - 1;
  // The logarithm of a value close to a bound may be rounded across it.
  if (value <= lowerBoundOf(index)) return index - 1;
  return value > lowerBoundOf(index + 1) ? index + 1 : index;
}

export function lowerBoundOf(index: number): number {
  return 2 ** (index / BUCKETS_PER_DOUBLING);
}
