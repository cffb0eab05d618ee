import { UserError } from '../ground/kernel/errors.ts';
import { shardOf } from '../load/shard.ts';
import type { ScenarioChanges } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';
import { FIXED_FLEET, type PreparedEdit } from './control.ts';
import { assertRoomFor, assertSourcesUsable, assertTargetAllowed } from './guards.ts';
import { openAgentDisks } from './listening-fleet.ts';
import type { ChangingAgents } from './live-agents.ts';
import { assertEventsAllowed, otherServers } from './other-servers.ts';
import { preparationMs, type RunUp, shardsPlan } from './preparation.ts';
import { changedTarget } from './target.ts';

/** An edit of a running fleet. */
export type FleetEdit = {
  /** The edited scenario, with times relative to `sinceMs` after the start of the run. */
  readonly since: (sinceMs: number) => Scenario;
  /** Changed agents leave and join with their new description. Times of events count from the start of the run. */
  readonly changes: Pick<ScenarioChanges, 'agents' | 'events'>;
  /** Called before the edit takes effect; an exception refuses it. `undefined`: only check whether the edit is possible. */
  readonly keep: (() => void) | undefined;
};

type EditedRun = {
  /** Resolves with the number of the first worker of the joined agents. */
  readonly execute: (edit: PreparedEdit) => Promise<number>;
  readonly agents: ChangingAgents;
};

/** See `Run.edit`. */
export async function editRun(
  up: RunUp | undefined,
  { since, changes: { agents, events }, keep }: FleetEdit,
  run: EditedRun,
): Promise<void> {
  if (up === undefined) throw new UserError(FIXED_FLEET);
  const { part, limits } = up;
  const leaving = [...agents.changed, ...agents.gone];
  const joining = [...agents.changed, ...agents.come];
  const scenario = since(0);
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  assertRoomFor(scenario, part.shard, limits);
  const others = await otherServers(scenario.events, scenario.target);
  const target = await changedTarget(up.target, { from: up.scenario, to: scenario }, part.shard);
  const isOwn = target.close !== up.target.close;
  const group = { shard: shardOf(joining), firstWorker: 0, workers: workersOf(part, joining.length, scenario) };
  try {
    const addresses = target.bases.flatMap((base) => base.addresses);
    await assertSourcesUsable(scenario, part.shard, addresses);
    if (keep === undefined) {
      if (isOwn) await target.close();
      return;
    }
    // Missing keys are generated before any agent leaves.
    if (joining.length > 0) await openAgentDisks(scenario, () => {}, joining);
    keep();
  } catch (error) {
    if (isOwn) await target.close();
    throw error;
  }
  if (isOwn) up.closing.push(target.close);
  const planAt = async (sinceMs: number): Promise<ShardsPlan> => {
    const later = since(sinceMs);
    // These agents have left, so they no longer write to their disks.
    const disks = await openAgentDisks(later, () => {}, joining);
    Object.assign(up, { scenario, target, disks: up.disks ?? disks });
    const of = { ...part, ...group, scenario: later };
    return shardsPlan(of, { ...target, otherServers: others }, { disks, limits });
  };
  const isJoined = joining.length > 0;
  const firstWorker = await run.execute({
    ...{ scenario, events, leaving, otherServers: others },
    joining: isJoined ? planAt : undefined,
    leadMs: preparationMs(joining.length),
  });
  up.scenario = scenario;
  run.agents.change(scenario.fleet.agents, isJoined ? { ...group, firstWorker } : undefined);
}

/** The same number of agents per worker as at the start of this part of the fleet. */
function workersOf({ workers, scenario }: RunUp['part'], joining: number, { fleet }: Scenario): number {
  const agents = Math.max(scenario.fleet.agents, fleet.agents);
  return Math.max(1, Math.ceil((workers * joining) / agents));
}
