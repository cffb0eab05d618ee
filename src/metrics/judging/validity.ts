import { counted } from '../../base/kernel/units.ts';
import type { MachineLoad } from '../merging/cluster-machine.ts';
import { measureEach, type Recording } from '../merging/measurement.ts';
import { isClosed, overlapMs, type PhaseSpan } from '../merging/phases.ts';
import { lostCount, sumTotals } from '../merging/totals.ts';
import type { WorkerTotals } from '../merging/worker-totals.ts';
import { maxMs, percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import type { Threshold } from './thresholds.ts';
import type { OperationValidity, PhaseValidity, Validity, ValidityLimits } from './validity-schema.ts';
import {
  beyond,
  collectionShareOf,
  leftOutIn,
  lostContact,
  type MachineOfFleet,
  MORE_MEMORY,
  percentOf,
  spansOf,
  totalsIn,
  type WorkerSpan,
} from './worker-spans.ts';

const NO_DESCRIPTORS = 'the process ran out of file descriptors; raise the limit with ulimit -n';

/** Outcomes caused by a shortage on this machine, whatever the server does. */
const SHORTAGES = {
  no_file_descriptor: `${NO_DESCRIPTORS}, or share connections`,
  no_local_port:
    'this machine ran out of local ports for connections to one address; list more addresses in fleet.sourceAddresses, widen net.ipv4.ip_local_port_range, or share connections',
} as const satisfies Readonly<Partial<Record<Outcome, string>>>;

/** Input of the validity check in addition to the recording. */
export type ValidityFacts = {
  readonly limits: ValidityLimits;
  /** Absent for a single machine. */
  readonly machines?: readonly MachineOfFleet[] | undefined;
  /** A phase that a threshold names is judged even if it is excluded from everything else. */
  readonly thresholds: readonly Threshold[];
  /** `undefined` if not measured. */
  readonly machine: MachineLoad | undefined;
};

/**
 * Was the generator the bottleneck? Judges the counted phases and those in which thresholds are, each separately. Any problem makes the run
 * invalid; warnings do not. Lateness alone is no problem: see `lateProblems`.
 */
export function assessValidity(recording: Recording, facts: ValidityFacts): Validity {
  const { limits, thresholds, machine } = facts;
  const judged = judgedPhases(recording, thresholds);
  const phases = judged.map((phase) => judgePhase(recording, phase, facts));
  const figures = phases.map(({ validity }) => validity);
  const names = new Set(judged.map(({ name }) => name));
  return {
    ...worstFigures(figures),
    stalledMs: rounded(Math.max(0, ...recording.run.workers.map((worker) => stalledIn(worker, names)))),
    limits,
    phases: figures,
    machine,
    problems: figures.flatMap(({ problems }) => problems),
    warnings: [...busyWarnings(phases, facts), ...stallWarnings(phases, facts)],
  };
}

/** What workers are judged by, and the machines that they are on. */
type WorkerFacts = Pick<ValidityFacts, 'limits' | 'machines'>;

function judgedPhases({ phases }: Recording, thresholds: readonly Threshold[]): readonly PhaseSpan[] {
  const operations = thresholds.filter((threshold) => threshold.kind === 'operation');
  const named = new Set(operations.map(({ phase }) => phase));
  const spans = operations.flatMap(({ event, spans = [] }) => (event === undefined ? [] : spans));
  return phases.filter(
    (phase) => !phase.excluded || named.has(phase.name) || spans.some((span) => overlapMs(phase, phases, span) > 0),
  );
}

type JudgedPhase = {
  readonly span: PhaseSpan;
  readonly validity: PhaseValidity;
  readonly workers: readonly WorkerSpan[];
};

function judgePhase(recording: Recording, span: PhaseSpan, facts: WorkerFacts): JudgedPhase {
  const workers = spansOf(recording.run.workers, [span.name]);
  const reporting = workers.filter(({ seconds }) => seconds > 0);
  const validity: PhaseValidity = {
    phase: span.name,
    stalledMs: rounded(Math.max(0, ...workers.map(({ stalls }) => stalls.totalMs))),
    leftOutMs: rounded(leftOutIn(recording, span)),
    busiestLoopUtilization: highest(reporting.map((worker) => rounded(worker.loopUtilization))),
    collectionShare: highest(reporting.map((worker) => rounded(collectionShareOf(worker)))),
    operations: delaysIn(recording, span, facts.limits),
    problems: [
      ...ceilingProblems(span, workers, facts),
      ...collectionProblems(workers, facts),
      ...shortageProblems(recording, span),
      ...lossProblems(recording, span, facts),
    ].map((text) => `in ${span.name} ${text}`),
  };
  return { span, validity, workers };
}

function delaysIn(recording: Recording, phase: PhaseSpan, limits: ValidityLimits): OperationValidity[] {
  return measureEach(recording, [phase]).flatMap(({ operation, totals: { outcomes, histograms } }) => {
    const [p99, max] = [percentileMs(histograms.delay, 99), maxMs(histograms.delay)];
    if (p99 === undefined || max === undefined) return [];
    const valid = p99 <= limits.schedulingDelayMs && shortagesIn(outcomes).length === 0;
    const arrivals = valueCount(histograms.delay);
    return [{ operation, arrivals, schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, valid }];
  });
}

/** Highest figures of any phase and operation. */
export function worstFigures(
  phases: readonly PhaseValidity[],
): Pick<Validity, 'schedulingDelayP99Ms' | 'schedulingDelayMaxMs' | 'busiestLoopUtilization'> {
  const operations = phases.flatMap((phase) => phase.operations);
  return {
    schedulingDelayP99Ms: highest(operations.map(({ schedulingDelayP99Ms }) => schedulingDelayP99Ms)),
    schedulingDelayMaxMs: highest(operations.map(({ schedulingDelayMaxMs }) => schedulingDelayMaxMs)),
    busiestLoopUtilization: highest(phases.map(({ busiestLoopUtilization }) => busiestLoopUtilization)),
  };
}

export function highest(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function stalledIn({ phases }: WorkerTotals, names: ReadonlySet<string>): number {
  return phases.reduce((sum, span) => (names.has(span.phase) ? sum + span.stalls.totalMs : sum), 0);
}

/** A closed load sends as fast as it can: a worker without reserve could not have sent faster. */
function ceilingProblems(
  phase: PhaseSpan,
  workers: readonly WorkerSpan[],
  { limits, machines }: WorkerFacts,
): string[] {
  const text = ({ shard, loopUtilization }: WorkerSpan): string =>
    `worker ${shard} was busy ${percentOf(loopUtilization)} of the time (limit ${percentOf(limits.busyShare)}), ` +
    "so its rates are the generator's ceiling and not the target's; use more workers or machines, or a leaner payload";
  return isClosed(phase)
    ? beyond(workers, { of: ({ loopUtilization }) => loopUtilization, limit: limits.busyShare, text }, machines)
    : [];
}

/** Reports the worker that spent most of its time on garbage collection. */
function collectionProblems(workers: readonly WorkerSpan[], { limits, machines }: WorkerFacts): string[] {
  const limit = limits.collectionShare;
  const text = (worker: WorkerSpan): string =>
    `garbage collection took ${percentOf(collectionShareOf(worker))} of the time of worker ${worker.shard} ` +
    `(limit ${percentOf(limit)}); ${MORE_MEMORY}`;
  return beyond(workers, { of: collectionShareOf, limit, text }, machines);
}

function shortageProblems(recording: Recording, { name }: PhaseSpan): string[] {
  const refused = recording.run.phaseListeners.get(name)?.refused.no_file_descriptor ?? 0;
  return [
    ...shortagesIn(sumTotals(totalsIn(recording, [name])).outcomes).map(
      ([text, count]) => `${counted(count, 'operation')} failed because ${text}`,
    ),
    ...(refused === 0 ? [] : [`agents closed ${counted(refused, 'connection')} because ${NO_DESCRIPTORS}`]),
  ];
}

/** Operations that the generator dropped would have been load: no threshold can judge what the target did not get. */
function lossProblems(recording: Recording, span: PhaseSpan, { limits: { leaveOutShare } }: WorkerFacts): string[] {
  return measureEach(recording, [span]).flatMap(({ operation, totals }) => {
    const lost = lostCount(totals);
    if (lost <= totals.planned * leaveOutShare) return [];
    const share = `${percentOf(lost / totals.planned)}, limit ${percentOf(leaveOutShare)}`;
    return [`${lost} of ${totals.planned} ${operation} (${share}) were never started: ${lostContact(totals)}`];
  });
}

function shortagesIn(outcomes: Readonly<Partial<Record<Outcome, number>>>): [text: string, count: number][] {
  return Object.entries(SHORTAGES).flatMap(([outcome, text]) => {
    const count = outcomes[outcome as Outcome] ?? 0;
    return count > 0 ? [[text, count]] : [];
  });
}

/** Reports the busiest worker of all phases with open loads. Without reserve, any slower garbage collection turns into lag. */
function busyWarnings(phases: readonly JudgedPhase[], { limits, machines }: WorkerFacts): string[] {
  const text = ({ shard, loopUtilization, phase }: WorkerSpan): string =>
    `worker ${shard} was busy ${percentOf(loopUtilization)} of the time in ${phase}`;
  const open = phases.flatMap(({ span, workers }) => (isClosed(span) ? [] : workers));
  return beyond(open, { of: ({ loopUtilization }) => loopUtilization, limit: limits.busyShare, text }, machines);
}

/** Reports the longest stall: tables and charts contain its operations. */
function stallWarnings(phases: readonly JudgedPhase[], { limits, machines }: WorkerFacts): string[] {
  const text = ({ shard, phase, stalls }: WorkerSpan): string =>
    `worker ${shard} stalled for ${Math.round(stalls.longestMs)} ms in ${phase}: the highest times there come from the generator`;
  const all = phases.flatMap(({ workers }) => workers);
  return beyond(all, { of: ({ stalls }) => stalls.longestMs, limit: limits.schedulingDelayMs, text }, machines);
}
