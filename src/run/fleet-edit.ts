import { shardOf } from '../load/shard.ts';
import type { Joining } from '../workers/shards.ts';
import { assertEventsAllowed, otherServers } from './base-target.ts';
import type { FleetEdit, PreparedEdit } from './control.ts';
import { assertRoomFor, assertSourcesUsable, assertTargetAllowed } from './guards.ts';
import { openAgentDisks } from './listening-fleet.ts';
import { type ActiveRun, preparationMs, shardsPlan } from './preparation.ts';
import { changedTarget } from './target.ts';

/**
 * What an edit does, wherever the fleet runs, and the agents that join.
 * @throws UserError or TargetNotAllowedError if it is not allowed.
 */
export async function allowedEdit({ since, changes: { agents, events } }: FleetEdit) {
  const scenario = since(0);
  assertTargetAllowed(scenario.target);
  assertEventsAllowed(scenario.events, scenario.target);
  const others = await otherServers(scenario.events, scenario.target);
  const leaving = [...agents.changed, ...agents.gone];
  return { joining: [...agents.changed, ...agents.come], edit: { scenario, events, leaving, otherServers: others } };
}

/** Checks whether the edit is possible on this machine; see `Run.edit`. `undefined`: that was all that was asked for. */
export async function preparedEdit(state: ActiveRun, order: FleetEdit): Promise<PreparedEdit | undefined> {
  const { part, limits } = state;
  const { since, keep } = order;
  const { joining, edit } = await allowedEdit(order);
  const { scenario } = edit;
  assertRoomFor(scenario, part.shard, limits);
  const target = await changedTarget(state.target, { from: state.scenario, to: scenario }, part.shard);
  const isNewTarget = target.close !== state.target.close;
  // The same number of agents per worker as at the start of this part of the fleet.
  const agentsBefore = Math.max(part.scenario.fleet.agents, scenario.fleet.agents);
  const workers = Math.max(1, Math.ceil((part.workers * joining.length) / agentsBefore));
  const group = { shard: shardOf(joining), workers };
  try {
    const addresses = target.bases.flatMap((base) => base.addresses);
    await assertSourcesUsable(scenario, part.shard, addresses);
    if (keep === undefined) {
      if (isNewTarget) await target.close();
      return undefined;
    }
    // Missing keys are generated before any agent leaves.
    if (joining.length > 0) await openAgentDisks(scenario, () => {}, { only: joining });
    keep();
  } catch (error) {
    if (isNewTarget) await target.close();
    throw error;
  }
  if (isNewTarget) state.closing.push(target.close);
  const joiningAt = async (sinceMs: number): Promise<Joining> => {
    const later = since(sinceMs);
    // These agents have left, so they no longer write to their disks.
    const disks = await openAgentDisks(later, () => {}, { only: joining });
    Object.assign(state, { scenario, target, disks: state.disks ?? disks });
    const of = { ...part, ...group, scenario: later };
    const plan = shardsPlan(of, { ...target, otherServers: edit.otherServers }, { disks, limits });
    return { ...group, open: async () => state.threads?.open(plan, sinceMs) };
  };
  // Without agents that join, nothing of the target has changed.
  state.scenario = scenario;
  return { ...edit, joining: joining.length > 0 ? joiningAt : undefined, leadMs: preparationMs(joining.length) };
}
