/**
 * The exact value that `percentile` (0 to 100) of the values do not exceed, by the rank that the histograms use.
 * Throws a RangeError without values.
 */
export function percentileOf(values: readonly number[], percentile: number): number {
  const exact = (percentile / 100) * values.length;
  // As HdrHistogram does: a share that only rounding has lifted above a whole rank stays on that rank.
  const rank = Math.max(1, Math.ceil(exact - exact * Number.EPSILON));
  const value = values.toSorted((a, b) => a - b)[rank - 1];
  if (value === undefined) throw new RangeError(`no percentile ${percentile} of ${values.length} values`);
  return value;
}
