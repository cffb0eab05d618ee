import { z } from 'zod';
import { counted, formatDuration } from '../../base/kernel/units.ts';
import { isPullOperation, MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import { type MachineLoad, machineSchema } from '../merging/cluster-machine.ts';
import { leftOutMs } from '../merging/late-spans.ts';
import { countedPhases, measureEach, type Recording } from '../merging/measurement.ts';
import { elapsedOf, overlapMs, type PhaseSpan, stretchOf } from '../merging/phases.ts';
import { lostCause, lostCount, sumTotals, type Totals } from '../merging/totals.ts';
import { type LoadTotals, type PhaseStalls, SATURATED, type WorkerTotals } from '../merging/worker-totals.ts';
import { maxMs, percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import { NO_LISTENER_COUNTS } from '../recording/listener-counts.ts';
import type { Outcome } from '../recording/outcomes.ts';
import {
  isHarderIfLate,
  type Threshold,
  type ThresholdResult,
  thresholdOutcome,
  thresholdSubject,
} from './thresholds.ts';

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
const WANTS = {
  no_file_descriptor: `${NO_DESCRIPTORS}, or share connections`,
  no_local_port:
    'this machine ran out of local ports for connections to one address; list more addresses in fleet.sourceAddresses, widen net.ipv4.ip_local_port_range, or share connections',
} as const satisfies Readonly<Partial<Record<Outcome, string>>>;

/** One of several machines that shared the fleet, with a part of it from 1. */
export type MachineOfFleet = { readonly name: string; readonly part: number; readonly load?: MachineLoad | undefined };

/** Input of the validity check in addition to the recording. */
type ValidityFacts = {
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

/** Worker numbers run over all machines: those with the same remainder are on the same one. */
function partOf(shard: number, machines: readonly MachineOfFleet[]): number {
  return (shard % Math.max(1, ...machines.map(({ part }) => part))) + 1;
}

/** Several machines of one part had it one after another. */
function namesOf(part: number, machines: readonly MachineOfFleet[]): string {
  const names = machines.flatMap((machine) => (machine.part === part ? [machine.name] : []));
  return `machine ${names.join(', then ')}`;
}

/** The text about a worker, after the name of its machine if there are several. */
function onMachine(shard: number, machines: OnMachines['machines'], text: string): string {
  return machines === undefined ? text : `${namesOf(partOf(shard, machines), machines)}: ${text}`;
}

function judgedPhases({ phases }: Recording, thresholds: readonly Threshold[]): readonly PhaseSpan[] {
  const operations = thresholds.filter((threshold) => threshold.kind === 'operation');
  const named = new Set(operations.map(({ phase }) => phase));
  const spans = operations.flatMap(({ event, spans = [] }) => (event === undefined ? [] : spans));
  return phases.filter(
    (phase) => !phase.excluded || named.has(phase.name) || spans.some((span) => overlapMs(phase, phases, span) > 0),
  );
}

/**
 * What the lateness of the generator leaves unjudged: thresholds, or whole phases of a run without any.
 * @param results of the thresholds, in their order; `undefined` for a part of a fleet, which is judged with the others.
 */
export function lateProblems(
  recording: Recording,
  results: readonly ThresholdResult[] | undefined,
  facts: ValidityFacts,
): readonly string[] {
  if (results === undefined) return [];
  const { limits, thresholds } = facts;
  const lateIn = (names: readonly string[]): Lateness => latenessIn(recording, names, facts);
  const causeIn = (names: readonly string[]): string => {
    const { who, cause } = lateIn(names);
    return who === undefined ? cause : `${who}: ${cause}`;
  };
  const waits = recording.phases.flatMap((phase) => {
    const late = isKeptDespiteWaits(phase, thresholds, results) ? [] : lateConnections(recording, phase, limits);
    return late.map((text) => `in ${phase.name} ${text}: ${causeIn([phase.name])}`);
  });
  return [...waits, ...lateOperations(recording, results, { limits, causeIn, lateIn })];
}

/** `who`: the machine that was late longest; `undefined` if there is only one, or none was late. */
type Lateness = { readonly who: string | undefined; readonly cause: string };

function latenessIn(recording: Recording, names: readonly string[], { machine, machines }: ValidityFacts): Lateness {
  const { run, elapsedMs } = recording;
  const lost = lostContact(sumTotals(totalsIn(recording, names)));
  const { workers, late } = run;
  const stretches = recording.phases.flatMap((phase) =>
    names.includes(phase.name) ? [stretchOf(phase, elapsedMs)] : [],
  );
  const lateMs = (part: number): number =>
    leftOutMs(
      late.filter(({ shard }) => partOf(shard, machines ?? []) === part),
      stretches,
      1,
    );
  const [worst] = (machines ?? []).toSorted((a, b) => lateMs(b.part) - lateMs(a.part));
  if (worst === undefined || machines === undefined || lateMs(worst.part) === 0)
    return { who: undefined, cause: shortageOf(workers, names, { machine, elapsedMs, lost }) };
  const own = workers.filter(({ shard }) => partOf(shard, machines) === worst.part);
  const cause = shortageOf(own, names, { machine: worst.load, elapsedMs, lost });
  return { who: namesOf(worst.part, machines), cause };
}

/**
 * Whether agents that accepted connections late can have made nothing look better: no threshold is in the phase, or those on polls
 * hold although polls took longer.
 */
function isKeptDespiteWaits(
  { name, excluded }: PhaseSpan,
  thresholds: readonly Threshold[],
  results: readonly ThresholdResult[],
): boolean {
  const within = thresholds.flatMap((threshold, index) => {
    if (threshold.kind !== 'operation') return [];
    const { phase, event } = threshold;
    const isWithin = phase === name || (phase === undefined && (event !== undefined || !excluded));
    return isWithin ? [{ threshold, result: results[index] }] : [];
  });
  if (excluded && within.length === 0) return true;
  const polls = within.filter(({ threshold }) => isPullOperation(threshold.operation));
  const isKept = polls.every(
    ({ threshold, result }) => result && thresholdOutcome(result) === 'holds' && isHarderIfLate(threshold),
  );
  return polls.length > 0 && isKept;
}

type LateFacts = {
  readonly limits: ValidityLimits;
  readonly causeIn: (phases: readonly string[]) => string;
  readonly lateIn: (phases: readonly string[]) => Lateness;
};

function lateOperations(
  recording: Recording,
  results: readonly ThresholdResult[],
  { limits, causeIn, lateIn }: LateFacts,
): readonly string[] {
  if (results.length > 0) {
    const unjudged = results.flatMap((result) => {
      if (result.kind !== 'operation' || result.unjudged === undefined) return [];
      const cause = causeIn(result.phase === undefined ? recording.phases.map(({ name }) => name) : [result.phase]);
      return [{ threshold: `${thresholdSubject(result)} ${result.text}`, why: result.unjudged, cause }];
    });
    return [...Map.groupBy(unjudged, ({ cause }) => cause).values()].map(unjudgedText);
  }
  return countedPhases(recording).flatMap((phase) => {
    const elapsedMs = elapsedOf(phase, recording.elapsedMs);
    const share = elapsedMs === 0 ? 0 : leftOutIn(recording, phase) / elapsedMs;
    if (share <= limits.leaveOutShare) return [];
    const { who, cause } = lateIn([phase.name]);
    const what =
      who === undefined
        ? `the generator was late for ${percent(share)} of the time`
        : `${who} was late, which leaves out ${percent(share)} of the time`;
    return [`in ${phase.name} ${what} (limit ${percent(limits.leaveOutShare)}): ${cause}`];
  });
}

/** Thresholds that one cause left unjudged. Each of them has its own reason in its result. */
function unjudgedText(all: readonly { threshold: string; why: string; cause: string }[]): string {
  const [{ why, cause }] = all as readonly [(typeof all)[number]];
  const names = all.map(({ threshold }) => threshold).join(', ');
  const reason = all.every((one) => one.why === why) ? `: ${why}` : ', because the generator was late';
  return `${names} ${all.length === 1 ? 'was' : 'were'} not judged${reason}: ${cause}`;
}

function leftOutIn({ run: { late, workers }, elapsedMs }: Recording, phase: PhaseSpan): number {
  return leftOutMs(late, [stretchOf(phase, elapsedMs)], workers.length);
}

function spansOf(workers: readonly WorkerTotals[], names: readonly string[]): readonly WorkerSpan[] {
  return workers.flatMap(({ shard, phases }) =>
    phases.filter(({ phase }) => names.includes(phase)).map((one) => ({ shard, ...one })),
  );
}

/** One worker in one phase. */
type WorkerSpan = LoadTotals & {
  readonly shard: number;
  readonly phase: string;
  readonly stalls: PhaseStalls;
};

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
    busiestLoopUtilization: highest(reporting.map((worker) => rounded(busyShareOf(worker)))),
    collectionShare: highest(reporting.map((worker) => rounded(collectionShareOf(worker)))),
    operations,
    problems: [
      ...ceilings(span, workers, on),
      ...collections(workers, on),
      ...wants(recording, span),
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
    const valid = p99 <= limits.schedulingDelayMs && wantsIn(outcomes).length === 0;
    return [{ operation, arrivals: valueCount(delay), schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, valid }];
  });
}

/** Highest figures of any phase and operation. */
function worstFigures(
  phases: readonly PhaseValidity[],
): Pick<Validity, 'schedulingDelayP99Ms' | 'schedulingDelayMaxMs' | 'busiestLoopUtilization'> {
  const operations = phases.flatMap((phase) => phase.operations);
  return {
    schedulingDelayP99Ms: highest(operations.map(({ schedulingDelayP99Ms }) => schedulingDelayP99Ms)),
    schedulingDelayMaxMs: highest(operations.map(({ schedulingDelayMaxMs }) => schedulingDelayMaxMs)),
    busiestLoopUtilization: highest(phases.map(({ busiestLoopUtilization }) => busiestLoopUtilization)),
  };
}

function highest(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** One in a hundred, as for arrivals. */
const LATE_SHARE = 0.01;

/** Connections waiting to be accepted appear in no other figure, but their clients notice and give up. */
function lateConnections(
  { run }: Recording,
  { name }: PhaseSpan,
  { schedulingDelayMs: limitMs }: ValidityLimits,
): string[] {
  const { accepted, late } = run.phaseListeners.get(name) ?? NO_LISTENER_COUNTS;
  if (late <= accepted * LATE_SHARE) return [];
  return [
    `${late} of ${accepted} connections to agents may have waited more than ${limitMs} ms until the generator accepted them (limit ${percent(LATE_SHARE)})`,
  ];
}

function stalledIn({ phases }: WorkerTotals, names: ReadonlySet<string>): number {
  return phases.reduce((sum, span) => (names.has(span.phase) ? sum + span.stalls.totalMs : sum), 0);
}

/** A figure of workers with its limit, and what is said about the worker with the highest one if that is above the limit. */
type WorkerLimit = {
  readonly of: (worker: WorkerSpan) => number;
  readonly limit: number;
  readonly text: (worker: WorkerSpan) => string;
};

function beyond(workers: readonly WorkerSpan[], { of, limit, text }: WorkerLimit, machines?: OnMachines['machines']) {
  const [worst] = workers.toSorted((a, b) => of(b) - of(a));
  return worst === undefined || of(worst) <= limit ? [] : [onMachine(worst.shard, machines, text(worst))];
}

/** A closed load sends as fast as it can: a worker without reserve could not have sent faster. */
function ceilings(phase: PhaseSpan, workers: readonly WorkerSpan[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, loopUtilization }: WorkerSpan): string =>
    `worker ${shard} was busy ${percent(loopUtilization)} of the time (limit ${percent(limits.busyShare)}), ` +
    "so its rates are the generator's ceiling and not the target's; use more workers or machines, or a leaner payload";
  return isClosed(phase) ? beyond(workers, { of: busyShareOf, limit: limits.busyShare, text }, machines) : [];
}

function busyShareOf({ loopUtilization }: LoadTotals): number {
  return loopUtilization;
}

function isClosed({ loads }: PhaseSpan): boolean {
  return loads.some(({ model }) => model.kind === 'concurrency');
}

/** Reports the worker that spent most of its time on garbage collection. */
function collections(workers: readonly WorkerSpan[], { limits, machines }: OnMachines): string[] {
  const limit = limits.collectionShare;
  const text = (worker: WorkerSpan): string =>
    `garbage collection took ${percent(collectionShareOf(worker))} of the time of worker ${worker.shard} ` +
    `(limit ${percent(limit)}); ${MORE_MEMORY}`;
  return beyond(workers, { of: collectionShareOf, limit, text }, machines);
}

function collectionShareOf({ gcMs, seconds }: LoadTotals): number {
  return seconds === 0 ? 0 : gcMs / (seconds * 1000);
}

function totalsIn({ run }: Recording, names: readonly string[]): readonly Totals[] {
  return run.series.flatMap(({ phase, totals }) => (names.includes(phase) ? [totals] : []));
}

function wants(recording: Recording, { name }: PhaseSpan): string[] {
  const all = totalsIn(recording, [name]);
  const closed = recording.run.phaseListeners.get(name)?.refused.no_file_descriptor ?? 0;
  return [
    ...wantsIn(sumTotals(all).outcomes).map(([text, count]) => `${counted(count, 'operation')} failed because ${text}`),
    ...(closed === 0 ? [] : [`agents closed ${counted(closed, 'connection')} because ${NO_DESCRIPTORS}`]),
  ];
}

/** Operations that the generator dropped would have been load: no threshold can judge what the target did not get. */
function losses(recording: Recording, span: PhaseSpan, { limits: { leaveOutShare } }: OnMachines): string[] {
  return measureEach(recording, [span]).flatMap(({ operation, totals }) => {
    const lost = lostCount(totals);
    if (lost <= totals.planned * leaveOutShare) return [];
    const share = `${percent(lost / totals.planned)}, limit ${percent(leaveOutShare)}`;
    return [`${lost} of ${totals.planned} ${operation} (${share}) were never started: ${lostContact(totals)}`];
  });
}

function lostContact(totals: Pick<Totals, 'dropped'>): string | undefined {
  const cause = lostCause(totals);
  return cause && `${cause}; check its connection to NATS`;
}

function wantsIn(outcomes: Readonly<Partial<Record<Outcome, number>>>): [text: string, count: number][] {
  return Object.entries(WANTS).flatMap(([outcome, text]) => {
    const count = outcomes[outcome as Outcome] ?? 0;
    return count > 0 ? [[text, count]] : [];
  });
}

/** Reports the busiest worker of all phases with open loads. Without reserve, any slower garbage collection turns into lag. */
function busyWarnings(phases: readonly JudgedPhase[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, loopUtilization, phase }: WorkerSpan): string =>
    `worker ${shard} was busy ${percent(loopUtilization)} of the time in ${phase}`;
  const open = phases.flatMap(({ span, workers }) => (isClosed(span) ? [] : workers));
  return beyond(open, { of: busyShareOf, limit: limits.busyShare, text }, machines);
}

/** Reports the longest stall: tables and charts contain its operations. */
function stallWarnings(phases: readonly JudgedPhase[], { limits, machines }: OnMachines): string[] {
  const text = ({ shard, phase, stalls }: WorkerSpan): string =>
    `worker ${shard} stalled for ${Math.round(stalls.longestMs)} ms in ${phase}: the highest times there come from the generator`;
  const all = phases.flatMap(({ workers }) => workers);
  return beyond(all, { of: ({ stalls }) => stalls.longestMs, limit: limits.schedulingDelayMs, text }, machines);
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(2))}%`;
}

const MUCH_COLLECTION = 0.2;
// One second in a hundred is enough to affect the 99th percentile of delays.
const MANY_SECONDS = 0.01;
// Above this, the backlog of a short stall makes arrivals late for a long time.
const LITTLE_RESERVE = 0.7;
const MUCH_STEAL = 0.05;
// Half a core taken from a worker doubles the time its work takes.
const MUCH_OF_A_CORE = 0.5;

/**
 * Explains why the generator was late, and how to fix it: the likeliest cause in its figures. Figures of the phase
 * come before those of the whole run, whose backlog may have built up earlier.
 */
function shortageOf(workers: readonly WorkerTotals[], names: readonly string[], load: Load): string {
  const { machine, elapsedMs, lost } = load;
  const spans = spansOf(workers, names);
  const first = ({ is, text }: WorkerCause): string | undefined => {
    const worker = spans.find(is) ?? workers.find(is);
    return worker && text(worker);
  };
  return (
    standstill(spans, machine === undefined ? 0 : (machine.stealShare ?? 0) * machine.cores * elapsedMs) ??
    lost ??
    first(COLLECTING) ??
    first(SATURATING) ??
    (machine && neighbors(machine)) ??
    first(PEAKING) ??
    first(WITHOUT_RESERVE) ??
    STANDSTILL
  );
}

type Load = {
  readonly machine: MachineLoad | undefined;
  readonly elapsedMs: number;
  /** Why the generator dropped operations; `undefined` if it dropped none. */
  readonly lost: string | undefined;
};

type WorkerLoads = LoadTotals & { readonly shard: number };

/** What may explain the lateness of a worker. */
type WorkerCause = {
  readonly is: (worker: WorkerLoads) => boolean;
  readonly text: (worker: WorkerLoads) => string;
};

// No scheduler deprives a thread with work of all cores for this long; only a hypervisor might.
const LONG_STALL_MS = 1000;

/**
 * Reports a worker that stalled without using CPU time: neither its own work nor other processes explain the stall, nor a hypervisor that
 * took less time than that from all cores together during the run.
 */
function standstill(spans: readonly WorkerSpan[], stolenMs: number): string | undefined {
  return beyond(spans, {
    of: ({ stalls }) => stalls.idleMs,
    limit: Math.max(LONG_STALL_MS, stolenMs),
    text: ({ shard, stalls }) =>
      `worker ${shard} stalled for ${Math.round(stalls.idleMs)} ms without CPU time; ${WAS_IT_STOPPED}`,
  })[0];
}

const MORE_MEMORY = 'give the process more memory, or run fewer agents';

const LESS_WORK = 'use more workers or machines, or a lower load';

const WAS_IT_STOPPED = 'was the process stopped, or the machine suspended or out of memory?';

const STANDSTILL = `neither its own work nor other processes explain this; ${WAS_IT_STOPPED}`;

const COLLECTING: WorkerCause = {
  is: (worker) => collectionShareOf(worker) > MUCH_COLLECTION,
  text: (worker) =>
    `garbage collection took ${wholePercent(collectionShareOf(worker))} of the time of worker ${worker.shard}; ${MORE_MEMORY}`,
};

const SATURATING: WorkerCause = {
  is: (worker) => cpuShareOf(worker) > SATURATED,
  text: (worker) => `worker ${worker.shard} used ${wholePercent(cpuShareOf(worker))} of a core; ${LESS_WORK}`,
};

const PEAKING: WorkerCause = {
  is: ({ saturatedSeconds, seconds }) => saturatedSeconds > seconds * MANY_SECONDS,
  text: ({ shard, saturatedSeconds, seconds }) =>
    `worker ${shard} used more than ${wholePercent(SATURATED)} of a core in ${saturatedSeconds} of ${seconds} seconds; ${LESS_WORK}`,
};

const WITHOUT_RESERVE: WorkerCause = {
  is: ({ loopUtilization }) => loopUtilization > LITTLE_RESERVE,
  text: ({ shard, loopUtilization }) =>
    `worker ${shard} was busy ${wholePercent(loopUtilization)} of the time, too busy to catch up quickly after a stall; ${LESS_WORK}`,
};

function neighbors({ cores, loadAverage, otherCores, stealShare }: MachineLoad): string | undefined {
  const taken = otherCores !== undefined && otherCores > MUCH_OF_A_CORE;
  const stolen = isStolen({ stealShare });
  if (!taken && !stolen && loadAverage <= 2 * cores) return undefined;
  const facts = [
    ...(taken ? [`other processes used ${otherCores.toFixed(1)} of ${cores} cores`] : []),
    ...(stolen ? [`the hypervisor gave ${wholePercent(stealShare ?? 0)} of the time to others`] : []),
    `load average ${loadAverage.toFixed(1)}`,
  ];
  return `${facts.join(', ')}; use a dedicated machine`;
}

function isStolen(machine: Pick<MachineLoad, 'stealShare'> | undefined): boolean {
  return (machine?.stealShare ?? 0) > MUCH_STEAL;
}

function cpuShareOf({ cpuMs, seconds }: LoadTotals): number {
  return seconds === 0 ? 0 : cpuMs / (seconds * 1000);
}

function wholePercent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

/** Shards that start further apart than this produce a load that no single run would. */
const APART_LIMIT_MS = 1000;

/** A run of one part of a fleet, judged by its own figures. */
type JudgedShard = {
  readonly number: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly validity: Validity;
};

/**
 * Merges the validity of all shards of a run. One invalid shard makes the whole run invalid, and each figure is that of the worst shard.
 */
export function mergeValidity(
  shards: readonly JudgedShard[],
  { limits, machine }: { readonly limits: ValidityLimits; readonly machine: MachineLoad | undefined },
): Validity {
  const phases = shards.flatMap(({ number, validity }) =>
    validity.phases.map((phase) => ({
      ...phase,
      problems: phase.problems.map((text) => ofShard(number, shards, text)),
    })),
  );
  const textsOf = (texts: (validity: Validity) => readonly string[]) =>
    shards.flatMap(({ number, validity }) => texts(validity).map((text) => ofShard(number, shards, text)));
  return {
    ...worstFigures(phases),
    stalledMs: Math.max(0, ...shards.map(({ validity }) => validity.stalledMs)),
    limits,
    phases: worstPhases(phases),
    machine,
    problems: textsOf(({ problems }) => problems),
    warnings: [...textsOf(({ warnings }) => warnings), ...apartWarnings(shards)],
  };
}

function ofShard(number: number, shards: readonly unknown[], text: string): string {
  return `shard ${number} of ${shards.length}: ${text}`;
}

function worstPhases(all: readonly PhaseValidity[]): PhaseValidity[] {
  return [...Map.groupBy(all, ({ phase }) => phase)].map(([phase, parts]) => ({
    phase,
    stalledMs: Math.max(...parts.map((part) => part.stalledMs)),
    leftOutMs: rounded(parts.reduce((sum, part) => sum + part.leftOutMs, 0) / parts.length),
    busiestLoopUtilization: highest(parts.map(({ busiestLoopUtilization }) => busiestLoopUtilization)),
    collectionShare: highest(parts.map(({ collectionShare }) => collectionShare)),
    operations: worstOperations(parts.flatMap(({ operations }) => operations)),
    problems: parts.flatMap(({ problems }) => problems),
  }));
}

function worstOperations(all: readonly OperationValidity[]): OperationValidity[] {
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const parts = all.filter((part) => part.operation === operation);
    if (parts.length === 0) return [];
    const worst = {
      schedulingDelayP99Ms: Math.max(...parts.map((part) => part.schedulingDelayP99Ms)),
      schedulingDelayMaxMs: Math.max(...parts.map((part) => part.schedulingDelayMaxMs)),
    };
    const arrivals = parts.reduce((sum, part) => sum + part.arrivals, 0);
    return [{ operation, arrivals, ...worst, valid: parts.every(({ valid }) => valid) }];
  });
}

function apartWarnings(shards: readonly JudgedShard[]): string[] {
  const starts = shards.map(({ startedAt }) => Date.parse(startedAt));
  const apartMs = Math.max(...starts) - Math.min(...starts);
  if (apartMs <= APART_LIMIT_MS) return [];
  return [
    `the shards started ${formatDuration(Math.round(apartMs / 100) * 100)} apart, but the merge aligns their seconds; ` +
      'start them together with --start-at',
  ];
}
