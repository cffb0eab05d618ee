import type { Clock, Timer } from '../kernel/clock.ts';
import type { RunTotals } from '../metrics/merging/run-totals.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BaseTarget } from '../workers/messages.ts';
import type { Moving, Shards } from '../workers/open-shards.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import type { EventsChange } from './run-events.ts';

/** Changes a running fleet. */
export type FleetChange = {
  /** As it is from then on, but for phases and events; times count from the start of the run. */
  readonly scenario: Scenario;
  readonly events: EventsChange;
  /** Where its events lead agents to. */
  readonly otherServers: readonly BaseTarget[];
  /** By their indices in the fleet; also those that come again as others. */
  readonly leaving: readonly number[];
  /** What those who come are raised with, so long after the start of the run; undefined: no new agents. */
  readonly coming: ((sinceMs: number) => Promise<ShardsPlan>) | undefined;
  /** Time for them to be raised ahead of their start. */
  readonly leadMs: number;
};

type Up = {
  readonly shards: Pick<Shards, 'count' | 'start'>;
  readonly moving: Moving;
  readonly totals: RunTotals;
  readonly clock: Clock;
  readonly timer: Timer;
  /** When the run began. */
  readonly startMs: number;
  readonly startedAt: Date;
};

/** What they have under way may end; beyond this time it is cut short. */
const LEAVE_MS = 1000;
const ASKED_EVERY_MS = 20;

/** A registration is over within its time limit: no agent that leaves has an unknown password. */
export async function letLeave(
  { moving, clock, timer }: Pick<Up, 'moving' | 'clock' | 'timer'>,
  leaving: readonly number[],
): Promise<void> {
  if (leaving.length === 0) return;
  const untilMs = clock() + LEAVE_MS;
  while ((await moving.leave(leaving, clock() < untilMs ? 'idle' : 'now')) > 0)
    await new Promise<void>((resolve) => timer(ASKED_EVERY_MS, resolve));
}

/** They start a whole number of seconds after the run: their seconds are its seconds. */
export async function letCome(
  { shards, moving, totals, clock, startMs, startedAt }: Omit<Up, 'timer'>,
  { coming, leadMs }: Pick<FleetChange, 'coming' | 'leadMs'>,
): Promise<void> {
  if (coming !== undefined) await openLater({ shards, moving, totals, clock, startMs }, { coming, leadMs });
  shards.start(startMs, startedAt.getTime());
}

async function openLater(
  { shards, moving, totals, clock, startMs }: Omit<Up, 'timer' | 'startedAt'>,
  { coming, leadMs }: { readonly coming: NonNullable<FleetChange['coming']>; readonly leadMs: number },
): Promise<void> {
  const sinceMs = 1000 * Math.ceil((clock() - startMs + leadMs) / 1000);
  const plan = await coming(sinceMs);
  const first = shards.count;
  // From now on, seconds wait for them, so that none is reported twice.
  for (let shard = first; shard < first + plan.workers; shard++) totals.begin(shard, sinceMs / 1000);
  await moving.open(plan, sinceMs);
}
