import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from '../../base/kernel/records.ts';
import { nodeHttp } from '../../base/runtime/builtins.ts';

export type HttpTimeouts = {
  /** From the first byte of a request, or from the opening of the connection, to the end of the head. */
  readonly headMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  readonly idleMs: number;
};

export type HttpExchange<Origin> = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: HttpConnection<Origin>;
  /** Whether the client sends its body only after a 100. */
  readonly expectsContinue: boolean;
};

/** Serves connections without listening itself, so that any number of listeners can feed it. */
export type HttpServer<Origin> = ReturnType<typeof createHttpServer<Origin>>;

export function createHttpServer<Origin>(
  { headMs, requestMs, idleMs }: HttpTimeouts,
  handle: (exchange: HttpExchange<Origin>) => void,
  policy?: HttpPolicy,
) {
  const whole = { headersTimeout: Math.min(headMs, requestMs), requestTimeout: requestMs };
  const server = nodeHttp.createServer({
    keepAliveTimeout: idleMs,
    // Clients see the time above. This grace period keeps their last request from meeting a closed connection.
    keepAliveTimeoutBuffer: Math.min(1000, idleMs),
    ...policy?.settings,
    ...whole,
    // How often Node checks the two timeouts above.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  const connections = createConnections<Origin>();
  const begin = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.begin(request.socket, response);
    if (connection === undefined) return;
    if (policy === undefined && connection.inFlight >= MAX_IN_FLIGHT) awaitAnswers(connection, response);
    handle({ request, response, connection, expectsContinue });
  };
  server.on('request', begin(false)).on('checkContinue', begin(true));
  if (policy !== undefined) applyPolicy(server, policy, { begin: begin(false), garbled: connections.garbled });
  // Node starts its check for slow requests when a server starts listening, which this one never does.
  server.emit('listening');
  let suspended = false;
  let restoring: NodeJS.Timeout | undefined;
  const limit = (limits: Pick<typeof server, 'headersTimeout' | 'requestTimeout'>) => Object.assign(server, limits);
  server.on('timeout', (socket) => (suspended ? socket.setTimeout(idleMs) : socket.destroy()));
  return {
    connections,
    /** While suspended, no connection is closed for being slow or idle. Afterward, all timeouts start again. */
    suspendTimeouts: (suspend: boolean) => {
      if (suspend === suspended) return;
      suspended = suspend;
      clearTimeout(restoring);
      if (suspend) limit({ headersTimeout: 0, requestTimeout: 0 });
      else restoring = setTimeout(limit, requestMs, whole).unref();
    },
    /** Starts reading requests from the connection's own socket, or from TLS over it. */
    serve: (connection: HttpConnection<Origin>, stream: Socket) => {
      connections.carry(connection, stream);
      server.emit('connection', stream);
    },
    /** Answers the requests received so far and closes each connection within `drainMs`. */
    stop: async (drainMs: number): Promise<void> => {
      await drain(connections, drainMs);
      clearTimeout(restoring);
      server.close();
    },
  };
}

/** Concurrent requests per connection; a client that pipelines more must wait. */
const MAX_IN_FLIGHT = 32;

/** Stops reading a connection until enough answers have been sent. */
function awaitAnswers(connection: HttpConnection<unknown>, response: ServerResponse): void {
  const { stream } = connection;
  // Deferred, because Node resumes the connection at the end of the request.
  process.nextTick(() => stream.pause());
  response.once('close', () => {
    if (connection.inFlight < MAX_IN_FLIGHT) stream.resume();
  });
}

async function drain<Origin>(connections: HttpConnections<Origin>, drainMs: number): Promise<void> {
  const deadline = setTimeout(connections.closeAll, drainMs);
  connections.closeWhenIdle();
  await connections.allClosed();
  clearTimeout(deadline);
}

/** Returns a handler that accepts all connections. */
export function serveAll<Origin>({ connections, serve }: HttpServer<Origin>, origin: Origin): (socket: Socket) => void {
  return (socket) => serve(connections.add(socket, origin), socket);
}

export type HttpConnection<Origin> = {
  /** The accepted socket itself. */
  readonly socket: Socket;
  /** Carries requests and answers: the socket, or TLS over it. */
  readonly stream: Socket;
  /** The listener that accepted it, as the server's owner names it. */
  readonly origin: Origin;
  /** Requests read and not yet answered. */
  readonly inFlight: number;
  /** The answer to the latest request; answers are sent in the order of their requests. */
  readonly newest: ServerResponse | undefined;
  /** The input is unreadable, including everything after it: the rest of the body and further requests. */
  readonly isGarbled: boolean;
};

/** The open connections of a server and their requests in flight. */
export type HttpConnections<Origin> = ReturnType<typeof createConnections<Origin>>;

function createConnections<Origin>() {
  const all = new Map<Socket, Writable<HttpConnection<Origin>>>();
  const byStream = new Map<Socket, Writable<HttpConnection<Origin>>>();
  let closing = false;
  const closeIfIdle = ({ inFlight, stream }: HttpConnection<Origin>) => {
    if (inFlight === 0) stream.destroySoon();
  };
  return {
    add: (socket: Socket, origin: Origin): HttpConnection<Origin> => {
      const connection = { socket, stream: socket, origin, inFlight: 0, newest: undefined, isGarbled: false };
      all.set(socket, connection);
      socket.once('close', () => {
        all.delete(socket);
        byStream.delete(connection.stream);
      });
      return connection;
    },
    carry: ({ socket }: HttpConnection<Origin>, stream: Socket) => {
      const connection = all.get(socket);
      if (connection === undefined) return;
      connection.stream = stream;
      byStream.set(stream, connection);
    },
    /** Registers a request read from the stream; returns its connection. */
    begin: (stream: Socket, response: ServerResponse): HttpConnection<Origin> | undefined => {
      const connection = byStream.get(stream);
      if (connection === undefined) return undefined;
      connection.inFlight++;
      connection.newest = response;
      response.once('close', () => {
        connection.inFlight--;
        if (closing) closeIfIdle(connection);
      });
      return connection;
    },
    /** Marks the stream as unreadable. Returns the answer to its latest request. */
    garbled: (stream: Socket): ServerResponse | undefined => {
      const connection = byStream.get(stream);
      if (connection !== undefined) connection.isGarbled = true;
      return connection?.newest;
    },
    open: (): number => all.size,
    requestsInFlight: (): number => [...all.values()].reduce((sum, { inFlight }) => sum + inFlight, 0),
    /** Closes every connection, now or later, as soon as it has no request in flight. */
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
    allClosed: async (): Promise<void> => {
      await Promise.all([...all.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}

/** How a server that imitates another program reads requests, where it differs from Node's. */
export type HttpPolicy = {
  readonly settings: Pick<ServerOptions, 'maxHeaderSize' | 'keepAliveTimeoutBuffer' | 'requireHostHeader'>;
  /** Returns the bytes to send before closing a connection that sent an invalid or late request; empty: none. */
  readonly rejection: (error: UnreadableError) => string;
  /** Called for such bytes when no request was in progress. */
  readonly turnedAway: (error: UnreadableError) => void;
};

/** `code` is one of Node's; `rawPacket` contains the unreadable bytes. */
export type UnreadableError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** Time for a rejected client to read the reason: an immediate close could overtake the answer. */
const LAST_WORDS_MS = 500;

/** Lets the server's owner handle what Node would answer itself. */
function applyPolicy<Origin>(
  server: Server,
  policy: HttpPolicy,
  { begin, garbled }: { readonly begin: RequestListener; readonly garbled: HttpConnections<Origin>['garbled'] },
): void {
  // Every request reaches the owner: with an unknown `Expect`, with any number of headers, and from clients that have ended their side.
  Object.assign(server, { maxHeadersCount: 0, httpAllowHalfOpen: true });
  server.on('checkExpectation', begin);
  server.on('clientError', (error: UnreadableError, stream: Socket) => {
    const answer = garbled(stream);
    const words = policy.rejection(error);
    if (answer === undefined || answer.writableFinished) policy.turnedAway(error);
    // The body's reader handles an invalid body; invalid bytes after a complete request wait for its answer.
    if (answer === undefined || answer.writableFinished) reject(stream, words);
    else if (isRead(answer.req)) answer.req.emit('error', error);
    else if (words === '') stream.destroy();
    else answer.once('close', () => reject(stream, words));
  });
}

function isRead(request: IncomingMessage): boolean {
  return !request.complete && request.listenerCount('error') > 0;
}

/** Sends final bytes, if any, and closes the connection. */
export function reject(stream: Socket, words: string | Buffer): void {
  if (stream.destroyed || stream.writableEnded) return;
  if (words.length === 0) {
    stream.destroy();
    return;
  }
  stream.end(words);
  const leave = setTimeout(() => stream.destroy(), LAST_WORDS_MS);
  stream.once('close', () => clearTimeout(leave));
}

/** Resets a connection. If our side has ended, only closes it: Node could not reset it, would report no error and never close it. */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
