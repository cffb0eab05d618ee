import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { VERDICT_KINDS, VERDICTS, type VerdictKind } from '../judging/verdict.ts';
import { type OperationSummary, plannedIn, type Summary } from '../summary/summary-schema.ts';
import { areInTurns, byStart, type Sides } from './differences.ts';
import { chanceOf, type Estimate, MIN_PAIRS, pairsFor, standardError, upperLimit } from './significance.ts';

export const COMPARED_FIGURES = ['rate', 'errors', 'p50', 'p95', 'p99'] as const;

/** `rate`: successes per second; `errors`: failures among finished operations, 0 to 1; percentiles of the response time in ms. */
export type FigureName = (typeof COMPARED_FIGURES)[number];

type FigureId = { readonly phase: string; readonly operation: MeasuredOperation; readonly figure: FigureName };

export type ComparedFigure = FigureId & {
  /** Means over the runs of a side: arithmetic for errors, geometric for rates and times. */
  readonly base: number;
  readonly candidate: number;
  /** Differences up to this size may be chance; in the unit of the figure. `undefined` with too few runs. */
  readonly noise: number | undefined;
  /** The runs rule out larger changes for the worse: share of the base; for errors, difference of the shares. `undefined` with too few runs. */
  readonly atWorst: number | undefined;
  /** `regression`: worse by more than noise and tolerance. `cannot_tell`: a change beyond the tolerance is not ruled out. */
  readonly judgment: 'better' | 'regression' | 'within_tolerance' | 'cannot_tell';
};

/** What a comparison could not see: in the figure for which this is largest, relative to its tolerance. */
export type Unseen = FigureId & {
  /** As in the figure. */
  readonly atWorst: number | undefined;
  /** How many more pairs of runs probably suffice for all figures; `undefined` if there are too many. */
  readonly morePairs: number | undefined;
  /** For errors, how many more operations on each side do instead of these pairs. */
  readonly moreOperations: number | undefined;
};

export type ComparisonVerdict =
  | { readonly kind: 'regression' }
  /** `unseen`: what is beyond the tolerance, if noise is accepted. */
  | { readonly kind: 'no_regression'; readonly unseen: Unseen | undefined }
  | { readonly kind: 'cannot_tell'; readonly because: 'noise'; readonly unseen: Unseen }
  /** With fewer runs, comparisons would too often report chance as a difference. */
  | { readonly kind: 'cannot_tell'; readonly because: 'few_runs'; readonly leastOfEach: number }
  | { readonly kind: 'nothing_in_common' }
  /** The figures of some runs say nothing about the server; `because` is the worst verdict of a run. */
  | {
      readonly kind: 'untrusted';
      readonly because: VerdictKind;
      readonly runs: { readonly base: number; readonly candidate: number };
    };

export type Comparison = {
  readonly verdict: ComparisonVerdict;
  /** Whether the runs were taken in turns, so that each pair has the same conditions. */
  readonly isPaired: boolean;
  readonly figures: readonly ComparedFigure[];
  /** Work that only one side did, such as `packages in steady`. */
  readonly onlyBase: readonly string[];
  readonly onlyCandidate: readonly string[];
};

export type ComparisonRules = {
  /** Share of the base's rate or time by which the candidate may be worse. */
  readonly tolerance: number;
  /** Increase of the error rate that passes, 0 to 1. */
  readonly errorTolerance: number;
  /** Whether noise that hides changes beyond the tolerance passes. */
  readonly acceptsNoise: boolean;
};

/** Timers and schedulers alone cause differences of this size. */
const MIN_MS = 0.1;

/**
 * Compares runs before a change with runs after it, by operation and counted phase. Among equivalent runs, at most 2 comparisons in 100
 * find a regression in any figure. A change of the size of the tolerance passes as no regression in at most 5 in 100. If the figures of a
 * run cannot be trusted, nothing is judged.
 */
export function compare(base: readonly Summary[], candidate: readonly Summary[], rules: ComparisonRules): Comparison {
  const { measured, ...sides } = measuredIn(base, candidate);
  const undecided = undecidedVerdict({ base, candidate }, measured);
  const chances = undecided === undefined ? chanceOf(measured.map(({ estimate }) => estimate)) : [];
  const figures = withoutFastFailures(measured.map((one, index) => judged(one, chances[index], rules)));
  const hidden = measured.filter((_, index) => figures[index]?.judgment === 'cannot_tell');
  return { verdict: undecided ?? verdictOf(figures, hidden, rules), figures, ...sides };
}

/** Whether the figures of a run say nothing about the server: it was interrupted, incomplete, invalid, or did not reach the server. */
export function isUntrusted({ verdict }: Summary): boolean {
  return VERDICTS[verdict.kind].tone === 'caution';
}

function undecidedVerdict({ base, candidate }: Sides, measured: readonly Measured[]): ComparisonVerdict | undefined {
  const [before, after] = [base.filter(isUntrusted), candidate.filter(isUntrusted)];
  const because = VERDICT_KINDS.find((kind) => [...before, ...after].some(({ verdict }) => verdict.kind === kind));
  if (because !== undefined)
    return { kind: 'untrusted', because, runs: { base: before.length, candidate: after.length } };
  if (measured.length === 0) return { kind: 'nothing_in_common' };
  if (Math.min(base.length, candidate.length) >= MIN_PAIRS) return undefined;
  return { kind: 'cannot_tell', because: 'few_runs', leastOfEach: MIN_PAIRS };
}

function judged(one: Measured, chance: number | undefined, rules: ComparisonRules): ComparedFigure {
  const { estimate, ...figure } = one;
  if (estimate === undefined || chance === undefined)
    return { ...figure, noise: undefined, atWorst: undefined, judgment: 'cannot_tell' };
  const { worseBy } = estimate;
  const [limit, margin] = [upperLimit(estimate), marginOf(one, rules)];
  const isBetter = -worseBy > chance && !(isTime(one) && one.base - one.candidate <= MIN_MS);
  const passed = isBetter ? 'better' : 'within_tolerance';
  const undecided = limit > margin ? 'cannot_tell' : passed;
  return {
    ...figure,
    noise: noiseIn(one, chance),
    atWorst: shareOf(one, Math.max(0, limit)),
    judgment: worseBy > chance && worseBy > margin ? 'regression' : undecided,
  };
}

/** Failures are often faster than answers, so times do not count as better where more operations fail. */
function withoutFastFailures(figures: readonly ComparedFigure[]): readonly ComparedFigure[] {
  const where = ({ phase, operation }: ComparedFigure): string => `${operation} in ${phase}`;
  const regressions = figures.filter(({ judgment }) => judgment === 'regression');
  const failing = new Set(regressions.filter(({ figure }) => figure === 'errors').map(where));
  return figures.map((one) =>
    one.judgment === 'better' && isTime(one) && failing.has(where(one)) ? { ...one, judgment: 'cannot_tell' } : one,
  );
}

/** @param hidden figures in which a change beyond the tolerance is not ruled out. */
function verdictOf(
  figures: readonly ComparedFigure[],
  hidden: readonly Measured[],
  rules: ComparisonRules,
): ComparisonVerdict {
  if (figures.some(({ judgment }) => judgment === 'regression')) return { kind: 'regression' };
  const limit = ({ estimate }: Measured): number => (estimate ? upperLimit(estimate) : Number.POSITIVE_INFINITY);
  const [worst] = hidden.toSorted((a, b) => limit(b) / marginOf(b, rules) - limit(a) / marginOf(a, rules));
  if (worst === undefined) return { kind: 'no_regression', unseen: undefined };
  const { phase, operation, figure, estimate } = worst;
  const morePairs = mostOf(
    hidden.map((one) => {
      const needed = one.estimate && pairsFor(marginOf(one, rules), one.estimate);
      return needed && needed - one.estimate.pairs;
    }),
  );
  const atWorst = estimate && shareOf(worst, limit(worst));
  const moreOperations = morePairs && estimate?.counts && Math.ceil(morePairs * estimate.counts.operations);
  const unseen = { phase, operation, figure, atWorst, morePairs, moreOperations };
  return rules.acceptsNoise ? { kind: 'no_regression', unseen } : { kind: 'cannot_tell', because: 'noise', unseen };
}

/** `undefined` if one is. */
function mostOf(counts: readonly (number | undefined)[]): number | undefined {
  return counts.includes(undefined) ? undefined : Math.max(1, ...counts.map((count) => count ?? 0));
}

type PlannedFigure = FigureId & {
  readonly base: number;
  /** Standard deviation of the change between two runs of a pair: share of the base; for errors, difference of the shares. */
  readonly spread: number;
  /** Pairs of runs that probably suffice to call equal servers equal; `undefined` if there are too many. */
  readonly pairs: number | undefined;
};

export type ComparisonPlan = { readonly figures: readonly PlannedFigure[]; readonly pairs: number | undefined };

/** How many pairs of runs a comparison needs, from a pilot of both sides, or twice the same runs of the base. */
export function planComparison(
  base: readonly Summary[],
  candidate: readonly Summary[],
  rules: ComparisonRules,
): ComparisonPlan {
  const figures = measuredIn(base, candidate).measured.flatMap(({ estimate, ...one }): PlannedFigure[] => {
    if (estimate === undefined) return [];
    const spread = shareOf(one, standardError(estimate, 1));
    return [{ ...one, spread, pairs: pairsFor(marginOf(one, rules), estimate) }];
  });
  return { figures, pairs: mostOf(figures.map(({ pairs }) => pairs)) };
}

function isTime({ figure }: Pick<FigureId, 'figure'>): boolean {
  return figure !== 'rate' && figure !== 'errors';
}

type Figure = Pick<ComparedFigure, 'figure' | 'base'>;

/** Tolerated change for the worse, on the scale of the figure. */
function marginOf({ figure, base }: Figure, { tolerance, errorTolerance }: ComparisonRules): number {
  if (figure === 'errors') return errorTolerance;
  return figure === 'rate' ? -Math.log1p(-Math.min(1, tolerance)) : Math.log1p(Math.max(tolerance, MIN_MS / base));
}

/** Converts a change for the worse from the scale of its figure to a share of the base; for errors, to a difference of the shares. */
function shareOf({ figure }: Figure, worseBy: number): number {
  if (figure === 'errors') return worseBy;
  return figure === 'rate' ? -Math.expm1(-worseBy) : Math.expm1(worseBy);
}

function noiseIn(figure: Figure, chance: number): number {
  const noise = shareOf(figure, chance) * (figure.figure === 'errors' ? 1 : figure.base);
  return isTime(figure) ? Math.max(MIN_MS, noise) : noise;
}

type Series = {
  readonly phase: string;
  readonly operation: MeasuredOperation;
  /** One entry per run; `undefined` if the run had no such operation. */
  readonly runs: readonly (OperationSummary | undefined)[];
};

/** In the order of phases and operations. */
function seriesOf(side: readonly Summary[]): ReadonlyMap<string, Series> {
  const counted = side.map(({ phases }) => phases.filter(({ excluded }) => !excluded));
  const names = [...new Set(counted.flat().map(({ name }) => name))];
  const all = names.flatMap((phase) =>
    MEASURED_OPERATIONS.map((operation): readonly [string, Series] => {
      const runs = counted.map((phases) =>
        plannedIn(phases.find(({ name }) => name === phase)?.operations ?? []).find(
          (run) => run.operation === operation,
        ),
      );
      return [`${operation} in ${phase}`, { phase, operation, runs }];
    }),
  );
  return new Map(all.filter(([, { runs }]) => runs.some((run) => run !== undefined)));
}

/** A figure of both sides; without an estimate if fewer than two pairs of runs have it. */
type Measured = Omit<ComparedFigure, 'noise' | 'atWorst' | 'judgment'> & { readonly estimate: Estimate | undefined };

function measuredIn(base: readonly Summary[], candidate: readonly Summary[]) {
  const sides = { base: byStart(base), candidate: byStart(candidate) };
  const isPaired = areInTurns(sides);
  const [before, after] = [seriesOf(sides.base), seriesOf(sides.candidate)];
  return {
    isPaired,
    measured: [...before].flatMap(([key, series]) => {
      const other = after.get(key);
      return COMPARED_FIGURES.flatMap((figure) => (other ? measuredFigure(figure, [series, other], isPaired) : []));
    }),
    onlyBase: [...before.keys()].filter((key) => !after.has(key)),
    onlyCandidate: [...after.keys()].filter((key) => !before.has(key)),
  };
}

function measuredFigure(figure: FigureName, sides: readonly [Series, Series], isPaired: boolean): Measured[] {
  const [base = [], candidate = []] = sides.map(({ runs }) =>
    runs.map((run) => {
      const value = run && figureOf(run, figure);
      // Rates and times vary by factors, so their scale is logarithmic.
      return value === undefined || figure === 'errors' ? value : Math.log(Math.max(value, MIN_VALUE));
    }),
  );
  const [before, after] = [spreadOf(base), spreadOf(candidate)];
  if (before.count === 0 || after.count === 0) return [];
  const changes = base.flatMap((value, index) => {
    const other = candidate[index];
    return value === undefined || other === undefined ? [] : [other - value];
  });
  const change = spreadOf(changes);
  const worseBy = (isPaired ? change.mean : after.mean - before.mean) * (figure === 'rate' ? -1 : 1);
  const [{ phase, operation }] = sides;
  const [shownBase, shownCandidate] = [unscaled(figure, before.mean), unscaled(figure, after.mean)];
  const estimate = estimateOf(worseBy, isPaired ? [change] : [before, after], figure === 'errors' ? sides : undefined);
  return [{ phase, operation, figure, base: shownBase, candidate: shownCandidate, estimate }];
}

/** Less than any nonzero rate or time. */
const MIN_VALUE = 1e-6;

function unscaled(figure: FigureName, mean: number): number {
  if (figure === 'errors') return mean;
  return Math.exp(mean) > MIN_VALUE * 1.001 ? Math.exp(mean) : 0;
}

/** `undefined` if no such operation ended, or none was answered. */
export function figureOf(run: OperationSummary, figure: FigureName): number | undefined {
  if (figure === 'rate') return run.succeededPerSecond;
  const ended = run.succeeded + run.failed;
  if (figure === 'errors') return ended === 0 ? undefined : run.failed / ended;
  return run.latencyMs.response?.[figure];
}

/** Half of the last of the three digits of times and rates: values closer than this count as equal. */
const RESOLUTION = 0.0005;

type Spread = { readonly count: number; readonly mean: number; readonly variance: number };

function spreadOf(values: readonly (number | undefined)[]): Spread {
  const known = values.filter((value) => value !== undefined);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count: known.length, mean, variance: squares / (known.length - 1) };
}

/**
 * Runs in turns have one spread, that of the changes from run to run of a pair: what both share, such as a busy machine, is no noise.
 * @param counted sides whose failures vary by chance as counts do, even if no run differs from the others.
 */
function estimateOf(
  worseBy: number,
  spreads: readonly Spread[],
  counted: readonly Series[] | undefined,
): Estimate | undefined {
  const pairs = Math.min(...spreads.map(({ count }) => count));
  if (pairs < 2) return undefined;
  const least = counted === undefined ? RESOLUTION ** 2 : 0;
  const sides = (counted ?? []).map(({ runs }) => countsIn(runs.filter((run) => run !== undefined)));
  const ofCounts = (wanted: number, unseen: number): number =>
    sides.reduce((sum, { failed, finished }) => {
      const times = wanted / pairs;
      return sum + (failed * times + unseen) / (finished * times) ** 2;
    }, 0);
  const spreadError = (wanted: number): number => {
    const variance = spreads.reduce((sum, one) => sum + (one.variance + least) / (one.count + wanted - pairs), 0);
    return Math.sqrt(Math.max(variance, ofCounts(wanted, 0)));
  };
  const operations = Math.min(...sides.map(({ finished }) => finished)) / pairs;
  const error = (wanted: number): number => Math.sqrt(ofCounts(wanted, UNSEEN_FAILURES));
  return { worseBy, pairs, spreadError, counts: counted && { error, operations } };
}

/** None in many operations does not mean that there are none: with these, the limit is above three failures, as it must be. */
const UNSEEN_FAILURES = 2;

function countsIn(runs: readonly OperationSummary[]): { failed: number; finished: number } {
  const failed = runs.reduce((sum, run) => sum + run.failed, 0);
  return { failed, finished: runs.reduce((sum, run) => sum + run.succeeded, failed) };
}
