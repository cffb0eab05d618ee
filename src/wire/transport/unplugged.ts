import type { Socket } from 'node:net';
import { dropSockets } from './connection.ts';
import type { Connection, Exchange } from './exchange.ts';
import { closeAllOutlasting } from './outlasting-dials.ts';

type Held = { readonly connection: Connection; readonly socket: Socket; readonly exchange: Exchange | undefined };

/**
 * Connections of agents whose cable is unplugged. The server is not notified and keeps its end; this end neither reads
 * nor writes. A request in flight gets no answer unless the cable is plugged in again before its timeout.
 */
export function createUnplugged() {
  const held = new Map<number, readonly (Held | Socket)[]>();
  return {
    pull: (agent: number, connections: readonly Connection[]) => {
      const all = connections.flatMap((connection) => hold(connection) ?? []);
      if (all.length > 0) held.set(agent, [...(held.get(agent) ?? []), ...all]);
    },
    /** Plugs the cable in again. The server now learns which connections the agent has closed meanwhile. */
    plug: (agent: number) => {
      for (const one of held.get(agent) ?? []) if (!('connection' in one) || !goesOn(one)) socketOf(one).destroy();
      held.delete(agent);
    },
    /** Marks all connections of the agent as closed by its process. */
    forsake: (agent: number) => {
      const all = held.get(agent);
      if (all !== undefined) held.set(agent, all.map(socketOf));
    },
    close: () => {
      for (const one of [...held.values()].flat()) socketOf(one).destroy();
      held.clear();
    },
  };
}

function socketOf(one: Held | Socket): Socket {
  return 'connection' in one ? one.socket : one;
}

/** Holds a connection. Pending dials fail, and so does an HTTP/2 session, which would keep answering the server. */
function hold(connection: Connection): Held | undefined {
  const { socket, isReady, session, exchange } = connection;
  if (socket === undefined || !isReady || session !== undefined) {
    dropSockets(connection);
    return undefined;
  }
  closeAllOutlasting(connection);
  socket.pause();
  connection.socket = undefined;
  connection.isReady = false;
  // Unflushed bytes stay with the socket.
  connection.buffer = undefined;
  return { connection, socket, exchange };
}

/** Whether the agent still waits for an answer on this connection, or has not needed it meanwhile. */
function goesOn({ connection, socket, exchange }: Held): boolean {
  const isObsolete = connection.exchange !== exchange || exchange?.unsent !== undefined;
  if (isObsolete || connection.socket !== undefined || connection.session !== undefined || socket.destroyed)
    return false;
  connection.socket = socket;
  connection.isReady = true;
  socket.resume();
  return true;
}
