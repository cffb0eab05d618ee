import { z } from 'zod';
import { ATTACK_NAMES, type AttackName } from '../../base/protocol/attacks.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import type { Window } from '../merging/phases.ts';
import {
  type Figure,
  figuresFor,
  OPERATION_UNITS,
  type Statistic,
  type ThresholdKind,
  traitsOf,
  UNITS,
} from './statistics.ts';

/** What the kinds of thresholds add to a condition. */
type Kinds = {
  /** Such as `p(99) < 250ms` on an operation, over the counted phases, over one named phase, or during an event. */
  readonly operation: {
    readonly operation: MeasuredOperation;
    readonly phase: string | undefined;
    /** Name of a cohort; absent: of the whole fleet. */
    readonly cohort?: string;
    readonly event?: string;
    /** Times of the event; present if `event` is. */
    readonly spans?: Window['spans'];
    readonly statistic: Statistic;
    /** If present, crossing the threshold ends the run after its phases have run for this long. */
    readonly abortAfterMs?: number;
    /** If present, the run ends as soon as the threshold fails whatever comes, given that at most this many operations are due. */
    readonly mostOperations?: number;
  };
  /** Such as `lost == 0`, over the whole run. */
  readonly delivery: { readonly figure: Figure<'delivery'> };
  /** Such as `refused == 0`, over the whole run, including phases that are not counted. */
  readonly listeners: { readonly figure: Figure<'listeners'> };
  /** Such as `accepted == 0`, for attacks over the whole run; for all of them if `how` is `undefined`. */
  readonly misbehave: { readonly how: AttackName | undefined; readonly figure: Figure<'misbehave'> };
  /** Such as `time < 60s` or `herd < 3`, for a named event, over all its occurrences. */
  readonly recovery: { readonly event: string; readonly figure: Figure<'recovery'> };
};

/** One condition that a run must meet, of one kind or of any. */
export type Threshold<Kind extends ThresholdKind = ThresholdKind> = {
  readonly [K in Kind]: Condition & { readonly kind: K } & Kinds[K];
}[Kind];

export type OperationThreshold = Threshold<'operation'>;

export type Condition = {
  readonly comparator: keyof typeof COMPARATORS;
  /** In the unit of the compared figure: milliseconds, operations, operations per second, or a share from 0 to 1. */
  readonly bound: number;
  /** As written, for reports. */
  readonly text: string;
};

const COMPARATORS = {
  '<': (observed: number, bound: number) => observed < bound,
  '<=': (observed: number, bound: number) => observed <= bound,
  '>': (observed: number, bound: number) => observed > bound,
  '>=': (observed: number, bound: number) => observed >= bound,
  '==': (observed: number, bound: number) => observed === bound,
};

const verdictOnThreshold = {
  text: z.string(),
  observed: z.number().optional().describe('absent: nothing was measured, so the threshold failed'),
  passed: z.boolean(),
};

export const thresholdSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('operation'),
    operation: z.enum(MEASURED_OPERATIONS),
    phase: z.string().optional().describe('absent: over all counted phases, or those of the event'),
    event: z.string().optional().describe('over the seconds of the event, in any phase'),
    cohort: z.string().optional().describe('its name, or a fact such as `role=web`; absent: the whole fleet'),
    unit: z.enum(OPERATION_UNITS).describe('share: 0 to 1'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured; `nothing due` is no failure'),
    failuresAlone: z.literal(true).optional().describe('nothing succeeded: the observed time is that of failures'),
    leftOut: z
      .strictObject({
        share: z.number().describe('of its duration or of its operations, whichever is larger, 0 to 1'),
        ms: z.number().nonnegative(),
        text: z.string(),
      })
      .optional()
      .describe('operations that the generator delayed; absent without any'),
    judgedOn: z
      .enum(['rest', 'floor', 'everything'])
      .optional()
      .describe(
        'rest: without what was left out; if that is too much, floor: it fails even without the delay that the generator may have added; everything: it holds even with that delay',
      ),
    unjudged: z.string().optional().describe('why it was not judged; the run is INVALID'),
  }),
  z.strictObject({
    kind: z.literal('delivery'),
    figure: z.enum(figuresFor('delivery')),
    unit: z.literal('operations'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
  z.strictObject({
    kind: z.literal('listeners'),
    figure: z.enum(figuresFor('listeners')),
    unit: z.enum(['connections', 'requests', 'agents']),
    ...verdictOnThreshold,
  }),
  z.strictObject({
    kind: z.literal('misbehave'),
    how: z.enum(ATTACK_NAMES).optional().describe('absent: over all ways of misbehaving'),
    figure: z.enum(figuresFor('misbehave')),
    unit: z.literal('attacks'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
  z.strictObject({
    kind: z.literal('recovery'),
    event: z.string(),
    figure: z.enum(figuresFor('recovery')),
    unit: z.enum(['milliseconds', 'times']),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
]);

export type ThresholdResult = z.infer<typeof thresholdSchema>;

/** Windows that the thresholds refer to, without duplicates. */
export function windowsOf(thresholds: readonly Threshold[]): readonly Window[] {
  const windows = new Map<string, Window>();
  for (const threshold of thresholds) {
    if (threshold.kind !== 'operation' || threshold.event === undefined) continue;
    windows.set(threshold.event, { name: threshold.event, spans: threshold.spans ?? [] });
  }
  return [...windows.values()];
}

/** Whether a late generator can only make it harder to keep the threshold: an upper limit of times or failures, or a lower one of numbers. */
export function isHarderIfLate({ comparator, bound, statistic }: OperationThreshold): boolean {
  const isUpper = isUpperLimit(comparator) || (comparator === '==' && bound === 0);
  return traitsOf(statistic).isMoreIfLate === isUpper;
}

export function isUpperLimit(comparator: Condition['comparator']): boolean {
  return comparator === '<' || comparator === '<=';
}

/** What a threshold refers to. */
type Subject = { readonly kind: ThresholdKind; readonly operation?: MeasuredOperation } & {
  readonly [Part in (typeof SUBJECT_PARTS)[number]]?: string | undefined;
};
const SUBJECT_PARTS = ['event', 'phase', 'how', 'cohort'] as const;

/** The subject as in scenario files: `checkdata{phase:steady,cohort:offices}`, `checkdata{role:web}`, `delivery` or `misbehave{how:gzip}`. */
export function thresholdSubject({ kind, operation, ...parts }: Subject): string {
  const tags = SUBJECT_PARTS.flatMap((name) => {
    const value = parts[name];
    if (value === undefined) return [];
    return name === 'cohort' && value.includes('=') ? value.replace('=', ':') : `${name}:${value}`;
  });
  return `${operation ?? kind}${tags.length === 0 ? '' : `{${tags.join(',')}}`}`;
}

/** The observed value, or the reason for its absence if known. */
type Observation = Pick<ThresholdResult, 'observed' | 'unit' | 'text'> & {
  readonly unobserved?: string | undefined;
  readonly unjudged?: string | undefined;
  readonly failuresAlone?: true | undefined;
};

/** How a threshold ended, with its mark in reports. An unjudged one says nothing about the target. */
export type ThresholdOutcome = 'holds' | 'crossed' | 'unjudged';

export function thresholdOutcome(result: ThresholdResult): ThresholdOutcome {
  if (result.kind === 'operation' && result.unjudged !== undefined) return 'unjudged';
  return result.passed ? 'holds' : 'crossed';
}

/** What was left out of a threshold, and how it was judged nevertheless; `undefined` if nothing was, or it was not judged. */
export function leftOutNote(result: ThresholdResult): string | undefined {
  if (result.kind !== 'operation' || result.leftOut === undefined) return undefined;
  const { leftOut, judgedOn } = result;
  switch (judgedOn) {
    case 'rest':
      return leftOut.text;
    case 'floor':
      return `crossed even without the delay that the generator may have added; ${leftOut.text}`;
    case 'everything':
      return `holds even with the delay that the generator added; ${leftOut.text}`;
    case undefined:
      return undefined;
  }
}

export const NOTHING_DUE = 'nothing due';

/** The observed value with its unit, for display. */
export function observedText({ observed, unit, unobserved, unjudged, failuresAlone, text }: Observation): string {
  if (unjudged !== undefined) return `not judged: ${unjudged}`;
  if (unobserved === NOTHING_DUE) return unobserved;
  if (observed === undefined) return unobserved === undefined ? 'no data' : `no data (${unobserved})`;
  const shown = UNITS[unit].show(observed, text.slice(text.lastIndexOf(' ') + 1));
  return unit === 'milliseconds' && failuresAlone ? `${shown}, failures only` : shown;
}

export function holds({ comparator, bound }: Condition, observed: number | undefined): boolean {
  return observed !== undefined && COMPARATORS[comparator](observed, bound);
}
