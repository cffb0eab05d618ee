import { counted } from '../../base/kernel/units.ts';
import type { Delivery } from '../delivery/schema.ts';
import {
  countedPhases,
  inCohort,
  type Measurement,
  measure,
  measureWindow,
  type Recording,
} from '../merging/measurement.ts';
import { isClosed } from '../merging/phases.ts';
import { finishedCount, leftOutCounts, lostCount, succeededCount } from '../merging/totals.ts';
import { percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import { refusedCount } from '../recording/listener-counts.ts';
import { tallySum } from '../recording/tally.ts';
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
import { FIGURES, isKnown, observe, type Statistic, traitsOf } from './statistics.ts';
import {
  holds,
  isHarderIfLate,
  isUpperLimit,
  NOTHING_DUE,
  type OperationThreshold,
  type Threshold,
  type ThresholdResult,
} from './thresholds.ts';

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
  const { totals } = measurement;
  // Agents with a password from an earlier run need no registration: their arrivals are picked up, but nothing is planned.
  const isNothingDue = operation === 'register' && totals.planned === 0 && valueCount(totals.histograms.delay) > 0;
  const idle = observed === undefined && isNothingDue;
  const isOfFailuresAlone = finishedCount(totals) > 0 && succeededCount(totals) === 0;
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
    ...(unit === 'milliseconds' && isOfFailuresAlone && { failuresAlone: true }),
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
  const isLimitOfTime = isUpperLimit(comparator) && traitsOf(statistic).unit === 'milliseconds';
  const floor = isLimitOfTime ? observe(statistic, floorFigures(measurement)) : undefined;
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

/** A percentile needs the operations above it, unless there never were that many. */
function isEnough(statistic: Statistic, kept: Figures, { totals }: Measurement): boolean {
  if (kept.finished + kept.dropped === 0 || statistic.kind === 'count') return false;
  if (statistic.kind !== 'percentile' || statistic.percentile >= 100) return true;
  const needed = Math.ceil(100 / (100 - statistic.percentile));
  return kept.finished >= Math.min(needed, finishedCount(totals));
}

/** Whether the figure of all operations is an upper bound of that without lateness. If late, a closed load sends less, as do drops. */
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

/** Whether more operations exceed the bound than may among all, so that no further one changes the result; never while some are left out. */
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
  if (attacks.every(({ endings }) => tallySum(endings) === endings.skipped) && figure !== 'skipped')
    return { ...result, passed: false, unobserved: 'no attack took place' };
  const observed = attacks.reduce((sum, { endings }) => sum + endings[figure], 0);
  return { ...result, observed, passed: holds(threshold, observed) };
}

function ofRecovery(recoveries: readonly Recovery[], threshold: Threshold<'recovery'>): ThresholdResult {
  const { kind, text, event, figure } = threshold;
  const { timeMs, herd, unobserved } = worstRecovery(recoveries, event);
  const observed = figure === 'time' ? timeMs : herd;
  const result = { kind, text, event, figure, unit: FIGURES[kind][figure] } as const;
  if (observed !== undefined) return { ...result, passed: holds(threshold, observed), observed };
  return { ...result, passed: false, ...(unobserved !== undefined && { unobserved }) };
}
