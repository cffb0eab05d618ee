import { z } from 'zod';
import { counted } from '../../base/kernel/units.ts';
import { ATTACK_NAMES, type AttackName } from '../../base/protocol/attacks.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import type { Delivery } from '../delivery/schema.ts';
import {
  countedPhases,
  inCohort,
  type Measurement,
  measure,
  measureWindow,
  type Recording,
} from '../merging/measurement.ts';
import { isClosed, type Window } from '../merging/phases.ts';
import { finishedCount, leftOutCounts, lostCount, succeededCount } from '../merging/totals.ts';
import { attackCount } from '../recording/attacks.ts';
import { percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import { refusedCount } from '../recording/listener-counts.ts';
import {
  countedFigures,
  type Figures,
  floorFigures,
  judgedFiguresOf,
  lateText,
  leftOutPart,
  leftOutText,
  percentText,
} from './judged-part.ts';
import { type Recovery, worstRecovery } from './recovery.ts';
import {
  FIGURES,
  type Figure,
  figuresFor,
  isKnown,
  OPERATION_UNITS,
  observe,
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

/** Data about a run that its recording does not have. */
type RunResults = {
  readonly delivery: Delivery;
  readonly recoveries: readonly Recovery[];
  /** The most that may be left out of a window, 0 to 1. */
  readonly leaveOutShare: number;
};

/** Evaluates thresholds. A threshold without data fails, unless nothing was due. */
export function evaluateThresholds(
  recording: Recording,
  results: RunResults,
  thresholds: readonly Threshold[],
): ThresholdResult[] {
  return thresholds.map((threshold) => evaluated(threshold, recording, results));
}

function evaluated(threshold: Threshold, recording: Recording, results: RunResults): ThresholdResult {
  switch (threshold.kind) {
    case 'operation':
      return ofOperation(recording, threshold, results.leaveOutShare);
    case 'delivery':
      return ofDelivery(results.delivery, threshold);
    case 'listeners':
      return ofListeners(recording, threshold);
    case 'misbehave':
      return ofMisbehavior(recording, threshold);
    case 'recovery':
      return ofRecovery(results.recoveries, threshold);
  }
}

/** Evaluates over the counted phases, the phase that the threshold names, or the seconds of its event. */
function ofOperation(recording: Recording, threshold: OperationThreshold, leaveOutShare: number): ThresholdResult {
  const { kind, operation, phase, event, cohort, text, statistic } = threshold;
  const measurement = measured(recording, threshold);
  const { observed, passed, ...basis } = judged(recording, measurement, { threshold, leaveOutShare });
  const { unit } = traitsOf(statistic);
  const idle = observed === undefined && isNothingDue(operation, measurement);
  return {
    kind,
    text,
    operation,
    unit,
    passed: idle || passed,
    ...basis,
    ...(phase !== undefined && { phase }),
    ...(event !== undefined && { event }),
    ...(cohort !== undefined && { cohort }),
    ...(observed !== undefined && { observed }),
    ...(idle && { unobserved: NOTHING_DUE }),
    ...(unit === 'milliseconds' && isOfFailuresAlone(measurement) && { failuresAlone: true }),
  };
}

type Judged = Pick<
  Extract<ThresholdResult, { kind: 'operation' }>,
  'observed' | 'passed' | 'leftOut' | 'judgedOn' | 'unjudged'
>;

/**
 * Judges the operations that the generator did not delay, if they are enough. Otherwise, the threshold still has failed if even the target's own
 * part of all times is too long, and holds if all times are short enough with what the generator added.
 */
function judged(
  recording: Recording,
  measurement: Measurement,
  { threshold, leaveOutShare }: { readonly threshold: OperationThreshold; readonly leaveOutShare: number },
): Judged {
  const { statistic, comparator } = threshold;
  const all = observe(statistic, judgedFiguresOf(measurement));
  const part = isKnown(statistic, measurement.totals) ? undefined : leftOutPart(recording, measurement);
  if (part === undefined || (all === undefined && part.share <= leaveOutShare))
    return { ...(all !== undefined && { observed: all }), passed: holds(threshold, all) };
  const kept = countedFigures(measurement, part.ms);
  const floor =
    isUpperLimit(comparator) && isTime(statistic) ? observe(statistic, floorFigures(measurement)) : undefined;
  const window = windowName(recording, threshold);
  const leftOut = { share: rounded(part.share), ms: rounded(part.ms), text: leftOutText(part, window) };
  const late = { ...leftOut, text: lateText(part, window) };
  const rest = observe(statistic, kept);
  if (part.share <= leaveOutShare && rest !== undefined && isEnough(statistic, kept, measurement)) {
    const observed = Math.max(rest, floor ?? rest);
    return { observed, passed: holds(threshold, observed), leftOut, judgedOn: 'rest' };
  }
  if (floor !== undefined && !holds(threshold, floor))
    return { observed: floor, passed: false, leftOut: late, judgedOn: 'floor' };
  if (all !== undefined && isAtMost(recording, measurement, threshold) && holds(threshold, all))
    return { observed: all, passed: true, leftOut: late, judgedOn: 'everything' };
  const few = `only ${counted(kept.finished, 'operation')} of ${window} remained`;
  const much = `${percentText(part.share)} of ${window} was left out (limit ${percentText(leaveOutShare)})`;
  return { passed: false, leftOut: late, unjudged: `${part.share > leaveOutShare ? much : few}: ${part.because}` };
}

/** Whether a late generator can only make it harder to keep the threshold: an upper limit of times or failures, or a lower one of numbers. */
export function isHarderIfLate({ comparator, bound, statistic }: OperationThreshold): boolean {
  const isUpper = isUpperLimit(comparator) || (comparator === '==' && bound === 0);
  return traitsOf(statistic).isMoreIfLate === isUpper;
}

function isUpperLimit(comparator: Condition['comparator']): boolean {
  return comparator === '<' || comparator === '<=';
}

function isTime(statistic: Statistic): boolean {
  return traitsOf(statistic).unit === 'milliseconds';
}

/** A percentile needs the operations above it, unless there never were that many. */
function isEnough(statistic: Statistic, kept: Figures, { totals }: Measurement): boolean {
  if (kept.finished + kept.dropped === 0 || statistic.kind === 'count') return false;
  if (statistic.kind !== 'percentile' || statistic.percentile >= 100) return true;
  const needed = Math.ceil(100 / (100 - statistic.percentile));
  return kept.finished >= Math.min(needed, finishedCount(totals));
}

/**
 * Whether the figure over all operations is an upper bound of what it would have been without lateness. Under a closed load, a late
 * generator sends less. So it does if it drops operations.
 */
function isAtMost({ phases }: Recording, { stretches, totals }: Measurement, threshold: OperationThreshold): boolean {
  const { statistic, comparator } = threshold;
  if (statistic.kind === 'count') return isHarderIfLate(threshold);
  if (!isUpperLimit(comparator) || !['milliseconds', 'share'].includes(traitsOf(statistic).unit)) return false;
  const isOfClosed = phases.some(
    (phase) =>
      isClosed(phase) &&
      stretches.some(({ fromMs, toMs }) => fromMs < phase.startMs + phase.durationMs && phase.startMs < toMs),
  );
  return !isOfClosed && leftOutCounts(totals).dropped === 0;
}

function windowName(recording: Recording, { phase, event }: OperationThreshold): string {
  const counted = countedPhases(recording);
  return event ?? phase ?? (counted.length === 1 ? counted[0]?.name : undefined) ?? 'the counted phases';
}

/**
 * Returns the thresholds that must end the run because it has crossed them. A threshold never ends a run before its phases
 * have run long enough, or without data.
 * @param recording the recording so far: `elapsedMs` is how much of the timeline it covers.
 */
export function abortingThresholds(
  recording: Recording,
  thresholds: readonly Threshold[],
  leaveOutShare: number,
): ThresholdResult[] {
  return thresholds.flatMap((threshold) => {
    if (threshold.kind !== 'operation') return [];
    const { abortAfterMs, mostOperations } = threshold;
    if (mostOperations !== undefined && isLost(threshold, measured(recording, threshold), mostOperations))
      return [ofOperation(recording, threshold, leaveOutShare)];
    if (abortAfterMs === undefined) return [];
    const { durationMs } = measured(recording, threshold);
    if (durationMs === 0 || durationMs < abortAfterMs) return [];
    const result = ofOperation(recording, threshold, leaveOutShare);
    return result.passed || result.observed === undefined ? [] : [result];
  });
}

/**
 * Whether more operations already exceed the bound than may among all of them, so that no further operation can change the result. While
 * operations are left out, nothing is certain.
 */
function isLost(threshold: OperationThreshold, measurement: Measurement, all: number): boolean {
  const { statistic, comparator } = threshold;
  const { totals } = measurement;
  if (!isUpperLimit(comparator) || totals.leftOut !== undefined || lostCount(totals) > 0) return false;
  if (statistic.kind === 'percentile') {
    const { response } = totals.histograms;
    const [count, mayExceed] = [valueCount(response), Math.floor((1 - statistic.percentile / 100) * all + 1e-9)];
    // The fastest operation that may not exceed the bound any more.
    return count > mayExceed && !holds(threshold, percentileMs(response, (100 * (count - mayExceed)) / count));
  }
  const { counted } = traitsOf(statistic);
  return counted !== undefined && !holds(threshold, judgedFiguresOf(measurement)[counted] / all);
}

function measured(whole: Recording, { operation, phase, event, spans, cohort }: OperationThreshold): Measurement {
  const recording = cohort === undefined ? whole : inCohort(whole, cohort);
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

function isOfFailuresAlone({ totals }: Measurement): boolean {
  return finishedCount(totals) > 0 && succeededCount(totals) === 0;
}

const NOTHING_DUE = 'nothing due';

/** Agents with a password from an earlier run need no registration: their arrivals are picked up, but nothing is planned. */
function isNothingDue(operation: MeasuredOperation, { totals }: Measurement): boolean {
  return operation === 'register' && totals.planned === 0 && valueCount(totals.histograms.delay) > 0;
}

function ofDelivery(delivery: Delivery, threshold: Threshold<'delivery'>): ThresholdResult {
  const { kind, text, figure } = threshold;
  const result = { kind, text, figure, unit: 'operations' } as const;
  if (!delivery.observed) return { ...result, passed: false, unobserved: delivery.reason };
  return { ...result, observed: delivery[figure], passed: holds(threshold, delivery[figure]) };
}

function ofListeners({ run }: Recording, threshold: Threshold<'listeners'>): ThresholdResult {
  const { kind, text, figure } = threshold;
  const counts = { ...run.listeners, refused: refusedCount(run.listeners), down: run.mostDown };
  const observed = counts[figure];
  return { kind, text, figure, unit: FIGURES[kind][figure], observed, passed: holds(threshold, observed) };
}

function ofMisbehavior({ run }: Recording, threshold: Threshold<'misbehave'>): ThresholdResult {
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

function ofRecovery(recoveries: readonly Recovery[], threshold: Threshold<'recovery'>): ThresholdResult {
  const { kind, text, event, figure } = threshold;
  const { timeMs, herd, unobserved } = worstRecovery(recoveries, event);
  const observed = figure === 'time' ? timeMs : herd;
  const result = {
    kind,
    text,
    event,
    figure,
    unit: FIGURES[kind][figure],
    passed: holds(threshold, observed),
  } as const;
  if (observed !== undefined) return { ...result, observed };
  return { ...result, ...(unobserved !== undefined && { unobserved }) };
}

/** What a threshold refers to. */
type Subject = { readonly kind: ThresholdKind; readonly operation?: MeasuredOperation } & {
  readonly [Part in (typeof SUBJECT_PARTS)[number]]?: string | undefined;
};
const SUBJECT_PARTS = ['event', 'phase', 'how', 'cohort'] as const;

/**
 * The subject in the notation of scenario files: `checkdata{phase:steady,cohort:offices}`, `checkdata{role:web}`, `delivery` or
 * `misbehave{how:gzip}`.
 */
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

/** The observed value with its unit, for display. */
export function observedText({ observed, unit, unobserved, unjudged, failuresAlone, text }: Observation): string {
  if (unjudged !== undefined) return `not judged: ${unjudged}`;
  if (unobserved === NOTHING_DUE) return unobserved;
  if (observed === undefined) return unobserved === undefined ? 'no data' : `no data (${unobserved})`;
  const shown = UNITS[unit].show(observed, text.slice(text.lastIndexOf(' ') + 1));
  return unit === 'milliseconds' && failuresAlone ? `${shown}, failures only` : shown;
}

function holds({ comparator, bound }: Condition, observed: number | undefined): boolean {
  return observed !== undefined && COMPARATORS[comparator](observed, bound);
}
