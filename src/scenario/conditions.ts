import { UserError } from '../ground/kernel/errors.ts';
import { DURATION_PATTERN, NUMBER_PATTERN, parseDuration, parsePercent, parseRate } from '../ground/kernel/units.ts';
import { complaintText, oneOfText, quoted, suggestionFor } from '../ground/notation/finding.ts';
import { isMeasuredOperation, MEASURED_OPERATIONS } from '../ground/protocol/operations.ts';
import {
  type Condition,
  DELIVERY_FIGURES,
  type DeliveryThreshold,
  LISTENERS_FIGURES,
  type ListenersThreshold,
  type OperationThreshold,
  PLAIN_STATISTICS,
  STATISTIC_UNITS,
  type Statistic,
} from '../metrics/judging/thresholds.ts';

/** A threshold without its operation and phase. */
export type OperationCondition = Omit<OperationThreshold, 'operation' | 'phase'>;

/** Keys of `thresholds` that are not operations. */
export const DELIVERY = 'delivery';
export const LISTENERS = 'listeners';

/** Why a text could not be parsed. */
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
/** Start of the expectation for a statistic. */
export const STATISTIC = 'a statistic, ';
const STATISTICS = oneOfText(['p(N)', ...PLAIN_STATISTICS]);
export const COUNT_FORMS = {
  [DELIVERY]: 'a condition such as lost == 0, duplicated == 0 or unknown < 10',
  [LISTENERS]: 'a condition such as refused == 0, down == 0 or unanswered < 10',
} as const;
const COUNT_FIGURES = { [DELIVERY]: DELIVERY_FIGURES, [LISTENERS]: LISTENERS_FIGURES } as const;

/** The parts of a threshold's key, unchecked. */
type Subject = { readonly operation: string; readonly phase: string | undefined; readonly event: string | undefined };

/** Parses a threshold's key into an operation and its phase or event; `undefined` if the key has another form. */
export function parseSubject(key: string): Subject | undefined {
  const [, operation, kind, name] = SUBJECT.exec(key.trim()) ?? [];
  if (operation === undefined) return undefined;
  const [phase, event] = ['phase', 'event'].map((one) => (one === kind ? name?.trim() : undefined));
  return { operation: operation.trim(), phase, event };
}

/** Parses `p(99) < 250ms`; the bound is in the unit of its statistic. */
export function parseCondition(written: string): OperationCondition | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: CONDITION_FORM, found: quoted(written) };
  const { name } = parts;
  const statistic = parseStatistic(name);
  if (statistic === undefined)
    return { expected: `${STATISTIC}${STATISTICS}`, found: quoted(name), candidates: statisticsLike(name) };
  const bounded = readBound(parts, BOUNDS[STATISTIC_UNITS[statistic.kind]]);
  return 'expected' in bounded ? bounded : { kind: 'operation', statistic, ...bounded };
}

type CountThreshold = DeliveryThreshold | ListenersThreshold;

/** Parses a condition on counts of the whole run, such as `lost == 0` of `delivery` or `refused == 0` of `listeners`. */
export function parseCount<Kind extends CountThreshold['kind']>(
  kind: Kind,
  written: string,
): Extract<CountThreshold, { readonly kind: Kind }> | Misreading {
  const parts = splitCondition(written);
  if (parts === undefined) return { expected: COUNT_FORMS[kind], found: quoted(written) };
  const figures: readonly string[] = COUNT_FIGURES[kind];
  const figure = figures.find((candidate) => candidate === parts.name);
  if (figure === undefined) {
    return { expected: `a figure, ${oneOfText(figures)}`, found: quoted(parts.name), candidates: figures };
  }
  const bounded = readBound(parts, countBound);
  if ('expected' in bounded) return bounded;
  return { kind, figure, ...bounded } as Extract<CountThreshold, { readonly kind: Kind }>;
}

type Parts = Pick<Condition, 'comparator' | 'text'> & { readonly name: string; readonly value: string };

/** Splits a condition into its parts; `undefined` if it is not one. */
export function splitCondition(written: string): Parts | undefined {
  const text = written.trim();
  const [, name = '', comparator = '', value = ''] = CONDITION.exec(text) ?? [];
  return name === '' ? undefined : { name, comparator: comparator as Condition['comparator'], value, text };
}

/** The condition with its bound parsed. */
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

/** Other tools write `p95` for `p(95)`. */
function statisticsLike(name: string): readonly string[] {
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  return percentile === undefined ? PLAIN_STATISTICS : [`p(${percentile})`];
}

/** Parses the bound of a statistic, in its unit; `read` returns `undefined` for invalid text, `form` describes the notation. */
type BoundReader = { readonly read: (text: string) => number | undefined; readonly form: string };

export const durationBound: BoundReader = { read: parseDuration, form: 'a duration such as 250ms' };
export const countBound: BoundReader = { read: parseNumber, form: 'a number' };

const BOUNDS = {
  milliseconds: durationBound,
  operations: countBound,
  operations_per_second: { read: parseRate, form: 'a rate with its unit such as 100/s' },
  share: { read: parseShare, form: 'a share in percent such as 0.1%' },
} as const satisfies Readonly<Record<string, BoundReader>>;

function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

function parseShare(text: string): number | undefined {
  const part = PERCENT.test(text) ? parsePercent(text) : undefined;
  return part !== undefined && part <= 1 ? part : undefined;
}

/** Conditions that a capacity search can use. */
type LoadThreshold = OperationThreshold | CountThreshold;

/** An optional subject, then a condition. The lookahead tells them apart: only a statistic has a comparator after it. */
const CLAUSE = /^(?:([^\s{}()<>=]+(?:\s*\{[^}]*\})?)\s+(?=[A-Za-z]))?(.*)$/s;

/**
 * Parses `checkdata p(99) < 500ms and error_rate < 1%`: conditions as in thresholds. A condition without an operation applies to
 * that of the previous one.
 * @throws UserError if the text has another form
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
  if (about === DELIVERY || about === LISTENERS) return understood(parseCount(about, condition));
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

/** The grammar of conditions for the JSON Schema. It repeats that of the parser, so that editors flag what the parser rejects. */
const TIMES = String.raw`p\(\s*${NUMBER_PATTERN}\s*\)|avg|min|max`;

export const CONDITION_NOTATION = {
  title: 'condition',
  description: 'A statistic, one of `<`, `<=`, `==`, `>=` and `>`, and a bound.',
  anyOf: [
    conditionForm(TIMES, DURATION_PATTERN, {
      description: '`p(N)` (a percentile), `avg`, `min` or `max` of response times, including those of failures.',
      examples: ['p(99) < 250ms', 'p(95) < 500ms', 'avg < 50ms', 'max < 2s'],
    }),
    conditionForm('error_rate|dropped_rate|unexpected_rate', `${NUMBER_PATTERN}%`, {
      description:
        '`error_rate`: failed operations as a share of those started. `dropped_rate`: dropped operations as a share of those planned. `unexpected_rate`: doubtful answers that agents take, as a share of those started.',
      examples: ['error_rate < 0.1%', 'error_rate == 0%', 'dropped_rate < 1%', 'unexpected_rate == 0%'],
    }),
    conditionForm('rate', `${NUMBER_PATTERN}/[smh]`, {
      description: '`rate`: successes per second, minute or hour while the phases ran.',
      examples: ['rate > 100/s'],
    }),
    conditionForm('planned|count|dropped', NUMBER_PATTERN, {
      description: '`planned` operations, `count` of those started, or `dropped` ones that never started.',
      examples: ['planned >= 1000', 'count > 1000', 'dropped == 0'],
    }),
  ],
};

export const COUNT_NOTATIONS = {
  [DELIVERY]: countNotation(DELIVERY, 'A number of requests', {
    lost: ['`lost`: acknowledged by the server, but never received.', 'lost == 0'],
    duplicated: ['`duplicated`: received more often than sent.', 'duplicated == 0'],
    unknown: ['`unknown`: sent, but never answered.', 'unknown < 10'],
  }),
  [LISTENERS]: countNotation(LISTENERS, 'A number of connections, requests or agents', {
    refused: [
      '`refused`: connections that agents rejected before a request, for example because of a certificate.',
      'refused == 0',
    ],
    unanswered: ['`unanswered`: requests and handshakes that got no answer.', 'unanswered < 10'],
    down: ['`down`: the most agents whose process was down at the end of any second.', 'down == 0'],
    'accepted|handshakes': [
      '`accepted` connections, or completed TLS `handshakes`.',
      'accepted > 1000',
      'handshakes > 1000',
    ],
  }),
} as const;

type CountRows = Readonly<Record<string, readonly [description: string, ...examples: string[]]>>;

function countNotation(kind: string, what: string, rows: CountRows) {
  return {
    title: `${kind} condition`,
    description: `${what}, one of \`<\`, \`<=\`, \`==\`, \`>=\` and \`>\`, and a bound.`,
    anyOf: Object.entries(rows).map(([figures, [description, ...examples]]) =>
      conditionForm(figures, NUMBER_PATTERN, { description, examples }),
    ),
  };
}

/** The JSON Schema of a condition: one of these statistics, a comparator and a bound, both as patterns. */
export function conditionForm(
  statistics: string,
  bound: string,
  about: { readonly title?: string; readonly description: string; readonly examples: readonly string[] },
) {
  return { type: 'string', pattern: String.raw`^\s*(${statistics})\s*(<=|>=|==|<|>)\s*${bound}\s*$`, ...about };
}
