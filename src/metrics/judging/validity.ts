import { z } from 'zod';
import { counted } from '../../base/kernel/units.ts';
import { MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { type MachineLoad, machineSchema } from '../merging/cluster-machine.ts';
import { measureEach, type Recording } from '../merging/measurement.ts';
import { isClosed, overlapMs, type PhaseSpan } from '../merging/phases.ts';
import { lostCount, sumTotals } from '../merging/totals.ts';
import type { WorkerTotals } from '../merging/worker-totals.ts';
import { maxMs, percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import type { Threshold } from './thresholds.ts';
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

const milliseconds = z.number().nonnegative();
const share = z.number().nonnegative();

const limitsSchema = z
  .strictObject({
    schedulingDelayMs: milliseconds.describe('lateness from which on operations are left out of what thresholds judge'),
    leaveOutShare: share.describe('share of a window that may be left out'),
    busyShare: share.describe(
      'mean share of a phase in which a worker with a closed load was busy; a warning with an open load',
    ),
    collectionShare: share.describe("share of a worker's time in a phase spent on garbage collection"),
  })
  .describe('limits of the scenario for the generator; shares are from 0 to 1');

export type ValidityLimits = Readonly<z.infer<typeof limitsSchema>>;

const operationValiditySchema = z.strictObject({
  operation: z.enum(MEASURED_OPERATIONS),
  arrivals: z.int().positive().describe('picked up by the generator'),
  schedulingDelayP99Ms: milliseconds,
  schedulingDelayMaxMs: milliseconds,
  valid: z.boolean().describe('its arrivals were picked up in time, and none failed for lack of descriptors or ports'),
});

const phaseValiditySchema = z.strictObject({
  phase: z.string(),
  stalledMs: milliseconds.describe('total stall time of the worker that stalled longest'),
  leftOutMs: milliseconds.describe('time left out because a worker was late, mean of all workers'),
  busiestLoopUtilization: share.optional().describe('mean of the busiest worker, 0 to 1'),
  collectionShare: share
    .optional()
    .describe('share of time spent on garbage collection by the worker that spent most, 0 to 1'),
  operations: z.array(operationValiditySchema).describe('those with arrivals'),
  problems: z.array(z.string()).describe('why the generator was the bottleneck in the whole phase; empty: it was not'),
});

export const validitySchema = z
  .strictObject({
    schedulingDelayP99Ms: milliseconds
      .optional()
      .describe('from due time to pick-up by the generator; the highest of any operation in any judged phase'),
    schedulingDelayMaxMs: milliseconds.optional(),
    busiestLoopUtilization: share
      .optional()
      .describe('mean of the busiest worker in the judged phase in which it is highest, 0 to 1'),
    stalledMs: milliseconds.describe('total stall time of the worker that stalled longest'),
    limits: limitsSchema,
    phases: z
      .array(phaseValiditySchema)
      .describe('phases that validity covers: counted phases, and excluded ones in which a threshold or its event is'),
    machine: machineSchema.optional().describe('how busy the machine was during the run, excluding the generator'),
    problems: z
      .array(z.string())
      .describe('why the generator was the bottleneck, or a threshold was not judged; empty: valid'),
    warnings: z.array(z.string()).describe('warnings about the results'),
  })
  .meta({ id: 'validity', description: 'whether the generator was the bottleneck' });

export type Validity = z.infer<typeof validitySchema>;
export type PhaseValidity = Validity['phases'][number];
export type OperationValidity = PhaseValidity['operations'][number];

/** Returns the machine whose other processes used most CPU, which may explain late arrivals. */
export function busiestMachine(machines: readonly MachineLoad[]): MachineLoad | undefined {
  return machines.toSorted((a, b) => (b.otherCores ?? 0) - (a.otherCores ?? 0) || b.loadAverage - a.loadAverage)[0];
}

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
  const { limits, thresholds, machine, machines } = facts;
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
    warnings: [...busyWarnings(phases, { limits, machines }), ...stallWarnings(phases, { limits, machines })],
  };
}

type OnMachines = Pick<ValidityFacts, 'limits' | 'machines'>;

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

function judgePhase(recording: Recording, span: PhaseSpan, on: OnMachines): JudgedPhase {
  const { limits } = on;
  const workers = spansOf(recording.run.workers, [span.name]);
  const operations = delaysIn(recording, span, limits);
  const reporting = workers.filter(({ seconds }) => seconds > 0);
  const validity: PhaseValidity = {
    phase: span.name,
    stalledMs: rounded(Math.max(0, ...workers.map(({ stalls }) => stalls.totalMs))),
    leftOutMs: rounded(leftOutIn(recording, span)),
    busiestLoopUtilization: highest(reporting.map((worker) => rounded(worker.loopUtilization))),
    collectionShare: highest(reporting.map((worker) => rounded(collectionShareOf(worker)))),
    operations,
    problems: [
      ...ceilings(span, workers, on),
      ...collections(workers, on),
      ...shortages(recording, span),
      ...losses(recording, span, on),
    ].map((text) => `in ${span.name} ${text}`),
  };
  return { span, validity, workers };
}

function delaysIn(recording: Recording, phase: PhaseSpan, limits: ValidityLimits): OperationValidity[] {
  return measureEach(recording, [phase]).flatMap(({ operation, totals: { outcomes, histograms } }) => {
    const { delay } = histograms;
    const p99 = percentileMs(delay, 99);
    const max = maxMs(delay);
    if (p99 === undefined || max === undefined) return [];
    const valid = p99 <= limits.schedulingDelayMs && shortagesIn(outcomes).length === 0;
    return [{ operation, arrivals: valueCount(delay), schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, valid }];
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
function ceilings(phase: PhaseSpan, workers: readonly WorkerSpan[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, loopUtilization }: WorkerSpan): string =>
    `worker ${shard} was busy ${percentOf(loopUtilization)} of the time (limit ${percentOf(limits.busyShare)}), ` +
    "so its rates are the generator's ceiling and not the target's; use more workers or machines, or a leaner payload";
  return isClosed(phase)
    ? beyond(workers, { of: ({ loopUtilization }) => loopUtilization, limit: limits.busyShare, text }, machines)
    : [];
}

/** Reports the worker that spent most of its time on garbage collection. */
function collections(workers: readonly WorkerSpan[], { limits, machines }: OnMachines): string[] {
  const limit = limits.collectionShare;
  const text = (worker: WorkerSpan): string =>
    `garbage collection took ${percentOf(collectionShareOf(worker))} of the time of worker ${worker.shard} ` +
    `(limit ${percentOf(limit)}); ${MORE_MEMORY}`;
  return beyond(workers, { of: collectionShareOf, limit, text }, machines);
}

function shortages(recording: Recording, { name }: PhaseSpan): string[] {
  const all = totalsIn(recording, [name]);
  const closed = recording.run.phaseListeners.get(name)?.refused.no_file_descriptor ?? 0;
  return [
    ...shortagesIn(sumTotals(all).outcomes).map(
      ([text, count]) => `${counted(count, 'operation')} failed because ${text}`,
    ),
    ...(closed === 0 ? [] : [`agents closed ${counted(closed, 'connection')} because ${NO_DESCRIPTORS}`]),
  ];
}

/** Operations that the generator dropped would have been load: no threshold can judge what the target did not get. */
function losses(recording: Recording, span: PhaseSpan, { limits: { leaveOutShare } }: OnMachines): string[] {
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
function busyWarnings(phases: readonly JudgedPhase[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, loopUtilization, phase }: WorkerSpan): string =>
    `worker ${shard} was busy ${percentOf(loopUtilization)} of the time in ${phase}`;
  const open = phases.flatMap(({ span, workers }) => (isClosed(span) ? [] : workers));
  return beyond(open, { of: ({ loopUtilization }) => loopUtilization, limit: limits.busyShare, text }, machines);
}

/** Reports the longest stall: tables and charts contain its operations. */
function stallWarnings(phases: readonly JudgedPhase[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, phase, stalls }: WorkerSpan): string =>
    `worker ${shard} stalled for ${Math.round(stalls.longestMs)} ms in ${phase}: the highest times there come from the generator`;
  const all = phases.flatMap(({ workers }) => workers);
  return beyond(all, { of: ({ stalls }) => stalls.longestMs, limit: limits.schedulingDelayMs, text }, machines);
}
