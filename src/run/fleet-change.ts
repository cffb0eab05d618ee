import type { Clock, Timer } from '../ground/kernel/clock.ts';
import type { RunTotals } from '../metrics/merging/run-totals.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BaseTarget } from '../workers/messages.ts';
import type { Moving, Shards } from '../workers/open-shards.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import type { EventsChange } from './run-events.ts';

/** A change of a running fleet, as the control plane executes it. */
export type FleetChange = {
  /** The scenario after the change, except for phases and events; times count from the start of the run. */
  readonly scenario: Scenario;
  readonly events: EventsChange;
  /** Servers to which its events direct agents. */
  readonly otherServers: readonly BaseTarget[];
  /** Indices in the fleet, including those of agents that are started again. */
  readonly leaving: readonly number[];
  /** Returns the plan of the joining agents, which start `sinceMs` after the run; `undefined` if none join. */
  readonly coming: ((sinceMs: number) => Promise<ShardsPlan>) | undefined;
  /** Time to build their shards before the start. */
  readonly leadMs: number;
};

type Up = {
  readonly shards: Pick<Shards, 'count' | 'start'>;
  readonly moving: Moving;
  readonly totals: RunTotals;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Start of the run. */
  readonly startMs: number;
  readonly startedAt: Date;
};

/** Time for operations in flight to complete; after it they are cut short. */
const LEAVE_MS = 1000;
const ASKED_EVERY_MS = 20;

/** Waits until all agents have left. Registrations may complete, within their timeout, so that no agent leaves with an unknown password. */
export async function letLeave(
  { moving, clock, timer }: Pick<Up, 'moving' | 'clock' | 'timer'>,
  leaving: readonly number[],
): Promise<void> {
  if (leaving.length === 0) return;
  const untilMs = clock() + LEAVE_MS;
  while ((await moving.leave(leaving, clock() < untilMs ? 'idle' : 'now')) > 0)
    await new Promise<void>((resolve) => timer(ASKED_EVERY_MS, resolve));
}

/** The new shards start a whole number of seconds after the run, so that their seconds match its seconds. */
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
  // The timeline waits for the new shards from their first second, so that no second is reported twice.
  for (let shard = first; shard < first + plan.workers; shard++) totals.begin(shard, sinceMs / 1000);
  await moving.open(plan, sinceMs);
}
