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
export const MIN_PAIRS = 4;

/** With noise that requires more pairs, other conditions help more. */
export const MAX_PAIRS = 1000;

/** The difference of two sides for the worse, on a scale on which noise adds up. */
export type Estimate = {
  readonly worseBy: number;
  /** Pairs of runs, or runs of the smaller side; at least two. */
  readonly pairs: number;
  /** Standard error of this number of pairs, as the runs vary. */
  readonly spreadError: (pairs: number) => number;
  /** Failures are counted: the error of counts, however equal the runs are, and the operations of a run on the smaller side. */
  readonly counts: { readonly error: (pairs: number) => number; readonly operations: number } | undefined;
};

export function standardError({ spreadError, counts }: Estimate, pairs: number): number {
  return Math.max(spreadError(pairs), counts?.error(pairs) ?? 0);
}

/** The largest difference for the worse that the runs do not rule out. */
export function upperLimit(estimate: Estimate): number {
  return estimate.worseBy + reach(estimate, estimate.pairs, 0);
}

/** How far a limit lies above the change. Few runs make their spread uncertain, but not that of counts. */
function reach({ spreadError, counts }: Estimate, pairs: number, unlucky: number): number {
  const spread = (criticalValue(MISSED, pairs - 1) + unlucky) * spreadError(pairs);
  return Math.max(spread, criticalValue(MISSED, MAX_FREEDOM) * (counts?.error(pairs) ?? 0));
}

/** For each estimate, what may be chance, by Benjamini and Hochberg: figures that change together need less evidence each. */
export function chanceOf(estimates: readonly (Estimate | undefined)[]): readonly (number | undefined)[] {
  const tails = estimates
    .flatMap((one) => (one ? [tailOf(one.worseBy / standardError(one, one.pairs), one.pairs - 1)] : []))
    .sort((a, b) => a - b);
  const share = FALSE_ALARMS / tails.length;
  const significant = tails.findLastIndex((tail, index) => tail <= share * (index + 1)) + 1;
  const level = share * Math.max(1, significant);
  return estimates.map((one) => one && criticalValue(level, one.pairs - 1) * standardError(one, one.pairs));
}

/** How many pairs rule out a difference of `margin` between equal servers; `undefined` above `MAX_PAIRS`. */
export function pairsFor(margin: number, estimate: Estimate): number | undefined {
  let [tooFew, enough] = [MIN_PAIRS - 1, MAX_PAIRS + 1];
  while (enough - tooFew > 1) {
    const pairs = Math.floor((tooFew + enough) / 2);
    if (reach(estimate, pairs, criticalValue(UNLUCKY, pairs - 1)) <= margin) enough = pairs;
    else tooFew = pairs;
  }
  return enough > MAX_PAIRS ? undefined : enough;
}

/** With more degrees of freedom, Student's t differs by less than 1 %. */
const MAX_FREEDOM = 100;

/** A comparison needs the same few values again and again. */
const criticalValues = new Map<string, number>();

/** The value that Student's t exceeds with this probability, which is less than a half. */
export function criticalValue(probability: number, degrees: number): number {
  const freedom = Math.min(MAX_FREEDOM, degrees);
  const key = `${probability} ${freedom}`;
  const known = criticalValues.get(key);
  if (known !== undefined) return known;
  let [below, above] = [0, 1];
  while (tailOf(above, freedom) > probability) above *= 2;
  while (above - below > 1e-6 * above) {
    const middle = (below + above) / 2;
    if (tailOf(middle, freedom) > probability) below = middle;
    else above = middle;
  }
  criticalValues.set(key, above);
  return above;
}

/** The probability that Student's t exceeds `t`: the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function tailOf(t: number, degrees: number): number {
  const freedom = Math.min(MAX_FREEDOM, degrees);
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
