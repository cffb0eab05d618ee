import { NUMBER_PATTERN } from '../base/kernel/units.ts';
import { oneOfText, quoted } from '../base/notation/finding.ts';
import { cohortText, FACTS } from '../load/cohorts/cohort.ts';
import { unquoted } from '../load/cohorts/parse.ts';
import {
  FIGURES,
  type Figure,
  figuresFor,
  PLAIN_STATISTICS,
  type Statistic,
  type ThresholdKind,
  traitsOf,
  UNITS,
  unitOf,
} from '../metrics/judging/statistics.ts';
import type { Condition } from '../metrics/judging/thresholds.ts';

/** How thresholds of a kind are written. */
type Notation = {
  /** The pattern of a key, and its form in words. */
  readonly key: RegExp;
  readonly keyForm: string;
  /** An example of a condition, the expectation for one. */
  readonly form: string;
  /** The expectation for the name of a figure; if absent, that for a condition. */
  readonly figureForm?: string;
  /** What a condition compares, for the JSON Schema. */
  readonly compared: string;
};

/** Start of the expectation for a statistic. */
export const STATISTIC = 'a statistic, ';
const NO_PHASE = 'without a phase, because it covers the whole run';

export const NOTATIONS: Readonly<Record<ThresholdKind, Notation>> = {
  operation: {
    key: /^(?<name>[^{}]+)(?:\{(?<tags>.+)\}\s*)?$/s,
    keyForm: 'operation, operation{phase:name}, operation{event:name}, operation{cohort:name} or operation{role:web}',
    form: 'a condition such as p(99) < 250ms, avg <= 50ms, rate > 100/s or error_rate < 0.1%',
    figureForm: `${STATISTIC}${oneOfText(['p(N)', ...PLAIN_STATISTICS])}`,
    compared: 'A statistic',
  },
  delivery: {
    key: /^delivery$/,
    keyForm: `delivery ${NO_PHASE}`,
    form: 'a condition such as lost == 0, duplicated == 0 or unknown < 10',
    figureForm: `a figure, ${oneOfText(figuresFor('delivery'))}`,
    compared: 'A number of requests',
  },
  listeners: {
    key: /^listeners$/,
    keyForm: `listeners ${NO_PHASE}`,
    form: 'a condition such as refused == 0, down == 0 or unanswered < 10',
    figureForm: `a figure, ${oneOfText(figuresFor('listeners'))}`,
    compared: 'A number of connections, requests or agents',
  },
  misbehave: {
    key: /^\s*misbehave\s*(?:\{\s*(?<part>how):(?<value>[^{}]*)\}\s*)?$/,
    keyForm: 'misbehave or misbehave{how:name}',
    form: `a condition such as accepted == 0; its figures are ${oneOfText(figuresFor('misbehave'))}`,
    compared: 'A number of attacks that ended in one way',
  },
  recovery: {
    key: /^\s*recovery\s*\{\s*(?<part>event):\s*(?<value>[^{}\s][^{}]*)\}\s*$/,
    keyForm: 'recovery{event:name}',
    form: 'a condition such as time < 60s or herd < 3',
    compared: 'A figure',
  },
};

/** What is wrong with a part of a threshold. */
export type Mistake = {
  readonly expected: string;
  readonly found: string;
  readonly candidates?: readonly string[];
};

/** The parts of a threshold's key, without checking its names. `name` is an operation, or the kind. */
export type Subject = { readonly kind: ThresholdKind; readonly name: string } & SubjectParts;
export type SubjectParts = { readonly [Part in 'phase' | 'event' | 'how' | 'cohort']?: string };

const KINDS = Object.keys(FIGURES) as readonly ThresholdKind[];

/** The kind of the thresholds of a key, even if the rest of it is malformed. */
export function kindOf(key: string): ThresholdKind {
  const [name] = key.trim().split(/\s*\{/);
  return KINDS.find((kind) => kind === name) ?? 'operation';
}

/** Parses a threshold's key, such as `checkdata{phase:steady}` or `recovery{event:cable}`. */
export function parseSubject(key: string): Subject | Mistake {
  const kind = kindOf(key);
  const match = NOTATIONS[kind].key.exec(key);
  if (match === null) return { expected: NOTATIONS[kind].keyForm, found: quoted(key) };
  const { name = kind, part, value = '', tags } = match.groups ?? {};
  const parts = tags === undefined ? { ...(part !== undefined && { [part]: value.trim() }) } : readTags(tags);
  if (parts === undefined) return { expected: NOTATIONS[kind].keyForm, found: quoted(key) };
  return 'expected' in parts ? parts : { kind, name: name.trim(), ...parts };
}

/** Facts that do not change in a run. */
export const TAG_FACTS = FACTS.filter((fact) => fact !== 'state');

const TIMES_OF_RUN = ['phase', 'event'];
const TAG_NAMES = [...TIMES_OF_RUN, 'cohort', ...TAG_FACTS];

/** A value without quotes, or in quotes, in which a backslash escapes the next character. */
export const TAG_VALUE = String.raw`(?:"(?:[^"\\]|\\.)+"|'(?:[^'\\]|\\.)+'|[^\s,{}"'](?:[^,{}"']*[^\s,{}"'])?)`;
const TAG = new RegExp(String.raw`\s*([A-Za-z]+)\s*:\s*(${TAG_VALUE})\s*(?:,(?=.)|$)`, 'gsy');

/** Reads `phase:steady, role:web`; `undefined` if it is malformed. */
function readTags(text: string): SubjectParts | Mistake | undefined {
  const tags = [...text.matchAll(TAG)].map(([whole, name = '', value = '']) => ({ whole, name, value }));
  if (tags.reduce((sum, { whole }) => sum + whole.length, 0) < text.length) return undefined;
  const strange = tags.find(({ name }) => !TAG_NAMES.includes(name));
  if (strange !== undefined)
    return { expected: oneOfText(TAG_NAMES), found: quoted(strange.name), candidates: TAG_NAMES };
  const times = tags.filter(({ name }) => TIMES_OF_RUN.includes(name));
  if (times.length > 1 || tags.length - times.length > 1) return { expected: FEW_TAGS, found: quoted(text) };
  const expression = tags.find(({ name, value }) => name === 'cohort' && value.includes('='));
  if (expression !== undefined) return { expected: COHORT_NAME, found: quoted(expression.value) };
  return Object.fromEntries(tags.map(tagPart));
}

const COHORT_NAME = 'the name of a cohort, or a fact without cohort, such as role:web';

const FEW_TAGS = 'one phase or event, and one cohort; several facts together need a name in cohorts';

/** A fact is a cohort without a name. */
function tagPart({ name, value }: { readonly name: string; readonly value: string }): readonly [string, string] {
  const pattern = unquoted(value) ?? value;
  const fact = TAG_FACTS.find((one) => one === name);
  return fact === undefined ? [name, pattern] : ['cohort', cohortText({ kind: 'fact', fact, pattern })];
}

/** A condition of one kind, without its subject. */
export type ParsedCondition<Kind extends ThresholdKind = ThresholdKind> = {
  readonly [K in Kind]: Condition & { readonly kind: K } & (K extends 'operation'
      ? { readonly statistic: Statistic }
      : { readonly figure: Figure<K> });
}[Kind];

const CONDITION = /^([a-z_]+[\d.]*(?:\([^)]*\))?)\s*(<=|>=|==|<|>)\s*(\S+)$/;

/** Parses a condition such as `p(99) < 250ms`, `lost == 0` or `time < 60s`. Its bound is in the unit of its figure. */
export function parseCondition<Kind extends ThresholdKind>(
  kind: Kind,
  written: string,
): ParsedCondition<Kind> | Mistake {
  const text = written.trim();
  const [, name, comparator, value = ''] = CONDITION.exec(text) ?? [];
  const { form, figureForm } = NOTATIONS[kind];
  const malformed = { expected: form, found: quoted(written) };
  if (name === undefined) return malformed;
  const figure = parseFigure(kind, name);
  if (figure === undefined) {
    if (figureForm === undefined) return malformed;
    return { expected: figureForm, found: quoted(name), candidates: figuresLike(kind, name) };
  }
  const { unit, ...subject } = figure;
  const { parse, form: boundForm } = UNITS[unit];
  const bound = parse(value);
  if (bound === undefined) return { expected: `${boundForm} after ${name} ${comparator}`, found: quoted(value) };
  return { kind, ...subject, comparator, bound, text } as unknown as ParsedCondition<Kind>;
}

const PERCENTILE_PATTERN = String.raw`p\(\s*${NUMBER_PATTERN}\s*\)`;
const PERCENTILE = /^p\(\s*(\d+(?:\.\d+)?)\s*\)$/;

/** A figure with its unit; `undefined` if this kind has no such figure. */
function parseFigure(kind: ThresholdKind, name: string) {
  const statistic = parseStatistic(name);
  if (kind === 'operation') return statistic && { statistic, unit: traitsOf(statistic).unit };
  const figure = figuresFor(kind).find((one) => one === name);
  return figure && { figure, unit: unitOf(kind, figure) };
}

function parseStatistic(name: string): Statistic | undefined {
  const percentile = Number(PERCENTILE.exec(name)?.[1] ?? Number.NaN);
  if (percentile > 0 && percentile <= 100) return { kind: 'percentile', percentile };
  const kind = PLAIN_STATISTICS.find((candidate) => candidate === name);
  return kind === undefined ? undefined : { kind };
}

/** Other tools write `p95` for `p(95)`. */
function figuresLike(kind: ThresholdKind, name: string): readonly string[] {
  if (kind !== 'operation') return figuresFor(kind);
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  return percentile === undefined ? PLAIN_STATISTICS : [`p(${percentile})`];
}

/** What the JSON Schema says about figures. Those with the same description share a pattern. */
type Description = { readonly description: string; readonly examples: readonly string[] };

function about(description: string, ...examples: readonly string[]): Description {
  return { description, examples };
}

const TIMES = about(
  '`p(N)` (a percentile), `avg`, `min` or `max` of response times, including those of failures.',
  ...['p(99) < 250ms', 'p(95) < 500ms', 'avg < 50ms', 'max < 2s'],
);
const SHARES = about(
  '`error_rate`: failed operations as a share of those started. `dropped_rate`: dropped operations as a share of those planned. `unexpected_rate`: doubtful answers that agents take, as a share of those started.',
  ...['error_rate < 0.1%', 'error_rate == 0%', 'dropped_rate < 1%', 'unexpected_rate == 0%'],
);
const NUMBERS = about(
  '`planned` operations, `count` of those started, or `dropped` ones that never started.',
  ...['planned >= 1000', 'count > 1000', 'dropped == 0'],
);
const CONNECTIONS = about(
  '`accepted` connections, or completed TLS `handshakes`.',
  ...['accepted > 1000', 'handshakes > 1000'],
);
const ENDED = about(NOTATIONS.misbehave.compared, 'accepted == 0', 'unanswered == 0');

const DESCRIPTIONS: { readonly [Kind in ThresholdKind]: Readonly<Record<Figure<Kind>, Description>> } = {
  operation: {
    percentile: TIMES,
    avg: TIMES,
    min: TIMES,
    max: TIMES,
    error_rate: SHARES,
    dropped_rate: SHARES,
    unexpected_rate: SHARES,
    rate: about('`rate`: successes per second, minute or hour while the phases ran.', 'rate > 100/s'),
    planned: NUMBERS,
    count: NUMBERS,
    dropped: NUMBERS,
  },
  delivery: {
    lost: about('`lost`: acknowledged by the server, but never received.', 'lost == 0'),
    duplicated: about('`duplicated`: received more often than sent.', 'duplicated == 0'),
    unknown: about('`unknown`: sent, but never answered.', 'unknown < 10'),
  },
  listeners: {
    refused: about(
      '`refused`: connections that agents rejected before a request, for example because of a certificate.',
      'refused == 0',
    ),
    unanswered: about('`unanswered`: requests and handshakes that got no answer.', 'unanswered < 10'),
    down: about('`down`: the most agents whose process was down at the end of any second.', 'down == 0'),
    accepted: CONNECTIONS,
    handshakes: CONNECTIONS,
  },
  misbehave: { accepted: ENDED, refused: ENDED, closed: ENDED, unanswered: ENDED, failed: ENDED, skipped: ENDED },
  recovery: {
    time: about(
      '`time`: from the end of the event, or the return of its agents, until the target works as before.',
      'time < 60s',
    ),
    herd: about(
      '`herd`: the most operations sent in one second, as a multiple of the mean before the event.',
      'herd < 3',
    ),
  },
};

/** The JSON Schema of the conditions of a kind. Its patterns repeat the grammar of the parser, so that editors flag what that rejects. */
export function conditionSchema(kind: ThresholdKind) {
  const named = {
    title: kind === 'operation' ? 'condition' : `${kind} condition`,
    description: `${NOTATIONS[kind].compared}, one of \`<\`, \`<=\`, \`==\`, \`>=\` and \`>\`, and a bound.`,
  };
  const rows = Object.entries<Description>(DESCRIPTIONS[kind]);
  const anyOf = [...Map.groupBy(rows, ([, description]) => description)].map(([description, alike]) => {
    const names = alike.map(([name]) => (name === 'percentile' ? PERCENTILE_PATTERN : name));
    const { pattern } = UNITS[unitOf(kind, alike[0]?.[0] ?? '')];
    return {
      type: 'string',
      pattern: String.raw`^\s*(${names.join('|')})\s*(<=|>=|==|<|>)\s*${pattern}\s*$`,
      ...description,
    };
  });
  const [only, ...others] = anyOf;
  return only !== undefined && others.length === 0
    ? { type: only.type, pattern: only.pattern, ...named, examples: only.examples }
    : { ...named, anyOf };
}
