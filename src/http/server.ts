import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nodeHttp } from '../runtime/builtins.ts';

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
  readonly connection: HttpConnection<Origin>;
  /** The client sends its body only after a 100. */
  readonly expectsContinue: boolean;
};

/** Serves connections and listens nowhere itself: any number of listeners may feed it. */
export type HttpServer<Origin> = {
  readonly connections: HttpConnections<Origin>;
  /** Begins to read requests from what carries them: the connection's own socket, or TLS over it. */
  readonly serve: (connection: HttpConnection<Origin>, stream: Socket) => void;
  /** While suspended, no connection is closed for being slow or idle; afterwards each has its whole time anew. */
  readonly suspendTimeouts: (suspended: boolean) => void;
  /** Answers what clients have sent so far and closes each connection, but none later than in `drainMs`. */
  readonly stop: (drainMs: number) => Promise<void>;
};

export function createHttpServer<Origin>(
  { headMs, requestMs, idleMs }: HttpTimeouts,
  handle: (exchange: HttpExchange<Origin>) => void,
  policy?: HttpPolicy,
): HttpServer<Origin> {
  const whole = { headersTimeout: Math.min(headMs, requestMs), requestTimeout: requestMs };
  const server = nodeHttp.createServer({
    keepAliveTimeout: idleMs,
    // Clients see the time above and get this much longer, so that their last request does not meet a close.
    keepAliveTimeoutBuffer: Math.min(1000, idleMs),
    ...policy?.settings,
    ...whole,
    // How often the two limits above are looked at.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  const connections = createConnections<Origin>();
  const begin = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.begin(request.socket, response);
    if (connection === undefined) return;
    if (policy === undefined && connection.inFlight >= MOST_IN_FLIGHT) awaitAnswers(connection, response);
    handle({ request, response, connection, expectsContinue });
  };
  server.on('request', begin(false)).on('checkContinue', begin(true));
  if (policy !== undefined) applyPolicy(server, policy, { begin: begin(false), garbled: connections.garbled });
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

/** Requests of one connection that are answered at a time; a client that sends more ahead waits. */
const MOST_IN_FLIGHT = 32;

/** Stops reading a connection until enough answers have been sent. */
function awaitAnswers(connection: HttpConnection<unknown>, response: ServerResponse): void {
  const { stream } = connection;
  // Not at once: when Node comes to the end of the request, it makes the connection read on.
  process.nextTick(() => stream.pause());
  response.once('close', () => {
    if (connection.inFlight < MOST_IN_FLIGHT) stream.resume();
  });
}

async function drain<Origin>(connections: HttpConnections<Origin>, drainMs: number): Promise<void> {
  const deadline = setTimeout(connections.closeAll, drainMs);
  connections.closeWhenIdle();
  await connections.allClosed();
  clearTimeout(deadline);
}

/** Accepts connections for a server that refuses none. */
export function serveAll<Origin>({ connections, serve }: HttpServer<Origin>, origin: Origin): (socket: Socket) => void {
  return (socket) => serve(connections.add(socket, origin), socket);
}

/** A connection that a listener has accepted. */
export type HttpConnection<Origin> = {
  /** The accepted socket itself. */
  readonly socket: Socket;
  /** What carries requests and answers: the socket, or TLS over it. */
  readonly stream: Socket;
  /** Which listener accepted it, in the words of the server's owner. */
  readonly origin: Origin;
  /** Requests that have been read and not been answered yet. */
  readonly inFlight: number;
  /** The answer to the request that came last; answers go out in the order of their requests. */
  readonly newest: ServerResponse | undefined;
  /** The input is unreadable, and so is everything after it: the rest of the body and further requests. */
  readonly isGarbled: boolean;
};

/** The open connections of a server and what is in flight on them. */
export type HttpConnections<Origin> = {
  readonly add: (socket: Socket, origin: Origin) => HttpConnection<Origin>;
  readonly carry: (connection: HttpConnection<Origin>, stream: Socket) => void;
  /** A request has been read from the stream; returns its connection. */
  readonly begin: (stream: Socket, response: ServerResponse) => HttpConnection<Origin> | undefined;
  /** Nothing more can be read of the stream. Returns the answer to the request that came last over it. */
  readonly garbled: (stream: Socket) => ServerResponse | undefined;
  readonly open: () => number;
  readonly requestsInFlight: () => number;
  /** From now on closes every connection as soon as no request is in flight on it. */
  readonly closeWhenIdle: () => void;
  readonly closeAll: () => void;
  readonly resetAll: () => void;
  /** Resolves when no connection is left. */
  readonly allClosed: () => Promise<void>;
};

type Counted<Origin> = { -readonly [name in keyof HttpConnection<Origin>]: HttpConnection<Origin>[name] };

function createConnections<Origin>(): HttpConnections<Origin> {
  const all = new Map<Socket, Counted<Origin>>();
  const byStream = new Map<Socket, Counted<Origin>>();
  let closing = false;
  const closeIfIdle = ({ inFlight, stream }: HttpConnection<Origin>) => {
    if (inFlight === 0) stream.destroySoon();
  };
  return {
    add: (socket, origin) => {
      const connection = { ...{ socket, stream: socket, origin }, inFlight: 0, newest: undefined, isGarbled: false };
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
      connection.inFlight++;
      connection.newest = response;
      response.once('close', () => {
        connection.inFlight--;
        if (closing) closeIfIdle(connection);
      });
      return connection;
    },
    garbled: (stream) => {
      const connection = byStream.get(stream);
      if (connection === undefined) return undefined;
      connection.isGarbled = true;
      return connection.newest;
    },
    open: () => all.size,
    requestsInFlight: () => [...all.values()].reduce((sum, { inFlight }) => sum + inFlight, 0),
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

/** How a server that stands for another program reads requests, where it differs from Node's own. */
export type HttpPolicy = {
  readonly settings: Pick<ServerOptions, 'maxHeaderSize' | 'keepAliveTimeoutBuffer' | 'requireHostHeader'>;
  /** What goes back, before the connection is closed, for bytes that are no request, or come too late; empty: nothing. */
  readonly rejection: (error: UnreadableError) => string;
  /** Such bytes came where no request was under way. */
  readonly turnedAway: (error: UnreadableError) => void;
};

/** `code` is one of Node's; `rawPacket` is what was being read. */
export type UnreadableError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** Time for a rejected client to read the reason: an immediate close could overtake the answer. */
const LAST_WORDS_MS = 500;

/** Makes the server leave to its owner what Node would answer by itself. */
function applyPolicy<Origin>(
  server: Server,
  policy: HttpPolicy,
  { begin, garbled }: { readonly begin: RequestListener; readonly garbled: HttpConnections<Origin>['garbled'] },
): void {
  // Every request reaches the owner: with an Expect that nobody knows, with any number of headers, and
  // from clients that have ended their side.
  Object.assign(server, { maxHeadersCount: 0, httpAllowHalfOpen: true });
  server.on('checkExpectation', begin);
  server.on('clientError', (error: UnreadableError, stream: Socket) => {
    const answer = garbled(stream);
    const words = policy.rejection(error);
    if (answer === undefined || answer.writableFinished) policy.turnedAway(error);
    // The reader of the body handles a bad one; garbage after a complete request waits for the answer.
    if (answer === undefined || answer.writableFinished) reject(stream, words);
    else if (isRead(answer.req)) answer.req.emit('error', error);
    else if (words === '') stream.destroy();
    else answer.once('close', () => reject(stream, words));
  });
}

function isRead(request: IncomingMessage): boolean {
  return !request.complete && request.listenerCount('error') > 0;
}

/** Sends last words, if there are any, and closes the connection. */
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

/**
 * Ends a connection with a reset, or without one if our own side has been ended: while that end is on its way there is no
 * reset to be had, and Node would neither say so nor ever close the socket.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
