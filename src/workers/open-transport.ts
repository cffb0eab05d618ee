import type { AttackPorts } from '../engine/engine-state.ts';
import type { Clock } from '../ground/kernel/clock.ts';
import { userAgentOf } from '../ground/protocol/agent-versions.ts';
import type { AgentClient, TransportSink } from '../ground/protocol/exchange.ts';
import { realTimer } from '../ground/runtime/event-loop.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';
import {
  createAttackBudget,
  createHostileClient,
  type HostileClient,
  type HostilePorts,
} from '../wire/transport/hostile/hostile-client.ts';
import { createBalancedTransport } from '../wire/transport/routed-transports.ts';
import { systemResolver } from '../wire/transport/target-addresses.ts';
import { type CountingTransport, createTransport, type TransportSettings } from '../wire/transport/transport.ts';
import type { BaseTarget, ShardTask } from './messages.ts';

/** Opens a shard's transport to the target. Agents, or shared connections, use the base URLs in turn, by their numbers in the fleet. */
export function openTransport(task: ShardTask, sink: TransportSink, version?: string): CountingTransport {
  const { shard, target } = task;
  const placeOf = (number: number): number => fleetIndex(shard, number) % target.bases.length;
  const openers = target.bases.map((base, place) => {
    const own = settingsFor(task, base, (connection) => placeOf(connection) === place);
    const settings = { ...own, userAgent: userAgentOf(version) };
    return (ownSink: TransportSink) => createTransport(settings, ownSink);
  });
  return createBalancedTransport(sink, openers, placeOf);
}

/** The transport of agents whose settings differ from the fleet's. */
export function openTransportOf(
  client: AgentClient,
  { task, serverAt }: { readonly task: ShardTask; readonly serverAt: (url: string) => BaseTarget },
  sink: TransportSink,
): CountingTransport {
  const { scenario, target } = task;
  const { url, apiKey = scenario.target.apiKey, version } = client;
  const own = { ...scenario, target: { ...scenario.target, apiKey } };
  const bases = url === undefined ? target.bases : [serverAt(url)];
  return openTransport({ ...task, scenario: own, target: { ...target, bases } }, sink, version);
}

/** Settings of a transport to one of the base URLs. */
function settingsFor(
  { scenario, target, shard, sources, spareDials }: ShardTask,
  base: BaseTarget,
  isOfBase: (connection: number) => boolean,
): TransportSettings {
  const { connections, seed } = scenario.fleet;
  const shared = connections.kind === 'shared' ? shareOf(shard, connections.size) : undefined;
  const own = shared === undefined ? undefined : [...Array(shared).keys()].filter(isOfBase);
  return {
    baseUrl: base.url,
    proxy: base.proxy,
    otherwise: scenario.target.proxy?.kind === 'environment' ? base.proxy : undefined,
    allow: scenario.target.allow,
    addresses: base.addresses,
    reachedFrom: base.reachedFrom,
    loopbackOnly: base.loopbackOnly,
    isOneOfSeveral: target.bases.length > 1,
    resolver: systemResolver,
    seed,
    inFleet: (connection) => fleetIndex(shard, own?.[connection] ?? connection),
    sources,
    apiKey: scenario.target.apiKey,
    tls: target.tls,
    spareDials: Math.floor(spareDials / target.bases.length),
    // A worker with fewer connections than base URLs still reaches each of them.
    sharedConnections: own && Math.max(1, own.length),
  };
}

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
