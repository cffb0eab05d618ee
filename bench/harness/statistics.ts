/** NaN if there are no values. For an even count, the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [upper = Number.NaN, lower = Number.NaN] = [sorted[sorted.length >> 1], sorted[(sorted.length - 1) >> 1]];
  return (lower + upper) / 2;
}

/** The value that a share of the values does not exceed, such as `percentile(values, 0.99)`. NaN if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export type Spread = { readonly median: number; readonly low: number; readonly high: number };

/** Median and extremes. For a handful of samples, no other measure of spread is more informative. */
export function spreadOf(samples: readonly number[]): Spread {
  return { median: median(samples), low: Math.min(...samples), high: Math.max(...samples) };
}
