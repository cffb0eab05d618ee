import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../protocol/operations.ts';
import type { OperationSummary, Summary } from '../summary/summary-schema.ts';
import { chanceOfShares, meanOf, noiseBetween, type Share } from './noise.ts';

export const COMPARED_FIGURES = ['rate', 'errors', 'p50', 'p95', 'p99'] as const;

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
