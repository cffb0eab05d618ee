import type { Clock, Timer } from '../base/kernel/clock.ts';
import type { RunTotals } from '../metrics/merging/run-totals.ts';
import type { Joining, Shards } from '../workers/shards.ts';
import type { AgentGroup } from './live-agents.ts';

export type StartedShards = {
  readonly shards: Shards;
  readonly totals: RunTotals;
  readonly startMs: number;
  readonly startedAt: Date;
};

/** Time for operations in flight to complete; after it they are cut short. */
const LEAVE_MS = 1000;
const RETRIED_EVERY_MS = 20;

/** Waits until all agents have left. Registrations may complete, within their timeout, so that no agent leaves with an unknown password. */
export async function leaveAgents(
  leaving: readonly number[],
  { leave }: Pick<Shards, 'leave'>,
  { clock, timer }: { readonly clock: Clock; readonly timer: Timer },
): Promise<void> {
  if (leaving.length === 0) return;
  const untilMs = clock() + LEAVE_MS;
  while ((await leave(leaving, clock() < untilMs ? 'idle' : 'now')) > 0)
    await new Promise<void>((resolve) => timer(RETRIED_EVERY_MS, resolve));
}

/** New shards start a whole number of seconds after the run, so that their seconds match its seconds. */
export function joinTimeMs({ startMs }: StartedShards, nowMs: number, leadMs: number): number {
  return 1000 * Math.ceil((nowMs - startMs + leadMs) / 1000);
}

/** Opens the shards of joining agents, which then wait for the start. */
export async function openJoining(
  { shards, totals }: StartedShards,
  joining: Joining,
  sinceMs: number,
): Promise<AgentGroup> {
  const { shard, workers, open } = joining;
  const first = shards.count;
  // The timeline waits for the new shards from their first second, so that no second is reported twice.
  for (let number = first; number < first + workers; number++) totals.begin(number, sinceMs / 1000);
  await open();
  return { shard, firstWorker: first, workers };
}
