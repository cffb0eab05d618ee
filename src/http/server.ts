import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type Connections, createConnections } from './connections.ts';
import { type HttpManners, mind } from './manners.ts';

export type HttpTimeouts = {
  /** From the first byte of a request, or from the opening of the connection, to the end of the head. */
  readonly headMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** How long a connection without a request is kept open. */
  readonly idleMs: number;
};

/** A request whose head has been read, and what is to become its answer. */
export type HttpExchange<Origin> = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection<Origin>;
  /** The client sends its body only after a 100. */
  readonly expectsContinue: boolean;
};

/** Serves connections and listens nowhere itself: any number of listeners may feed it. */
export type HttpServer<Origin> = {
  readonly connections: Connections<Origin>;
  /** Begins to read requests from what carries them: the connection's own socket, or TLS over it. */
  readonly serve: (connection: Connection<Origin>, stream: Socket) => void;
  /** While suspended, no connection is closed for being slow or idle; afterwards each has its whole time anew. */
  readonly suspendTimeouts: (suspended: boolean) => void;
  /** Answers what clients have sent so far and closes each connection, but none later than in `drainMs`. */
  readonly stop: (drainMs: number) => Promise<void>;
};

export function createHttpServer<Origin>(
  { headMs, requestMs, idleMs }: HttpTimeouts,
  handle: (exchange: HttpExchange<Origin>) => void,
  manners?: HttpManners,
): HttpServer<Origin> {
  const whole = { headersTimeout: Math.min(headMs, requestMs), requestTimeout: requestMs };
  const server = createServer({
    keepAliveTimeout: idleMs,
    // Clients are told the time above and get this much longer, so that the last request does not meet a close.
    keepAliveTimeoutBuffer: Math.min(1000, idleMs),
    ...manners?.settings,
    ...whole,
    // How often the two limits above are looked at.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  const connections = createConnections<Origin>();
  const begin = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.begin(request.socket, response);
    if (connection !== undefined) handle({ request, response, connection, expectsContinue });
  };
  server.on('request', begin(false)).on('checkContinue', begin(true));
  if (manners !== undefined) mind(server, manners, { begin: begin(false), answerOn: connections.newestOn });
  // Node sets the watch over slow requests up when a server begins to listen, and this one never does.
  server.emit('listening');
  let suspended = false;
  let restoring: NodeJS.Timeout | undefined;
  const limit = (limits: Pick<typeof server, 'headersTimeout' | 'requestTimeout'>) => Object.assign(server, limits);
  server.on('timeout', (socket) => (suspended ? socket.setTimeout(idleMs) : socket.destroy()));
  return {
    connections,
    suspendTimeouts: (suspend) => {
      if (suspend === suspended) return;
      suspended = suspend;
      clearTimeout(restoring);
      if (suspend) limit({ headersTimeout: 0, requestTimeout: 0 });
      else restoring = setTimeout(limit, requestMs, whole).unref();
    },
    serve: (connection, stream) => {
      connections.carry(connection, stream);
      server.emit('connection', stream);
    },
    stop: async (drainMs) => {
      await drain(connections, drainMs);
      clearTimeout(restoring);
      server.close();
    },
  };
}

async function drain<Origin>(connections: Connections<Origin>, drainMs: number): Promise<void> {
  const deadline = setTimeout(connections.closeAll, drainMs);
  connections.closeWhenIdle();
  await connections.allClosed();
  clearTimeout(deadline);
}

/** Accepts connections for a server that refuses none. */
export function serveAll<Origin>({ connections, serve }: HttpServer<Origin>, origin: Origin): (socket: Socket) => void {
  return (socket) => serve(connections.add(socket, origin), socket);
}
