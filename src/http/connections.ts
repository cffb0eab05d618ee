import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that a listener has accepted. */
export type Connection<Origin> = {
  /** The accepted socket itself. */
  readonly socket: Socket;
  /** Which listener accepted it, in the words of the server's owner. */
  readonly origin: Origin;
  /** Requests that have been read and not been answered yet. */
  readonly underWay: number;
  /** The answer to the request that came last; answers go out in the order of their requests. */
  readonly newest: ServerResponse | undefined;
};

/** The open connections of a server and what is under way on them. */
export type Connections<Origin> = {
  readonly add: (socket: Socket, origin: Origin) => Connection<Origin>;
  /** A request has been read from the socket; returns its connection. */
  readonly begin: (socket: Socket, response: ServerResponse) => Connection<Origin> | undefined;
  readonly open: () => number;
  readonly requestsUnderWay: () => number;
  /** From now on closes every connection as soon as no request is under way on it. */
  readonly closeWhenIdle: () => void;
  readonly closeAll: () => void;
  readonly resetAll: () => void;
  /** Resolves when no connection is left. */
  readonly allClosed: () => Promise<void>;
};

type Counted<Origin> = { -readonly [name in keyof Connection<Origin>]: Connection<Origin>[name] };

export function createConnections<Origin>(): Connections<Origin> {
  const all = new Map<Socket, Counted<Origin>>();
  let closing = false;
  const closeIfIdle = ({ underWay, socket }: Connection<Origin>) => {
    if (underWay === 0) socket.destroySoon();
  };
  return {
    add: (socket, origin) => {
      const connection = { socket, origin, underWay: 0, newest: undefined };
      all.set(socket, connection);
      socket.once('close', () => all.delete(socket));
      return connection;
    },
    begin: (socket, response) => {
      const connection = all.get(socket);
      if (connection === undefined) return undefined;
      connection.underWay++;
      connection.newest = response;
      response.once('close', () => {
        connection.underWay--;
        if (closing) closeIfIdle(connection);
      });
      return connection;
    },
    open: () => all.size,
    requestsUnderWay: () => [...all.values()].reduce((sum, { underWay }) => sum + underWay, 0),
    closeWhenIdle: () => {
      closing = true;
      for (const connection of all.values()) closeIfIdle(connection);
    },
    closeAll: () => {
      for (const socket of all.keys()) socket.destroy();
    },
    resetAll: () => {
      for (const socket of all.keys()) socket.resetAndDestroy();
    },
    allClosed: async () => {
      await Promise.all([...all.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}
