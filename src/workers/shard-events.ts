import type { Engine } from '../engine/engine.ts';
import type { EventPorts } from '../engine/engine-state.ts';
import type { AddressCounts, AgentClient, TransportSink } from '../ground/protocol/exchange.ts';
import { realTimer } from '../ground/runtime/event-loop.ts';
import { durationsOf } from '../load/durations.ts';
import { type FleetEvent, originalOf } from '../load/events/event.ts';
import { fleetIndex, isInShard, localIn, type Shard } from '../load/shard.ts';
import { cohortFactsOf } from '../scenario/agents.ts';
import { createTransports, type Transports } from '../wire/transport/routed-transports.ts';
import type { Hosts } from './hosts.ts';
import type { BaseTarget, FromShard, ShardTask, ToShard } from './messages.ts';
import { openTransport, openTransportOf } from './open-transport.ts';

type ShardEventPorts = {
  readonly send: (message: FromShard) => void;
  readonly engine: () => Engine;
  readonly hosts: Hosts;
};

/** What a shard needs for events, in addition to its engine. */
export type ShardEvents = ReturnType<typeof createShardEvents>;

export function createShardEvents(task: ShardTask, { send, engine, hosts }: ShardEventPorts) {
  const { scenario, shard } = task;
  const { events, fleet } = scenario;
  const facts = cohortFactsOf(fleet);
  const localOf = (index: number): number => localIn(shard, index);
  const passwords = createCopiedPasswords(
    { shard, originalOf: (event) => originalOf(event, facts, fleet.agents) },
    (index) => engine().password(localOf(index)),
    (agent, password) => send({ kind: 'copied_password', agent, password }),
  );
  const { savingMs } = durationsOf(fleet.seed);
  const { learn, serverAt } = createServers(task.target.otherServers ?? []);
  const issued = new Map(task.otherPasswords.map(({ uuid, password }) => [uuid, password]));
  const { become, ...clients } = createClients(task, serverAt);
  return {
    ...{ serverAt, passwords, ...clients },
    add: ({ event, otherServers }: Extract<ToShard, { readonly kind: 'event' }>) => {
      learn(otherServers);
      passwords.watch(event);
      hosts.add(event);
      engine().addEvent(event);
    },
    /** Ends an event. Returns the number of agents that it affects. */
    end: (name: string, atMs: number): number => {
      hosts.end(name, atMs);
      return engine().endEvent(name, atMs) ?? 0;
    },
    /** Lets the agent, by its number in the shard, use its new password as soon as a real one would. */
    credentialStored: (agent: number) => {
      const index = fleetIndex(shard, agent);
      const use = () => {
        engine().credentialStored(agent);
        passwords.changed(index);
      };
      // The server may still act after its answer, for example close the connection; this is processed first.
      realTimer(savingMs(index), () => setImmediate(use));
    },
    /** Call when the engine has the passwords of earlier runs. */
    begin: () => {
      for (const event of events) passwords.watch(event);
    },
    /** @param startedMs the start of the run, in Unix ms. */
    ports: (startedMs: () => number): EventPorts => ({
      ...{ events, facts, hasService: hosts.hasService, passwordOf: passwords.of },
      become,
      passwordIssuedTo: (uuid) => issued.get(uuid) ?? '',
      // A server with stored registrations already knows the identities that were generated in earlier runs.
      drawnFrom: () => (task.durableCredentials ? (task.firstStartedMs ?? startedMs()) : 0),
      firstStartMs: () => (task.firstStartedMs === undefined ? 0 : task.firstStartedMs - startedMs()),
    }),
  };
}

/** Settings of agents, by their numbers in the shard, that differ from the fleet's, and the transports of all. */
function createClients(task: ShardTask, serverAt: (url: string) => BaseTarget) {
  const clients = new Map<number, AgentClient>();
  let transports: Transports | undefined;
  return {
    clientOf: (agent: number): AgentClient | undefined => clients.get(agent),
    become: (agent: number, client: AgentClient | undefined): void => {
      if (client === undefined) clients.delete(agent);
      else clients.set(agent, client);
      transports?.become(agent, client);
    },
    openTransports: (sink: TransportSink): Transports => {
      transports = createTransports(sink, (client, own) =>
        client === undefined ? openTransport(task, own) : openTransportOf(client, { task, serverAt }, own),
      );
      return transports;
    },
    /** Counts per address of the target. */
    addresses: (): readonly AddressCounts[] => transports?.addresses() ?? [],
  };
}

/** The servers to which events direct agents. */
function createServers(first: readonly BaseTarget[]) {
  const known = new Map<string, BaseTarget>();
  const learn = (others: readonly BaseTarget[]): void => {
    for (const other of others) known.set(other.url, other);
  };
  learn(first);
  return {
    learn,
    // A server that was not checked gets no address, so no agent can be directed to it.
    serverAt: (url: string): BaseTarget =>
      known.get(url) ?? { url, proxy: undefined, addresses: [], reachedFrom: new Map(), loopbackOnly: true },
  };
}

type Fleet = {
  readonly shard: Shard;
  /** Index in the fleet of the agent that an event clones; `undefined` if there is none. */
  readonly originalOf: (event: FleetEvent) => number | undefined;
};

/**
 * Passwords that clones share with their originals, which may be agents of other workers. Agents are identified by their index in the
 * fleet.
 *
 * @param own returns the password of an agent of this shard.
 * @param send sends a password to the other shards.
 */
function createCopiedPasswords(
  { shard, originalOf }: Fleet,
  own: (index: number) => string,
  send: (index: number, password: string) => void,
) {
  const known = new Map<number, string>();
  const originals = new Set<number>();
  const changed = (index: number): void => {
    if (originals.has(index)) send(index, own(index));
  };
  return {
    /** Empty if there is none yet, or it is unknown. */
    of: (index: number): string => (isInShard(shard, index) ? own(index) : (known.get(index) ?? '')),
    /** If the event clones an agent of this shard, the other shards will receive its password. */
    watch: (event: FleetEvent) => {
      const original = originalOf(event);
      if (original === undefined || !isInShard(shard, original)) return;
      originals.add(original);
      if (own(original) !== '') changed(original);
    },
    /** Call when the password of an agent of this shard has changed. */
    changed,
    /** Call when another shard reports a password. */
    received: (index: number, password: string): void => void known.set(index, password),
  };
}
