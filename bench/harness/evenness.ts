import { percentile } from './statistics.ts';

const BUCKET_MS = 10;

export type Evenness = {
  /** How far arrivals were behind an even schedule of the rate, which the most punctual one sets: the 99th percentile. */
  readonly behindP99Ms: number;
  /** Variance over mean of the arrivals in 10 ms: 0 if all are as many, 1 if they came at random. */
  readonly dispersion: number;
};

/** Of instants in milliseconds, and the rate that they should have had. */
export function evennessOf(arrivalsMs: readonly number[], perSecond: number): Evenness {
  const sorted = arrivalsMs.toSorted((a, b) => a - b);
  const offsets = sorted.map((atMs, n) => atMs - (n * 1000) / perSecond);
  const earliest = offsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY);
  return { behindP99Ms: percentile(offsets, 0.99) - earliest, dispersion: dispersionOf(sorted) };
}

function dispersionOf(sorted: readonly number[]): number {
  const [first = 0] = sorted;
  const counts = new Array<number>(Math.floor(((sorted.at(-1) ?? 0) - first) / BUCKET_MS)).fill(0);
  // What is left of the last bucket is too short to compare.
  for (const atMs of sorted) {
    const bucket = Math.floor((atMs - first) / BUCKET_MS);
    if (bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length / mean;
}
