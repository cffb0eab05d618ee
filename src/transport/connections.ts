import type { Endpoint } from '../protocol/push.ts';

/** Gives each request a connection of its own for as long as it lasts. */
export type Connections<Connection> = {
  /** Hands a free connection to the request, at once or as soon as there is one. */
  acquire(agent: number, endpoint: Endpoint): void;
  release(connection: Connection): void;
  /** Takes back an agent's request that still waits for a connection; false if it does not wait. */
  cancel(agent: number): boolean;
  /** The agent's own; undefined if it has none yet, or shares them with others. */
  own(agent: number): Connection | undefined;
  all(): readonly Connection[];
};

export type ConnectionUse<Connection> = {
  /** `number` is the agent's, or that of the shared connection. */
  readonly open: (number: number) => Connection;
  /** One function for all requests, so that none of them costs a closure. */
  readonly use: (connection: Connection, agent: number, endpoint: Endpoint) => void;
};

/** One connection per agent, as a real fleet has them. */
function createDedicatedConnections<Connection>({ open, use }: ConnectionUse<Connection>): Connections<Connection> {
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
function createSharedConnections<Connection>(
  size: number,
  { open, use }: ConnectionUse<Connection>,
): Connections<Connection> {
  const all = Array.from({ length: size }, (_, number) => open(number));
  const free = [...all];
  // A Map keeps the order of waiting and takes a cancelled agent out at once.
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

export function createConnections<Connection>(
  sharedConnections: number | undefined,
  use: ConnectionUse<Connection>,
): Connections<Connection> {
  return sharedConnections === undefined
    ? createDedicatedConnections(use)
    : createSharedConnections(sharedConnections, use);
}
