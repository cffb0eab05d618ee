import { UserError } from '../ground/kernel/errors.ts';
import { shardOf } from '../load/shard.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import { AS_IT_BEGAN, type Control } from './control.ts';
import { assertRoomFor, assertSourcesUsable, assertTargetAllowed } from './guards.ts';
import { openAgentDisks } from './listening-fleet.ts';
import type { ChangingAgents } from './live-agents.ts';
import { assertEventsAllowed, otherServers } from './other-servers.ts';
import { type RunUp, raisingMs, shardsPlan } from './raising.ts';
import type { EventsChange } from './run-events.ts';
import { changedTarget } from './target.ts';

/** A change of a running fleet. */
export type RunChange = {
  /** The scenario after the change, with times relative to `sinceMs` after the start of the run. */
  readonly since: (sinceMs: number) => Scenario;
  readonly events: EventsChange;
  /** Indices in the fleet, ascending. An agent in both lists is started again with its new description. */
  readonly leaving: readonly number[];
  readonly coming: readonly number[];
  /** Called before the change takes effect; an exception refuses the change. `undefined`: only check whether the change is possible. */
  readonly keep: (() => void) | undefined;
};

/** See `Run.change`. */
export async function changeRun(
  up: RunUp | undefined,
  { since, events, leaving, coming, keep }: RunChange,
  { control, agents }: { readonly control: Control; readonly agents: ChangingAgents },
): Promise<void> {
  if (up === undefined) throw new UserError(AS_IT_BEGAN);
  const { part, limits } = up;
  const { shard } = part;
  const scenario = since(0);
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  assertRoomFor(scenario, shard, limits);
  const others = await otherServers(scenario.events, scenario.target);
  const target = await changedTarget(up.target, { from: up.scenario, to: scenario }, shard);
  const isOwn = target.close !== up.target.close;
  const raised = { shard: shardOf(coming), firstWorker: 0, workers: workersOf(part, coming.length, scenario) };
  try {
    const addresses = target.bases.flatMap((base) => base.addresses);
    await assertSourcesUsable(scenario, shard, addresses);
    if (keep === undefined) {
      if (isOwn) await target.close();
      return;
    }
    // Missing keys are generated before any agent leaves.
    if (coming.length > 0) await openAgentDisks(scenario, () => {}, coming);
    keep();
  } catch (error) {
    if (isOwn) await target.close();
    throw error;
  }
  if (isOwn) up.closing.push(target.close);
  const planAt = async (sinceMs: number): Promise<ShardsPlan> => {
    const later = since(sinceMs);
    // These agents have left, so they no longer write to their disks.
    const disks = await openAgentDisks(later, () => {}, coming);
    Object.assign(up, { scenario, target, disks: up.disks ?? disks });
    const of = { ...part, ...raised, scenario: later };
    return shardsPlan(of, { ...target, otherServers: others }, { disks, limits });
  };
  const firstWorker = await control.change({
    ...{ scenario, events, leaving, otherServers: others },
    coming: coming.length === 0 ? undefined : planAt,
    leadMs: raisingMs(coming.length),
  });
  up.scenario = scenario;
  agents.change(scenario.fleet.agents, coming.length === 0 ? undefined : { ...raised, firstWorker });
}

/** The same number of agents per worker as at the start of this part of the fleet. */
function workersOf({ workers, scenario }: RunUp['part'], coming: number, { fleet }: Scenario): number {
  const agents = Math.max(scenario.fleet.agents, fleet.agents);
  return Math.max(1, Math.ceil((workers * coming) / agents));
}
