import { z } from 'zod';
import { formatDuration } from '../../kernel/units.ts';
import { MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import { elapsedOf, type PhaseSpan } from '../merging/phases.ts';
import {
  countedPhases,
  type LoadTotals,
  measure,
  type PhaseStall,
  type Recording,
  SATURATED,
  type WorkerTotals,
} from '../merging/run-totals.ts';
import { sumTotals } from '../merging/totals.ts';
import { maxMs, percentileMs, rounded, valueCount } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import type { Threshold } from './thresholds.ts';

/** Beyond any of these the generator was the bottleneck, and the run is invalid. */
export type ValidityLimits = {
  /** Of the 99th percentile of scheduling delays, in each phase and of each operation. */
  readonly schedulingDelayMs: number;
  /**
   * Share of a phase for which a worker stood still, 0 to 1. Of open loads only what is longer than the scheduling delay that
   * is allowed: what falls due meanwhile is late by as much.
   */
  readonly stalledShare: number;
  /** Mean share of a phase for which a worker of a closed load was busy, 0 to 1; of an open load it brings a warning. */
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

const operationValiditySchema = z.strictObject({
  operation: z.enum(MEASURED_OPERATIONS),
  arrivals: z.int().positive().describe('that the generator picked up'),
  schedulingDelayP99Ms: milliseconds,
  schedulingDelayMaxMs: milliseconds,
  valid: z.boolean(),
});

const phaseValiditySchema = z.strictObject({
  phase: z.string(),
  valid: z.boolean().describe('false: it has a problem'),
  stalledMs: milliseconds.describe('how long the worker that was held up longest stood still, in all'),
  busiestLoopUtilisation: z.number().min(0).optional().describe('mean of the busiest worker, 0 to 1'),
  operations: z.array(operationValiditySchema).describe('those with arrivals'),
});

export const validitySchema = z
  .strictObject({
    schedulingDelayP99Ms: milliseconds
      .optional()
      .describe('from due instant to pick-up by the generator; the highest of any operation in any judged phase'),
    schedulingDelayMaxMs: milliseconds.optional(),
    busiestLoopUtilisation: z.number().min(0).optional().describe('mean of the busiest worker, 0 to 1'),
    stalledMs: milliseconds.describe('how long the worker that was held up longest stood still at a stretch, in all'),
    phases: z
      .array(phaseValiditySchema)
      .describe('what validity was judged by: counted phases, and excluded ones that a threshold names'),
    machine: machineSchema.optional().describe('how busy the machine was during the run, the generator left out'),
    problems: z.array(z.string()).describe('why the generator was the bottleneck; empty: valid'),
    warnings: z.array(z.string()).describe('what to keep in mind when reading the results'),
  })
  .meta({ id: 'validity', description: 'was the generator the bottleneck?' });

export type Validity = z.infer<typeof validitySchema>;
type PhaseValidity = Validity['phases'][number];
type OperationValidity = PhaseValidity['operations'][number];

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
  /** A phase that one of them names is judged, though it is excluded from all else. */
  readonly thresholds: readonly Threshold[];
  /** Undefined: nobody looked. */
  readonly machine: MachineLoad | undefined;
};

/**
 * Was the generator the bottleneck? It is asked where thresholds are judged, of each phase and operation: a busy phase would
 * hide one in which the generator stood still. Any problem makes the run invalid; warnings do not.
 */
export function assessValidity(recording: Recording, { limits, thresholds, machine }: ValidityFacts): Validity {
  const judged = judgedPhases(recording, thresholds);
  const phases = judged.map((phase) => judgePhase(recording, phase, { limits, machine }));
  const figures = phases.map(({ validity }) => validity);
  const { workers } = recording.run;
  const names = new Set(judged.map(({ name }) => name));
  const outcomes = sumTotals(
    recording.run.series.flatMap((entry) => (names.has(entry.phase) ? [entry.totals] : [])),
  ).outcomes;
  const spans = phases.flatMap((phase) => phase.spans);
  const reporting = workers.filter(({ seconds }) => seconds > 0);
  return {
    ...worstDelays(figures.flatMap(({ operations }) => operations)),
    stalledMs: rounded(stalledLongest(workers, names)),
    busiestLoopUtilisation: roundedHighest(reporting.map(({ loopUtilisation }) => loopUtilisation)),
    phases: figures,
    machine,
    problems: [
      ...phases.flatMap(({ problems }) => problems),
      ...lateConnections(recording, limits).map((text) => `${text}: ${shortageOf(spans, workers, machine)}`),
      ...collections(recording, limits),
      ...wants(outcomes),
    ],
    warnings: [...loopWarnings(recording, limits), ...stallWarnings(phases, limits)],
  };
}

function judgedPhases({ phases }: Recording, thresholds: readonly Threshold[]): readonly PhaseSpan[] {
  const named = new Set(thresholds.flatMap((threshold) => (threshold.kind === 'operation' ? [threshold.phase] : [])));
  return phases.filter(({ name, excluded }) => !excluded || named.has(name));
}

/** One worker in one phase. */
type WorkerSpan = LoadTotals & {
  readonly shard: number;
  readonly phase: string;
  readonly stalls: readonly PhaseStall[];
};

type JudgedPhase = {
  readonly validity: PhaseValidity;
  readonly problems: readonly string[];
  readonly spans: readonly WorkerSpan[];
};

function judgePhase(
  recording: Recording,
  phase: PhaseSpan,
  { limits, machine }: Pick<ValidityFacts, 'limits' | 'machine'>,
): JudgedPhase {
  const { workers } = recording.run;
  const spans = workers.flatMap(({ shard, phases }) =>
    phases.filter((one) => one.phase === phase.name).map((one) => ({ shard, ...one })),
  );
  const operations = delaysIn(recording, phase, limits);
  const [late] = [...lateArrivals(phase, operations, limits), ...stalledWorkers(recording, phase, { spans, limits })];
  const problems = [
    ...(late === undefined ? [] : [`${late}: ${shortageOf(spans, workers, machine)}`]),
    ...ceilings(phase, spans, limits),
  ];
  const validity: PhaseValidity = {
    phase: phase.name,
    valid: problems.length === 0,
    stalledMs: rounded(Math.max(0, ...spans.map(stalledMs))),
    busiestLoopUtilisation: roundedHighest(
      spans.flatMap(({ seconds, loopUtilisation }) => (seconds > 0 ? [loopUtilisation] : [])),
    ),
    operations,
  };
  return { validity, problems, spans };
}

function delaysIn(recording: Recording, phase: PhaseSpan, limits: ValidityLimits): OperationValidity[] {
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const { delay } = measure(recording, operation, [phase]).totals.histograms;
    const p99 = percentileMs(delay, 99);
    const max = maxMs(delay);
    if (p99 === undefined || max === undefined) return [];
    const valid = p99 <= limits.schedulingDelayMs;
    return [{ operation, arrivals: valueCount(delay), schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, valid }];
  });
}

function worstDelays(
  of: readonly Pick<Validity, 'schedulingDelayP99Ms' | 'schedulingDelayMaxMs'>[],
): Pick<Validity, 'schedulingDelayP99Ms' | 'schedulingDelayMaxMs'> {
  return {
    schedulingDelayP99Ms: highest(of.map(({ schedulingDelayP99Ms }) => schedulingDelayP99Ms)),
    schedulingDelayMaxMs: highest(of.map(({ schedulingDelayMaxMs }) => schedulingDelayMaxMs)),
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
    ...worstDelays(all),
    stalledMs: Math.max(0, ...all.map((one) => one.stalledMs)),
    busiestLoopUtilisation: highest(all.map(({ busiestLoopUtilisation }) => busiestLoopUtilisation)),
    phases: worstPhases(all.flatMap(({ phases }) => phases)),
    machine,
    problems: told(({ problems }) => problems),
    warnings: [...told(({ warnings }) => warnings), ...apartWarnings(shards)],
  };
}

function worstPhases(all: readonly PhaseValidity[]): PhaseValidity[] {
  return [...Map.groupBy(all, ({ phase }) => phase)].map(([phase, parts]) => ({
    phase,
    valid: parts.every(({ valid }) => valid),
    stalledMs: Math.max(...parts.map((part) => part.stalledMs)),
    busiestLoopUtilisation: highest(parts.map(({ busiestLoopUtilisation }) => busiestLoopUtilisation)),
    operations: worstOperations(parts.flatMap(({ operations }) => operations)),
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

function roundedHighest(figures: readonly number[]): number | undefined {
  const most = highest(figures);
  return most === undefined ? undefined : rounded(most);
}

function highest(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** One in a hundred, as of arrivals. */
const LATE_SHARE = 0.01;

/** What waits to be accepted is in no other figure: its clients see it, and give up. */
function lateConnections({ run }: Recording, { schedulingDelayMs: limitMs }: ValidityLimits): string[] {
  const { accepted, late } = run.countedListeners;
  if (late <= accepted * LATE_SHARE) return [];
  return [
    `${late} of ${accepted} connections to agents may have waited more than ${limitMs} ms until the generator took them (limit ${percent(LATE_SHARE)})`,
  ];
}

/** The operation whose arrivals were latest. */
function lateArrivals(
  { name }: PhaseSpan,
  operations: readonly OperationValidity[],
  { schedulingDelayMs: limitMs }: ValidityLimits,
): string[] {
  const late = operations.filter(({ valid }) => !valid);
  const [worst] = late.sort((a, b) => b.schedulingDelayP99Ms - a.schedulingDelayP99Ms);
  if (worst === undefined) return [];
  const { operation, schedulingDelayP99Ms } = worst;
  return [
    `in ${name} the generator picked 1% of ${operation} arrivals up more than ${Math.round(schedulingDelayP99Ms)} ms late (limit ${limitMs} ms)`,
  ];
}

/** The worker that was held up longest. */
function stalledWorkers(
  recording: Recording,
  phase: PhaseSpan,
  { spans, limits }: { readonly spans: readonly WorkerSpan[]; readonly limits: ValidityLimits },
): string[] {
  const elapsedMs = elapsedOf(phase, recording.elapsedMs);
  const spareMs = isClosed(phase) ? 0 : limits.schedulingDelayMs;
  const behindMs = ({ stalls }: WorkerSpan) =>
    stalls.reduce((sum, { durationMs }) => sum + Math.max(0, durationMs - spareMs), 0);
  const [worst] = spans.toSorted((a, b) => behindMs(b) - behindMs(a));
  if (worst === undefined || elapsedMs === 0 || behindMs(worst) / elapsedMs <= limits.stalledShare) return [];
  const share = `${((behindMs(worst) / elapsedMs) * 100).toPrecision(2)}% of the phase (limit ${percent(limits.stalledShare)})`;
  const stood = `in ${phase.name} worker ${worst.shard} stood still for ${Math.round(stalledMs(worst))} ms`;
  return [isClosed(phase) ? `${stood}, ${share}` : `${stood}, and was more than ${spareMs} ms behind for ${share}`];
}

function stalledMs({ stalls }: Pick<WorkerSpan, 'stalls'>): number {
  return stalls.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Of the worker that was held up longest. */
function stalledLongest(workers: readonly WorkerTotals[], names: ReadonlySet<string>): number {
  const perWorker = workers.map(({ phases }) =>
    phases.reduce((sum, span) => (names.has(span.phase) ? sum + stalledMs(span) : sum), 0),
  );
  return Math.max(0, ...perWorker);
}

/** A closed load asks as fast as it can: where a worker has no reserve, it could not ask faster. */
function ceilings(phase: PhaseSpan, spans: readonly WorkerSpan[], { busyShare }: ValidityLimits): string[] {
  const [busiest] = spans.toSorted((a, b) => b.loopUtilisation - a.loopUtilisation);
  if (!isClosed(phase) || busiest === undefined || busiest.loopUtilisation <= busyShare) return [];
  return [
    `in ${phase.name} worker ${busiest.shard} was busy ${percent(busiest.loopUtilisation)} of the time (limit ${percent(busyShare)}), ` +
      "so its rates are the generator's ceiling and not the target's; use more workers or machines, or a leaner payload",
  ];
}

function isClosed({ loads }: PhaseSpan): boolean {
  return loads.some(({ model }) => model.kind === 'concurrency');
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

/** Without a reserve any slower garbage collection turns into lag. */
function loopWarnings(recording: Recording, { busyShare }: ValidityLimits): string[] {
  if (countedPhases(recording).some(isClosed)) return [];
  return recording.run.workers
    .filter(({ loopUtilisation }) => loopUtilisation > busyShare)
    .map(({ shard, loopUtilisation }) => `worker ${shard} was busy ${percent(loopUtilisation)} of the time`);
}

/** The longest of those that do not make their phase invalid. */
function stallWarnings(phases: readonly JudgedPhase[], { schedulingDelayMs }: ValidityLimits): string[] {
  const spans = phases.flatMap((phase) => (phase.validity.valid ? phase.spans : []));
  const [worst] = spans.sort((a, b) => longestMs(b) - longestMs(a));
  if (worst === undefined || longestMs(worst) <= schedulingDelayMs) return [];
  const { shard, phase } = worst;
  return [
    `worker ${shard} stood still for ${Math.round(longestMs(worst))} ms in ${phase}: the highest times there are the generator's own`,
  ];
}

function longestMs({ stalls }: WorkerSpan): number {
  return Math.max(0, ...stalls.map(({ durationMs }) => durationMs));
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

/**
 * What the generator lacked when it was late, and what to do about it: the likeliest cause that its figures tell, those of the
 * phase before those of the whole run, whose work may have piled up before.
 */
function shortageOf(
  spans: readonly WorkerSpan[],
  workers: readonly WorkerTotals[],
  machine: MachineLoad | undefined,
): string {
  const first = (cause: (loads: readonly WorkerLoads[]) => string | undefined) => cause(spans) ?? cause(workers);
  return (
    standstill(spans, machine) ??
    first(collection) ??
    first(saturation) ??
    (machine && neighbours(machine)) ??
    first(peaks) ??
    first(littleReserve) ??
    STANDSTILL
  );
}

type WorkerLoads = LoadTotals & { readonly shard: number };

// No scheduler keeps a thread that has work from all cores for as long; only the hypervisor might.
const LONG_STALL_MS = 1000;

/** A worker that did next to nothing for long had no processor: no work, neither its own nor that of others, explains it. */
function standstill(spans: readonly WorkerSpan[], machine: MachineLoad | undefined): string | undefined {
  if (isStolen(machine)) return undefined;
  const stalls = spans.flatMap(({ shard, stalls }) => stalls.map((stall) => ({ shard, ...stall })));
  const idle = stalls.filter(({ wholeMs, cpuMs }) => wholeMs > LONG_STALL_MS && cpuMs < wholeMs / 2);
  const [longest] = idle.sort((a, b) => b.wholeMs - a.wholeMs);
  if (longest === undefined) return undefined;
  return `worker ${longest.shard} stood still for ${Math.round(longest.wholeMs)} ms at a stretch and had no processor meanwhile; ${WAS_IT_STOPPED}`;
}

const LESS_WORK = 'use more workers or machines, or a lower load';

const WAS_IT_STOPPED = 'was the process stopped, the machine suspended or short of memory?';

const STANDSTILL = `neither its own work nor other processes explain it; ${WAS_IT_STOPPED}`;

function collection(workers: readonly WorkerLoads[]): string | undefined {
  const worker = workers.find(({ gcMs, seconds }) => share(gcMs, seconds) > MUCH_COLLECTION);
  if (worker === undefined) return undefined;
  const text = `garbage collection took ${wholePercent(share(worker.gcMs, worker.seconds))} of the time of worker ${worker.shard}`;
  return `${text}; give the process more memory, or run fewer agents`;
}

function saturation(workers: readonly WorkerLoads[]): string | undefined {
  const worker = workers.find(({ cpuMs, seconds }) => share(cpuMs, seconds) > SATURATED);
  if (worker === undefined) return undefined;
  return `worker ${worker.shard} used ${wholePercent(share(worker.cpuMs, worker.seconds))} of a core; ${LESS_WORK}`;
}

function peaks(workers: readonly WorkerLoads[]): string | undefined {
  const worker = workers.find(({ saturatedSeconds, seconds }) => saturatedSeconds > seconds * MANY_SECONDS);
  if (worker === undefined) return undefined;
  const { shard, saturatedSeconds, seconds } = worker;
  return `worker ${shard} used more than ${wholePercent(SATURATED)} of a core in ${saturatedSeconds} of ${seconds} seconds; ${LESS_WORK}`;
}

function littleReserve(workers: readonly WorkerLoads[]): string | undefined {
  const worker = workers.find(({ loopUtilisation }) => loopUtilisation > LITTLE_RESERVE);
  if (worker === undefined) return undefined;
  const { shard, loopUtilisation } = worker;
  return `worker ${shard} was busy ${wholePercent(loopUtilisation)} of the time, too much to catch up soon once it is held up; ${LESS_WORK}`;
}

function neighbours({ cores, loadAverage, otherCores, stealShare }: MachineLoad): string | undefined {
  const taken = otherCores !== undefined && otherCores > MUCH_OF_A_CORE;
  const stolen = isStolen({ stealShare });
  if (!taken && !stolen && loadAverage <= 2 * cores) return undefined;
  const facts = [
    ...(taken ? [`other processes used ${otherCores.toFixed(1)} of ${cores} cores`] : []),
    ...(stolen ? [`the hypervisor gave ${wholePercent(stealShare ?? 0)} of the time to others`] : []),
    `load average ${loadAverage.toFixed(1)}`,
  ];
  return `${facts.join(', ')}; give the run a machine that does nothing else`;
}

function isStolen(machine: Pick<MachineLoad, 'stealShare'> | undefined): boolean {
  return (machine?.stealShare ?? 0) > MUCH_STEAL;
}

function share(milliseconds: number, seconds: number): number {
  return seconds === 0 ? 0 : milliseconds / (seconds * 1000);
}

function wholePercent(part: number): string {
  return `${Math.round(part * 100)}%`;
}
