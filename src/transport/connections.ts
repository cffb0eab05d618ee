import type { Connection } from './connection.ts';

/** Gives each request a connection of its own for as long as it lasts. */
export type Connections = {
  /** Calls `use` with a free connection, at once or as soon as there is one. */
  acquire(agent: number, use: (connection: Connection) => void): void;
  release(connection: Connection): void;
  /** Takes back an agent's request that still waits for a connection; false if it does not wait. */
  cancel(agent: number): boolean;
  /** Closes the agent's connection; one that others share stays. */
  disconnect(agent: number): void;
  close(): Promise<void>;
};

/** One connection per agent, as a real fleet has them. */
export function createDedicatedConnections(open: () => Connection): Connections {
  const connections: (Connection | undefined)[] = [];
  return {
    acquire: (agent, use) => {
      let connection = connections[agent];
      if (connection === undefined) {
        connection = open();
        connections[agent] = connection;
      }
      use(connection);
    },
    release: () => {},
    cancel: () => false,
    disconnect: (agent) => connections[agent]?.renew(),
    close: () => closeAll(connections),
  };
}

/** A fixed number of connections for all agents, as behind a proxy; requests wait their turn in order. */
export function createSharedConnections(size: number, open: () => Connection): Connections {
  const all = Array.from({ length: size }, open);
  const free = [...all];
  // A Map keeps the order of waiting and takes a cancelled agent out at once.
  const waiting = new Map<number, (connection: Connection) => void>();
  return {
    acquire: (agent, use) => {
      const connection = free.pop();
      if (connection === undefined) waiting.set(agent, use);
      else use(connection);
    },
    release: (connection) => {
      const next = waiting.entries().next();
      if (next.done === true) {
        free.push(connection);
        return;
      }
      const [agent, use] = next.value;
      waiting.delete(agent);
      use(connection);
    },
    cancel: (agent) => waiting.delete(agent),
    disconnect: () => {},
    close: () => closeAll(all),
  };
}

async function closeAll(connections: readonly (Connection | undefined)[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection?.client.destroy()));
}
