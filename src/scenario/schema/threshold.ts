import { parseDuration, parseRate } from '../../kernel/units.ts';
import {
  type Condition,
  DELIVERY_FIGURES,
  type DeliveryThreshold,
  type OperationThreshold,
  PLAIN_STATISTICS,
  type Statistic,
} from '../../metrics/judging/thresholds.ts';
import { oneOf } from '../../notation/expectations.ts';
import { quoted } from '../../notation/finding.ts';
import { shareOfPercent } from '../../notation/share.ts';

/** A threshold without the operation and the phase it is about. */
export type OperationCondition = Omit<OperationThreshold, 'operation' | 'phase'>;

/** The key of `thresholds` that is no operation. */
export const DELIVERY = 'delivery';

/** What was expected where the text could not be read. */
export type Misreading = {
  readonly expected: string;
  readonly found: string;
  readonly candidates?: readonly string[];
};

const CONDITION = /^([a-z_]+[\d.]*(?:\([^)]*\))?)\s*(<=|>=|==|<|>)\s*(\S+)$/;
const PERCENTILE = /^p\(\s*(\d+(?:\.\d+)?)\s*\)$/;
const SUBJECT = /^([^{}]+)(?:\{phase:([^{}]+)\})?$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
const PERCENT = /^\d+(?:\.\d+)?%$/;

export const CONDITION_FORM = 'a condition such as p(99) < 250ms, avg <= 50ms, rate > 100/s or error_rate < 0.1%';
const STATISTICS = oneOf(['p(N)', ...PLAIN_STATISTICS]);
export const DELIVERY_FORM = 'a condition such as lost == 0, duplicated == 0 or unknown < 10';

/** The operation and the phase that a threshold's key names, both unchecked; undefined if it is no such key. */
export function parseSubject(key: string): { operation: string; phase: string | undefined } | undefined {
  const match = SUBJECT.exec(key.trim());
  return match?.[1] === undefined ? undefined : { operation: match[1].trim(), phase: match[2]?.trim() };
}

/** Reads `p(99) < 250ms`; the bound comes in the unit of its statistic. */
export function parseCondition(written: string): OperationCondition | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: CONDITION_FORM, found: quoted(written) };
  const { name } = parts;
  const statistic = parseStatistic(name);
  if (statistic === undefined)
    return { expected: `a statistic, ${STATISTICS}`, found: quoted(name), candidates: statisticsLike(name) };
  const bounded = readBound(parts, BOUNDS[statistic.kind]);
  return 'expected' in bounded ? bounded : { kind: 'operation', statistic, ...bounded };
}

/** Reads `lost == 0`. */
export function parseDeliveryCondition(written: string): DeliveryThreshold | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: DELIVERY_FORM, found: quoted(written) };
  const figure = DELIVERY_FIGURES.find((candidate) => candidate === parts.name);
  if (figure === undefined) {
    const expected = `a figure, ${oneOf(DELIVERY_FIGURES)}`;
    return { expected, found: quoted(parts.name), candidates: DELIVERY_FIGURES };
  }
  const bounded = readBound(parts, countBound);
  return 'expected' in bounded ? bounded : { kind: 'delivery', figure, ...bounded };
}

type Parts = Pick<Condition, 'comparator' | 'text'> & { readonly name: string; readonly value: string };

function splitCondition(written: string): Parts | undefined {
  const text = written.trim();
  const [, name = '', comparator = '', value = ''] = CONDITION.exec(text) ?? [];
  return name === '' ? undefined : { name, comparator: comparator as Condition['comparator'], value, text };
}

function readBound({ name, comparator, value, text }: Parts, { read, form }: BoundReader): Condition | Misreading {
  const bound = read(value);
  if (bound === undefined) return { expected: `${form} after ${name} ${comparator}`, found: quoted(value) };
  return { comparator, bound, text };
}

function parseStatistic(name: string): Statistic | undefined {
  const percentile = Number(PERCENTILE.exec(name)?.[1] ?? Number.NaN);
  if (percentile > 0 && percentile <= 100) return { kind: 'percentile', percentile };
  const kind = PLAIN_STATISTICS.find((candidate) => candidate === name);
  return kind === undefined ? undefined : { kind };
}

/** `p95` is how other tools write `p(95)`. */
function statisticsLike(name: string): readonly string[] {
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  return percentile === undefined ? PLAIN_STATISTICS : [`p(${percentile})`];
}

/** How a statistic's bound is written, and what it is in its unit; undefined where the text is none. */
type BoundReader = { readonly read: (text: string) => number | undefined; readonly form: string };

const durationBound: BoundReader = { read: parseDuration, form: 'a duration such as 250ms' };
const countBound: BoundReader = { read: parseNumber, form: 'a number' };
const shareBound: BoundReader = { read: parseShare, form: 'a share in percent such as 0.1%' };

const BOUNDS: Readonly<Record<Statistic['kind'], BoundReader>> = {
  percentile: durationBound,
  avg: durationBound,
  min: durationBound,
  max: durationBound,
  count: countBound,
  planned: countBound,
  dropped: countBound,
  rate: { read: parseRate, form: 'a rate with its unit such as 100/s' },
  error_rate: shareBound,
  dropped_rate: shareBound,
};

function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

function parseShare(text: string): number | undefined {
  const part = PERCENT.test(text) ? shareOfPercent(text) : undefined;
  return part !== undefined && part <= 1 ? part : undefined;
}
