/** Share of comparisons of equal servers that may report a regression, over all figures together. */
const FALSE_ALARMS = 0.02;

/**
 * Share of changes that may exceed their upper limit. Up to 4.15 %, Student's t is conservative for every mixture of normal distributions,
 * whatever the number of runs. docs/developers/decisions/compared-pairs.md has simulations with others.
 */
const MISSED = 0.04;

/** With a planned number of pairs, nine of ten comparisons of equal servers find a figure within its tolerance. */
const UNLUCKY = 0.1;

/** Fewer pairs too often agree by chance. */
export const LEAST_PAIRS = 4;

/** With noise that requires more pairs, other conditions help more. */
export const MOST_PAIRS = 1000;

/** The difference of two sides for the worse, on a scale on which noise adds up. */
export type Estimate = {
  readonly worseBy: number;
  /** Pairs of runs, or runs of the smaller side; at least two. */
  readonly pairs: number;
  /** Expected for this number of pairs. */
  readonly standardError: (pairs: number) => number;
};

/** The largest difference for the worse that the runs do not rule out. */
export function upperLimit({ worseBy, pairs, standardError }: Estimate): number {
  return worseBy + criticalValue(MISSED, pairs - 1) * standardError(pairs);
}

/**
 * For each estimate, the difference up to which it may be chance. Benjamini and Hochberg's procedure: several figures that change together
 * need less evidence each.
 */
export function chanceOf(estimates: readonly (Estimate | undefined)[]): readonly (number | undefined)[] {
  const tails = estimates
    .flatMap((one) => (one ? [tailOf(one.worseBy / one.standardError(one.pairs), one.pairs - 1)] : []))
    .sort((a, b) => a - b);
  const share = FALSE_ALARMS / tails.length;
  const significant = tails.findLastIndex((tail, index) => tail <= share * (index + 1)) + 1;
  const level = share * Math.max(1, significant);
  return estimates.map((one) => one && criticalValue(level, one.pairs - 1) * one.standardError(one.pairs));
}

/** How many pairs rule out a difference of `margin` between equal servers, up to a tenth more; `undefined` above `MOST_PAIRS`. */
export function pairsFor(margin: number, standardError: Estimate['standardError']): number | undefined {
  for (let pairs = LEAST_PAIRS; pairs <= MOST_PAIRS; pairs = Math.ceil(pairs * 1.1)) {
    const errors = criticalValue(MISSED, pairs - 1) + criticalValue(UNLUCKY, pairs - 1);
    if (errors * standardError(pairs) <= margin) return pairs;
  }
  return undefined;
}

/** The value that Student's t exceeds with this probability, which is less than a half. */
export function criticalValue(probability: number, freedom: number): number {
  let [below, above] = [0, 1];
  while (tailOf(above, freedom) > probability) above *= 2;
  while (above - below > 1e-6 * above) {
    const middle = (below + above) / 2;
    if (tailOf(middle, freedom) > probability) below = middle;
    else above = middle;
  }
  return above;
}

/** With more degrees of freedom, Student's t differs by less than 1 %. */
const MOST_FREEDOM = 100;

/** The probability that Student's t exceeds `t`: the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function tailOf(t: number, degrees: number): number {
  const freedom = Math.min(MOST_FREEDOM, degrees);
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let k = isOdd ? 1 : 0; k <= freedom - 2; k += 2) {
    sum += term;
    term *= (cosine * cosine * (k + 1)) / (k + 2);
  }
  const inside = Math.sin(angle) * sum;
  return (1 - (isOdd ? (2 / Math.PI) * (angle + inside) : inside)) / 2;
}
