import { countOf, type Histogram, maxMs, meanMs, minMs, percentileMs } from '../recording/histogram.ts';
import type { Latency } from './summary-schema.ts';

/** The figures of one clock for a summary, in milliseconds; undefined without values. */
export function latencyOf(histogram: Histogram): Latency | undefined {
  const count = countOf(histogram);
  if (count === 0) return undefined;
  const at = (percentile: number) => rounded(percentileMs(histogram, percentile) ?? 0);
  return {
    count,
    min: rounded(minMs(histogram) ?? 0),
    mean: rounded(meanMs(histogram) ?? 0),
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: rounded(maxMs(histogram) ?? 0),
  };
}

/** Three decimals: microseconds of milliseconds, and digits enough for a rate. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
