import { formatDuration } from '../../kernel/units.ts';
import { countedPhases, type Recording } from '../merging/measurement.ts';
import { elapsedOf } from '../merging/phases.ts';
import { sumTotals } from '../merging/totals.ts';
import type { WorkerTotals } from '../merging/worker-accounts.ts';
import { maxMs, percentileMs } from '../recording/histogram.ts';
import type { Outcome } from '../recording/outcomes.ts';
import { rounded } from '../results/latency.ts';
import type { Validity } from './judgement.ts';
import { type MachineLoad, shortageOf } from './shortage.ts';

/**
 * One arrival in a hundred this late is the generator's doing and no fine print: it moves the response p99, the figure
 * most thresholds are about, by as much. A hundred milliseconds is far above timer and garbage collection noise
 * (a few milliseconds), and of the size of the thresholds people set.
 */
export const SCHEDULING_DELAY_LIMIT_MS = 100;

/** A closed load has no arrivals that could be late: what counts is for how much of its time a worker was held up. */
const STALLED_SHARE_LIMIT = 0.01;

/** Above this a worker has no reserve: any slower garbage collection turns into lag. */
export const LOOP_UTILISATION_LIMIT = 0.95;

/** Outcomes that are a want of this machine, whatever the server does. */
const WANTS: Readonly<Partial<Record<Outcome, string>>> = {
  no_file_descriptor:
    'the process ran out of file descriptors; raise the limit with ulimit -n, or let agents share connections',
  no_local_port:
    'this machine ran out of local ports for connections to one address; widen net.ipv4.ip_local_port_range, or let agents share connections',
};

/** Shards that start further apart than this make a load that no single run has. */
const APART_LIMIT_MS = 1000;

/**
 * Was the generator the bottleneck of the counted phases? Any problem makes the run invalid; warnings do not.
 * @param starts when merged shards started, in Unix milliseconds; empty for a single run.
 */
export function assessValidity(
  recording: Recording,
  machine: MachineLoad | undefined,
  starts: readonly number[] = [],
): Validity {
  const counted = countedPhases(recording);
  const names = new Set(counted.map(({ name }) => name));
  const totals = sumTotals(recording.run.series.flatMap((entry) => (names.has(entry.phase) ? [entry.totals] : [])));
  const p99Ms = percentileMs(totals.histograms.delay, 99);
  const utilisations = recording.run.workers.flatMap((worker) => (worker.seconds > 0 ? [worker.loopUtilisation] : []));
  const stalledMs = stalledIn(recording, [...names]);
  const late = [...lateArrivals(p99Ms), ...stalledLoads(recording)];
  return {
    schedulingDelayP99Ms: p99Ms,
    schedulingDelayMaxMs: maxMs(totals.histograms.delay),
    stalledMs: rounded(stalledMs),
    busiestLoopUtilisation: utilisations.length === 0 ? undefined : rounded(Math.max(...utilisations)),
    machine,
    problems: [
      ...late.map((text) => `${text}: ${shortageOf(recording.run.workers, machine)}`),
      ...wants(totals.outcomes),
    ],
    warnings: [...loopWarnings(recording), ...apartWarnings(starts)],
  };
}

function lateArrivals(p99Ms: number | undefined): string[] {
  if (p99Ms === undefined || p99Ms <= SCHEDULING_DELAY_LIMIT_MS) return [];
  return [
    `the generator picked 1% of arrivals up more than ${Math.round(p99Ms)} ms late (limit ${SCHEDULING_DELAY_LIMIT_MS} ms)`,
  ];
}

function stalledLoads(recording: Recording): string[] {
  const closed = closedPhases(recording);
  const elapsedMs = closed.reduce((sum, phase) => sum + elapsedOf(phase, recording.elapsedMs), 0);
  const stalledMs = stalledIn(
    recording,
    closed.map(({ name }) => name),
  );
  if (elapsedMs === 0 || stalledMs / elapsedMs <= STALLED_SHARE_LIMIT) return [];
  const share = `${((stalledMs / elapsedMs) * 100).toPrecision(2)}%`;
  const limit = `${STALLED_SHARE_LIMIT * 100}%`;
  return [`the generator stood still for ${Math.round(stalledMs)} ms, ${share} of its closed loads (limit ${limit})`];
}

/** Of the worker that was held up longest. */
function stalledIn({ run }: Recording, phases: readonly string[]): number {
  const perWorker = run.workers.map(({ stalls }) =>
    stalls.reduce((sum, { phase, durationMs }) => (phases.includes(phase) ? sum + durationMs : sum), 0),
  );
  return Math.max(0, ...perWorker);
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

function apartWarnings(starts: readonly number[]): string[] {
  const apartMs = Math.max(...starts) - Math.min(...starts);
  if (starts.length === 0 || apartMs <= APART_LIMIT_MS) return [];
  return [
    `the shards started ${formatDuration(Math.round(apartMs / 100) * 100)} apart, and their seconds are laid over each other; ` +
      'start them at one instant with --start-at',
  ];
}

function loopWarnings(recording: Recording): string[] {
  const closed = closedPhases(recording).map(({ name }) => name);
  const ceiling =
    closed.length === 0 ? '' : `; the rates of ${closed.join(', ')} are the generator's ceiling, not the target's`;
  return recording.run.workers
    .filter(({ loopUtilisation }: WorkerTotals) => loopUtilisation > LOOP_UTILISATION_LIMIT)
    .map(
      ({ shard, loopUtilisation }) =>
        `worker ${shard} was busy ${Math.round(loopUtilisation * 100)}% of the time${ceiling}`,
    );
}
