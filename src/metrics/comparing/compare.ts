import { isDeepStrictEqual } from 'node:util';
import { hash32, randomStream } from '../../ground/kernel/random.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../ground/protocol/operations.ts';
import { VERDICT_KINDS, VERDICTS, type VerdictKind } from '../judging/verdict.ts';
import type { OperationSummary, Summary } from '../summary/summary-schema.ts';

export const COMPARED_FIGURES = ['rate', 'errors', 'p50', 'p95', 'p99'] as const;

/** `rate`: successes per second; `errors`: failures among finished operations, 0 to 1; percentiles of the response time in ms. */
export type FigureName = (typeof COMPARED_FIGURES)[number];

export type ComparedFigure = {
  readonly phase: string;
  readonly operation: MeasuredOperation;
  readonly figure: FigureName;
  /** Means over the runs of a side: arithmetic for errors, geometric for rates and times. */
  readonly base: number;
  readonly candidate: number;
  /** Differences up to this size may be chance; in the unit of the figure. `undefined` with too few runs. */
  readonly noise: number | undefined;
  readonly judgment: 'better' | 'worse' | 'within_noise' | 'cannot_tell';
  /** Worse by more than the tolerance. */
  readonly isRegression: boolean;
};

export type ComparisonVerdict =
  | { readonly kind: 'regression' | 'no_regression' }
  /** With fewer runs, comparisons would too often report chance as a difference. */
  | { readonly kind: 'cannot_tell'; readonly least: RunCounts }
  | { readonly kind: 'nothing_in_common' }
  /** The figures of some runs say nothing about the server; `because` is the worst verdict of a run. */
  | { readonly kind: 'untrusted'; readonly because: VerdictKind; readonly runs: RunCounts };

export type Comparison = {
  readonly verdict: ComparisonVerdict;
  readonly figures: readonly ComparedFigure[];
  /** Work that only one side did, such as `packages in steady`. */
  readonly onlyBase: readonly string[];
  readonly onlyCandidate: readonly string[];
};

/** Timers and schedulers alone cause differences of this size. */
const LEAST_MS = 0.1;

/** A larger increase of the error rate, beyond noise, is a regression whatever the tolerance. */
export const LEAST_ERRORS = 0.001;

/**
 * Compares runs before a change with runs after it, by operation and counted phase. Among equivalent runs, fewer than 5
 * comparisons in 100 find any difference, whatever the noise. If the figures of a run cannot be trusted, nothing is judged.
 * @param tolerance share of the base's rate or time by which the candidate may be worse.
 */
export function compare(base: readonly Summary[], candidate: readonly Summary[], tolerance: number): Comparison {
  const [before, after] = [seriesOf(base), seriesOf(candidate)];
  const counts = { base: base.length, candidate: candidate.length };
  const measured = [...before.values()].flatMap((series) => {
    const other = after.get(series.key);
    return other === undefined ? [] : measuredFigures(series, other);
  });
  const untrusted = untrustedVerdict(base, candidate);
  const isJudged = untrusted === undefined && canTell(counts);
  const unknown = { noise: undefined, judgment: 'cannot_tell', isRegression: false } as const;
  const figures = isJudged
    ? withoutFastFailures(judged(measured, counts, tolerance))
    : measured.map(({ sample: _, ...figure }) => ({ ...figure, ...unknown }));
  return {
    verdict: untrusted ?? verdictOf(figures, counts),
    figures,
    onlyBase: [...before.keys()].filter((key) => !after.has(key)),
    onlyCandidate: [...after.keys()].filter((key) => !before.has(key)),
  };
}

/** Whether the figures of a run say nothing about the server: it was interrupted, incomplete, invalid, or did not reach the server. */
export function isUntrusted({ verdict }: Summary): boolean {
  return VERDICTS[verdict.kind].tone === 'caution';
}

function untrustedVerdict(base: readonly Summary[], candidate: readonly Summary[]): ComparisonVerdict | undefined {
  const [before, after] = [base.filter(isUntrusted), candidate.filter(isUntrusted)];
  const because = VERDICT_KINDS.find((kind) => [...before, ...after].some(({ verdict }) => verdict.kind === kind));
  return because && { kind: 'untrusted', because, runs: { base: before.length, candidate: after.length } };
}

/** Failures are often faster than answers, so times do not count as better where more operations fail. */
function withoutFastFailures(figures: readonly ComparedFigure[]): readonly ComparedFigure[] {
  const isFailing = ({ phase, operation }: ComparedFigure): boolean =>
    figures.some(
      (one) =>
        one.figure === 'errors' && one.judgment === 'worse' && one.phase === phase && one.operation === operation,
    );
  const isTime = ({ figure }: ComparedFigure): boolean => figure !== 'rate' && figure !== 'errors';
  return figures.map((figure) =>
    figure.judgment === 'better' && isTime(figure) && isFailing(figure)
      ? { ...figure, judgment: 'cannot_tell' }
      : figure,
  );
}

function verdictOf(figures: readonly ComparedFigure[], counts: RunCounts): ComparisonVerdict {
  if (figures.length === 0) return { kind: 'nothing_in_common' };
  if (!canTell(counts)) return { kind: 'cannot_tell', least: leastRuns(counts) };
  return { kind: figures.some(({ isRegression }) => isRegression) ? 'regression' : 'no_regression' };
}

type Series = {
  readonly key: string;
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
    MEASURED_OPERATIONS.map((operation) => {
      const runs = counted.map((phases) =>
        phases.find(({ name }) => name === phase)?.operations.find((entry) => entry.operation === operation),
      );
      return { key: `${operation} in ${phase}`, phase, operation, runs };
    }),
  );
  return new Map(all.filter(({ runs }) => runs.some((run) => run !== undefined)).map((series) => [series.key, series]));
}

/** A figure with its value in each run, on a scale on which runs vary evenly: logarithmic for times and rates. */
type Measured = Pick<ComparedFigure, 'phase' | 'operation' | 'figure' | 'base' | 'candidate'> & {
  sample: FigureSample;
};

function measuredFigures(base: Series, candidate: Series): Measured[] {
  const { phase, operation } = base;
  return COMPARED_FIGURES.flatMap((figure) => {
    const scale = figure === 'errors' ? PLAIN : BY_FACTORS;
    const [before, after] = [base, candidate].map(({ runs }) =>
      runs.map((run) => {
        const value = run && figureOf(run, figure);
        return value === undefined ? undefined : scale.to(value);
      }),
    );
    const [mean, other] = [before, after].map((values = []) => {
      const known = values.filter((value) => value !== undefined);
      return known.length === 0 ? undefined : scale.from(known.reduce((sum, value) => sum + value, 0) / known.length);
    });
    if (before === undefined || after === undefined || mean === undefined || other === undefined) return [];
    return [{ phase, operation, figure, base: mean, candidate: other, sample: [...before, ...after] }];
  });
}

type Scale = { readonly to: (value: number) => number; readonly from: (scaled: number) => number };

const PLAIN: Scale = { to: (value) => value, from: (scaled) => scaled };

/** Less than any nonzero rate or time. */
const LEAST_VALUE = 1e-6;

const BY_FACTORS: Scale = {
  to: (value) => Math.log(Math.max(value, LEAST_VALUE)),
  from: (scaled) => (Math.exp(scaled) > LEAST_VALUE * 1.001 ? Math.exp(scaled) : 0),
};

/** Values closer than this count as equal: half of the last of three digits, and half of the smallest relevant error rate. */
const RESOLUTION = 0.0005;

/** Figures of one run; unknown ones are absent. */
function comparedFiguresOf(run: OperationSummary): Partial<Record<FigureName, number>> {
  const known = COMPARED_FIGURES.map((figure) => [figure, figureOf(run, figure)] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

function figureOf({ succeeded, failed, ...run }: OperationSummary, figure: FigureName): number | undefined {
  if (figure === 'rate') return run.succeededPerSecond;
  if (figure === 'errors') return succeeded + failed === 0 ? undefined : failed / (succeeded + failed);
  return run.latencyMs.response?.[figure];
}

function judged(measured: readonly Measured[], counts: RunCounts, tolerance: number): ComparedFigure[] {
  const chances = chanceOf(
    measured.map(({ sample }) => sample),
    counts,
  );
  return measured.map(({ sample: _, ...compared }, index) => {
    const { figure, base, candidate } = compared;
    const chance = noiseIn(compared, chances[index] ?? Number.POSITIVE_INFINITY);
    const noise = figure === 'rate' || figure === 'errors' ? chance : Math.max(chance, LEAST_MS);
    const worseBy = figure === 'rate' ? base - candidate : candidate - base;
    if (Math.abs(worseBy) <= noise) return { ...compared, noise, judgment: 'within_noise', isRegression: false };
    const tolerated = figure === 'errors' ? LEAST_ERRORS : tolerance * base;
    return { ...compared, noise, judgment: worseBy > 0 ? 'worse' : 'better', isRegression: worseBy > tolerated };
  });
}

/** Converts a difference to the unit of the figure, in the direction of the observed difference. */
function noiseIn({ figure, base, candidate }: Omit<Measured, 'sample'>, scaled: number): number {
  if (figure === 'errors') return scaled;
  return candidate < base ? -Math.expm1(-scaled) * base : Math.expm1(scaled) * base;
}

type RunCounts = { readonly base: number; readonly candidate: number };

/** One figure over all runs, base runs first; `undefined` for a run without a value. */
type FigureSample = readonly (number | undefined)[];

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
  return samples.map((sample) => beyond * standardError(sidesOf(sample, seen)));
}

type Side = { readonly count: number; readonly mean: number; readonly squares: number };

function sidesOf(sample: FigureSample, isBase: readonly boolean[]): readonly [Side, Side] {
  return [sideOf(sample, isBase, true), sideOf(sample, isBase, false)];
}

/** Builds no intermediate lists, because it runs for each figure in thousands of divisions. */
function sideOf(values: FigureSample, isBase: readonly boolean[], own: boolean): Side {
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
  return a.count === 0 || b.count === 0 ? 0 : Math.abs(a.mean - b.mean) / standardError([a, b]);
}

function standardError([a, b]: readonly [Side, Side]): number {
  const variance = (a.squares + b.squares) / Math.max(1, a.count + b.count - 2) + RESOLUTION ** 2;
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

type Fact = { readonly name: string; readonly of: (summary: Summary) => string };

const FACTS: readonly Fact[] = [
  { name: 'Muster', of: ({ environment }) => environment.muster },
  { name: 'Node', of: ({ environment }) => environment.node },
  { name: 'platform', of: ({ environment }) => environment.platform },
  { name: 'processor', of: ({ environment: { cpuCount, cpuModel } }) => `${cpuCount} × ${cpuModel}` },
  { name: 'part of the fleet', of: ({ shard }) => (shard === undefined ? 'all' : `${shard.number}/${shard.of}`) },
  { name: 'workers', of: ({ environment }) => String(environment.workers) },
];

/** Differences between the runs, other than the server, that could explain a result: one sentence each. */
export function differences(base: readonly Summary[], candidate: readonly Summary[]): string[] {
  const facts = FACTS.flatMap(({ name, of }) => {
    const [before, after] = [distinct(base.map(of)), distinct(candidate.map(of))];
    return isDeepStrictEqual(before, after) && before.length === 1 ? [] : [differenceText(name, before, after)];
  });
  const keys = changedScenarioKeys([...base, ...candidate]);
  const seeds = [base, candidate].map((runs) => distinct(runs.map(({ seed }) => String(seed))));
  const scenario = keys.length === 0 ? [] : [`the scenarios differ in ${keys.join(', ')}`];
  return [...scenario, ...seedDifference(seeds[0] ?? [], seeds[1] ?? []), ...facts];
}

/** Changes since the previous run: keys of the scenario, and facts such as `Muster 0.1.0 → 0.2.0`. */
function changesSince(before: Summary, run: Summary): string[] {
  const facts = FACTS.filter(({ of }) => of(before) !== of(run));
  return [...changedScenarioKeys([before, run]), ...facts.map(({ name, of }) => `${name} ${of(before)} → ${of(run)}`)];
}

/** A server that remembers agents needs another seed for each run. Only seeds that differ by side could explain a difference of the sides. */
function seedDifference(base: readonly string[], candidate: readonly string[]): string[] {
  if (base.some((seed) => candidate.includes(seed)) || base.length > 1 || candidate.length > 1) return [];
  return [
    `${differenceText('seed', base, candidate)}: each side has hosts of its own; use several seeds on both sides`,
  ];
}

function changedScenarioKeys(runs: readonly Summary[]): readonly string[] {
  return changedKeys(runs.map(({ scenario }) => scenario)).filter((key) => key !== 'fleet.seed');
}

function differenceText(name: string, before: readonly string[], after: readonly string[]): string {
  return `${name} differs: base ${before.join(' and ')}, candidate ${after.join(' and ')}`;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** Keys whose values differ, such as `fleet.agents`. */
export function changedKeys(scenarios: readonly Record<string, unknown>[]): string[] {
  const [first = {}, ...others] = scenarios.map(flattened);
  const keys = [...new Set(others.flatMap((other) => [...Object.keys(first), ...Object.keys(other)]))];
  return keys.filter((key) => others.some((other) => !isDeepStrictEqual(other[key], first[key])));
}

/** Flattens two levels; deeper values count as one setting. */
function flattened(scenario: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(scenario).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([name, inner]) => [`${key}.${name}`, inner] as const)
        : [[key, value] as const],
    ),
  );
}

/** One run of a scenario, over its counted phases. */
export type TrendRun = {
  readonly runId: string;
  readonly folder: string;
  readonly startedAt: string;
  /** Version of Muster. */
  readonly muster: string;
  readonly verdict: VerdictKind;
  /** Why it is not comparable with the previous run: `fleet.agents`, `Muster 0.1.0 → 0.2.0`. */
  readonly changes: readonly string[];
  /** Figures by operation; a figure is absent if no such operation ended, or none was answered. */
  readonly figures: Readonly<Partial<Record<MeasuredOperation, Readonly<Partial<Record<FigureName, number>>>>>>;
};

/** Runs of one scenario, oldest first. */
export type Trend = {
  readonly scenarioName: string;
  /** Operations of any run, in the order of an agent's life. */
  readonly operations: readonly MeasuredOperation[];
  readonly runs: readonly TrendRun[];
};

type StoredSummary = { readonly folder: string; readonly summary: Summary };

/** Groups runs by scenario and sorts the scenarios by name. A shard counts as a run that differs from other shards. */
export function trendsOf(found: readonly StoredSummary[]): readonly Trend[] {
  const byScenario = Map.groupBy(found, ({ summary }) => summary.scenarioName);
  return [...byScenario]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
    .map(([scenarioName, runs]) => trendOf(scenarioName, runs));
}

function trendOf(scenarioName: string, found: readonly StoredSummary[]): Trend {
  const inOrder = found.toSorted(
    (one, other) => Date.parse(one.summary.startedAt) - Date.parse(other.summary.startedAt),
  );
  const done = new Set(found.flatMap(({ summary }) => summary.overall.map(({ operation }) => operation)));
  return {
    scenarioName,
    operations: MEASURED_OPERATIONS.filter((operation) => done.has(operation)),
    runs: inOrder.map(({ folder, summary }, index) => {
      const { runId, startedAt, environment, verdict, overall } = summary;
      const before = inOrder[index - 1]?.summary;
      return {
        ...{ runId, folder, startedAt, muster: environment.muster, verdict: verdict.kind },
        changes: before === undefined ? [] : changesSince(before, summary),
        figures: Object.fromEntries(overall.map((operation) => [operation.operation, comparedFiguresOf(operation)])),
      };
    }),
  };
}
