import { z } from 'zod';
import { formatDuration } from '../ground/kernel/units.ts';
import { type Finding, oneOfText, onKey, onValue, type Path, quoted } from '../ground/notation/finding.ts';
import { positiveDuration } from '../ground/notation/quantities.ts';
import { valueAtPath } from '../ground/notation/schema-findings.ts';
import { section } from '../ground/notation/section.ts';
import {
  isMeasuredOperation,
  isOperation,
  isPullOperation,
  isServedOperation,
  MEASURED_OPERATIONS,
  type MeasuredOperation,
  type PullOperation,
} from '../ground/protocol/operations.ts';
import { comesUp } from '../load/arrivals.ts';
import { type Load, type Phase, timelineEndMs } from '../load/timeline.ts';
import { type Condition, STATISTIC_UNITS, type Threshold, thresholdSubject } from '../metrics/judging/thresholds.ts';
import { durationOf } from '../metrics/merging/phases.ts';
import { arrivalFactsOf } from './agents.ts';
import {
  CONDITION_FORM,
  CONDITION_NOTATION,
  COUNT_FORMS,
  COUNT_NOTATIONS,
  DELIVERY,
  LISTENERS,
  type Misreading,
  type OperationCondition,
  parseCondition,
  parseCount,
  parseSubject,
} from './conditions.ts';
import { eventNames, type PartialEvents } from './event-findings.ts';
import {
  EVENT_PATTERNS,
  EVENT_SUBJECTS,
  type EventCondition,
  eventSubjectFindings,
  eventThreshold,
  misplacedConditions,
  parseEventCondition,
  parseEventSubject,
  unseenRecoveries,
} from './event-thresholds.ts';
import { eventSpans } from './event-times.ts';
import { keysOfPhases, phaseNames, phasesText, plannedBy } from './phases.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';
import type { WebServerFile } from './web-server.ts';

const plainCondition = parsed(CONDITION_FORM, parseCondition).meta(CONDITION_NOTATION);
export const deliveryCondition = countCondition(DELIVERY);
export const listenersCondition = countCondition(LISTENERS);

function countCondition<Kind extends keyof typeof COUNT_FORMS>(kind: Kind) {
  return parsed(COUNT_FORMS[kind], (written) => parseCount(kind, written)).meta(COUNT_NOTATIONS[kind]);
}

/** A condition that ends the run as soon as it fails. */
const stopCondition = z.codec(
  section({ condition: plainCondition, abort: z.literal(true, 'true'), after: positiveDuration.optional() }),
  z.custom<OperationCondition>(),
  {
    decode: ({ condition, after = 0 }, { issues, value }) => {
      const message = earlyForm(condition);
      const params = { found: quoted(condition.text) };
      if (message !== undefined) issues.push({ code: 'custom', message, path: ['condition'], input: value, params });
      return { ...condition, abortAfterMs: after };
    },
    encode: ({ abortAfterMs: after = 0, ...condition }) => ({
      condition,
      abort: true as const,
      ...(after > 0 && { after }),
    }),
  },
);

/** The expectation if a condition cannot fail before the end, because its count still grows; `undefined` if it can. */
function earlyForm({ statistic: { kind }, comparator }: OperationCondition): string | undefined {
  const grows = STATISTIC_UNITS[kind] === 'operations';
  if (!grows || comparator === '<' || comparator === '<=' || (kind === 'dropped' && comparator === '=='))
    return undefined;
  return 'a condition that can fail before the end, such as p(99) < 1s; this count still grows';
}

const formsOfText = CONDITION_NOTATION.anyOf.map(({ type, pattern }) => ({ type, pattern }));

const anyCondition = parsed(CONDITION_FORM, (written) => parseEventCondition(written) ?? parseCondition(written));

/** A condition on an operation or an event. Cross checks verify that it matches its key. */
export const condition = z.union([anyCondition, stopCondition], CONDITION_FORM).meta({
  ...CONDITION_NOTATION,
  anyOf: [
    ...CONDITION_NOTATION.anyOf,
    {
      type: 'object',
      description:
        '`abort`: ends the run as soon as the condition fails; `after`: but not before its phases have run this long.',
      properties: {
        condition: {
          description: 'A condition that can fail before the end.',
          anyOf: formsOfText,
          examples: ['p(99) < 1s'],
        },
        abort: { const: true, description: 'Ends the run as soon as the condition fails.' },
        after: {
          type: 'string',
          description:
            'How long its phases run before the condition applies. Left out: it applies from the first second.',
          examples: ['5s'],
        },
      },
      required: ['condition', 'abort'],
      additionalProperties: false,
      examples: [{ condition: 'p(99) < 1s', abort: true, after: '5s' }],
    },
  ],
});

const conditions = listOf(condition).meta({
  examples: [['p(99) < 250ms', 'error_rate < 0.1%']],
});

/** Conditions by subject. */
export const thresholds = z
  .object(
    {
      [DELIVERY]: listOf(deliveryCondition)
        .optional()
        .meta({
          description:
            'Lost or duplicated requests over the whole run; only the embedded server counts them. Left out: no condition.',
          examples: [['lost == 0', 'duplicated == 0']],
        }),
      [LISTENERS]: listOf(listenersCondition)
        .optional()
        .meta({
          description:
            'Connections of clients to agents over the whole run. Needs `webServer`. Left out: no condition.',
          examples: [['refused == 0', 'down == 0']],
        }),
    },
    'operations, or delivery or listeners, with lists of conditions',
  )
  .catchall(conditions)
  .prefault({})
  .meta({
    description: 'Conditions that the run must meet, by operation; a condition without data fails.',
    examples: [
      {
        checkdata: ['p(99) < 250ms', 'error_rate < 0.1%', 'dropped_rate < 1%'],
        'register{phase:enroll}': ['p(95) < 500ms', 'rate > 100/s'],
        delivery: ['lost == 0', 'duplicated == 0'],
      },
    ],
  });

const ABOUT: Readonly<Record<MeasuredOperation, string>> = {
  register: 'Registrations.',
  authorize: 'Password confirmations.',
  checkdata: 'Check data that agents send.',
  packages: 'Package information that agents send.',
  'serve-checkdata': 'Requests that agents get for `/`, their check data. Needs `webServer`.',
  'serve-packages': 'Requests that agents get for `/packages`. Needs `webServer`.',
  'serve-prometheus': 'Requests that agents get for `/prometheus`. Needs `webServer`.',
  'serve-config': 'Requests that agents get for `/config`. Needs `webServer`.',
  'serve-autotls': 'Requests that agents get for `/autotls`. Needs `webServer`.',
  'serve-other': 'All other requests to agents. Needs `webServer`.',
  exchange: 'Certificate exchanges, from first request to last answer. Needs `target.pull` and `webServer.autoTls`.',
  configure: 'Configurations that the embedded server pushes. Needs `target.pull.config`.',
  poll: 'Polls of the embedded server for check data. Needs `target.pull`.',
  'poll-packages': 'Polls of the embedded server for package information. Needs `target.pull`.',
};

// Allows spaces where the parser allows them.
const IN_A_PHASE = String.raw`^\s*(${MEASURED_OPERATIONS.join('|')})\s*(\{(phase|event):\s*[A-Za-z][A-Za-z0-9_-]*\s*\})?\s*$`;

type ThresholdsSchema = {
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: object | boolean;
};

/** The keys of thresholds in the JSON Schema, listed by name so that editors offer them and flag others. */
export function offeringSubjects({ properties, additionalProperties: onAny }: ThresholdsSchema) {
  if (typeof onAny !== 'object') throw new Error('thresholds have conditions on operations');
  const on = (name: MeasuredOperation) => ({ description: `${ABOUT[name]} Left out: no condition.`, ...onAny });
  const inAPhase = {
    title: 'operation{phase:name}',
    description: 'An operation in one phase, excluded or not, or with `operation{event:name}` during an event.',
  };
  return {
    properties: { ...Object.fromEntries(MEASURED_OPERATIONS.map((name) => [name, on(name)])), ...properties },
    patternProperties: { [IN_A_PHASE]: { ...inAPhase, ...onAny }, ...EVENT_PATTERNS },
    additionalProperties: false,
  };
}

function listOf<Read extends z.ZodType>(of: Read) {
  return z.array(of, 'a list of conditions').min(1, 'a list with at least one condition');
}

/** A condition that its text describes completely. */
function parsed<Read extends Condition>(form: string, parse: (written: string) => Read | Misreading) {
  return z.codec(
    z.string(form),
    z.custom<Read>((condition) => (condition as OperationCondition).abortAfterMs === undefined),
    {
      decode: (written, { issues }): Read => {
        const result = parse(written);
        if (!('expected' in result)) return result;
        const { expected, found, candidates } = result;
        issues.push({ code: 'custom', message: expected, input: written, params: { found, candidates } });
        return z.NEVER;
      },
      encode: ({ text }) => text,
    },
  );
}

export function thresholdsOf(
  { delivery = [], listeners = [], ...operations }: z.output<typeof thresholds>,
  run: RunParts,
): readonly Threshold[] {
  return [
    ...Object.entries(operations).flatMap(([key, conditions]) => keyedThresholds(key, conditions, run)),
    ...delivery,
    ...listeners,
  ];
}

type RunParts = { readonly events: readonly ScenarioEvent[]; readonly phases: readonly Phase[] };
type ReadCondition = OperationCondition | EventCondition;

function keyedThresholds(
  key: string,
  conditions: readonly ReadCondition[],
  { events, phases }: RunParts,
): readonly Threshold[] {
  const ofEvent = parseEventSubject(key);
  if (ofEvent !== undefined) return conditions.map((condition) => eventThreshold(ofEvent, condition));
  const subject = parseSubject(key);
  if (subject === undefined || !isMeasuredOperation(subject.operation))
    throw new Error(`the checks let threshold ${key} pass`);
  const { operation, phase, event: name } = subject;
  const event = events.find((one) => one.name === name);
  const window = event && { event: event.name, spans: eventSpans(event, timelineEndMs(phases)) };
  return conditions.map((condition) => {
    if (condition.kind !== 'operation')
      throw new Error(`the checks let a condition of ${condition.kind} on ${key} pass`);
    return { operation, phase, ...window, ...condition };
  });
}

/** The inverse of `thresholdsOf`. */
export function thresholdsFile(all: readonly Threshold[]): Readonly<Record<string, readonly Threshold[]>> {
  return { ...Object.groupBy(all, thresholdSubject) } as Readonly<Record<string, readonly Threshold[]>>;
}

/** Conditions with `abort` that apply only after the run has ended. */
export function idleStops({ thresholds, phases }: Pick<Scenario, 'thresholds' | 'phases'>): readonly Finding[] {
  return thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || threshold.abortAfterMs === undefined) return [];
    const { operation, phase, spans, abortAfterMs } = threshold;
    const scope = phases.filter(({ name, excluded }) => (phase === undefined ? !excluded : name === phase));
    const driven = scope.filter(({ loads }) => loads.some((load) => load.operation === operation));
    const phasesMs = (driven.length === 0 ? scope : driven).reduce((sum, { durationMs }) => sum + durationMs, 0);
    const lastsMs = spans === undefined ? phasesMs : durationOf({ spans }, timelineEndMs(phases));
    if (scope.length === 0 || abortAfterMs < lastsMs) return [];
    const subject = thresholdSubject(threshold);
    const of = thresholds.filter((other) => thresholdSubject(other) === subject);
    const path = ['thresholds', subject, of.indexOf(threshold), 'after'];
    const expected = `less than the ${formatDuration(lastsMs)} that ${subject} runs; a longer time can never end the run`;
    return [onValue(path, expected, formatDuration(abortAfterMs))];
  });
}

type PartialThresholds = PartialEvents & { readonly webServer?: Partial<WebServerFile> };

/** Thresholds whose subject does not exist, or that no phase plans. */
export function thresholdFindings(file: PartialThresholds, raw: unknown): readonly Finding[] {
  const names = { phases: phaseNames(file), events: eventNames(file) };
  const thresholds = valueAtPath(raw, ['thresholds']);
  if (typeof thresholds !== 'object' || thresholds === null || Array.isArray(thresholds)) return [];
  return Object.keys(thresholds).flatMap((key) => {
    const misplaced =
      key === DELIVERY || key === LISTENERS ? [] : misplacedConditions(key, valueAtPath(raw, ['thresholds', key]));
    const ofEvent = parseEventSubject(key);
    if (ofEvent !== undefined) return [...eventSubjectFindings(key, ofEvent, names.events), ...misplaced];
    const strange = [...strangeSubject(key, names), ...misplaced];
    return strange.length > 0 ? strange : [...idleSubject(key, file, raw), ...neverDone(key, file, raw)];
  });
}

/** Thresholds on requests to agents, or on polls, in a scenario without a web server or `target.pull`. */
function neverDone(key: string, { webServer }: PartialThresholds, raw: unknown): readonly Finding[] {
  const { operation = '' } = parseSubject(key) ?? {};
  const missing = meansOf(operation)
    .find((path) => valueAtPath(raw, path) === undefined)
    ?.join('.');
  const means = missing ?? (operation === 'exchange' && webServer?.autoTls === false ? AUTO_TLS : undefined);
  if (means === undefined) return [];
  const subject = key === LISTENERS ? 'listening agents' : 'an operation of this scenario';
  return [onKey(['thresholds', key], `${subject}; ${operation} needs ${means}`, quoted(operation))];
}

/** The keys that enable an operation. */
function meansOf(operation: string): readonly Path[] {
  if (isServedOperation(operation) || operation === LISTENERS) return [WEB_SERVER];
  return isPullOperation(operation) ? [WEB_SERVER, PULL, ...(FURTHER_MEANS[operation] ?? [])] : [];
}

const WEB_SERVER = ['webServer'];
const PULL = ['target', 'pull'];
const AUTO_TLS = 'webServer.autoTls: true';

const FURTHER_MEANS: Readonly<Partial<Record<PullOperation, readonly Path[]>>> = {
  configure: [['target', 'pull', 'config']],
};

/** A threshold on an operation that no phase plans would never have data. */
function idleSubject(key: string, { phases = [] }: PartialThresholds, raw: unknown): readonly Finding[] {
  const { operation = '', phase, event } = parseSubject(key) ?? {};
  if (!isOperation(operation)) return [];
  const keys = keysOfPhases(raw).map((loads = []) => loads);
  const among = phases.flatMap((other, index) => {
    const isCounted = event !== undefined || other?.exclude !== true;
    const counts = phase === undefined ? isCounted : other?.name === phase;
    return counts ? [plannedBy(keys[index] ?? [])] : [];
  });
  if (among.length === 0 || among.some((operations) => operations.includes(operation))) return [];
  const where = phase === undefined ? 'a phase that is not excluded' : `the phase ${phase}`;
  const planned = [...new Set(among.flat())];
  const expected = `an operation that ${where} plans, ${planned.length === 0 ? 'but it plans none' : oneOfText(planned)}`;
  return [onKey(['thresholds', key], expected, quoted(operation))];
}

/** Thresholds without data: the first operation would be due after the end of its phases. */
export function idleThresholds(scenario: Scenario): readonly Finding[] {
  const { thresholds, phases } = scenario;
  const fleet = arrivalFactsOf(scenario);
  const idle = thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || !isOperation(threshold.operation)) return [];
    const { operation, phase: only, event, spans = [] } = threshold;
    if (event !== undefined)
      return spans.some(({ fromMs, toMs }) => fromMs < toMs) ? [] : [momentary(threshold, event)];
    const loads = phases
      .filter(({ name, excluded }) => (only === undefined ? !excluded : name === only))
      .flatMap((phase) => phase.loads.filter((load) => isFor(operation, load)).map((load) => ({ phase, load })));
    if (loads.length === 0 || loads.some(({ phase, load }) => comesUp(load, fleet, phase))) return [];
    const late = loads.map(({ phase, load }) => lateText(phase, load)).join(', ');
    const expected = `an operation that occurs in its phase; ${late}`;
    return [onKey(['thresholds', thresholdSubject(threshold)], expected, quoted(operation))];
  });
  return [...idle, ...unseenRecoveries(scenario)];
}

function momentary(threshold: Threshold, event: string): Finding {
  const expected = 'an event that lasts; an instantaneous event needs over:, the time over which it hits its agents';
  return onKey(['thresholds', thresholdSubject(threshold)], expected, quoted(event));
}

/** Whether a load leads to this operation. */
function isFor(operation: string, load: Load): boolean {
  return plannedBy([load.operation]).some((planned) => planned === operation);
}

function lateText({ name, durationMs }: Phase, { operation, model }: Load): string {
  const lasts = `${name} lasts ${formatDuration(durationMs)}`;
  if (model.kind === 'cadence' && model.standing) {
    const everyText = formatDuration(model.everyMs);
    return `${lasts}, and no agent is due for ${operation} (every ${everyText}) in it: extend the phase, or set first`;
  }
  const { firstMs, spreadMs } = model.kind === 'cadence' ? model : { firstMs: 0, spreadMs: 0 };
  const first = `the first ${operation} of an agent is due ${formatDuration(firstMs)} after its start`;
  const spread = firstMs < durationMs ? `, and agents start over ${formatDuration(spreadMs)}` : '';
  return `${lasts}, and ${first}${spread}: extend the phase, or shorten first`;
}

type Names = { readonly phases: readonly string[]; readonly events: readonly string[] };

function strangeSubject(key: string, { phases, events }: Names): readonly Finding[] {
  if (key === DELIVERY || key === LISTENERS) return [];
  const at = (expected: string, found: string) => onKey(['thresholds', key], expected, found);
  const subject = parseSubject(key);
  if (subject === undefined) return [at('operation, operation{phase:name} or operation{event:name}', quoted(key))];
  const { operation, phase, event } = subject;
  if (operation === DELIVERY || operation === LISTENERS)
    return [at(`${operation} without a phase, because it covers the whole run`, quoted(key))];
  const strange: Finding[] = [];
  if (!isMeasuredOperation(operation))
    strange.push({
      ...at(
        `an operation, ${oneOfText(MEASURED_OPERATIONS)}, delivery, listeners, misbehave or recovery`,
        quoted(operation),
      ),
      candidates: [...MEASURED_OPERATIONS, DELIVERY, LISTENERS, ...EVENT_SUBJECTS],
    });
  if (phase !== undefined && !phases.includes(phase))
    strange.push({
      ...at(`the name of a phase; ${phasesText(phases)}`, quoted(phase)),
      candidates: phases,
    });
  if (event !== undefined && !events.includes(event))
    strange.push({
      ...at(`the name of an event; this scenario has ${events.join(', ') || 'none'}`, quoted(event)),
      candidates: events,
    });
  return strange;
}
