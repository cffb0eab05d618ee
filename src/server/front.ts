import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import { createListener } from '../wire/http/listener.ts';
import type { HttpConnection, HttpServer } from '../wire/http/server.ts';
import { secured } from '../wire/http/tls.ts';
import type { ServerCondition } from './injection/injector.ts';
import type { MonitoringServerSettings } from './settings.ts';

/** A freeze of the server, during which all actions wait. */
export type Freeze = {
  readonly holds: () => boolean;
  /** Resolves when the freeze ends; waiters continue in order of arrival. */
  readonly thawed: () => Promise<void>;
};

type FrontParts = {
  readonly settings: MonitoringServerSettings;
  readonly secureContext: SecureContext | undefined;
  readonly http: HttpServer<undefined>;
};

/** The part of the server that faces the network. */
export function createFront({ settings, secureContext, http }: FrontParts) {
  const admission = createAdmission(http, secureContext);
  const { freeze, setFrozen } = createFreeze();
  const listener = createListener(settings, admission.accept);
  let stopping = false;
  return {
    listener,
    freeze,
    become: ({ frozen, accepting, connectionLimit, down }: ServerCondition) => {
      if (stopping) return;
      setFrozen(frozen);
      http.suspendTimeouts(frozen);
      admission.setAccepting(accepting);
      admission.setLimit(connectionLimit);
      if (down) {
        listener.down();
        http.connections.resetAll();
      } else {
        listener.up();
      }
    },
    isStopping: (): boolean => stopping,
    /** Answers the requests received so far, closes all connections, and stops listening. */
    shut: async (): Promise<void> => {
      stopping = true;
      setFrozen(false);
      // Unread data may be in two places: connections in the listener's queue, then requests in the sockets.
      await turnOfTheLoop();
      listener.down();
      await turnOfTheLoop();
      await http.stop(settings.timeouts.drainMs);
    },
  };
}

/** Resolves when every readable socket has been read: the loop polls them all between two immediates. */
async function turnOfTheLoop(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function createFreeze(): { readonly freeze: Freeze; readonly setFrozen: (frozen: boolean) => void } {
  let standstill: PromiseWithResolvers<void> | undefined;
  return {
    freeze: {
      holds: () => standstill !== undefined,
      thawed: async () => {
        while (standstill !== undefined) await standstill.promise;
      },
    },
    setFrozen: (frozen) => {
      if (frozen) {
        standstill ??= Promise.withResolvers();
        return;
      }
      standstill?.resolve();
      standstill = undefined;
    },
  };
}

/** Decides which new connections reach the server. */
function createAdmission(http: HttpServer<undefined>, secureContext: SecureContext | undefined) {
  const { connections } = http;
  const serve = (connection: HttpConnection<undefined>) => {
    const { socket } = connection;
    http.serve(connection, secureContext === undefined ? socket : secured(socket, secureContext));
  };
  let limit = Number.POSITIVE_INFINITY;
  let accepting = true;
  let held: HttpConnection<undefined>[] = [];
  return {
    accept: (socket: Socket) => {
      if (connections.open() >= limit) {
        socket.resetAndDestroy();
        return;
      }
      const connection = connections.add(socket, undefined);
      if (accepting) {
        serve(connection);
        return;
      }
      // Errors of a connection before its first request do not matter.
      socket.on('error', () => {});
      held.push(connection);
    },
    /** New connections above this number are reset. */
    setLimit: (value: number) => {
      limit = value;
    },
    /** While false, new connections are held: established, but not read. */
    setAccepting: (value: boolean) => {
      accepting = value;
      if (!accepting) return;
      const released = held.filter(({ socket }) => !socket.destroyed);
      held = [];
      for (const connection of released) serve(connection);
    },
  };
}
