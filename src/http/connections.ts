import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server and what is under way on them. */
export type Connections = {
  readonly open: () => number;
  readonly requestsUnderWay: () => number;
  /** Closes every connection on which no request is under way. */
  readonly closeIdle: () => void;
  readonly closeAll: () => void;
  readonly resetAll: () => void;
  /** Resolves when no connection is left. */
  readonly allClosed: () => Promise<void>;
};

export function trackConnections(server: Server): Connections {
  const underWay = new Map<Socket, number>();
  const change = (socket: Socket, by: number) => {
    const count = underWay.get(socket);
    if (count !== undefined) underWay.set(socket, count + by);
  };
  server.on('connection', (socket: Socket) => {
    underWay.set(socket, 0);
    socket.once('close', () => underWay.delete(socket));
  });
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    change(socket, 1);
    response.once('close', () => change(socket, -1));
  };
  server.on('request', begin).on('checkContinue', begin);
  return {
    open: () => underWay.size,
    requestsUnderWay: () => [...underWay.values()].reduce((sum, count) => sum + count, 0),
    closeIdle: () => {
      for (const [socket, count] of underWay) if (count === 0) socket.destroy();
    },
    closeAll: () => {
      for (const socket of underWay.keys()) socket.destroy();
    },
    resetAll: () => {
      for (const socket of underWay.keys()) socket.resetAndDestroy();
    },
    allClosed: async () => {
      await Promise.all([...underWay.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}
