import { isPullOperation } from '../../base/protocol/operations.ts';
import type { MachineLoad } from '../merging/cluster-machine.ts';
import { leftOutMs } from '../merging/late-spans.ts';
import { countedPhases, type Recording } from '../merging/measurement.ts';
import { elapsedOf, type PhaseSpan, stretchOf } from '../merging/phases.ts';
import { sumTotals } from '../merging/totals.ts';
import { type LoadTotals, SATURATED, type WorkerTotals } from '../merging/worker-totals.ts';
import { NO_LISTENER_COUNTS } from '../recording/listener-counts.ts';
import {
  isHarderIfLate,
  type Threshold,
  type ThresholdResult,
  thresholdOutcome,
  thresholdSubject,
} from './thresholds.ts';
import type { ValidityFacts } from './validity.ts';
import type { ValidityLimits } from './validity-schema.ts';
import {
  beyond,
  collectionShareOf,
  leftOutIn,
  lostContact,
  type MachineOfFleet,
  MORE_MEMORY,
  machineNames,
  machinePart,
  percentOf,
  spansOf,
  totalsIn,
  type WorkerSpan,
} from './worker-spans.ts';

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
  const waits = recording.phases.flatMap((phase) => {
    const late = lateConnections(recording, phase, facts.limits);
    if (late === undefined || isKeptDespiteWaits(phase, facts.thresholds, results)) return [];
    return [`in ${phase.name} ${late}: ${causeIn(recording, [phase.name], facts)}`];
  });
  const late = results.length > 0 ? unjudgedThresholds(recording, results, facts) : latePhases(recording, facts);
  return [...waits, ...late];
}

/** `who`: the machine that was late longest; `undefined` if there is only one, or none was late. */
type Lateness = { readonly who: string | undefined; readonly cause: string };

/** @param names of the phases in question. */
function latenessIn(recording: Recording, names: readonly string[], facts: ValidityFacts): Lateness {
  const { run, elapsedMs, phases } = recording;
  const { machine, machines = [] } = facts;
  const lost = lostContact(sumTotals(totalsIn(recording, names)));
  const stretches = phases.filter(({ name }) => names.includes(name)).map((phase) => stretchOf(phase, elapsedMs));
  const isOnPart = (part: number) => (worker: { readonly shard: number }) =>
    machinePart(worker.shard, machines) === part;
  const lateMs = ({ part }: MachineOfFleet): number => leftOutMs(run.late.filter(isOnPart(part)), stretches, 1);
  const [worst] = machines.toSorted((a, b) => lateMs(b) - lateMs(a));
  if (worst === undefined || lateMs(worst) === 0)
    return { who: undefined, cause: shortageOf(run.workers, names, { machine, elapsedMs, lost }) };
  const workers = run.workers.filter(isOnPart(worst.part));
  const cause = shortageOf(workers, names, { machine: worst.load, elapsedMs, lost });
  return { who: machineNames(worst.part, machines), cause };
}

/** The cause of lateness, after the name of the machine if there are several. */
function causeIn(recording: Recording, names: readonly string[], facts: ValidityFacts): string {
  const { who, cause } = latenessIn(recording, names, facts);
  return who === undefined ? cause : `${who}: ${cause}`;
}

/** Whether late accepts can have made nothing look better: no threshold is in the phase, or those on polls hold although polls took longer. */
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

/** One in a hundred, as for arrivals. */
const LATE_SHARE = 0.01;

/** Connections waiting to be accepted appear in no other figure, but their clients notice and give up. */
function lateConnections(
  { run }: Recording,
  { name }: PhaseSpan,
  { schedulingDelayMs: limitMs }: ValidityLimits,
): string | undefined {
  const { accepted, late } = run.phaseListeners.get(name) ?? NO_LISTENER_COUNTS;
  if (late <= accepted * LATE_SHARE) return undefined;
  return `${late} of ${accepted} connections to agents may have waited more than ${limitMs} ms until the generator accepted them (limit ${percentOf(LATE_SHARE)})`;
}

function unjudgedThresholds(
  recording: Recording,
  results: readonly ThresholdResult[],
  facts: ValidityFacts,
): readonly string[] {
  const allPhases = recording.phases.map(({ name }) => name);
  const unjudged = results.flatMap((result) => {
    if (result.kind !== 'operation' || result.unjudged === undefined) return [];
    const cause = causeIn(recording, result.phase === undefined ? allPhases : [result.phase], facts);
    return [{ threshold: `${thresholdSubject(result)} ${result.text}`, why: result.unjudged, cause }];
  });
  return [...Map.groupBy(unjudged, ({ cause }) => cause).values()].map(unjudgedText);
}

/** Counted phases of which too much is left out. */
function latePhases(recording: Recording, facts: ValidityFacts): readonly string[] {
  const { leaveOutShare } = facts.limits;
  return countedPhases(recording).flatMap((phase) => {
    const elapsedMs = elapsedOf(phase, recording.elapsedMs);
    const share = elapsedMs === 0 ? 0 : leftOutIn(recording, phase) / elapsedMs;
    if (share <= leaveOutShare) return [];
    const { who, cause } = latenessIn(recording, [phase.name], facts);
    const what =
      who === undefined
        ? `the generator was late for ${percentOf(share)} of the time`
        : `${who} was late, which leaves out ${percentOf(share)} of the time`;
    return [`in ${phase.name} ${what} (limit ${percentOf(leaveOutShare)}): ${cause}`];
  });
}

/** Thresholds that one cause left unjudged. Each of them has its own reason in its result. */
function unjudgedText(all: readonly { threshold: string; why: string; cause: string }[]): string {
  const [{ why, cause }] = all as readonly [(typeof all)[number]];
  const names = all.map(({ threshold }) => threshold).join(', ');
  const reason = all.every((one) => one.why === why) ? `: ${why}` : ', because the generator was late';
  return `${names} ${all.length === 1 ? 'was' : 'were'} not judged${reason}: ${cause}`;
}

const MUCH_COLLECTION = 0.2;
// One second in a hundred is enough to affect the 99th percentile of delays.
const MANY_SECONDS = 0.01;
// Above this, the backlog of a short stall makes arrivals late for a long time.
const LITTLE_RESERVE = 0.7;
const MUCH_STEAL = 0.05;
// Half a core taken from a worker doubles the time its work takes.
const MUCH_OF_A_CORE = 0.5;

/** The likeliest cause of lateness, and its remedy. Figures of the phase come before those of the run, whose backlog may be older. */
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

function neighbors({ cores, loadAverage, otherCores, stealShare = 0 }: MachineLoad): string | undefined {
  const areBusy = otherCores !== undefined && otherCores > MUCH_OF_A_CORE;
  const isStolen = stealShare > MUCH_STEAL;
  if (!areBusy && !isStolen && loadAverage <= 2 * cores) return undefined;
  const facts = [
    ...(areBusy ? [`other processes used ${otherCores.toFixed(1)} of ${cores} cores`] : []),
    ...(isStolen ? [`the hypervisor gave ${wholePercent(stealShare)} of the time to others`] : []),
    `load average ${loadAverage.toFixed(1)}`,
  ];
  return `${facts.join(', ')}; use a dedicated machine`;
}

function cpuShareOf({ cpuMs, seconds }: LoadTotals): number {
  return seconds === 0 ? 0 : cpuMs / (seconds * 1000);
}

function wholePercent(part: number): string {
  return `${Math.round(part * 100)}%`;
}
