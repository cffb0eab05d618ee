import type { AttackPorts } from '../engine/engine-state.ts';
import type { Clock } from '../ground/kernel/clock.ts';
import type { AgentClient } from '../ground/protocol/exchange.ts';
import { realTimer } from '../ground/runtime/event-loop.ts';
import { fleetIndex } from '../load/shard.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';
import {
  createAttackBudget,
  createHostileClient,
  type HostileClient,
  type HostilePorts,
} from '../wire/transport/hostile/hostile-client.ts';
import type { BaseTarget, ShardTask } from './messages.ts';
import { settingsFor } from './open-transport.ts';

type AttackingShard = {
  readonly clock: Clock;
  readonly recorder: Recorder['attacks'];
  /** Settings of an agent, by its number in the shard, that differ from the fleet's; `undefined` if there are none. */
  readonly clientOf: (agent: number) => AgentClient | undefined;
  readonly serverAt: (url: string) => BaseTarget;
};

/** Opens attacks of agents, each on the base URL that it would push to. A client is created at the first attack on a URL. */
export function openAttacks(task: ShardTask, { clock, recorder, clientOf, serverAt }: AttackingShard): AttackPorts {
  const { shard, target, scenario } = task;
  const budget = createAttackBudget(clock, task.workers);
  const ports: HostilePorts = { clock, budget, timer: realTimer, ended: (_agent, report) => recorder.ended(report) };
  const clients = new Map<string, HostileClient>();
  const clientFor = (agent: number): HostileClient | undefined => {
    const { url, apiKey = scenario.target.apiKey } = clientOf(agent) ?? {};
    const base = url === undefined ? target.bases[fleetIndex(shard, agent) % target.bases.length] : serverAt(url);
    if (base === undefined) return undefined;
    const kind = JSON.stringify([base.url, apiKey]);
    const client = clients.get(kind) ?? createHostileClient({ ...settingsFor(task, base, () => true), apiKey }, ports);
    clients.set(kind, client);
    return client;
  };
  const all = (): readonly HostileClient[] => [...clients.values()];
  return {
    attack: (how, attacker) => clientFor(attacker.agent)?.attack(how, attacker),
    // The agent may have had other settings when the attack started.
    leave: (agent) => {
      for (const client of all()) client.leave(agent);
    },
    close: () => {
      for (const client of all()) client.close();
    },
  };
}
