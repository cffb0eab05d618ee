import { percentile } from './statistics.ts';

const BUCKET_MS = 10;

export type Evenness = {
  /** 99th percentile of the delay of arrivals, relative to an even schedule on which the most punctual arrival is on time. */
  readonly behindP99Ms: number;
  /** Variance of the arrivals in 10 ms, divided by their mean: 0 if all counts are equal, 1 if arrivals are random. */
  readonly dispersion: number;
};

/** Compares arrival times in milliseconds with their intended rate. */
export function evennessOf(arrivalsMs: readonly number[], perSecond: number): Evenness {
  const sorted = arrivalsMs.toSorted((a, b) => a - b);
  const offsets = sorted.map((atMs, n) => atMs - (n * 1000) / perSecond);
  const earliest = offsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY);
  return { behindP99Ms: percentile(offsets, 0.99) - earliest, dispersion: dispersionOf(sorted) };
}

function dispersionOf(sorted: readonly number[]): number {
  const [first = 0] = sorted;
  const counts = new Array<number>(Math.floor(((sorted.at(-1) ?? 0) - first) / BUCKET_MS)).fill(0);
  // The last bucket is incomplete and cannot be compared.
  for (const atMs of sorted) {
    const bucket = Math.floor((atMs - first) / BUCKET_MS);
    if (bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length / mean;
}
