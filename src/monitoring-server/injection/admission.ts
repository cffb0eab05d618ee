import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Connection } from '../../http/connections.ts';
import { secured } from '../../http/secure.ts';
import type { HttpServer } from '../../http/server.ts';

/** Decides which new connections the server gets to see. */
export type Admission = {
  readonly offer: (socket: Socket) => void;
  /** While false, new connections are held: established, but nobody reads from them. */
  readonly setAccepting: (accepting: boolean) => void;
  /** New connections beyond this number are reset. */
  readonly setLimit: (connections: number) => void;
};

export function createAdmission(http: HttpServer<undefined>, secureContext: SecureContext | undefined): Admission {
  const { connections } = http;
  const serve = (connection: Connection<undefined>) => {
    const { socket } = connection;
    http.serve(connection, secureContext === undefined ? socket : secured(socket, secureContext));
  };
  let limit = Number.POSITIVE_INFINITY;
  let accepting = true;
  let held: Connection<undefined>[] = [];
  return {
    offer: (socket) => {
      if (connections.open() >= limit) {
        socket.resetAndDestroy();
        return;
      }
      const connection = connections.add(socket, undefined);
      if (accepting) {
        serve(connection);
        return;
      }
      // What breaks a connection before it is served is nobody's concern.
      socket.on('error', () => {});
      held.push(connection);
    },
    setLimit: (value) => {
      limit = value;
    },
    setAccepting: (value) => {
      accepting = value;
      if (!accepting) return;
      const released = held.filter(({ socket }) => !socket.destroyed);
      held = [];
      for (const connection of released) serve(connection);
    },
  };
}
