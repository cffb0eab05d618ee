import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Decides which new connections the server gets to see. */
export type Admission = {
  /** While false, new connections are held: established, but nobody reads from them. */
  readonly setAccepting: (accepting: boolean) => void;
  /** New connections beyond this number are reset. */
  readonly setLimit: (connections: number) => void;
};

/** `open` tells how many connections there are besides a new one. */
export function controlAdmission(server: Server, open: () => number): Admission {
  // The server's own listener, which attaches its parser, now runs only for connections that are admitted.
  const attach = server.listeners('connection');
  server.removeAllListeners('connection');
  const admit = (socket: Socket) => {
    for (const listener of attach) listener.call(server, socket);
  };
  let limit = Number.POSITIVE_INFINITY;
  let accepting = true;
  let held: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    if (open() >= limit) {
      socket.resetAndDestroy();
    } else if (accepting) {
      admit(socket);
    } else {
      // What breaks a connection before it is served is nobody's concern.
      socket.on('error', () => {});
      held.push(socket);
    }
  });
  return {
    setLimit: (connections) => {
      limit = connections;
    },
    setAccepting: (value) => {
      accepting = value;
      if (!accepting) return;
      const released = held.filter((socket) => !socket.destroyed);
      held = [];
      for (const socket of released) admit(socket);
    },
  };
}
