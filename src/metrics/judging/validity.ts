import { formatDuration } from '../../kernel/units.ts';
import { countedPhases, type Recording } from '../merging/measurement.ts';
import { elapsedOf } from '../merging/phases.ts';
import { sumTotals } from '../merging/totals.ts';
import type { WorkerTotals } from '../merging/worker-accounts.ts';
import { maxMs, percentileMs, rounded } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import type { Validity } from './judgement.ts';
import { type MachineLoad, shortageOf } from './shortage.ts';
import type { ValidityLimits } from './validity-limits.ts';

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
export type ValidityFacts = {
  readonly limits: ValidityLimits;
  /** Undefined: nobody looked. */
  readonly machine: MachineLoad | undefined;
  /** When merged shards started, in Unix milliseconds; empty for a single run. */
  readonly starts: readonly number[];
};

/** Was the generator the bottleneck of the counted phases? Any problem makes the run invalid; warnings do not. */
export function assessValidity(recording: Recording, { limits, machine, starts }: ValidityFacts): Validity {
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
    warnings: [...loopWarnings(recording, limits), ...apartWarnings(starts)],
  };
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

function apartWarnings(starts: readonly number[]): string[] {
  const apartMs = Math.max(...starts) - Math.min(...starts);
  if (starts.length === 0 || apartMs <= APART_LIMIT_MS) return [];
  return [
    `the shards started ${formatDuration(Math.round(apartMs / 100) * 100)} apart, and their seconds are laid over each other; ` +
      'start them at one instant with --start-at',
  ];
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(2))}%`;
}
