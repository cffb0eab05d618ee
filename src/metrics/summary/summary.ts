import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { lateProblems } from '../judging/late-problems.ts';
import { mergeValidity } from '../judging/merged-validity.ts';
import { type Disturbance, type Recovery, recoveriesOf } from '../judging/recovery.ts';
import { evaluateThresholds } from '../judging/threshold-results.ts';
import type { Threshold } from '../judging/thresholds.ts';
import { assessValidity } from '../judging/validity.ts';
import type { ValidityLimits } from '../judging/validity-schema.ts';
import {
  crossedThresholds,
  doubtWarnings,
  errorWarnings,
  isIncomplete,
  judge,
  loadWarnings,
  type Reason,
  unreachableTarget,
  VERDICTS,
} from '../judging/verdict.ts';
import type { MachineLoad } from '../merging/cluster-machine.ts';
import { inCohort, type Measured, measureEach, type Recording, throughputOf } from '../merging/measurement.ts';
import { elapsedOf, type PhaseSpan } from '../merging/phases.ts';
import { doubtCount, droppedCount, failedCount, finishedCount, succeededCount } from '../merging/totals.ts';
import type { AttackCounts } from '../recording/attacks.ts';
import { CLOCKS, type ClockName } from '../recording/frame.ts';
import {
  createHistogram,
  decode,
  type Histogram,
  latencyOf,
  maxMs,
  merge,
  percentileDistribution,
  percentileMs,
  rounded,
  valueCount,
  without,
} from '../recording/histogram.ts';
import type { RecordedKind } from '../recording/recorder.ts';
import type { ProfileResponses } from '../recording/schema.ts';
import { plainTally } from '../recording/tally.ts';
import type { EventSummary } from './events.ts';
import type { History, Interval } from './history.ts';
import {
  type CohortSummary,
  type DownHost,
  type LoggedFigures,
  MAX_DOWN_LISTED,
  type Misbehavior,
  type OperationSummary,
  type PhaseSummary,
  type ProfileSummary,
  RESULT_SCHEMA_VERSION,
  type Summary,
} from './summary-schema.ts';

/** What a summary contains in addition to the recorded figures. */
export type RunFacts = Pick<
  Summary,
  | ('runId' | 'scenarioName' | 'seed' | 'shard' | 'shards' | 'machines')
  | ('hostClock' | 'delivery' | 'environment' | 'logged' | 'scenario')
> & {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly thresholds: readonly Threshold[];
  readonly limits: ValidityLimits;
  /** Events of the scenario, one entry per occurrence. */
  readonly disturbances: readonly Disturbance[];
  readonly profiles: readonly ProfileSummary[];
  readonly cohorts: readonly Pick<CohortSummary, 'name' | 'cohort' | 'agents'>[];
  /** How busy the machine was; absent if not measured. */
  readonly machine?: MachineLoad | undefined;
  /** Agents that are down, by their index in the fleet; `undefined` if agents do not listen. */
  readonly down: readonly DownHost[] | undefined;
  readonly events: readonly EventSummary[];
  /** Why the run was interrupted or is incomplete; empty if it completed with all workers. */
  readonly reasons: readonly Reason[];
  /** How far the machine's clock was set forward during the run, or back if negative; `undefined` if it was not. */
  readonly clockSetMs?: number | undefined;
};

/**
 * Summarizes a run, including its verdict.
 * @throws Error if planned = started + dropped or started = succeeded + failed does not hold for an operation although no worker was
 * lost.
 */
export function summarize(recording: Recording, facts: RunFacts): Summary {
  const { runId, delivery, scenarioName, seed, environment, scenario } = facts;
  const { thresholds: conditions, reasons, clockSetMs, startedAt, endedAt, profiles, down, events, shard } = facts;
  const { logged, cohorts, shards, machines, hostClock } = facts;
  const lost = isIncomplete(reasons) ? undefined : lostOperations(recording);
  if (lost !== undefined) throw new Error(lost);
  const { recoveries, thresholds, validity, verdict } = judgmentOf(recording, facts);
  const judged = conditions.flatMap((condition) => (condition.kind === 'operation' ? [condition.operation] : []));
  return {
    schemaVersion: RESULT_SCHEMA_VERSION,
    runId,
    delivery,
    scenarioName,
    seed,
    environment,
    scenario,
    ...(shard && { shard }),
    ...(shards && { shards }),
    ...(machines && { machines }),
    ...(hostClock && { hostClock }),
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    elapsedMs: rounded(recording.elapsedMs),
    verdict,
    validity,
    warnings: [
      ...clockWarnings(clockSetMs),
      ...loadWarnings(recording),
      ...doubtWarnings(recording, conditions),
      ...(shard || VERDICTS[verdict.kind].tone === 'caution' ? [] : errorWarnings(recording, new Set(judged))),
    ],
    thresholds,
    overall: operationSummaries(recording),
    succeededPerSecond: rounded(throughputOf(measureEach(recording))),
    phases: recording.phases.map((phase) => phaseSummary(recording, phase)),
    evidence: [...recording.run.evidence],
    ...(cohorts.length > 0 && { cohorts: cohorts.map((cohort) => cohortSummary(recording, cohort)) }),
    profiles: [...profiles],
    agents: { ...recording.run.agents },
    ...(recording.run.addresses && { addresses: [...recording.run.addresses] }),
    ...(down !== undefined && { webServers: webServersOf(recording, down) }),
    ...(recoveries.length > 0 && { recoveries: recoveries.map(recoverySummary) }),
    ...(recording.run.attacks.length > 0 && { misbehavior: recording.run.attacks.map(misbehaviorOf) }),
    ...(events.length > 0 && { events: [...events] }),
    ...(!shard && logged && { logged }),
  };
}

/** What a log shows, recorded as a run. @param recording with the phases that it shows. @param statuses whether it has statuses */
export function loggedFigures(recording: Recording, history: History, statuses: boolean): LoggedFigures {
  const arrivalsIn = ({ activity }: Interval): number =>
    [...activity.values()].reduce((sum, { planned }) => sum + planned, 0);
  return {
    phases: recording.phases.map((phase) => phaseSummary(recording, phase)),
    statuses,
    secondsPerInterval: history.secondsPerInterval,
    arrivals: history.intervals.map(arrivalsIn),
  };
}

/** The figures of a part of the fleet say nothing about the whole. */
function judgmentOf(recording: Recording, facts: RunFacts) {
  const { thresholds: conditions, reasons, machine, machines, events, shard, shards, limits, disturbances } = facts;
  const recoveries = shard
    ? []
    : recoveriesOf(recording.run.seconds, recording.phases, withReturns(disturbances, events));
  const results = { delivery: facts.delivery, recoveries, leaveOutShare: limits.leaveOutShare };
  const thresholds = shard ? [] : evaluateThresholds(recording, results, conditions);
  const validityFacts = { limits, machine, machines, thresholds: conditions };
  const whole = shards ? mergeValidity(shards, { limits, machine }) : assessValidity(recording, validityFacts);
  const late = lateProblems(recording, shard ? undefined : thresholds, validityFacts);
  const validity = { ...whole, problems: [...whole.problems, ...late] };
  const invalid = validity.problems.map((text): Reason => ({ kind: 'invalid', text }));
  const against = [...reasons, ...unreachableTarget(recording), ...invalid, ...crossedThresholds(thresholds)];
  return { recoveries, thresholds, validity, verdict: judge(against, !shard && conditions.length > 0) };
}

/** A simulated host is a function of seed and time, so its clock continues unchanged. */
function clockWarnings(clockSetMs: number | undefined): readonly string[] {
  if (clockSetMs === undefined) return [];
  const [seconds, way] = [(Math.abs(clockSetMs) / 1000).toFixed(1), clockSetMs < 0 ? 'back' : 'forward'];
  return [
    `this machine's clock was set ${way} by ${seconds} s during the run; documents keep the time of the start, so the server saw them ${clockSetMs < 0 ? 'ahead' : 'behind'}`,
  ];
}

// A lost shard has counted its down agents, but can no longer name them.
function webServersOf({ run }: Recording, down: readonly DownHost[]): Summary['webServers'] {
  const { listening, mostListening: most, listeners } = run;
  const downCount = Math.max(run.down, down.length);
  return {
    listening,
    most,
    downCount,
    mostDown: Math.max(run.mostDown, downCount),
    down: down.slice(0, MAX_DOWN_LISTED),
    listeners: { ...listeners, refused: { ...listeners.refused } },
  };
}

/** Occurrences with the times at which the agents that they started again had results. */
function withReturns(disturbances: readonly Disturbance[], events: readonly EventSummary[]): readonly Disturbance[] {
  const counts = new Map<string, number>();
  return disturbances.map((one) => {
    const occurrence = counts.get(one.event) ?? 0;
    counts.set(one.event, occurrence + 1);
    const resumedMs = events.find(({ name }) => name === one.event)?.resumedMs?.[occurrence] ?? 0;
    return resumedMs > one.toMs ? { ...one, resumedMs: rounded(resumedMs) } : one;
  });
}

function recoverySummary({ timeMs, herd, ...recovery }: Recovery): NonNullable<Summary['recoveries']>[number] {
  return {
    ...recovery,
    ...(timeMs !== undefined && { timeMs: rounded(timeMs) }),
    ...(herd !== undefined && { herd: rounded(herd) }),
  };
}

function misbehaviorOf({ latency, endings, statuses, ...counts }: AttackCounts<Histogram>): Misbehavior[number] {
  const latencyMs = latency && latencyOf(latency);
  return { ...counts, endings, statuses, ...(latencyMs && { latencyMs }) };
}

/** Percentile distributions (`.hgrm`) of the response time over the counted phases. */
export function responseDistributions(recording: Recording): ReadonlyMap<MeasuredOperation, string> {
  return new Map(
    measureEach(recording)
      .filter(({ totals }) => finishedCount(totals) > 0)
      .map(({ operation, totals }) => [operation, percentileDistribution(totals.histograms.response)]),
  );
}

function phaseSummary(recording: Recording, phase: PhaseSpan): PhaseSummary {
  return {
    name: phase.name,
    excluded: phase.excluded,
    startMs: rounded(phase.startMs),
    durationMs: rounded(elapsedOf(phase, recording.elapsedMs)),
    operations: operationSummaries(recording, [phase]),
  };
}

function cohortSummary(whole: Recording, cohort: RunFacts['cohorts'][number]): CohortSummary {
  const recording = inCohort(whole, cohort.name);
  return {
    ...cohort,
    overall: operationSummaries(recording),
    phases: recording.phases.map((phase) => phaseSummary(recording, phase)),
  };
}

/** Summaries of all operations with planned work, or with arrivals whose agents did something else. */
function operationSummaries(recording: Recording, phases?: readonly PhaseSpan[]): OperationSummary[] {
  return measureEach(recording, phases)
    .map(operationSummary)
    .filter(({ planned, latencyMs }) => planned > 0 || latencyMs.delay !== undefined);
}

function operationSummary({ operation, totals, durationMs, succeededPerSecond }: Measured): OperationSummary {
  const dropped = droppedCount(totals);
  const succeeded = succeededCount(totals);
  const { response, unanswered } = totals.histograms;
  const latencies = CLOCKS.map((clock) => [clock, latencyOf(totals.histograms[clock])] as const);
  const answered = valueCount(unanswered) === 0 ? undefined : latencyOf(without(response, unanswered));
  return {
    operation,
    durationMs: rounded(durationMs),
    planned: totals.planned,
    started: totals.started,
    dropped,
    succeeded,
    failed: failedCount(totals),
    unaccounted: totals.planned - dropped - finishedCount(totals),
    dropReasons: plainTally(totals.dropped),
    outcomes: plainTally(totals.outcomes),
    ...(doubtCount(totals) > 0 && { doubts: plainTally(totals.doubts) }),
    sentBytes: totals.sentBytes,
    receivedBytes: totals.receivedBytes,
    succeededPerSecond: rounded(succeededPerSecond),
    latencyMs: Object.fromEntries(latencies.filter(([, latency]) => latency !== undefined)),
    ...(answered && { answeredMs: answered }),
  };
}

/** The first operation whose counts contradict each other, in the fleet or a part of it; `undefined` if there is none. */
export function lostOperations({ run }: Recording): string | undefined {
  for (const { operation, phase, totals } of [run, ...run.segments].flatMap(({ series }) => series)) {
    const { planned, started } = totals;
    const dropped = droppedCount(totals);
    const finished = finishedCount(totals);
    if (planned === started + dropped && started === finished) continue;
    return (
      `${operation} in phase ${phase} lost operations: planned ${planned}, started ${started}, dropped ${dropped}, ` +
      `finished ${finished}`
    );
  }
  return undefined;
}

/**
 * Composition of the fleet, with the response times of each group of hosts.
 * @param kinds groups of hosts, with their number of agents.
 * @param responses responses of all shards, in any order.
 */
export function profileSummaries(
  kinds: readonly (RecordedKind & { readonly agents: number })[],
  responses: readonly ProfileResponses[],
): ProfileSummary[] {
  return kinds.map(({ group, profile, agents }) => {
    const own = responses.filter((entry) => entry.group === group && entry.profile === profile);
    const latencies = MEASURED_OPERATIONS.map((operation) => [operation, latencyOf(sumOf(own, operation))] as const);
    return {
      ...(group !== undefined && { group }),
      profile,
      agents,
      responseMs: Object.fromEntries(latencies.filter(([, latency]) => latency !== undefined)),
    };
  });
}

function sumOf(responses: readonly ProfileResponses[], operation: MeasuredOperation): Histogram {
  const sum = createHistogram();
  for (const entry of responses) if (entry.operation === operation) merge(sum, decode(entry.histogram));
  return sum;
}

/** Percentiles of one operation by one clock over the counted phases, for a log-percentile plot. */
export type Spectrum = {
  readonly operation: MeasuredOperation;
  readonly clock: ClockName;
  /** 1 / (1 - percentile / 100) and the latency there in milliseconds; ends at the maximum. */
  readonly points: readonly (readonly [inverse: number, valueMs: number])[];
};

// As in HdrHistogram's distribution: points per halving of the remaining share.
const POINTS_PER_HALF_DISTANCE = 5;

/** Spectra of all operations and clocks with values; response times cover only operations with an answer. */
export function spectraOf(recording: Recording): Spectrum[] {
  return measureEach(recording)
    .flatMap(({ operation, totals: { histograms } }) => {
      const answered = { ...histograms, response: without(histograms.response, histograms.unanswered) };
      return CLOCKS.map((clock) => ({ operation, clock, points: pointsOf(answered[clock]) }));
    })
    .filter(({ points }) => points.length > 0);
}

/** Ends at the last percentile that a single value supports. */
function pointsOf(histogram: Histogram): [number, number][] {
  const count = valueCount(histogram);
  const points: [number, number][] = [];
  for (let tick = 0; 2 ** (tick / POINTS_PER_HALF_DISTANCE) < count; tick++) {
    const inverse = 2 ** (tick / POINTS_PER_HALF_DISTANCE);
    points.push([rounded(inverse), rounded(percentileMs(histogram, 100 - 100 / inverse) ?? 0)]);
  }
  return count === 0 ? [] : [...points, [count, rounded(maxMs(histogram) ?? 0)]];
}
