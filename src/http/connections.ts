import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { reset } from './reset.ts';

/** A connection that a listener has accepted. */
export type Connection<Origin> = {
  /** The accepted socket itself. */
  readonly socket: Socket;
  /** What carries requests and answers: the socket, or TLS over it. */
  readonly stream: Socket;
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
  readonly carry: (connection: Connection<Origin>, stream: Socket) => void;
  /** A request has been read from the stream; returns its connection. */
  readonly begin: (stream: Socket, response: ServerResponse) => Connection<Origin> | undefined;
  /** The answer to the request that came last over the stream. */
  readonly newestOn: (stream: Socket) => ServerResponse | undefined;
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
  const byStream = new Map<Socket, Counted<Origin>>();
  let closing = false;
  const closeIfIdle = ({ underWay, stream }: Connection<Origin>) => {
    if (underWay === 0) stream.destroySoon();
  };
  return {
    add: (socket, origin) => {
      const connection: Counted<Origin> = { socket, stream: socket, origin, underWay: 0, newest: undefined };
      all.set(socket, connection);
      socket.once('close', () => {
        all.delete(socket);
        byStream.delete(connection.stream);
      });
      return connection;
    },
    carry: ({ socket }, stream) => {
      const connection = all.get(socket);
      if (connection === undefined) return;
      connection.stream = stream;
      byStream.set(stream, connection);
    },
    begin: (stream, response) => {
      const connection = byStream.get(stream);
      if (connection === undefined) return undefined;
      connection.underWay++;
      connection.newest = response;
      response.once('close', () => {
        connection.underWay--;
        if (closing) closeIfIdle(connection);
      });
      return connection;
    },
    newestOn: (stream) => byStream.get(stream)?.newest,
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
      for (const socket of all.keys()) reset(socket);
    },
    allClosed: async () => {
      await Promise.all([...all.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}
