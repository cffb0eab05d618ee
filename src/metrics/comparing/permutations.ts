import { hash32, randomStream } from '../../ground/kernel/random.ts';

/** Number of runs on each side of a comparison. */
export type RunCounts = { readonly base: number; readonly candidate: number };

/** One figure over all runs, base runs first. */
export type FigureSample = {
  /** `undefined` for a run without a value. */
  readonly values: readonly (number | undefined)[];
  /** Values closer than this count as equal. */
  readonly resolution: number;
};

/** Upper bound for the share of false alarms: comparisons of equivalent runs that find a difference. */
const FALSE_ALARMS = 0.05;

/** With more divisions than this, a random sample of this size is used. */
const MOST_DIVISIONS = 5000;

/**
 * Whether there are enough runs to distinguish a difference from chance. If all runs are equivalent, every division into two sides is
 * as likely as the observed one. A single division must therefore be rarer than the allowed false alarms.
 */
export function canTell({ base, candidate }: RunCounts): boolean {
  return 1 / ways(base + candidate, base) < FALSE_ALARMS;
}

/** Smallest number of runs that can show a significant difference, with the added runs distributed evenly over both sides. */
export function leastRuns({ base, candidate }: RunCounts): RunCounts {
  for (let added = 0; ; added++) {
    const possible = Array.from({ length: added + 1 }, (_, index) => {
      return { base: base + index, candidate: candidate + added - index };
    }).filter(canTell);
    const unevenness = (counts: RunCounts): number => Math.abs(counts.base - counts.candidate);
    const [best] = possible.toSorted((a, b) => unevenness(a) - unevenness(b) || b.base - a.base);
    if (best !== undefined) return best;
  }
}

/**
 * For each figure, the largest difference between the means of two sides that may be chance. A permutation test over all figures
 * together: of the ways to divide the runs into sides of these sizes, fewer than 5 in 100 make any figure differ by more, relative to
 * its own variation. It makes no assumption about how runs vary.
 */
export function chanceOf(samples: readonly FigureSample[], counts: RunCounts): readonly number[] {
  const divisions = divisionsOf(counts);
  const largest = divisions.map((isBase) => Math.max(0, ...samples.map((sample) => distance(sample, isBase))));
  const allowed = Math.ceil(divisions.length * FALSE_ALARMS - 1e-9) - 1;
  const critical = largest.toSorted((a, b) => b - a)[allowed] ?? Number.POSITIVE_INFINITY;
  // Mirrored divisions are equal except for rounding.
  const beyond = critical * (1 + 1e-9) + 1e-12;
  const [seen = []] = divisions;
  return samples.map((sample) => beyond * standardError(sample, sidesOf(sample, seen)));
}

type Side = { readonly count: number; readonly mean: number; readonly squares: number };

function sidesOf({ values }: FigureSample, isBase: readonly boolean[]): readonly [Side, Side] {
  return [sideOf(values, isBase, true), sideOf(values, isBase, false)];
}

/** Builds no intermediate lists, because it runs for each figure in thousands of divisions. */
function sideOf(values: FigureSample['values'], isBase: readonly boolean[], own: boolean): Side {
  let count = 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === undefined || isBase[i] !== own) continue;
    count++;
    sum += value;
  }
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== undefined && isBase[i] === own) squares += (value - mean) ** 2;
  }
  return { count, mean, squares };
}

/** Difference between the means in standard errors: Student's t. */
function distance(sample: FigureSample, isBase: readonly boolean[]): number {
  const [a, b] = sidesOf(sample, isBase);
  return a.count === 0 || b.count === 0 ? 0 : Math.abs(a.mean - b.mean) / standardError(sample, [a, b]);
}

function standardError({ resolution }: FigureSample, [a, b]: readonly [Side, Side]): number {
  const variance = (a.squares + b.squares) / Math.max(1, a.count + b.count - 2) + resolution ** 2;
  return Math.sqrt(variance * (1 / a.count + 1 / b.count));
}

/** Divisions of the runs into sides of these sizes; `true` marks a base run. The observed division comes first. */
function divisionsOf({ base, candidate }: RunCounts): readonly (readonly boolean[])[] {
  const count = base + candidate;
  if (ways(count, base) <= MOST_DIVISIONS) return chosen(count, base);
  const random = randomStream(hash32(count, 'divisions', base));
  const seen = Array.from({ length: count }, (_, index) => index < base);
  return [seen, ...Array.from({ length: MOST_DIVISIONS - 1 }, () => drawn(seen, random))];
}

/** All ways to choose, starting with the first elements. */
function chosen(count: number, wanted: number): readonly (readonly boolean[])[] {
  if (count === 0) return [[]];
  const including = wanted > 0 ? chosen(count - 1, wanted - 1).map((rest) => [true, ...rest]) : [];
  const leavingOut = wanted < count ? chosen(count - 1, wanted).map((rest) => [false, ...rest]) : [];
  return [...including, ...leavingOut];
}

function drawn(values: readonly boolean[], random: () => number): readonly boolean[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

/** Binomial coefficient. */
function ways(count: number, chosenCount: number): number {
  let product = 1;
  for (let i = 1; i <= chosenCount; i++) product = (product * (count - chosenCount + i)) / i;
  return product;
}
