import { z } from 'zod';
import { positiveDuration } from '../base/notation/quantities.ts';
import { section } from '../base/notation/section.ts';
import { ATTACK_NAMES } from '../base/protocol/attacks.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../base/protocol/operations.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import { type Threshold, thresholdSubject } from '../metrics/judging/thresholds.ts';
import {
  conditionSchema,
  kindOf,
  NOTATIONS,
  parseCondition,
  parseSubject,
  TAG_FACTS,
  TAG_VALUE,
} from './conditions.ts';
import { eventSpans } from './event-times.ts';

/** Kinds whose keys have no parts. */
export const WHOLE_RUN = ['delivery', 'listeners'] as const;

const OPERATION = conditionSchema('operation');
const textForms = 'anyOf' in OPERATION ? OPERATION.anyOf : [OPERATION];

/** A condition that ends the run as soon as it fails. */
const stopCondition = section({
  condition: z.string(NOTATIONS.operation.form),
  abort: z.literal(true, 'true'),
  after: positiveDuration.optional(),
});

/** A condition on an operation or an event; the kind of its key determines what it may be. */
export const condition = z.union([z.string(NOTATIONS.operation.form), stopCondition], NOTATIONS.operation.form).meta({
  ...OPERATION,
  anyOf: [
    ...textForms,
    {
      type: 'object',
      description:
        '`abort`: ends the run as soon as the condition fails; `after`: but not before its phases have run this long.',
      properties: {
        condition: {
          description: 'A condition that can fail before the end.',
          anyOf: textForms.map(({ type, pattern }) => ({ type, pattern })),
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
      delivery: listOf(z.string(NOTATIONS.delivery.form))
        .optional()
        .meta({
          description:
            'Lost or duplicated requests over the whole run; only the embedded server counts them. Left out: no condition.',
          examples: [['lost == 0', 'duplicated == 0']],
        }),
      listeners: listOf(z.string(NOTATIONS.listeners.form))
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
const NAMED = String.raw`\s*(phase|event|cohort)\s*:\s*[A-Za-z][A-Za-z0-9_-]*\s*`;
const TAGGED = String.raw`\s*(${TAG_FACTS.join('|')})\s*:\s*${TAG_VALUE}\s*`;
const IN_A_PHASE = String.raw`^\s*(${MEASURED_OPERATIONS.join('|')})\s*(\{(${NAMED}|${TAGGED})(,(${NAMED}|${TAGGED}))?\})?\s*$`;

const RECOVERY_KEY = String.raw`^\s*recovery\s*\{\s*event:[^{}]+\}\s*$`;

type ThresholdsSchema = {
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: object | boolean;
};

/** The keys of thresholds in the JSON Schema, listed by name so that editors offer them and flag others. */
export function offeringSubjects({ properties = {}, additionalProperties: onAny }: ThresholdsSchema) {
  if (typeof onAny !== 'object') throw new Error('thresholds have conditions on operations');
  const on = (name: MeasuredOperation) => ({ description: `${ABOUT[name]} Left out: no condition.`, ...onAny });
  const inAPhase = {
    title: 'operation{phase:name}',
    description:
      'An operation in one phase, excluded or not, with `operation{event:name}` during an event, or with `operation{cohort:name}` or `operation{role:web}` of a part of the fleet; with a comma, both.',
  };
  return {
    properties: Object.fromEntries([
      ...MEASURED_OPERATIONS.map((name) => [name, on(name)]),
      ...WHOLE_RUN.map((kind) => [kind, { ...properties[kind], items: { ...conditionSchema(kind), type: 'string' } }]),
    ]),
    patternProperties: {
      [IN_A_PHASE]: { ...inAPhase, ...onAny },
      [String.raw`^\s*misbehave\s*(\{\s*how:\s*(${ATTACK_NAMES.join('|')})\s*\})?\s*$`]: {
        title: 'misbehave{how:name}',
        description: 'Number of attacks with one ending, of one kind or of all; see docs/how-to/hostile-agents.md.',
        type: 'array',
        minItems: 1,
        items: conditionSchema('misbehave'),
        examples: [['accepted == 0']],
      },
      [RECOVERY_KEY]: {
        title: 'recovery{event:name}',
        description:
          'How the target recovers from an event, at its worst occurrence; see docs/explanation/measuring.md.',
        type: 'array',
        minItems: 1,
        items: conditionSchema('recovery'),
        examples: [['time < 60s', 'herd < 3']],
      },
    },
    additionalProperties: false,
  };
}

function listOf<Read extends z.ZodType>(of: Read) {
  return z.array(of, 'a list of conditions').min(1, 'a list with at least one condition');
}

type RunParts = { readonly events: readonly FleetEvent[]; readonly phases: readonly Phase[] };

export function thresholdsOf(
  { delivery = [], listeners = [], ...others }: z.output<typeof thresholds>,
  run: RunParts,
): readonly Threshold[] {
  return Object.entries({ ...others, delivery, listeners }).flatMap(([key, conditions]) =>
    conditions.map((written) => thresholdOf(key, written, run)),
  );
}

/** @throws Error if the findings about thresholds do not hold. */
function thresholdOf(key: string, written: z.output<typeof condition>, { events, phases }: RunParts): Threshold {
  const { condition: text, after } = typeof written === 'string' ? { condition: written } : written;
  const subject = parseSubject(key);
  const condition = parseCondition(kindOf(key), text);
  if ('expected' in subject || 'expected' in condition) throw new Error(`the checks let threshold ${key} ${text} pass`);
  const { name, phase, event = '', how, cohort } = subject;
  const lasting = events.find((one) => one.name === event);
  switch (condition.kind) {
    case 'operation':
      return {
        operation: name as MeasuredOperation,
        phase,
        ...(cohort !== undefined && { cohort }),
        ...(lasting && { event, spans: eventSpans(lasting, timelineEndMs(phases)) }),
        ...condition,
        ...(typeof written !== 'string' && { abortAfterMs: after ?? 0 }),
      };
    case 'misbehave':
      return { ...condition, how: ATTACK_NAMES.find((name) => name === how) };
    case 'recovery':
      return { ...condition, event };
    case 'delivery':
    case 'listeners':
      return condition;
  }
}

/** The inverse of `thresholdsOf`. */
export function thresholdsFile(
  all: readonly Threshold[],
): Readonly<Record<string, readonly z.output<typeof condition>[]>> {
  const bySubject = Map.groupBy(all, thresholdSubject);
  return Object.fromEntries([...bySubject].map(([key, own]) => [key, own.map(conditionFile)]));
}

function conditionFile(threshold: Threshold): z.output<typeof condition> {
  if (threshold.kind !== 'operation' || threshold.abortAfterMs === undefined) return threshold.text;
  const { text, abortAfterMs: after } = threshold;
  return { condition: text, abort: true, ...(after > 0 && { after }) };
}
