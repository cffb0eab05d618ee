import { hash32, randomStream } from '../../kernel/random.ts';

/** How many runs each side of a comparison has. */
export type RunCounts = { readonly base: number; readonly candidate: number };

/** One figure over all runs, those of the base first. */
export type FigureSample = {
  /** Undefined where a run has none. */
  readonly values: readonly (number | undefined)[];
  /** Values closer than this are one value. */
  readonly resolution: number;
};

/** Of comparisons of runs that are alike, a smaller share than this finds a difference. */
const FALSE_ALARMS = 0.05;

/** Most ways to divide the runs; beyond that, this many are drawn. */
const MOST_DIVISIONS = 5000;

/**
 * Whether chance can be told from a difference at all. If all runs are alike, each way to divide them into two sides was as
 * likely as the one that was seen; so each has to be rarer than the false alarms that are allowed.
 */
export function canTell({ base, candidate }: RunCounts): boolean {
  return 1 / ways(base + candidate, base) < FALSE_ALARMS;
}

/** The fewest runs to add before differences can be significant, distributed evenly over both sides. */
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
 * The differences between the means of two sides up to which they may be chance, one for each figure. A permutation test
 * over all figures at once: of the ways to divide the runs into sides of these sizes, fewer than 5 in 100 make any figure
 * differ by more, in its own spread. That asks nothing of how runs scatter, but that they would be alike.
 */
export function chanceOf(samples: readonly FigureSample[], counts: RunCounts): readonly number[] {
  const divisions = divisionsOf(counts);
  const largest = divisions.map((isBase) => Math.max(0, ...samples.map((sample) => distance(sample, isBase))));
  const allowed = Math.ceil(divisions.length * FALSE_ALARMS - 1e-9) - 1;
  const critical = largest.toSorted((a, b) => b - a)[allowed] ?? Number.POSITIVE_INFINITY;
  // Divisions that mirror each other are equal but for rounding.
  const beyond = critical * (1 + 1e-9) + 1e-12;
  const [seen = []] = divisions;
  return samples.map((sample) => beyond * standardError(sample, sidesOf(sample, seen)));
}

type Side = { readonly count: number; readonly mean: number; readonly squares: number };

function sidesOf({ values }: FigureSample, isBase: readonly boolean[]): readonly [Side, Side] {
  return [sideOf(values, isBase, true), sideOf(values, isBase, false)];
}

/** Without lists in between: it is asked for each figure in each of thousands of divisions. */
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

/** Between the means of two sides, in standard errors: Student's t. */
function distance(sample: FigureSample, isBase: readonly boolean[]): number {
  const [a, b] = sidesOf(sample, isBase);
  return a.count === 0 || b.count === 0 ? 0 : Math.abs(a.mean - b.mean) / standardError(sample, [a, b]);
}

function standardError({ resolution }: FigureSample, [a, b]: readonly [Side, Side]): number {
  const variance = (a.squares + b.squares) / Math.max(1, a.count + b.count - 2) + resolution ** 2;
  return Math.sqrt(variance * (1 / a.count + 1 / b.count));
}

/** Ways to divide the runs into sides of these sizes: which of them are the base. The first is the one that was seen. */
function divisionsOf({ base, candidate }: RunCounts): readonly (readonly boolean[])[] {
  const count = base + candidate;
  if (ways(count, base) <= MOST_DIVISIONS) return chosen(count, base);
  const random = randomStream(hash32(count, 'divisions', base));
  const seen = Array.from({ length: count }, (_, index) => index < base);
  return [seen, ...Array.from({ length: MOST_DIVISIONS - 1 }, () => drawn(seen, random))];
}

/** All ways to choose, with the first ones chosen at first. */
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
