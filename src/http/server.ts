import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Connection, type Connections, createConnections } from './connections.ts';

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
  /** Begins to read requests from a connection. */
  readonly serve: (connection: Connection<Origin>) => void;
  /** Answers what clients have sent so far and closes each connection, but none later than in `drainMs`. */
  readonly stop: (drainMs: number) => Promise<void>;
};

export function createHttpServer<Origin>(
  { headMs, requestMs, idleMs }: HttpTimeouts,
  handle: (exchange: HttpExchange<Origin>) => void,
): HttpServer<Origin> {
  const server = createServer({
    keepAliveTimeout: idleMs,
    // Clients are told the time above and get this much longer, so that the last request does not meet a close.
    keepAliveTimeoutBuffer: Math.min(1000, idleMs),
    headersTimeout: Math.min(headMs, requestMs),
    requestTimeout: requestMs,
    // How often the two limits above are looked at.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  const connections = createConnections<Origin>();
  const begin = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.begin(request.socket, response);
    if (connection !== undefined) handle({ request, response, connection, expectsContinue });
  };
  server.on('request', begin(false)).on('checkContinue', begin(true));
  // Node sets the watch over slow requests up when a server begins to listen, and this one never does.
  server.emit('listening');
  return {
    connections,
    serve: ({ socket }) => void server.emit('connection', socket),
    stop: async (drainMs) => {
      await drain(connections, drainMs);
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
  return (socket) => serve(connections.add(socket, origin));
}
