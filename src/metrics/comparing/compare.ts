import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import type { OperationSummary, Summary } from '../summary/summary-schema.ts';

const COMPARED_FIGURES = ['rate', 'errors', 'p50', 'p95', 'p99'] as const;

/** `rate`: succeeded per second; `errors`: failed among the finished, 0 to 1; percentiles of the response time in ms. */
export type FigureName = (typeof COMPARED_FIGURES)[number];

export type ComparedFigure = {
  readonly phase: string;
  readonly operation: MeasuredOperation;
  readonly figure: FigureName;
  /** Means over the runs of a side. */
  readonly base: number;
  readonly candidate: number;
  /** Differences up to this one are chance; in the unit of the figure. */
  readonly noise: number;
  readonly judgement: 'better' | 'worse' | 'within_noise';
  /** Worse by more than is tolerated. */
  readonly isRegression: boolean;
};

export type Comparison = {
  readonly figures: readonly ComparedFigure[];
  /** Whether repeated runs taught something of the noise of rates and times; else it is `ASSUMED_NOISE`. */
  readonly isLearned: boolean;
  /** What only one side did, such as `packages in steady`. */
  readonly onlyBase: readonly string[];
  readonly onlyCandidate: readonly string[];
};

/** Shares of the base's value that single runs are taken to differ by, where there is nothing to learn from. */
export const ASSUMED_NOISE: Readonly<Record<Exclude<FigureName, 'errors'>, number>> = {
  rate: 0.02,
  p50: 0.1,
  p95: 0.15,
  p99: 0.25,
};

/** No difference of times below this one is of interest to anybody: timers and schedulers make it. */
const LEAST_MS = 0.1;

/** More errors than this, of all operations, are a regression whatever is tolerated otherwise. */
export const LEAST_ERRORS = 0.001;

/**
 * Compares runs before a change with runs after it, by operation and counted phase.
 * @param tolerance share of the base's rate or time by which the candidate may be worse.
 */
export function compare(base: readonly Summary[], candidate: readonly Summary[], tolerance: number): Comparison {
  const [before, after] = [seriesOf(base), seriesOf(candidate)];
  const both = [...before.values()].filter(({ key }) => after.has(key));
  return {
    figures: both.flatMap((series) => compared(series, after.get(series.key) ?? series, tolerance)),
    isLearned: base.length + candidate.length > 2,
    onlyBase: [...before.keys()].filter((key) => !after.has(key)),
    onlyCandidate: [...after.keys()].filter((key) => !before.has(key)),
  };
}

type Series = {
  readonly key: string;
  readonly phase: string;
  readonly operation: MeasuredOperation;
  /** One of each run. */
  readonly runs: readonly OperationSummary[];
};

/** In the order of phases and operations. */
function seriesOf(side: readonly Summary[]): ReadonlyMap<string, Series> {
  const counted = side.flatMap(({ phases }) => phases.filter(({ excluded }) => !excluded));
  const names = [...new Set(counted.map(({ name }) => name))];
  const all = names.flatMap((phase) =>
    MEASURED_OPERATIONS.map((operation) => {
      const own = counted.filter(({ name }) => name === phase).flatMap(({ operations }) => operations);
      const runs = own.filter((entry) => entry.operation === operation);
      return { key: `${operation} in ${phase}`, phase, operation, runs };
    }),
  );
  return new Map(all.filter(({ runs }) => runs.length > 0).map((series) => [series.key, series]));
}

function compared(base: Series, candidate: Series, tolerance: number): ComparedFigure[] {
  const { phase, operation } = base;
  return COMPARED_FIGURES.flatMap((figure) => {
    const [before, after] = [valuesOf(base.runs, figure), valuesOf(candidate.runs, figure)];
    if (before.length === 0 || after.length === 0) return [];
    const values = { base: meanValue(base.runs, figure), candidate: meanValue(candidate.runs, figure) };
    const noise = noiseOf(figure, { base, candidate, before, after });
    return [{ phase, operation, figure, ...values, noise, ...judged(figure, { ...values, noise }, tolerance) }];
  });
}

function valuesOf(runs: readonly OperationSummary[], figure: FigureName): readonly number[] {
  if (figure === 'rate') return runs.map(({ succeededPerSecond }) => succeededPerSecond);
  if (figure === 'errors')
    return runs.filter((run) => run.succeeded + run.failed > 0).map((run) => ratio(shareOf([run])));
  return runs.flatMap(({ latencyMs: { response } }) => (response === undefined ? [] : [response[figure]]));
}

function meanValue(runs: readonly OperationSummary[], figure: FigureName): number {
  return figure === 'errors' ? ratio(shareOf(runs)) : meanOf(valuesOf(runs, figure));
}

function shareOf(runs: readonly OperationSummary[]): Share {
  const failed = runs.reduce((sum, run) => sum + run.failed, 0);
  return { failed, of: runs.reduce((sum, run) => sum + run.succeeded, failed) };
}

function ratio({ failed, of }: Share): number {
  return of === 0 ? 0 : failed / of;
}

type Sides = {
  readonly base: Series;
  readonly candidate: Series;
  readonly before: readonly number[];
  readonly after: readonly number[];
};

function noiseOf(figure: FigureName, { base, candidate, before, after }: Sides): number {
  if (figure === 'errors') {
    return Math.max(noiseBetween(before, after, 0), chanceOfShares(shareOf(base.runs), shareOf(candidate.runs)));
  }
  const noise = noiseBetween(before, after, ASSUMED_NOISE[figure] * meanOf(before));
  return figure === 'rate' ? noise : Math.max(noise, LEAST_MS);
}

type Measured = Pick<ComparedFigure, 'base' | 'candidate' | 'noise'>;

function judged(
  figure: FigureName,
  { base, candidate, noise }: Measured,
  tolerance: number,
): Pick<ComparedFigure, 'judgement' | 'isRegression'> {
  const worseBy = figure === 'rate' ? base - candidate : candidate - base;
  if (Math.abs(worseBy) <= noise) return { judgement: 'within_noise', isRegression: false };
  const tolerated = figure === 'errors' ? LEAST_ERRORS : tolerance * base;
  return { judgement: worseBy > 0 ? 'worse' : 'better', isRegression: worseBy > tolerated };
}

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
type Share = { readonly failed: number; readonly of: number };

/** The same for shares, where chance follows from the counts themselves. */
export function chanceOfShares(base: Share, candidate: Share): number {
  if (base.of === 0 || candidate.of === 0) return 0;
  const pooled = (base.failed + candidate.failed) / (base.of + candidate.of);
  return NORMAL * Math.sqrt(pooled * (1 - pooled) * (1 / base.of + 1 / candidate.of));
}

function meanOf(values: readonly number[]): number {
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
