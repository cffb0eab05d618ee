import { z } from 'zod';
import { formatDuration } from '../../kernel/units.ts';
import { elapsedOf } from '../merging/phases.ts';
import { countedPhases, type Recording, SATURATED, type WorkerTotals } from '../merging/run-totals.ts';
import { sumTotals } from '../merging/totals.ts';
import { maxMs, percentileMs, rounded } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';

/** Beyond any of these the generator was the bottleneck, and the run is invalid. */
export type ValidityLimits = {
  /** Of the 99th percentile of scheduling delays. */
  readonly schedulingDelayMs: number;
  /** Share of the time of closed loads for which a worker stood still, 0 to 1. */
  readonly stalledShare: number;
  /** Mean share of its time for which a worker of a closed load was busy, 0 to 1; of an open load it brings a warning. */
  readonly busyShare: number;
  /** Share of a worker's time that garbage collection took, 0 to 1. */
  readonly collectionShare: number;
};

/**
 * One arrival in a hundred that is 100 ms late is the generator's doing and no fine print: it moves the response p99, the
 * figure most thresholds are about, by as much. It is far above timer and garbage collection noise (a few milliseconds), and
 * of the size of the thresholds people set. A closed load has no arrivals that could be late: what counts is for how much of
 * its time a worker was held up, and whether it had any reserve.
 */
export const USUAL_LIMITS: ValidityLimits = {
  schedulingDelayMs: 100,
  stalledShare: 0.01,
  busyShare: 0.95,
  collectionShare: 0.2,
};

const milliseconds = z.number().nonnegative();

export const machineSchema = z.strictObject({
  cores: z.int().positive(),
  loadAverage: z.number().nonnegative().describe('of the last minute, at the end of the run'),
  otherCores: z.number().nonnegative().optional().describe('cores that other processes used on average'),
  stealShare: z.number().nonnegative().optional().describe('time the hypervisor gave to others, 0 to 1'),
});

export const validitySchema = z
  .strictObject({
    schedulingDelayP99Ms: milliseconds
      .optional()
      .describe('from due instant to pick-up by the generator, counted phases; absent without arrivals'),
    schedulingDelayMaxMs: milliseconds.optional(),
    busiestLoopUtilisation: z.number().min(0).optional().describe('mean of the busiest worker, 0 to 1'),
    stalledMs: milliseconds.describe('how long the worker that was held up longest stood still at a stretch, in all'),
    machine: machineSchema.optional().describe('how busy the machine was during the run, the generator left out'),
    problems: z.array(z.string()).describe('why the generator was the bottleneck; empty: valid'),
    warnings: z.array(z.string()).describe('what to keep in mind when reading the results'),
  })
  .meta({ id: 'validity', description: 'was the generator the bottleneck?' });

export type Validity = z.infer<typeof validitySchema>;

/** How busy the machine was during a run, the generator's own part left out; what it does not tell is undefined. */
export type MachineLoad = z.infer<typeof machineSchema>;

/** Outcomes that are a want of this machine, whatever the server does. */
const WANTS: Readonly<Partial<Record<Outcome, string>>> = {
  no_file_descriptor:
    'the process ran out of file descriptors; raise the limit with ulimit -n, or let agents share connections',
  no_local_port:
    'this machine ran out of local ports for connections to one address; list more source addresses in fleet.sourceAddresses, widen net.ipv4.ip_local_port_range, or let agents share connections',
};

/** Shards that start further apart than this make a load that no single run has. */
const APART_LIMIT_MS = 1000;

/** What validity is judged by, beside what was recorded. */
type ValidityFacts = {
  readonly limits: ValidityLimits;
  /** Undefined: nobody looked. */
  readonly machine: MachineLoad | undefined;
};

/** Was the generator the bottleneck of the counted phases? Any problem makes the run invalid; warnings do not. */
export function assessValidity(recording: Recording, { limits, machine }: ValidityFacts): Validity {
  const counted = countedPhases(recording);
  const names = new Set(counted.map(({ name }) => name));
  const totals = sumTotals(recording.run.series.flatMap((entry) => (names.has(entry.phase) ? [entry.totals] : [])));
  const p99Ms = percentileMs(totals.histograms.delay, 99);
  const utilisations = recording.run.workers.flatMap((worker) => (worker.seconds > 0 ? [worker.loopUtilisation] : []));
  const stalledMs = stalledIn(recording, [...names]);
  const late = [...lateArrivals(p99Ms, limits), ...stalledLoads(recording, limits)];
  return {
    schedulingDelayP99Ms: p99Ms,
    schedulingDelayMaxMs: maxMs(totals.histograms.delay),
    stalledMs: rounded(stalledMs),
    busiestLoopUtilisation: utilisations.length === 0 ? undefined : rounded(Math.max(...utilisations)),
    machine,
    problems: [
      ...late.map((text) => `${text}: ${shortageOf(recording.run.workers, machine)}`),
      ...ceilings(recording, limits),
      ...collections(recording, limits),
      ...wants(totals.outcomes),
    ],
    warnings: loopWarnings(recording, limits),
  };
}

/** A run that raised a part of a fleet, as its own figures judge it. */
type JudgedShard = {
  readonly number: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly validity: Validity;
};

/**
 * Of all shards of a run together: one that was invalid alone makes it invalid, however many good ones there are, and each
 * figure is that of the shard where it is worst.
 */
export function mergeValidity(shards: readonly JudgedShard[], machine: MachineLoad | undefined): Validity {
  const all = shards.map(({ validity }) => validity);
  const told = (texts: (validity: Validity) => readonly string[]) =>
    shards.flatMap(({ number, validity }) =>
      texts(validity).map((text) => `shard ${number} of ${shards.length}: ${text}`),
    );
  return {
    schedulingDelayP99Ms: highest(all.map(({ schedulingDelayP99Ms }) => schedulingDelayP99Ms)),
    schedulingDelayMaxMs: highest(all.map(({ schedulingDelayMaxMs }) => schedulingDelayMaxMs)),
    stalledMs: highest(all.map(({ stalledMs }) => stalledMs)) ?? 0,
    busiestLoopUtilisation: highest(all.map(({ busiestLoopUtilisation }) => busiestLoopUtilisation)),
    machine,
    problems: told(({ problems }) => problems),
    warnings: [...told(({ warnings }) => warnings), ...apartWarnings(shards)],
  };
}

function highest(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function lateArrivals(p99Ms: number | undefined, { schedulingDelayMs: limitMs }: ValidityLimits): string[] {
  if (p99Ms === undefined || p99Ms <= limitMs) return [];
  const late = `${Math.round(p99Ms)} ms late (limit ${limitMs} ms)`;
  return [`the generator picked 1% of arrivals up more than ${late}`];
}

function stalledLoads(recording: Recording, { stalledShare }: ValidityLimits): string[] {
  const closed = closedPhases(recording);
  const elapsedMs = closed.reduce((sum, phase) => sum + elapsedOf(phase, recording.elapsedMs), 0);
  const stalledMs = stalledIn(
    recording,
    closed.map(({ name }) => name),
  );
  if (elapsedMs === 0 || stalledMs / elapsedMs <= stalledShare) return [];
  const share = `${((stalledMs / elapsedMs) * 100).toPrecision(2)}%`;
  return [
    `the generator stood still for ${Math.round(stalledMs)} ms, ${share} of its closed loads (limit ${percent(stalledShare)})`,
  ];
}

/** Of the worker that was held up longest. */
function stalledIn({ run }: Recording, phases: readonly string[]): number {
  const perWorker = run.workers.map(({ stalls }) =>
    stalls.reduce((sum, { phase, durationMs }) => (phases.includes(phase) ? sum + durationMs : sum), 0),
  );
  return Math.max(0, ...perWorker);
}

/** A closed load asks as fast as it can: where a worker has no reserve, it could not ask faster. */
function ceilings(recording: Recording, limits: ValidityLimits): string[] {
  const closed = closedPhases(recording).map(({ name }) => name);
  if (closed.length === 0) return [];
  const limit = percent(limits.busyShare);
  return busyWorkers(recording, limits).map(
    ({ shard, loopUtilisation }) =>
      `worker ${shard} was busy ${percent(loopUtilisation)} of the time (limit ${limit}), so the rates of ${closed.join(', ')} ` +
      "are the generator's ceiling and not the target's; use more workers or machines, or a leaner payload",
  );
}

function collections({ run }: Recording, { collectionShare }: ValidityLimits): string[] {
  return run.workers
    .filter(({ gcMs, seconds }) => seconds > 0 && gcMs / (seconds * 1000) > collectionShare)
    .map(
      ({ shard, gcMs, seconds }) =>
        `garbage collection took ${percent(gcMs / (seconds * 1000))} of the time of worker ${shard} ` +
        `(limit ${percent(collectionShare)}); give the process more memory, or run fewer agents`,
    );
}

function wants(outcomes: Readonly<Partial<Record<Outcome, number>>>): string[] {
  return Object.entries(WANTS).flatMap(([outcome, text]) => {
    const count = outcomes[outcome as Outcome] ?? 0;
    return count > 0 ? [`${count} operations failed because ${text}`] : [];
  });
}

function closedPhases(recording: Recording) {
  return countedPhases(recording).filter(({ loads }) => loads.some(({ model }) => model.kind === 'concurrency'));
}

/** Without a reserve any slower garbage collection turns into lag. */
function loopWarnings(recording: Recording, limits: ValidityLimits): string[] {
  if (closedPhases(recording).length > 0) return [];
  return busyWorkers(recording, limits).map(
    ({ shard, loopUtilisation }) => `worker ${shard} was busy ${percent(loopUtilisation)} of the time`,
  );
}

function busyWorkers({ run }: Recording, { busyShare }: ValidityLimits): readonly WorkerTotals[] {
  return run.workers.filter(({ loopUtilisation }) => loopUtilisation > busyShare);
}

function apartWarnings(shards: readonly JudgedShard[]): string[] {
  const starts = shards.map(({ startedAt }) => Date.parse(startedAt));
  const apartMs = Math.max(...starts) - Math.min(...starts);
  if (apartMs <= APART_LIMIT_MS) return [];
  return [
    `the shards started ${formatDuration(Math.round(apartMs / 100) * 100)} apart, and their seconds are laid over each other; ` +
      'start them at one instant with --start-at',
  ];
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(2))}%`;
}

const MUCH_COLLECTION = 0.2;
// Of one second in a hundred: enough for the 99th percentile of delays.
const MANY_SECONDS = 0.01;
// Beyond this, what a moment's hold-up leaves undone makes arrivals late for long.
const LITTLE_RESERVE = 0.7;
const MUCH_STEAL = 0.05;
// Half a core taken from a worker doubles the time its work takes.
const MUCH_OF_A_CORE = 0.5;

/** What the generator lacked when it was late, and what to do about it: the likeliest cause that its figures tell. */
function shortageOf(workers: readonly WorkerTotals[], machine: MachineLoad | undefined): string {
  const own = collection(workers) ?? saturation(workers);
  return own ?? (machine && neighbours(machine)) ?? peaks(workers) ?? littleReserve(workers) ?? STANDSTILL;
}

const LESS_WORK = 'use more workers or machines, or a lower load';

const STANDSTILL =
  'neither its own work nor other processes explain it; was the process stopped, the machine suspended or short of memory?';

function collection(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ gcMs, seconds }) => share(gcMs, seconds) > MUCH_COLLECTION);
  if (worker === undefined) return undefined;
  const text = `garbage collection took ${wholePercent(share(worker.gcMs, worker.seconds))} of the time of worker ${worker.shard}`;
  return `${text}; give the process more memory, or run fewer agents`;
}

function saturation(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ cpuMs, seconds }) => share(cpuMs, seconds) > SATURATED);
  if (worker === undefined) return undefined;
  return `worker ${worker.shard} used ${wholePercent(share(worker.cpuMs, worker.seconds))} of a core; ${LESS_WORK}`;
}

function peaks(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ saturatedSeconds, seconds }) => saturatedSeconds > seconds * MANY_SECONDS);
  if (worker === undefined) return undefined;
  const { shard, saturatedSeconds, seconds } = worker;
  return `worker ${shard} used more than ${wholePercent(SATURATED)} of a core in ${saturatedSeconds} of ${seconds} seconds; ${LESS_WORK}`;
}

function littleReserve(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ loopUtilisation }) => loopUtilisation > LITTLE_RESERVE);
  if (worker === undefined) return undefined;
  const { shard, loopUtilisation } = worker;
  return `worker ${shard} was busy ${wholePercent(loopUtilisation)} of the time, too much to catch up soon once it is held up; ${LESS_WORK}`;
}

function neighbours({ cores, loadAverage, otherCores, stealShare }: MachineLoad): string | undefined {
  const taken = otherCores !== undefined && otherCores > MUCH_OF_A_CORE;
  const stolen = stealShare !== undefined && stealShare > MUCH_STEAL;
  if (!taken && !stolen && loadAverage <= 2 * cores) return undefined;
  const facts = [
    ...(taken ? [`other processes used ${otherCores.toFixed(1)} of ${cores} cores`] : []),
    ...(stolen ? [`the hypervisor gave ${wholePercent(stealShare)} of the time to others`] : []),
    `load average ${loadAverage.toFixed(1)}`,
  ];
  return `${facts.join(', ')}; give the run a machine that does nothing else`;
}

function share(milliseconds: number, seconds: number): number {
  return seconds === 0 ? 0 : milliseconds / (seconds * 1000);
}

function wholePercent(part: number): string {
  return `${Math.round(part * 100)}%`;
}
