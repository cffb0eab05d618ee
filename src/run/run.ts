import type { Clock } from '../kernel/clock.ts';
import type { Frame } from '../metrics/frame.ts';
import { createLedger, type Ledger } from '../metrics/ledger.ts';
import type { Recording } from '../metrics/measurement.ts';
import type { Reason } from '../metrics/summary-schema.ts';
import { unreachableTarget } from '../metrics/verdict.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IssuedCredential, ShardEvents, Shards } from '../workers/shards.ts';
import { createGroupCommit } from './group-commit.ts';

export type RunPorts = {
  /** Builds the workers; they wait for the start. */
  readonly openShards: (events: ShardEvents) => Promise<Shards>;
  /** The process-wide monotonic clock. */
  readonly clock: Clock;
  /** Called after every frame that came in, with the ledger that holds it. */
  readonly onFrame: (frame: Frame, ledger: Ledger) => void;
  /** Returns once the passwords are durable. */
  readonly saveCredentials: (credentials: readonly IssuedCredential[]) => void;
};

export type RunEnd = {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly recording: Recording;
  /** Why the run did not go to its end with all its workers; empty if it did. */
  readonly incidents: readonly Reason[];
};

export type Run = {
  /** First: what is under way may end, nothing new starts. Second: everything ends at once. */
  interrupt(): void;
  /** Rejects if the run could not be carried out: no worker could start, or passwords could not be saved. */
  readonly end: Promise<RunEnd>;
};

// Time for all workers to hear of the start before it comes.
const START_DELAY_MS = 50;
// A target that refuses everything for this long will not carry the rest of the timeline either.
const UNREACHABLE_AFTER_MS = 4000;
// Beyond the last deadline of the last request, a worker that still runs is hung.
const GRACE_MS = 10_000;

/** Carries out one scenario with workers that all follow the same timeline, and collects what they report. */
export function startRun(scenario: Scenario, ports: RunPorts): Run {
  const control = createControl(scenario, ports);
  return { interrupt: () => control.interrupt(), end: control.end() };
}

type Control = { interrupt(): void; end(): Promise<RunEnd> };

function createControl(scenario: Scenario, ports: RunPorts): Control {
  const timelineMs = scenario.phases.reduce((end, phase) => Math.max(end, phase.startMs + phase.durationMs), 0);
  const incidents: Reason[] = [];
  const outcome = Promise.withResolvers<void>();
  let shards: Shards | undefined;
  let ledger: Ledger | undefined;
  let startMs = Number.POSITIVE_INFINITY;
  let stoppedMs: number | undefined;
  let running = 0;
  let interrupts = 0;
  let reachable = false;

  const elapsedMs = (): number => Math.min(timelineMs, stoppedMs ?? timelineMs);
  const recording = (): Recording => {
    if (ledger === undefined) throw new Error('the run has not started');
    return { phases: scenario.phases, elapsedMs: elapsedMs(), ledger: ledger.read() };
  };
  const endEarly = (how: 'stop' | 'cancel'): void => {
    stoppedMs ??= Math.max(0, ports.clock() - startMs);
    shards?.[how]();
  };
  const oneLess = (shard: number): void => {
    ledger?.end(shard);
    running--;
    if (running === 0) outcome.resolve();
  };
  const watchReach = (): void => {
    if (reachable || stoppedMs !== undefined || ports.clock() - startMs < UNREACHABLE_AFTER_MS) return;
    if (unreachableTarget(recording()).length > 0) endEarly('cancel');
    else reachable = true;
  };
  const events: ShardEvents = {
    frame: (frame) => {
      if (ledger === undefined) return;
      ledger.add(frame);
      ports.onFrame(frame, ledger);
      watchReach();
    },
    storeCredentials: createGroupCommit(ports.saveCredentials, (error) => {
      outcome.reject(error);
      endEarly('cancel');
    }),
    finished: oneLess,
    lost: (shard, error) => {
      incidents.push({ kind: 'incomplete', text: `worker ${shard} was lost: ${error.message}` });
      oneLess(shard);
    },
  };

  const carryOut = async (): Promise<RunEnd> => {
    shards = await ports.openShards(events);
    running = shards.count;
    ledger = createLedger(
      scenario.phases,
      Array.from({ length: shards.count }, (_, shard) => shard),
    );
    startMs = ports.clock() + START_DELAY_MS;
    const startedAt = new Date(Date.now() + START_DELAY_MS);
    shards.start(startMs, startedAt.getTime());
    const watchdog = setTimeout(
      () => {
        incidents.push({ kind: 'incomplete', text: `${running} workers did not finish in time` });
        outcome.resolve();
      },
      timelineMs + scenario.target.timeoutMs + GRACE_MS,
    );
    try {
      await outcome.promise;
      return { startedAt, endedAt: new Date(), recording: recording(), incidents };
    } finally {
      clearTimeout(watchdog);
      await shards.close();
    }
  };

  return {
    interrupt: () => {
      interrupts++;
      if (interrupts === 1) incidents.push({ kind: 'interrupted', text: 'the run was interrupted' });
      endEarly(interrupts === 1 ? 'stop' : 'cancel');
    },
    end: carryOut,
  };
}
