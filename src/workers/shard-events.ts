import { realTimer } from '../base/runtime/event-loop.ts';
import type { Engine } from '../engine/engine.ts';
import type { EventPorts } from '../engine/engine-state.ts';
import { durationsOf } from '../load/durations.ts';
import { type FleetEvent, originalOf } from '../load/events/event.ts';
import { fleetIndex, isInShard, localIn } from '../load/shard.ts';
import { cohortFactsOf } from '../scenario/cohort-members.ts';
import type { Hosts } from './hosts.ts';
import type { FleetEventChange, FromShard, ShardTask } from './messages.ts';
import type { ShardTransports } from './transports.ts';

type ShardEventPorts = {
  readonly send: (message: FromShard) => void;
  readonly engine: () => Engine;
  readonly hosts: Hosts;
  readonly transports: ShardTransports;
};

/** What a shard needs for events, in addition to its engine. */
export type ShardEvents = ReturnType<typeof createShardEvents>;

export function createShardEvents(task: ShardTask, { send, engine, hosts, transports }: ShardEventPorts) {
  const { scenario, shard } = task;
  const { events, fleet } = scenario;
  const facts = cohortFactsOf(fleet);
  const localOf = (index: number): number => localIn(shard, index);
  const passwords = createCopiedPasswords(
    {
      // Agents that join later belong to other shards, whatever their index.
      isOwn: (index) => index < fleet.agents && isInShard(shard, index),
      originalOf: (event) => originalOf(event, facts),
    },
    (index) => engine().password(localOf(index)),
    (agent, password) => send({ kind: 'copied_password', agent, password }),
  );
  const { savingMs } = durationsOf(fleet.seed);
  const issued = new Map(task.otherPasswords.map(({ uuid, password }) => [uuid, password]));
  return {
    passwords,
    change: (change: FleetEventChange) => {
      if (change.kind === 'end_event') {
        hosts.end(change.name, change.atMs);
        engine().endEvent(change.name, change.atMs);
        return;
      }
      const { event, otherServers } = change;
      transports.addServers(otherServers);
      passwords.watch(event);
      hosts.add(event);
      engine().addEvent(event);
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
      events,
      facts,
      hasService: hosts.hasService,
      passwordOf: passwords.of,
      become: transports.become,
      passwordIssuedTo: (uuid) => issued.get(uuid) ?? '',
      // A server with stored registrations already knows the identities that were generated in earlier runs.
      drawnFrom: () => (task.durableCredentials ? (task.firstStartedMs ?? startedMs()) : 0),
      firstStartMs: () => (task.firstStartedMs === undefined ? 0 : task.firstStartedMs - startedMs()),
    }),
  };
}

type Fleet = {
  /** Whether the shard has an agent, by its index in the fleet. */
  readonly isOwn: (index: number) => boolean;
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
  { isOwn, originalOf }: Fleet,
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
    of: (index: number): string => (isOwn(index) ? own(index) : (known.get(index) ?? '')),
    /** If the event clones an agent of this shard, the other shards will receive its password. */
    watch: (event: FleetEvent) => {
      const original = originalOf(event);
      if (original === undefined || !isOwn(original)) return;
      originals.add(original);
      if (own(original) !== '') changed(original);
    },
    /** Call when the password of an agent of this shard has changed. */
    changed,
    /** Call when another shard reports a password. */
    received: (index: number, password: string): void => void known.set(index, password),
  };
}
