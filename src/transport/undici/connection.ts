import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Connector } from '../connector.ts';
import { type AnswerStart, createAnswerStart } from './interim-answers.ts';

/** Writes one whole request, head and body, to a socket that is ready for it. */
export type RequestWriter = { writeRequest(socket: Socket, write: Socket['write']): boolean };

/** One keep-alive connection to the target; opens at its first request and again after it was closed. */
export type Connection = {
  client: Client;
  /** The present socket, connecting or connected. */
  socket: Socket | undefined;
  /** Who writes the request that is under way. */
  writer: RequestWriter | undefined;
  /** Closes the present socket, connecting or connected; the next request opens another one. */
  renew(): void;
};

/**
 * What undici is given as a body. When it comes to write it, the socket is connected and ready, and the real
 * request is rendered at that moment: no body waits in memory for a connection.
 */
export const PLACEHOLDER_BODY = Buffer.from('-');

const CONNECTION = Symbol('connection');
const ANSWER_START = Symbol('start of the answer');
type HookedSocket = Socket & {
  [CONNECTION]: Connection;
  [ANSWER_START]: AnswerStart;
  plainWrite: Socket['write'];
  plainRead: Socket['read'];
};

const FOREVER_MS = 2 ** 31 - 1;

export function createConnection(origin: string, connect: Connector): Connection {
  const openClient = (): Client =>
    new Client(origin, {
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Like Go's client, keep an idle connection until the server closes it, whatever its Keep-Alive header hints:
      // a negative threshold lifts every hint to the maximum.
      keepAliveTimeout: FOREVER_MS,
      keepAliveMaxTimeout: FOREVER_MS,
      keepAliveTimeoutThreshold: -FOREVER_MS,
      connect: (_options, callback) => {
        const dialling = (socket: Socket): void => {
          connection.socket = socket;
        };
        connect(dialling, (error, socket) => {
          if (socket === null) return callback(error ?? new Error('no socket'), null);
          callback(null, hook(socket, connection));
        });
      },
    });
  const connection: Connection = {
    client: openClient(),
    socket: undefined,
    writer: undefined,
    // A client that was dialling fails whatever it was given meanwhile, so the next request gets another one.
    renew: () => {
      const { client, socket } = connection;
      connection.client = openClient();
      connection.socket = undefined;
      connection.writer = undefined;
      socket?.destroy();
      void client.destroy();
    },
  };
  return connection;
}

function hook(socket: Socket, connection: Connection): Socket {
  const hooked = Object.assign(socket, {
    [CONNECTION]: connection,
    [ANSWER_START]: createAnswerStart(),
    plainWrite: socket.write,
    plainRead: socket.read,
  }) as HookedSocket;
  hooked.write = writeAsAgent;
  hooked.read = readAsAgent;
  return hooked;
}

/**
 * Stands in for a socket's `write`. undici writes a head of its own (lower-case names, its own order, a
 * `connection` header) and then the body; a real agent's head looks different, so undici's is left out and the
 * placeholder body becomes the agent's whole request.
 */
function writeAsAgent(this: HookedSocket, ...args: unknown[]): boolean {
  const chunk = args[0];
  if (chunk === PLACEHOLDER_BODY) {
    this[ANSWER_START].expect();
    return this[CONNECTION].writer?.writeRequest(this, this.plainWrite) ?? true;
  }
  if (typeof chunk === 'string') return true;
  return Reflect.apply(this.plainWrite, this, args) as boolean;
}

/** Stands in for a socket's `read`: undici gives up a connection whose server says `100 Continue`. */
function readAsAgent(this: HookedSocket): unknown {
  for (;;) {
    const chunk: Buffer | null = this.plainRead();
    if (chunk === null) return null;
    const answer = this[ANSWER_START].after(chunk);
    if (answer.length > 0) return answer;
  }
}
