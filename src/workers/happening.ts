import type { Engine } from '../engine/engine.ts';
import type { EventPorts } from '../engine/engine-state.ts';
import { originalOf } from '../events/event.ts';
import { durationsOf } from '../load/durations.ts';
import { fleetIndex } from '../load/shard.ts';
import type { AddressCounts, TransportSink } from '../protocol/exchange.ts';
import { realTimer } from '../runtime/event-loop.ts';
import { cohortFactsOf } from '../scenario/agents.ts';
import { createTransports, type Transports } from '../transport/transports.ts';
import { type CopiedPasswords, createCopiedPasswords } from './copied-passwords.ts';
import type { BaseTarget, FromShard, ShardTask, ToShard } from './messages.ts';
import { openTransport, openTransportOf } from './open-transport.ts';

/** What events need of a shard around its engine. */
export type Happening = {
  readonly passwords: CopiedPasswords;
  /** Something else is to happen in the run under way. */
  readonly add: (message: Extract<ToShard, { readonly kind: 'event' }>) => void;
  /** The agent, by its number in the shard, uses its new password as soon as a real one would. */
  readonly credentialStored: (agent: number) => void;
  /** What came of the addresses of the target. */
  readonly addresses: () => readonly AddressCounts[];
  readonly openTransports: (sink: TransportSink) => Transports;
  readonly ports: (epochMs: () => number) => EventPorts;
  /** The engine knows what earlier runs left. */
  readonly begin: () => void;
};

export function createHappening(task: ShardTask, send: (message: FromShard) => void, engine: () => Engine): Happening {
  const { scenario, shard } = task;
  const { events, fleet } = scenario;
  const facts = cohortFactsOf(fleet);
  const localOf = (index: number): number => (index - shard.index) / shard.count;
  const passwords = createCopiedPasswords(
    { shard, originalOf: (event) => originalOf(event, facts, fleet.agents) },
    (index) => engine().password(localOf(index)),
    (agent, password) => send({ kind: 'copied_password', agent, password }),
  );
  const { savingMs } = durationsOf(fleet.seed);
  const servers = new Map<string, BaseTarget>();
  const learn = (others: readonly BaseTarget[]): void => {
    for (const other of others) servers.set(other.url, other);
  };
  learn(task.target.otherServers ?? []);
  let transports: Transports | undefined;
  return {
    passwords,
    add: ({ event, otherServers }) => {
      learn(otherServers);
      passwords.watch(event);
      engine().addEvent(event);
    },
    credentialStored: (agent) => {
      const index = fleetIndex(shard, agent);
      const use = () => {
        engine().credentialStored(agent);
        passwords.changed(index);
      };
      // What the server does right behind its answer, such as to close the connection, is read before.
      realTimer(savingMs(index), () => setImmediate(use));
    },
    addresses: () => transports?.addresses() ?? [],
    openTransports: (sink) => {
      // Nobody is led to a server that was not looked into.
      const serverAt = (url: string) =>
        servers.get(url) ?? { url, proxy: undefined, addresses: [], loopbackOnly: true };
      transports = createTransports(sink, (client, own) =>
        client === undefined ? openTransport(task, own) : openTransportOf(client, { task, serverAt }, own),
      );
      return transports;
    },
    begin: () => {
      for (const event of events) passwords.watch(event);
    },
    ports: (epochMs) => ({
      ...{ events, facts, passwordOf: passwords.of },
      become: (agent, client) => transports?.become(agent, client),
      // A server that keeps what it knows has seen the identities that were made up in earlier runs.
      drawnFrom: () => (task.durableCredentials ? epochMs() : 0),
    }),
  };
}
