import { UserError } from '../kernel/errors.ts';
import { parseDuration, parsePercent, parseRate } from '../kernel/units.ts';
import {
  type Condition,
  DELIVERY_FIGURES,
  type DeliveryThreshold,
  LISTENERS_FIGURES,
  type ListenersThreshold,
  type OperationThreshold,
  PLAIN_STATISTICS,
  type Statistic,
} from '../metrics/judging/thresholds.ts';
import { complaintText, oneOfText, quoted, suggestionFor } from '../notation/finding.ts';
import { isMeasuredOperation, MEASURED_OPERATIONS } from '../protocol/operations.ts';

/** A threshold without the operation and the phase it is about. */
export type OperationCondition = Omit<OperationThreshold, 'operation' | 'phase'>;

/** The keys of `thresholds` that are no operations. */
export const DELIVERY = 'delivery';
export const LISTENERS = 'listeners';

/** What was expected where the text could not be read. */
export type Misreading = {
  readonly expected: string;
  readonly found: string;
  readonly candidates?: readonly string[];
};

const CONDITION = /^([a-z_]+[\d.]*(?:\([^)]*\))?)\s*(<=|>=|==|<|>)\s*(\S+)$/;
const PERCENTILE = /^p\(\s*(\d+(?:\.\d+)?)\s*\)$/;
const SUBJECT = /^([^{}]+)(?:\{(phase|event):([^{}]+)\})?$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
const PERCENT = /^\d+(?:\.\d+)?%$/;

export const CONDITION_FORM = 'a condition such as p(99) < 250ms, avg <= 50ms, rate > 100/s or error_rate < 0.1%';
/** How the expectation of a statistic begins. */
export const STATISTIC = 'a statistic, ';
const STATISTICS = oneOfText(['p(N)', ...PLAIN_STATISTICS]);
export const DELIVERY_FORM = 'a condition such as lost == 0, duplicated == 0 or unknown < 10';
export const LISTENERS_FORM = 'a condition such as refused == 0, down == 0 or unanswered < 10';

/** What a threshold's key names, unchecked. */
type Subject = { readonly operation: string; readonly phase: string | undefined; readonly event: string | undefined };

/** The operation, and the phase or the event, that a threshold's key names; undefined if it is no such key. */
export function parseSubject(key: string): Subject | undefined {
  const [, operation, kind, name] = SUBJECT.exec(key.trim()) ?? [];
  if (operation === undefined) return undefined;
  const [phase, event] = ['phase', 'event'].map((one) => (one === kind ? name?.trim() : undefined));
  return { operation: operation.trim(), phase, event };
}

/** Reads `p(99) < 250ms`; the bound comes in the unit of its statistic. */
export function parseCondition(written: string): OperationCondition | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: CONDITION_FORM, found: quoted(written) };
  const { name } = parts;
  const statistic = parseStatistic(name);
  if (statistic === undefined)
    return { expected: `${STATISTIC}${STATISTICS}`, found: quoted(name), candidates: statisticsLike(name) };
  const bounded = readBound(parts, BOUNDS[statistic.kind]);
  return 'expected' in bounded ? bounded : { kind: 'operation', statistic, ...bounded };
}

/** Reads `lost == 0`. */
export function parseDeliveryCondition(written: string): DeliveryThreshold | Misreading {
  const read = readFigure(written, DELIVERY_FORM, DELIVERY_FIGURES);
  return 'expected' in read ? read : { kind: 'delivery', ...read };
}

/** Reads `refused == 0`. */
export function parseListenersCondition(written: string): ListenersThreshold | Misreading {
  const read = readFigure(written, LISTENERS_FORM, LISTENERS_FIGURES);
  return 'expected' in read ? read : { kind: 'listeners', ...read };
}

function readFigure<Figure extends string>(
  written: string,
  form: string,
  figures: readonly Figure[],
): (Condition & { readonly figure: Figure }) | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: form, found: quoted(written) };
  const figure = figures.find((candidate) => candidate === parts.name);
  if (figure === undefined) {
    return { expected: `a figure, ${oneOfText(figures)}`, found: quoted(parts.name), candidates: figures };
  }
  const bounded = readBound(parts, countBound);
  return 'expected' in bounded ? bounded : { figure, ...bounded };
}

type Parts = Pick<Condition, 'comparator' | 'text'> & { readonly name: string; readonly value: string };

/** Undefined: it is no condition at all. */
export function splitCondition(written: string): Parts | undefined {
  const text = written.trim();
  const [, name = '', comparator = '', value = ''] = CONDITION.exec(text) ?? [];
  return name === '' ? undefined : { name, comparator: comparator as Condition['comparator'], value, text };
}

/** The condition, if its bound is one of these. */
export function readBound(
  { name, comparator, value, text }: Parts,
  { read, form }: BoundReader,
): Condition | Misreading {
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

export const durationBound: BoundReader = { read: parseDuration, form: 'a duration such as 250ms' };
export const countBound: BoundReader = { read: parseNumber, form: 'a number' };
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
  const part = PERCENT.test(text) ? parsePercent(text) : undefined;
  return part !== undefined && part <= 1 ? part : undefined;
}

/** On what a search for a capacity can be about. */
type LoadThreshold = OperationThreshold | DeliveryThreshold | ListenersThreshold;

/** What a condition is about stands in front of it; of the other parts, only statistics are followed by a comparator. */
const CLAUSE = /^(?:([^\s{}()<>=]+(?:\s*\{[^}]*\})?)\s+(?=[A-Za-z]))?(.*)$/s;

/**
 * Reads `checkdata p(99) < 500ms and error_rate < 1%`: conditions as in thresholds, each about the operation in front of
 * it or of one before. Throws a `UserError` for anything else.
 */
export function readUntil(text: string): readonly LoadThreshold[] {
  let about: string | undefined;
  return text
    .trim()
    .split(/\s+and\s+/)
    .map((clause) => {
      const [, subject, condition = ''] = CLAUSE.exec(clause) ?? [];
      about = subject ?? about;
      return thresholdOf(about, condition, clause);
    });
}

function thresholdOf(about: string | undefined, condition: string, clause: string): LoadThreshold {
  if (about === undefined) {
    throw misread({
      expected: 'an operation before the first condition, such as checkdata p(99) < 500ms',
      found: quoted(clause),
    });
  }
  if (about === DELIVERY) return understood(parseDeliveryCondition(condition));
  if (about === LISTENERS) return understood(parseListenersCondition(condition));
  const { operation = about, phase, event } = parseSubject(about) ?? {};
  if (event !== undefined) throw misread({ expected: 'an operation or operation{phase:name}', found: quoted(about) });
  if (isMeasuredOperation(operation)) return { operation, phase, ...understood(parseCondition(condition)) };
  const candidates = [...MEASURED_OPERATIONS, DELIVERY, LISTENERS];
  throw misread({
    expected: `an operation, ${oneOfText(MEASURED_OPERATIONS)}, delivery or listeners`,
    found: quoted(operation),
    candidates,
  });
}

function understood<Read extends object>(read: Read | Misreading): Read {
  if ('expected' in read) throw misread(read);
  return read;
}

function misread({ expected, found, candidates = [] }: Misreading): UserError {
  const suggestion = suggestionFor({ path: [], focus: 'value', expected, found, candidates });
  return new UserError(complaintText({ path: '--until', expected, found, suggestion }));
}

/**
 * How conditions are written, for the JSON Schema: the reader's grammar once more, so that editors mark what it would
 * refuse, with what each statistic is.
 */
const NUMBER_FORM = String.raw`\d+(\.\d+)?`;
const DURATION_FORM = `(${NUMBER_FORM}(us|ms|s|m|h|d))+`;
const TIMES = String.raw`p\(\s*${NUMBER_FORM}\s*\)|avg|min|max`;

/** Conditions on an operation. */
export const CONDITION_NOTATION = {
  title: 'condition',
  description: 'A statistic, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
  anyOf: [
    {
      ...form(TIMES, DURATION_FORM),
      description: '`p(N)` (a percentile), `avg`, `min` or `max` of response times, including those of failures.',
      examples: ['p(99) < 250ms', 'p(95) < 500ms', 'avg < 50ms', 'max < 2s'],
    },
    {
      ...form('error_rate|dropped_rate', `${NUMBER_FORM}%`),
      description:
        '`error_rate`: failed operations as a share of those started; `dropped_rate`: dropped operations as a share of those planned.',
      examples: ['error_rate < 0.1%', 'error_rate == 0%', 'dropped_rate < 1%'],
    },
    {
      ...form('rate', `${NUMBER_FORM}/[smh]`),
      description: '`rate`: successes per second, minute or hour while the phases ran.',
      examples: ['rate > 100/s'],
    },
    {
      ...form('planned|count|dropped', NUMBER_FORM),
      description: '`planned` operations, `count` of those started, or `dropped` ones that never started.',
      examples: ['planned >= 1000', 'count > 1000', 'dropped == 0'],
    },
  ],
};

/** Conditions on the delivery. */
export const DELIVERY_NOTATION = {
  title: 'delivery condition',
  description: 'A number of requests, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
  anyOf: [
    {
      ...form('lost', NUMBER_FORM),
      description: '`lost`: acknowledged by the server, but never received.',
      examples: ['lost == 0'],
    },
    {
      ...form('duplicated', NUMBER_FORM),
      description: '`duplicated`: received more often than sent.',
      examples: ['duplicated == 0'],
    },
    {
      ...form('unknown', NUMBER_FORM),
      description: '`unknown`: sent, but never answered.',
      examples: ['unknown < 10'],
    },
  ],
};

/** Conditions on the agents' ports. */
export const LISTENERS_NOTATION = {
  title: 'listeners condition',
  description: 'A number of connections, requests or agents, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
  anyOf: [
    {
      ...form('refused', NUMBER_FORM),
      description:
        '`refused`: connections that agents rejected before a request, for example because of a certificate.',
      examples: ['refused == 0'],
    },
    {
      ...form('unanswered', NUMBER_FORM),
      description: '`unanswered`: requests and handshakes that got no answer.',
      examples: ['unanswered < 10'],
    },
    {
      ...form('down', NUMBER_FORM),
      description: '`down`: the most agents whose process was down at the end of any second.',
      examples: ['down == 0'],
    },
    {
      ...form('accepted|handshakes', NUMBER_FORM),
      description: '`accepted` connections, or completed TLS `handshakes`.',
      examples: ['accepted > 1000', 'handshakes > 1000'],
    },
  ],
};

/** A text for the JSON Schema: one of these statistics, a comparator and a bound. */
export function conditionForm(statistics: string, bound: 'count' | 'duration') {
  return form(statistics, bound === 'count' ? NUMBER_FORM : DURATION_FORM);
}

function form(statistics: string, bound: string) {
  return { type: 'string', pattern: String.raw`^\s*(${statistics})\s*(<=|>=|==|<|>)\s*${bound}\s*$` };
}
