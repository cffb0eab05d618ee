import type { Endpoint } from '../../base/protocol/push.ts';
import { type AgentProxy, proxyMode } from '../agent/proxy.ts';
import type { Hop } from '../agent/redirects.ts';
import { startExchange } from './connection.ts';
import type { Connection, Exchange } from './exchange.ts';

/** Gives each request exclusive use of a connection until the request ends. */
export type ConnectionPool = {
  /** Passes a free connection to the request, immediately or once one becomes free. */
  acquire(agent: number, endpoint: Endpoint): void;
  release(connection: Connection): void;
  /** Withdraws an agent's request that still waits for a connection; returns false if it is not waiting. */
  cancel(agent: number): boolean;
  /**
   * The agent's request in flight. Searched for in the rare case that a request is abandoned, instead of kept in a Map. With that many
   * insertions and deletions, a Map would reallocate 115 bytes per push, which only a full, stop-the-world collection frees.
   */
  inFlight(agent: number): Exchange | undefined;
  /** The agent's own connection; `undefined` if it has none yet or uses shared connections. */
  own(agent: number): Connection | undefined;
  all(): readonly Connection[];
};

/** One connection per agent, as in a real fleet. */
export function createDedicated(open: (number: number) => Connection): ConnectionPool {
  const connections: (Connection | undefined)[] = [];
  return {
    acquire: (agent, endpoint) => {
      let connection = connections[agent];
      if (connection === undefined) {
        connection = open(agent);
        connections[agent] = connection;
      }
      startExchange(connection, agent, endpoint);
    },
    release: () => {},
    cancel: () => false,
    inFlight: (agent) => connections[agent]?.inFlight,
    own: (agent) => connections[agent],
    all: () => connections.filter((connection) => connection !== undefined),
  };
}

/** A fixed number of connections for all agents, as behind a proxy. Requests wait in FIFO order. */
export function createShared(size: number, open: (number: number) => Connection): ConnectionPool {
  const all = Array.from({ length: size }, (_, number) => open(number));
  const free = [...all];
  // A Map keeps insertion order and removes a canceled agent in constant time.
  const waiting = new Map<number, Endpoint>();
  return {
    acquire: (agent, endpoint) => {
      const connection = free.pop();
      if (connection === undefined) waiting.set(agent, endpoint);
      else startExchange(connection, agent, endpoint);
    },
    release: (connection) => {
      const next = waiting.entries().next();
      if (next.done === true) {
        free.push(connection);
        return;
      }
      const [agent, endpoint] = next.value;
      waiting.delete(agent);
      startExchange(connection, agent, endpoint);
    },
    cancel: (agent) => waiting.delete(agent),
    inFlight: (agent) => all.find(({ inFlight }) => inFlight?.agent === agent)?.inFlight,
    own: () => undefined,
    all: () => all,
  };
}

type Origin = { readonly open: (agent: number) => Connection; readonly connections: Map<number, Connection> };

/** Connections to ports other than the target's, for redirects. Agents keep them like their first connection. */
export type RedirectConnections = ReturnType<typeof createRedirectConnections>;

export function createRedirectConnections(
  connectionsTo: (base: URL, proxy: AgentProxy | undefined) => (agent: number) => Connection,
) {
  const origins = new Map<string, Origin>();
  const originOf = ({ url, origin: name }: Hop, proxy: AgentProxy | undefined): Origin => {
    // A forward proxy carries requests to any server over one connection.
    const key = JSON.stringify([proxy, proxyMode(url, proxy).kind === 'forward' ? '' : name]);
    const known = origins.get(key);
    if (known !== undefined) return known;
    const origin = { open: connectionsTo(url, proxy), connections: new Map<number, Connection>() };
    origins.set(key, origin);
    return origin;
  };
  return {
    connection: (agent: number, hop: Hop, proxy: AgentProxy | undefined): Connection => {
      const { open, connections } = originOf(hop, proxy);
      const connection = connections.get(agent) ?? open(agent);
      connections.set(agent, connection);
      return connection;
    },
    own: (agent: number): readonly Connection[] =>
      [...origins.values()].flatMap(({ connections }) => connections.get(agent) ?? []),
    all: (): readonly Connection[] => [...origins.values()].flatMap(({ connections }) => [...connections.values()]),
  };
}
