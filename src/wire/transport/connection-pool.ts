import type { Endpoint } from '../../ground/protocol/push.ts';
import { type AgentProxy, wayTo } from '../agent/proxy.ts';
import type { Hop } from '../agent/redirects.ts';
import type { Connection } from './exchange.ts';

/** Gives each request exclusive use of a connection until the request ends. */
export type ConnectionPool = {
  /** Passes a free connection to the request, immediately or once one becomes free. */
  acquire(agent: number, endpoint: Endpoint): void;
  release(connection: Connection): void;
  /** Withdraws an agent's request that still waits for a connection; returns false if it is not waiting. */
  cancel(agent: number): boolean;
  /** The agent's own connection; `undefined` if it has none yet or uses shared connections. */
  own(agent: number): Connection | undefined;
  all(): readonly Connection[];
};

type ConnectionUse = {
  /** `number` is the agent's, or that of the shared connection. */
  readonly open: (number: number) => Connection;
  /** One function for all requests, so that none costs a closure. */
  readonly use: (connection: Connection, agent: number, endpoint: Endpoint) => void;
};

export function createConnectionPool(sharedConnections: number | undefined, use: ConnectionUse): ConnectionPool {
  return sharedConnections === undefined ? createDedicated(use) : createShared(sharedConnections, use);
}

/** One connection per agent, as in a real fleet. */
function createDedicated({ open, use }: ConnectionUse): ConnectionPool {
  const connections: (Connection | undefined)[] = [];
  return {
    acquire: (agent, endpoint) => {
      let connection = connections[agent];
      if (connection === undefined) {
        connection = open(agent);
        connections[agent] = connection;
      }
      use(connection, agent, endpoint);
    },
    release: () => {},
    cancel: () => false,
    own: (agent) => connections[agent],
    all: () => connections.filter((connection) => connection !== undefined),
  };
}

/** A fixed number of connections for all agents, as behind a proxy. Requests wait in FIFO order. */
function createShared(size: number, { open, use }: ConnectionUse): ConnectionPool {
  const all = Array.from({ length: size }, (_, number) => open(number));
  const free = [...all];
  // A Map keeps insertion order and removes a canceled agent in constant time.
  const waiting = new Map<number, Endpoint>();
  return {
    acquire: (agent, endpoint) => {
      const connection = free.pop();
      if (connection === undefined) waiting.set(agent, endpoint);
      else use(connection, agent, endpoint);
    },
    release: (connection) => {
      const next = waiting.entries().next();
      if (next.done === true) {
        free.push(connection);
        return;
      }
      const [agent, endpoint] = next.value;
      waiting.delete(agent);
      use(connection, agent, endpoint);
    },
    cancel: (agent) => waiting.delete(agent),
    own: () => undefined,
    all: () => all,
  };
}

/** Connections to ports other than the target's, for redirects. Agents keep them like their first connection. */
export type RedirectConnections = {
  connection(agent: number, hop: Hop, proxy: AgentProxy | undefined): Connection;
  own(agent: number): readonly Connection[];
  all(): readonly Connection[];
};

type Origin = { readonly open: (agent: number) => Connection; readonly connections: Map<number, Connection> };

export function createRedirectConnections(
  connectionsTo: (base: URL, proxy: AgentProxy | undefined) => (agent: number) => Connection,
): RedirectConnections {
  const origins = new Map<string, Origin>();
  const originOf = ({ url, origin: name }: Hop, proxy: AgentProxy | undefined): Origin => {
    // A forward proxy carries requests to any server over one connection.
    const key = JSON.stringify([proxy, wayTo(url, proxy).kind === 'forward' ? '' : name]);
    const known = origins.get(key);
    if (known !== undefined) return known;
    const origin = { open: connectionsTo(url, proxy), connections: new Map<number, Connection>() };
    origins.set(key, origin);
    return origin;
  };
  return {
    connection: (agent, hop, proxy) => {
      const { open, connections } = originOf(hop, proxy);
      const connection = connections.get(agent) ?? open(agent);
      connections.set(agent, connection);
      return connection;
    },
    own: (agent) => [...origins.values()].flatMap(({ connections }) => connections.get(agent) ?? []),
    all: () => [...origins.values()].flatMap(({ connections }) => [...connections.values()]),
  };
}
