import { DURATION_PATTERN, NUMBER_PATTERN, parseDuration, parsePercent, parseRate } from '../../base/kernel/units.ts';
import { ATTACK_ENDINGS, type AttackEnding } from '../../base/protocol/attacks.ts';
import { lostCount, type Totals } from '../merging/totals.ts';
import { maxMs, meanMs, minMs, percentileMs } from '../recording/histogram.ts';
import type { Figures } from './judged-part.ts';

/** How a bound in a unit is written, and how an observed value is shown beside it. */
type UnitNotation = {
  /** The bound in base units; `undefined` if it is not in this notation. */
  readonly parse: (bound: string) => number | undefined;
  /** The notation, in words and as a pattern. */
  readonly form: string;
  readonly pattern: string;
  readonly show: (observed: number, bound: string) => string;
};

const NUMBER = new RegExp(`^${NUMBER_PATTERN}$`);
const PERCENT = new RegExp(`^${NUMBER_PATTERN}%$`);

const COUNT: UnitNotation = {
  parse: (bound) => (NUMBER.test(bound) ? Number(bound) : undefined),
  form: 'a number',
  pattern: NUMBER_PATTERN,
  show: String,
};

/** Units of the figures in thresholds. */
export const UNITS = {
  milliseconds: {
    parse: parseDuration,
    form: 'a duration such as 250ms',
    pattern: DURATION_PATTERN,
    show: (ms, bound) => {
      const rounded = Number(ms.toFixed(ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0));
      return `${onItsSide(ms, rounded, parseDuration(bound))}ms`;
    },
  },
  operations: COUNT,
  operations_per_second: {
    parse: parseRate,
    form: 'a rate with its unit such as 100/s',
    pattern: `${NUMBER_PATTERN}/[smh]`,
    show: (rate, bound) => `${onItsSide(rate, Number(rate.toPrecision(4)), parseRate(bound))}/s`,
  },
  share: {
    parse: parseShare,
    form: 'a share in percent such as 0.1%',
    pattern: `${NUMBER_PATTERN}%`,
    show: (share, bound) => {
      const percent = share * 100;
      const limit = Number(bound.endsWith('%') ? bound.slice(0, -1) : `${bound}e2`);
      return `${onItsSide(percent, Number(percent.toPrecision(3)), limit)}%`;
    },
  },
  connections: COUNT,
  requests: COUNT,
  agents: COUNT,
  attacks: COUNT,
  times: {
    ...COUNT,
    show: (times, bound) => `${onItsSide(times, Number(times.toPrecision(3)), Number(bound))} times`,
  },
} as const satisfies Readonly<Record<string, UnitNotation>>;

type Unit = keyof typeof UNITS;

function parseShare(bound: string): number | undefined {
  const share = PERCENT.test(bound) ? parsePercent(bound) : undefined;
  return share !== undefined && share <= 1 ? share : undefined;
}

/** The rounded value, with more digits if it would hide on which side of the bound it is: 250.3 of `p(99) < 250ms`, 99.998 of `rate >= 100/s`. */
function onItsSide(value: number, rounded: number, bound = Number.NaN): number {
  const isOn = (shown: number): boolean => Math.sign(shown - bound) === Math.sign(value - bound);
  if (Number.isNaN(bound) || isOn(rounded)) return rounded;
  for (let digits = 5; digits < 17; digits++) {
    const shown = Number(value.toPrecision(digits));
    if (isOn(shown)) return shown;
  }
  return value;
}

export const OPERATION_UNITS = ['milliseconds', 'operations', 'operations_per_second', 'share'] as const;

type StatisticTraits = {
  readonly unit: (typeof OPERATION_UNITS)[number];
  /** Its value; `undefined` without data. */
  readonly of: (figures: Figures, percentile: number) => number | undefined;
  /** Whether a late generator makes it larger; otherwise it makes it smaller. */
  readonly isMoreIfLate: boolean;
  /** Whether it is the same however late the operations were; if absent, it is not. */
  readonly isKnown?: (totals: Totals) => boolean;
  /** For a share of all planned operations: what is counted. */
  readonly counted?: CountedPart;
};

type CountedPart = 'failed' | 'dropped' | 'unexpected';

/**
 * Percentiles, `avg`, `min` and `max` are of the response clock, including failures. `planned` operations are those that were due: `count`
 * of them were started and `dropped` were not; `dropped_rate` is the latter's share. `error_rate` is the share of failures among started
 * operations, `unexpected_rate` that of successes whose answer only an agent would take. `rate` is successes per second that arrived
 * during the phases that drive the operation. What was planned, started and answered is known, whether or not it was late; but what the
 * generator dropped might have started.
 */
const STATISTICS = {
  percentile: time(({ response }, percentile) => percentileMs(response, percentile)),
  avg: time(({ response }) => meanMs(response)),
  min: time(({ response }) => minMs(response)),
  max: time(({ response }) => maxMs(response)),
  count: {
    unit: 'operations',
    of: ({ started }) => started || undefined,
    isMoreIfLate: false,
    isKnown: (totals) => lostCount(totals) === 0,
  },
  planned: { unit: 'operations', of: ({ planned }) => planned || undefined, isMoreIfLate: false, isKnown: () => true },
  dropped: {
    unit: 'operations',
    of: ({ planned, dropped }) => (planned === 0 ? undefined : dropped),
    isMoreIfLate: true,
  },
  rate: {
    unit: 'operations_per_second',
    of: ({ finished, durationMs, succeededPerSecond }) =>
      finished === 0 || durationMs === 0 ? undefined : succeededPerSecond,
    isMoreIfLate: false,
  },
  error_rate: share('failed', 'started'),
  unexpected_rate: { ...share('unexpected', 'started'), isKnown: () => true },
  dropped_rate: share('dropped', 'planned'),
} as const satisfies Readonly<Record<string, StatisticTraits>>;

function time(of: StatisticTraits['of']) {
  return { unit: 'milliseconds', of, isMoreIfLate: true } as const;
}

function share(counted: CountedPart, all: 'started' | 'planned') {
  const of = (figures: Figures) => (figures[all] === 0 ? undefined : figures[counted] / figures[all]);
  return { unit: 'share', of, isMoreIfLate: true, counted } as const;
}

type StatisticKind = keyof typeof STATISTICS;

export type Statistic =
  | { readonly kind: 'percentile'; readonly percentile: number }
  | { readonly kind: Exclude<StatisticKind, 'percentile'> };

/** Statistics without a parameter. */
export const PLAIN_STATISTICS = (Object.keys(STATISTICS) as StatisticKind[]).filter((kind) => kind !== 'percentile');

export function traitsOf({ kind }: Statistic): StatisticTraits {
  return STATISTICS[kind];
}

/** Whether lateness does not change a statistic. */
export function isKnown(statistic: Statistic, totals: Totals): boolean {
  return traitsOf(statistic).isKnown?.(totals) ?? false;
}

/** The value of a statistic; `undefined` without data. */
export function observe(statistic: Statistic, figures: Figures): number | undefined {
  return traitsOf(statistic).of(figures, statistic.kind === 'percentile' ? statistic.percentile : Number.NaN);
}

/** The figures that thresholds compare, with units. `down`: most agents at the end of a second. `herd`: a multiple of operations before. */
export const FIGURES = {
  operation: Object.fromEntries(Object.entries(STATISTICS).map(([kind, { unit }]) => [kind, unit])) as Readonly<
    Record<StatisticKind, StatisticTraits['unit']>
  >,
  delivery: { lost: 'operations', duplicated: 'operations', unknown: 'operations' },
  listeners: {
    accepted: 'connections',
    handshakes: 'connections',
    refused: 'connections',
    unanswered: 'requests',
    down: 'agents',
  },
  misbehave: Object.fromEntries(ATTACK_ENDINGS.map((ending) => [ending, 'attacks'])) as Readonly<
    Record<AttackEnding['kind'], 'attacks'>
  >,
  recovery: { time: 'milliseconds', herd: 'times' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Unit>>>>;

export type ThresholdKind = keyof typeof FIGURES;

export type Figure<Kind extends ThresholdKind> = keyof (typeof FIGURES)[Kind] & string;

/** The names of the figures of a kind. */
export function figuresFor<Kind extends ThresholdKind>(kind: Kind) {
  return Object.keys(FIGURES[kind]) as [Figure<Kind>, ...Figure<Kind>[]];
}

/** The unit of a figure; throws for a name that the kind does not have. */
export function unitOf(kind: ThresholdKind, figure: string): Unit {
  const unit = Object.entries<Unit>(FIGURES[kind]).find(([name]) => name === figure)?.[1];
  if (unit === undefined) throw new Error(`a threshold of ${kind} has no figure ${figure}`);
  return unit;
}
