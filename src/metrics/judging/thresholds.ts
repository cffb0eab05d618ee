import { z } from 'zod';
import { ATTACK_ENDINGS, ATTACK_NAMES, type AttackEnding, type AttackName } from '../../ground/protocol/attacks.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../ground/protocol/operations.ts';
import type { Delivery } from '../delivery/schema.ts';
import { countedPhases, type Measurement, measure, measureWindow, type Recording } from '../merging/run-totals.ts';
import { droppedCount, failedCount, finishedCount, succeededCount } from '../merging/totals.ts';
import type { Window } from '../merging/windows.ts';
import { attackCount } from '../recording/attacks.ts';
import { maxMs, meanMs, minMs, percentileMs, valueCount } from '../recording/histogram.ts';
import { type ListenerCounts, refusedCount } from '../recording/listener-counts.ts';
import { type Recovery, worstRecovery } from './recovery.ts';

/** One condition that a run must meet. */
export type Threshold =
  | OperationThreshold
  | DeliveryThreshold
  | ListenersThreshold
  | MisbehaveThreshold
  | RecoveryThreshold;

/** Such as `p(99) < 250ms` on an operation, over the counted phases, over one named phase, or during an event. */
export type OperationThreshold = Condition & {
  readonly kind: 'operation';
  readonly operation: MeasuredOperation;
  readonly phase: string | undefined;
  readonly event?: string;
  /** Times of the event; present if `event` is. */
  readonly spans?: Window['spans'];
  readonly statistic: Statistic;
  /** If present, crossing the threshold ends the run after its phases have run for this long. */
  readonly abortAfterMs?: number;
};

/** Such as `lost == 0`, over the whole run. */
export type DeliveryThreshold = Condition & { readonly kind: 'delivery'; readonly figure: DeliveryFigure };

/** Such as `refused == 0`, over the whole run, including phases that are not counted. */
export type ListenersThreshold = Condition & { readonly kind: 'listeners'; readonly figure: ListenersFigure };

/** Such as `accepted == 0`, for attacks over the whole run; for all of them if `how` is `undefined`. */
export type MisbehaveThreshold = Condition & {
  readonly kind: 'misbehave';
  readonly how: AttackName | undefined;
  readonly figure: AttackEnding['kind'];
};

/** Such as `time < 60s` or `herd < 3`, for a named event, over all its occurrences. */
export type RecoveryThreshold = Condition & {
  readonly kind: 'recovery';
  readonly event: string;
  readonly figure: RecoveryFigure;
};

export type Condition = {
  readonly comparator: '<' | '<=' | '>' | '>=' | '==';
  /** In the unit of the compared figure: milliseconds, operations, operations per second, or a share from 0 to 1. */
  readonly bound: number;
  /** As written, for reports. */
  readonly text: string;
};

export type Statistic =
  | { readonly kind: 'percentile'; readonly percentile: number }
  | { readonly kind: (typeof PLAIN_STATISTICS)[number] };

const OPERATION_UNITS = ['milliseconds', 'operations', 'operations_per_second', 'share'] as const;

/** Units of statistics, and of the bounds of their conditions. */
export const STATISTIC_UNITS = {
  percentile: 'milliseconds',
  avg: 'milliseconds',
  min: 'milliseconds',
  max: 'milliseconds',
  count: 'operations',
  planned: 'operations',
  dropped: 'operations',
  rate: 'operations_per_second',
  error_rate: 'share',
  dropped_rate: 'share',
} as const satisfies Readonly<Record<string, (typeof OPERATION_UNITS)[number]>>;

type StatisticKind = keyof typeof STATISTIC_UNITS;

/** Statistics without a parameter. */
export const PLAIN_STATISTICS = (Object.keys(STATISTIC_UNITS) as StatisticKind[]).filter(
  (kind) => kind !== 'percentile',
);

/** Delivery figures available in thresholds; all are counts of operations. */
export const DELIVERY_FIGURES = ['lost', 'duplicated', 'unknown'] as const;

type DeliveryFigure = (typeof DELIVERY_FIGURES)[number];

/** Figures of the agents' ports available in thresholds; `down` is the highest count at the end of any second. */
export const LISTENERS_FIGURES = ['accepted', 'handshakes', 'refused', 'unanswered', 'down'] as const;

type ListenersFigure = (typeof LISTENERS_FIGURES)[number];

const LISTENERS_UNITS = {
  accepted: 'connections',
  handshakes: 'connections',
  refused: 'connections',
  unanswered: 'requests',
  down: 'agents',
} as const satisfies Readonly<Record<ListenersFigure, string>>;

/** Recovery figures available in thresholds. */
export const RECOVERY_FIGURES = ['time', 'herd'] as const;

type RecoveryFigure = (typeof RECOVERY_FIGURES)[number];

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
    unit: z.enum(OPERATION_UNITS).describe('share: 0 to 1'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured; `nothing due` is no failure'),
    failuresAlone: z.literal(true).optional().describe('nothing succeeded: the observed time is that of failures'),
  }),
  z.strictObject({
    kind: z.literal('delivery'),
    figure: z.enum(DELIVERY_FIGURES),
    unit: z.literal('operations'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
  z.strictObject({
    kind: z.literal('listeners'),
    figure: z.enum(LISTENERS_FIGURES),
    unit: z.enum(['connections', 'requests', 'agents']),
    ...verdictOnThreshold,
  }),
  z.strictObject({
    kind: z.literal('misbehave'),
    how: z.enum(ATTACK_NAMES).optional().describe('absent: over all ways of misbehaving'),
    figure: z.enum(ATTACK_ENDINGS),
    unit: z.literal('attacks'),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
  z.strictObject({
    kind: z.literal('recovery'),
    event: z.string(),
    figure: z.enum(RECOVERY_FIGURES),
    unit: z.enum(['milliseconds', 'times']),
    ...verdictOnThreshold,
    unobserved: z.string().optional().describe('why nothing was measured'),
  }),
]);

export type ThresholdResult = z.infer<typeof thresholdSchema>;

/** Data about a run that its recording does not have. */
type RunResults = { readonly delivery: Delivery; readonly recoveries: readonly Recovery[] };

/** Evaluates thresholds. A threshold without data fails, unless nothing was due. */
export function evaluateThresholds(
  recording: Recording,
  { delivery, recoveries }: RunResults,
  thresholds: readonly Threshold[],
): ThresholdResult[] {
  return thresholds.map((threshold) => evaluated(threshold, recording, { delivery, recoveries }));
}

function evaluated(threshold: Threshold, recording: Recording, { delivery, recoveries }: RunResults): ThresholdResult {
  switch (threshold.kind) {
    case 'operation':
      return ofOperation(recording, threshold);
    case 'delivery':
      return ofDelivery(delivery, threshold);
    case 'listeners':
      return ofListeners(recording, threshold);
    case 'misbehave':
      return ofMisbehavior(recording, threshold);
    case 'recovery':
      return ofRecovery(recoveries, threshold);
  }
}

/**
 * Evaluates over the counted phases, the phase that the threshold names, or the seconds of its event. Percentiles, `avg`, `min` and
 * `max` are of the response clock, including failures. `planned` operations are those that were due: `count` of them were started and
 * `dropped` were not; `dropped_rate` is the latter's share. `error_rate` is the share of failures among started operations. `rate` is
 * successes per second that arrived during the phases that drive the operation.
 */
function ofOperation(recording: Recording, threshold: OperationThreshold): ThresholdResult {
  const { kind, operation, phase, event, statistic, text } = threshold;
  const measurement = measured(recording, threshold);
  const observed = observe(statistic, measurement);
  const unit = STATISTIC_UNITS[statistic.kind];
  const idle = observed === undefined && isNothingDue(operation, measurement);
  return {
    ...{ kind, text, operation, unit, passed: idle || holds(threshold, observed) },
    ...(phase !== undefined && { phase }),
    ...(event !== undefined && { event }),
    ...(observed !== undefined && { observed }),
    ...(idle && { unobserved: NOTHING_DUE }),
    ...(unit === 'milliseconds' && isFailuresAlone(measurement) && { failuresAlone: true }),
  };
}

/**
 * Returns the thresholds that must end the run because it has crossed them. A threshold never ends a run before its phases
 * have run long enough, or without data.
 * @param recording the recording so far: `elapsedMs` is how much of the timeline it covers.
 */
export function abortingThresholds(recording: Recording, thresholds: readonly Threshold[]): ThresholdResult[] {
  return thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation' || threshold.abortAfterMs === undefined) return [];
    const { durationMs } = measured(recording, threshold);
    if (durationMs === 0 || durationMs < threshold.abortAfterMs) return [];
    const result = ofOperation(recording, threshold);
    return result.passed || result.observed === undefined ? [] : [result];
  });
}

function measured(recording: Recording, { operation, phase, event, spans }: OperationThreshold): Measurement {
  if (event !== undefined && spans !== undefined) return measureWindow(recording, operation, { name: event, spans });
  const scope = phase === undefined ? countedPhases(recording) : recording.phases.filter(({ name }) => name === phase);
  return measure(recording, operation, scope);
}

/** Windows that the thresholds refer to, without duplicates. */
export function windowsOf(thresholds: readonly Threshold[]): readonly Window[] {
  const windows = new Map<string, Window>();
  for (const threshold of thresholds) {
    if (threshold.kind !== 'operation' || threshold.event === undefined) continue;
    windows.set(threshold.event, { name: threshold.event, spans: threshold.spans ?? [] });
  }
  return [...windows.values()];
}

function isFailuresAlone({ totals }: Measurement): boolean {
  return finishedCount(totals) > 0 && succeededCount(totals) === 0;
}

const NOTHING_DUE = 'nothing due';

/** Agents with a password from an earlier run need no registration: their arrivals are picked up, but nothing is planned. */
function isNothingDue(operation: MeasuredOperation, { totals }: Measurement): boolean {
  return operation === 'register' && totals.planned === 0 && valueCount(totals.histograms.delay) > 0;
}

function ofDelivery(delivery: Delivery, threshold: DeliveryThreshold): ThresholdResult {
  const { kind, text, figure } = threshold;
  const result = { kind, text, figure, unit: 'operations' } as const;
  if (!delivery.observed) return { ...result, passed: false, unobserved: delivery.reason };
  return { ...result, observed: delivery[figure], passed: holds(threshold, delivery[figure]) };
}

function ofListeners({ run }: Recording, threshold: ListenersThreshold): ThresholdResult {
  const { kind, text, figure } = threshold;
  const observed = figure === 'down' ? run.mostDown : listenersFigure(run.listeners, figure);
  return { kind, text, figure, unit: LISTENERS_UNITS[figure], observed, passed: holds(threshold, observed) };
}

function listenersFigure(listeners: ListenerCounts, figure: Exclude<ListenersFigure, 'down'>): number {
  return figure === 'refused' ? refusedCount(listeners) : listeners[figure];
}

function ofMisbehavior({ run }: Recording, threshold: MisbehaveThreshold): ThresholdResult {
  const { kind, text, how, figure } = threshold;
  const attacks = run.attacks.filter((counts) => how === undefined || counts.how === how);
  const result = { kind, text, figure, unit: 'attacks', ...(how !== undefined && { how }) } as const;
  // Skipped attacks have no result.
  if (attacks.every(({ endings }) => attackCount(endings) === endings.skipped) && figure !== 'skipped') {
    return { ...result, passed: false, unobserved: 'no attack took place' };
  }
  const observed = attacks.reduce((sum, { endings }) => sum + endings[figure], 0);
  return { ...result, observed, passed: holds(threshold, observed) };
}

function ofRecovery(recoveries: readonly Recovery[], threshold: RecoveryThreshold): ThresholdResult {
  const { kind, text, event, figure } = threshold;
  const { timeMs, herd, unobserved } = worstRecovery(recoveries, event);
  const observed = figure === 'time' ? timeMs : herd;
  const unit = figure === 'time' ? 'milliseconds' : 'times';
  const result = { kind, text, event, figure, unit, passed: holds(threshold, observed) } as const;
  if (observed !== undefined) return { ...result, observed };
  return { ...result, ...(unobserved !== undefined && { unobserved }) };
}

/** What a threshold refers to. */
type Subject =
  | Pick<Extract<ThresholdResult, { kind: 'operation' }>, 'kind' | 'operation' | 'phase' | 'event'>
  | Pick<Extract<ThresholdResult, { kind: 'misbehave' }>, 'kind' | 'how'>
  | Pick<Extract<ThresholdResult, { kind: 'recovery' }>, 'kind' | 'event'>
  | { readonly kind: 'delivery' | 'listeners' };

/**
 * The subject in the notation of scenario files: `checkdata{phase:steady}`, `checkdata{event:cable}`, `delivery` or `misbehave{how:gzip}`.
 */
export function thresholdSubject(subject: Subject): string {
  switch (subject.kind) {
    case 'operation':
      return operationSubject(subject);
    case 'misbehave':
      return subject.how === undefined ? subject.kind : `${subject.kind}{how:${subject.how}}`;
    case 'recovery':
      return `${subject.kind}{event:${subject.event}}`;
    case 'delivery':
    case 'listeners':
      return subject.kind;
  }
}

function operationSubject({ operation, phase, event }: Extract<Subject, { kind: 'operation' }>): string {
  if (event !== undefined) return `${operation}{event:${event}}`;
  return phase === undefined ? operation : `${operation}{phase:${phase}}`;
}

/** The observed value, or the reason for its absence if known. */
type Observation = Pick<ThresholdResult, 'observed' | 'unit'> & {
  readonly unobserved?: string | undefined;
  readonly failuresAlone?: true | undefined;
};

/** The observed value with its unit, for display. */
export function observedText({ observed, unit, unobserved, failuresAlone }: Observation): string {
  if (unobserved === NOTHING_DUE) return unobserved;
  if (observed === undefined) return unobserved === undefined ? 'no data' : `no data (${unobserved})`;
  switch (unit) {
    case 'milliseconds':
      return `${Number(observed.toPrecision(4))}ms${failuresAlone ? ', failures only' : ''}`;
    case 'operations':
    case 'connections':
    case 'requests':
    case 'agents':
    case 'attacks':
      return String(observed);
    case 'times':
      return `${Number(observed.toPrecision(3))} times`;
    case 'operations_per_second':
      return `${Number(observed.toPrecision(4))}/s`;
    case 'share':
      return `${Number((observed * 100).toPrecision(3))}%`;
  }
}

function observe(statistic: Statistic, { totals, durationMs, succeededPerSecond }: Measurement): number | undefined {
  const { response } = totals.histograms;
  switch (statistic.kind) {
    case 'percentile':
      return percentileMs(response, statistic.percentile);
    case 'avg':
      return meanMs(response);
    case 'min':
      return minMs(response);
    case 'max':
      return maxMs(response);
    case 'count':
      return totals.started === 0 ? undefined : totals.started;
    case 'planned':
      return totals.planned === 0 ? undefined : totals.planned;
    case 'dropped':
      return totals.planned === 0 ? undefined : droppedCount(totals);
    case 'dropped_rate':
      return totals.planned === 0 ? undefined : droppedCount(totals) / totals.planned;
    case 'error_rate':
      return totals.started === 0 ? undefined : failedCount(totals) / totals.started;
    case 'rate':
      return finishedCount(totals) === 0 || durationMs === 0 ? undefined : succeededPerSecond;
  }
}

function holds({ comparator, bound }: Condition, observed: number | undefined): boolean {
  if (observed === undefined) return false;
  switch (comparator) {
    case '<':
      return observed < bound;
    case '<=':
      return observed <= bound;
    case '>':
      return observed > bound;
    case '>=':
      return observed >= bound;
    case '==':
      return observed === bound;
  }
}
