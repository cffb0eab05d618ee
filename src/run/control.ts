import type { Clock } from '../kernel/clock.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import { createRunTotals, type RunTotals } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { Reason } from '../metrics/results/summary-schema.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IssuedCredential, ShardEvents, Shards } from '../workers/shards.ts';
import { createGroupCommit } from './group-commit.ts';
import { createReachWatch, type ReachWatch } from './reach-watch.ts';

export type RunPorts = {
  /** Builds the workers; they wait for the start. */
  readonly openShards: (events: ShardEvents) => Promise<Shards>;
  /** The process-wide monotonic clock. */
  readonly clock: Clock;
  /** Called once all workers are ready, before anything is sent; whatever it throws ends the run. */
  readonly onStart: (startedAt: Date) => void;
  /** Whether the target takes a connection at all; asked once, at the start. */
  readonly takesConnections: () => Promise<boolean>;
  /** Called with the seconds of the timeline that all workers have reported, each once and in order. */
  readonly onSeconds: (seconds: readonly TimelineFrame[]) => void;
  /** Returns once the passwords are durable. */
  readonly saveCredentials: (credentials: readonly IssuedCredential[]) => void;
};

export type RunEnd = {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly recording: Recording;
  /** By shard, of all that ran to their end. */
  readonly deliveryCounts: ReadonlyMap<number, DeliveryCounts>;
  /** Why the run did not go to its end with all its workers; empty if it did. */
  readonly reasons: readonly Reason[];
};

export type Run = {
  /** First: what is under way may end, nothing new starts. Second: everything ends at once. */
  interrupt(): void;
  /** Rejects if the run could not be carried out: no worker could start, or passwords could not be saved. */
  readonly end: Promise<RunEnd>;
};

// Time for all workers to hear of the start before it comes.
const START_DELAY_MS = 100;
// Beyond the last deadline of the last request, a worker that still runs is hung.
const GRACE_MS = 10_000;

type RunState = {
  readonly scenario: Scenario;
  readonly ports: RunPorts;
  readonly timelineMs: number;
  readonly reasons: Reason[];
  /** Settles when no worker runs any more, or the run has failed. */
  readonly over: PromiseWithResolvers<void>;
  /** Present from the start on. */
  live:
    | { readonly shards: Shards; readonly totals: RunTotals; readonly startMs: number; readonly reach: ReachWatch }
    | undefined;
  /** Shards that finished or were lost. */
  readonly ended: Set<number>;
  readonly deliveryCounts: Map<number, DeliveryCounts>;
  /** Length of the timeline that took place, once it was cut short. */
  cutMs: number | undefined;
};

/** Carries out one scenario with workers that all follow the same timeline, and collects what they report. */
export function startRun(scenario: Scenario, ports: RunPorts): Run {
  const state: RunState = {
    scenario,
    ports,
    timelineMs: timelineEndMs(scenario.phases),
    reasons: [],
    over: Promise.withResolvers(),
    live: undefined,
    ended: new Set(),
    deliveryCounts: new Map(),
    cutMs: undefined,
  };
  return { interrupt: () => interrupt(state), end: carryOut(state) };
}

async function carryOut(state: RunState): Promise<RunEnd> {
  const { ports, scenario } = state;
  const shards = await ports.openShards(shardEvents(state));
  try {
    const startMs = ports.clock() + START_DELAY_MS;
    const startedAt = new Date(Date.now() + START_DELAY_MS);
    ports.onStart(startedAt);
    const totals = createRunTotals(
      scenario.phases,
      Array.from({ length: shards.count }, (_, shard) => shard),
    );
    state.live = { shards, totals, startMs, reach: createReachWatch(ports.takesConnections()) };
    shards.start(startMs, startedAt.getTime());
    // An interrupt that came while the workers were built.
    if (state.cutMs !== undefined) shards.stop();
    endIfAllEnded(state);
    await endWithin(state, state.timelineMs + scenario.target.timeoutMs + GRACE_MS);
    const { deliveryCounts, reasons } = state;
    return { startedAt, endedAt: new Date(), recording: recordingOf(state, totals), deliveryCounts, reasons };
  } finally {
    await shards.close();
  }
}

async function endWithin(state: RunState, limitMs: number): Promise<void> {
  const watchdog = setTimeout(() => {
    state.reasons.push({
      kind: 'incomplete',
      text: `${state.live?.shards.count ?? 0} workers: ${state.ended.size} finished in time`,
    });
    state.over.resolve();
  }, limitMs);
  await state.over.promise.finally(() => clearTimeout(watchdog));
}

function shardEvents(state: RunState): ShardEvents {
  return {
    frame: (frame) => takeFrame(state, frame),
    storeCredentials: createGroupCommit(state.ports.saveCredentials, (error) => fail(state, error)),
    delivered: (shard, counts) => void state.deliveryCounts.set(shard, counts),
    finished: (shard) => endShard(state, shard),
    lost: (shard, error) => {
      state.reasons.push({ kind: 'incomplete', text: `worker ${shard} was lost: ${error.message}` });
      endShard(state, shard);
    },
  };
}

/** Something around the run failed, such as the disk: the run ends, and its end rejects. */
function fail(state: RunState, error: unknown): void {
  state.over.reject(error);
  cut(state, 'cancel');
}

/** Hands completed seconds on. */
function reportSeconds(state: RunState, totals: RunTotals): void {
  try {
    state.ports.onSeconds(totals.takeTimeline());
  } catch (error) {
    fail(state, error);
  }
}

function takeFrame(state: RunState, frame: Frame): void {
  if (state.live === undefined) return;
  const { totals, reach, startMs } = state.live;
  totals.add(frame);
  reportSeconds(state, totals);
  if (state.cutMs !== undefined) return;
  const reasons = reach.giveUp(state.ports.clock() - startMs, () => recordingOf(state, totals));
  if (reasons === undefined) return;
  state.reasons.push(...reasons);
  cut(state, 'cancel');
}

function endShard(state: RunState, shard: number): void {
  state.ended.add(shard);
  if (state.live === undefined) return;
  state.live.totals.end(shard);
  reportSeconds(state, state.live.totals);
  endIfAllEnded(state);
}

function endIfAllEnded(state: RunState): void {
  if (state.ended.size === state.live?.shards.count) state.over.resolve();
}

function interrupt(state: RunState): void {
  const first = !state.reasons.some(({ kind }) => kind === 'interrupted');
  if (first) state.reasons.push({ kind: 'interrupted', text: 'the run was interrupted' });
  cut(state, first ? 'stop' : 'cancel');
}

function cut(state: RunState, how: 'stop' | 'cancel'): void {
  state.cutMs ??= state.live === undefined ? 0 : Math.max(0, state.ports.clock() - state.live.startMs);
  state.live?.shards[how]();
}

function recordingOf({ scenario, timelineMs, cutMs }: RunState, totals: RunTotals): Recording {
  return { phases: scenario.phases, elapsedMs: Math.min(timelineMs, cutMs ?? timelineMs), run: totals.read() };
}
