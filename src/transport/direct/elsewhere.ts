import type { Dialler } from '../connector.ts';
import { createConnection } from './connection.ts';
import type { Connection, ConnectionEvents } from './state.ts';

/** Connections to other ports than the target's, where redirects lead. Agents keep them, as they keep the first one. */
export type Elsewhere = {
  connection(agent: number, url: URL): Connection;
  own(agent: number): readonly Connection[];
  all(): readonly Connection[];
};

type DiallerOf = (agent: number) => Dialler;
type Origin = { readonly diallerOf: DiallerOf; readonly connections: Map<number, Connection> };

export function createElsewhere(diallersTo: (base: URL) => DiallerOf, events: () => ConnectionEvents): Elsewhere {
  const origins = new Map<string, Origin>();
  const originOf = (url: URL): Origin => {
    const known = origins.get(url.origin);
    if (known !== undefined) return known;
    const origin = { diallerOf: diallersTo(url), connections: new Map() };
    origins.set(url.origin, origin);
    return origin;
  };
  return {
    connection: (agent, url) => {
      const { diallerOf, connections } = originOf(url);
      const connection = connections.get(agent) ?? createConnection(diallerOf(agent), events());
      connections.set(agent, connection);
      return connection;
    },
    own: (agent) => [...origins.values()].flatMap(({ connections }) => connections.get(agent) ?? []),
    all: () => [...origins.values()].flatMap(({ connections }) => [...connections.values()]),
  };
}
