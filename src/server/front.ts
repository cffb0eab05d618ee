import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import { createListener, type Listener } from '../wire/http/listener.ts';
import type { HttpConnection, HttpServer } from '../wire/http/server.ts';
import { secured } from '../wire/http/tls.ts';
import type { ServerCondition } from './injection/injector.ts';
import type { MonitoringServerSettings } from './settings.ts';

/** The part of the server that faces the network. */
export type Front = {
  readonly listener: Listener;
  readonly freeze: Freeze;
  readonly become: (condition: ServerCondition) => void;
  readonly isStopping: () => boolean;
  /** Answers the requests received so far, closes all connections, and stops listening. */
  readonly shut: () => Promise<void>;
};

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

export function createFront({ settings, secureContext, http }: FrontParts): Front {
  const admission = createAdmission(http, secureContext);
  const { freeze, setFrozen } = createFreeze();
  const listener = createListener(settings, admission.accept);
  let stopping = false;
  return {
    listener,
    freeze,
    become: ({ frozen, accepting, connectionLimit, down }) => {
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
    isStopping: () => stopping,
    shut: async () => {
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
type Admission = {
  readonly accept: (socket: Socket) => void;
  /** While false, new connections are held: established, but not read. */
  readonly setAccepting: (accepting: boolean) => void;
  /** New connections above this number are reset. */
  readonly setLimit: (connections: number) => void;
};

function createAdmission(http: HttpServer<undefined>, secureContext: SecureContext | undefined): Admission {
  const { connections } = http;
  const serve = (connection: HttpConnection<undefined>) => {
    const { socket } = connection;
    http.serve(connection, secureContext === undefined ? socket : secured(socket, secureContext));
  };
  let limit = Number.POSITIVE_INFINITY;
  let accepting = true;
  let held: HttpConnection<undefined>[] = [];
  return {
    accept: (socket) => {
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
