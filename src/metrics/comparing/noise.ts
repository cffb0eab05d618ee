/** The assumption weighs as much as so many differences between runs would. */
const ASSUMED_FREEDOM = 4;

/**
 * By how much the means of two samples differ by chance alone in 99 of 100 comparisons: Student's t test with the pooled
 * variance of the samples, moderated by an assumption, so that two runs that happen to be alike, or far apart, do not decide
 * alone. With one run on each side it is the assumption; with each further run it is more of what was seen.
 * @param assumed by how much two single runs differ by chance.
 */
export function noiseBetween(base: readonly number[], candidate: readonly number[], assumed: number): number {
  const variance = (assumed / (quantile(ASSUMED_FREEDOM) * Math.SQRT2)) ** 2;
  const freedom = ASSUMED_FREEDOM + base.length + candidate.length - 2;
  const pooled = (ASSUMED_FREEDOM * variance + squares(base) + squares(candidate)) / freedom;
  return quantile(freedom) * Math.sqrt(pooled * (1 / base.length + 1 / candidate.length));
}

/** A count of failures out of all. */
export type Share = { readonly failed: number; readonly of: number };

/** The same for shares, where chance follows from the counts themselves. */
export function chanceOfShares(base: Share, candidate: Share): number {
  if (base.of === 0 || candidate.of === 0) return 0;
  const pooled = (base.failed + candidate.failed) / (base.of + candidate.of);
  return NORMAL * Math.sqrt(pooled * (1 - pooled) * (1 / base.of + 1 / candidate.of));
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function squares(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

const NORMAL = 2.576;

/** Of Student's distribution, 99.5 %, by degrees of freedom from one on. */
const STUDENT = [
  ...[63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169],
  ...[3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845],
];

function quantile(freedom: number): number {
  // Beyond the table the first terms of the expansion around the normal distribution are exact to a thousandth.
  return STUDENT[freedom - 1] ?? NORMAL + (NORMAL ** 3 + NORMAL) / (4 * freedom);
}
