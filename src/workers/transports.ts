import type { Clock } from '../base/kernel/clock.ts';
import { userAgentOf } from '../base/protocol/agent-versions.ts';
import type { AddressCounts, AgentClient, Transport, TransportSink } from '../base/protocol/exchange.ts';
import { realTimer } from '../base/runtime/event-loop.ts';
import type { AttackPorts } from '../engine/engine-state.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';
import { createAttackBudget } from '../wire/transport/hostile/attack-budget.ts';
import {
  createHostileClient,
  type HostileClient,
  type HostilePorts,
} from '../wire/transport/hostile/hostile-client.ts';
import { systemResolver } from '../wire/transport/target-addresses.ts';
import { type CountingTransport, createTransport, type TransportSettings } from '../wire/transport/transport.ts';
import type { BaseTarget, ShardTask } from './messages.ts';

/** A client of the push API, and its transports: one for each base URL. */
type OpenClient = { readonly client: AgentClient; readonly transports: readonly CountingTransport[] };

const FLEETS_CLIENT: AgentClient = { url: undefined, apiKey: undefined, version: undefined };

/**
 * The outbound side of a shard's agents. Agents, or shared connections, use the base URLs in turn, by their numbers in the fleet. Events make
 * agents other clients, and direct them to other servers. Equal clients share their transports.
 */
export type ShardTransports = ReturnType<typeof createShardTransports>;

export function createShardTransports(task: ShardTask) {
  const { shard } = task;
  const servers = new Map((task.target.otherServers ?? []).map((server) => [server.url, server]));
  /** The fleet's client is the first one. */
  const opened = new Map<string, OpenClient>();
  let fleets: OpenClient = { client: FLEETS_CLIENT, transports: [] };
  let openClient: (client: AgentClient) => OpenClient = () => fleets;
  const others = new Map<number, OpenClient>();
  const basesOf = ({ url }: AgentClient): readonly BaseTarget[] => {
    if (url === undefined) return task.target.bases;
    // A server that was not checked gets no address, so no agent can be directed to it.
    const unchecked = { url, proxy: undefined, addresses: [], reachedFrom: new Map(), loopbackOnly: true };
    return [servers.get(url) ?? unchecked];
  };
  const transportOf = (agent: number): CountingTransport => {
    const { transports } = others.size === 0 ? fleets : (others.get(agent) ?? fleets);
    return transports[fleetIndex(shard, agent) % transports.length] as CountingTransport;
  };
  const all = (): readonly CountingTransport[] => [...opened.values()].flatMap(({ transports }) => transports);
  return {
    open: (sink: TransportSink): Transport => {
      openClient = (client) => ({ client, transports: openTransports(task, basesOf(client), { client, sink }) });
      fleets = openClient(FLEETS_CLIENT);
      opened.set('', fleets);
      return routed(transportOf, all);
    },
    addServers: (further: readonly BaseTarget[]) => {
      for (const server of further) servers.set(server.url, server);
    },
    /** Turns the agent, which must not have a request in flight, into another client; `undefined`: back into the fleet's. */
    become: (agent: number, client: AgentClient | undefined) => {
      if (client === undefined) {
        others.delete(agent);
        return;
      }
      const key = JSON.stringify([client.url, client.apiKey, client.version]);
      const own = opened.get(key) ?? openClient(client);
      opened.set(key, own);
      others.set(agent, own);
    },
    /** Counts per address of the fleet's own target. */
    addresses: (): readonly AddressCounts[] =>
      [...opened.values()].flatMap(({ client, transports }) =>
        client.url === undefined ? transports.flatMap((transport) => transport.addresses()) : [],
      ),
    /** Opens attacks of agents, each on the base URL that it would push to. */
    openAttacks: (clock: Clock, recorder: Recorder['attacks']): AttackPorts =>
      openAttacks(task, { clock, recorder }, (agent) => {
        const { client } = others.get(agent) ?? fleets;
        const bases = basesOf(client);
        return { base: bases[fleetIndex(shard, agent) % bases.length] as BaseTarget, client };
      }),
  };
}

function routed(of: (agent: number) => Transport, all: () => readonly Transport[]): Transport {
  return {
    send: (agent, endpoint) => of(agent).send(agent, endpoint),
    abort: (agent) => of(agent).abort(agent),
    lastEvidence: (agent) => of(agent).lastEvidence(agent),
    reconfigure: (agent, push) => of(agent).reconfigure(agent, push),
    disconnect: (agent) => of(agent).disconnect(agent),
    unplug: (agent) => of(agent).unplug(agent),
    // The agent may have been another client when its cable was pulled.
    plug: (agent) => {
      for (const transport of all()) transport.plug(agent);
    },
    close: async () => void (await Promise.all(all().map((transport) => transport.close()))),
  };
}

function openTransports(
  task: ShardTask,
  bases: readonly BaseTarget[],
  { client, sink }: { readonly client: AgentClient; readonly sink: TransportSink },
): readonly CountingTransport[] {
  return bases.map((_, index) => createTransport(settingsFor(task, bases, { client, index }), sink));
}

/** Settings of a transport to one of several base URLs. */
function settingsFor(
  { scenario, target, shard, sources, spareDials }: ShardTask,
  bases: readonly BaseTarget[],
  { client, index }: { readonly client: AgentClient; readonly index: number },
): TransportSettings {
  const { connections, seed } = scenario.fleet;
  const { proxy, url, addresses, reachedFrom, loopbackOnly } = bases[index] as BaseTarget;
  const shared = connections.kind === 'shared' ? shareOf(shard, connections.size) : undefined;
  const isOwn = (connection: number): boolean => fleetIndex(shard, connection) % bases.length === index;
  const own = shared === undefined ? undefined : [...Array(shared).keys()].filter(isOwn);
  return {
    baseUrl: url,
    proxy,
    addresses,
    reachedFrom,
    loopbackOnly,
    seed,
    sources,
    tls: target.tls,
    defaultProxy: scenario.target.proxy?.kind === 'environment' ? proxy : undefined,
    allow: scenario.target.allow,
    isOneOfSeveral: bases.length > 1,
    resolver: systemResolver,
    inFleet: (connection) => fleetIndex(shard, own?.[connection] ?? connection),
    apiKey: client.apiKey ?? scenario.target.apiKey,
    userAgent: userAgentOf(client.version),
    spareDials: Math.floor(spareDials / bases.length),
    // A worker with fewer connections than base URLs still reaches each of them.
    sharedConnections: own && Math.max(1, own.length),
  };
}

/** A client is created at the first attack on a URL with an API key by an agent of a release. */
function openAttacks(
  task: ShardTask,
  { clock, recorder }: { readonly clock: Clock; readonly recorder: Recorder['attacks'] },
  targetOf: (agent: number) => { readonly base: BaseTarget; readonly client: AgentClient },
): AttackPorts {
  const budget = createAttackBudget(clock, task.workers);
  const ports: HostilePorts = { clock, budget, timer: realTimer, ended: (_agent, report) => recorder.ended(report) };
  const attackers = new Map<string, HostileClient>();
  return {
    attack: (how, attacker) => {
      const { base, client } = targetOf(attacker.agent);
      const key = JSON.stringify([base.url, client.apiKey, client.version]);
      const own = attackers.get(key) ?? createHostileClient(settingsFor(task, [base], { client, index: 0 }), ports);
      attackers.set(key, own);
      own.attack(how, attacker);
    },
    // The agent may have been another client when the attack started.
    leave: (agent) => {
      for (const own of attackers.values()) own.leave(agent);
    },
    close: () => {
      for (const own of attackers.values()) own.close();
    },
  };
}
