import { type AgentProxy, wayTo } from '../agent/proxy.ts';
import type { Hop } from '../agent/redirects.ts';
import type { Endpoint } from '../protocol/push.ts';
import type { Connection } from './exchange.ts';

/** Gives each request a connection of its own for as long as it lasts. */
export type ConnectionPool = {
  /** Hands a free connection to the request, at once or as soon as there is one. */
  acquire(agent: number, endpoint: Endpoint): void;
  release(connection: Connection): void;
  /** Takes back an agent's request that still waits for a connection; false if it does not wait. */
  cancel(agent: number): boolean;
  /** The agent's own; undefined if it has none yet, or shares them with others. */
  own(agent: number): Connection | undefined;
  all(): readonly Connection[];
};

type ConnectionUse = {
  /** `number` is the agent's, or that of the shared connection. */
  readonly open: (number: number) => Connection;
  /** One function for all requests, so that none of them costs a closure. */
  readonly use: (connection: Connection, agent: number, endpoint: Endpoint) => void;
};

export function createConnectionPool(sharedConnections: number | undefined, use: ConnectionUse): ConnectionPool {
  return sharedConnections === undefined ? createDedicated(use) : createShared(sharedConnections, use);
}

/** One connection per agent, as a real fleet has them. */
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

/** A fixed number of connections for all agents, as behind a proxy; requests wait their turn in order. */
function createShared(size: number, { open, use }: ConnectionUse): ConnectionPool {
  const all = Array.from({ length: size }, (_, number) => open(number));
  const free = [...all];
  // A Map keeps the order of waiting and takes a canceled agent out at once.
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

/** Connections to other ports than the target's, where redirects lead. Agents keep them, as they keep the first one. */
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
    // A proxy that is sent the requests themselves takes those to any server over one connection.
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
