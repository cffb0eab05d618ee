import type { Socket } from 'node:net';
import { dropSockets } from './connection.ts';
import type { Connection, Exchange } from './exchange.ts';
import { closeAllOutlasting } from './outlasting-dials.ts';

/** A socket that was cut off, and the connection that continues on it when the network is back; `undefined`: the agent has closed it. */
type CutSocket = {
  readonly socket: Socket;
  readonly owner: { readonly connection: Connection; readonly exchange: Exchange | undefined } | undefined;
};

/**
 * Simulated network cuts: sockets of agents whose cable is unplugged. The server is not notified and keeps its end; this end neither reads
 * nor writes. A request in flight gets no answer unless the cable is plugged in again before its timeout.
 */
export function createNetworkCuts() {
  const cut = new Map<number, readonly CutSocket[]>();
  return {
    unplug: (agent: number, connections: readonly Connection[]) => {
      const sockets = connections.flatMap((connection) => detach(connection) ?? []);
      if (sockets.length > 0) cut.set(agent, [...(cut.get(agent) ?? []), ...sockets]);
    },
    /** Plugs the cable in again. The server now learns which connections the agent has closed meanwhile. */
    plug: (agent: number) => {
      for (const one of cut.get(agent) ?? []) if (!reattach(one)) one.socket.destroy();
      cut.delete(agent);
    },
    /** Marks all connections of the agent as closed by its process. */
    disown: (agent: number) => {
      const sockets = cut.get(agent);
      if (sockets !== undefined)
        cut.set(
          agent,
          sockets.map(({ socket }) => ({ socket, owner: undefined })),
        );
    },
    close: () => {
      for (const { socket } of [...cut.values()].flat()) socket.destroy();
      cut.clear();
    },
  };
}

/** Takes the socket from a connection. Pending dials fail, and so does an HTTP/2 session, which would keep answering the server. */
function detach(connection: Connection): CutSocket | undefined {
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
  return { socket, owner: { connection, exchange } };
}

/** Returns false if the agent has needed this connection meanwhile, and no longer waits for an answer on it. */
function reattach({ socket, owner }: CutSocket): boolean {
  if (owner === undefined) return false;
  const { connection, exchange } = owner;
  const isObsolete = connection.exchange !== exchange || exchange?.unsent !== undefined;
  if (isObsolete || connection.socket !== undefined || connection.session !== undefined || socket.destroyed)
    return false;
  connection.socket = socket;
  connection.isReady = true;
  socket.resume();
  return true;
}
