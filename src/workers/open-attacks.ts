import type { AttackPorts } from '../engine/engine-state.ts';
import type { Clock } from '../kernel/clock.ts';
import { fleetIndex } from '../load/shard.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';
import { realTimer } from '../runtime/event-loop.ts';
import { createHostileClient, type HostileClient, type HostilePorts } from '../transport/hostile/hostile-client.ts';
import type { TransportSettings } from '../transport/transport.ts';
import type { ShardTask } from './messages.ts';
import { settingsFor } from './open-transport.ts';

/** How agents misbehave, each at the base URL that it pushes to. What that takes is made with the first attack there. */
export function openAttacks(task: ShardTask, clock: Clock, recorder: Recorder['attacks']): AttackPorts {
  const { shard, target } = task;
  const { bases } = target;
  const placeOf = (agent: number): number => fleetIndex(shard, agent) % bases.length;
  const ports: HostilePorts = { clock, timer: realTimer, ended: (_agent, report) => recorder.ended(report) };
  const clients = new Map<number, HostileClient>();
  const clientAt = (place: number): HostileClient | undefined => {
    const base = bases[place];
    const client =
      clients.get(place) ?? (base && createHostileClient(pastProxies(settingsFor(task, base, () => true)), ports));
    if (client !== undefined) clients.set(place, client);
    return client;
  };
  return {
    attack: (how, attacker) => clientAt(placeOf(attacker.agent))?.attack(how, attacker),
    leave: (agent) => clients.get(placeOf(agent))?.leave(agent),
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
}

/** An attack is one on the server: behind a proxy it is looked up here. */
function pastProxies(settings: TransportSettings): TransportSettings {
  if (settings.proxy === undefined) return settings;
  const { hostname } = new URL(settings.baseUrl);
  const loopbackOnly = !settings.allow.some((name) => name.toLowerCase() === hostname);
  return { ...settings, addresses: undefined, loopbackOnly };
}
