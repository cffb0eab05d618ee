import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import type { TransportSettings } from '../../../src/wire/transport/transport.ts';
import { CREDENTIALS, closedInTheEnd, listen, type Probe, probe } from './wire.ts';

const AUTHORITY = readFileSync(join(import.meta.dirname, 'certificates', 'authority.pem'), 'utf8');

/** One stream with its whole body. */
export type Request = {
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
  /** Writes raw frames, including invalid ones, to the connection. */
  readonly raw: (hexadecimal: string) => void;
  /** Alternating names and values. */
  readonly head: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Number of its connection, counted from 1. */
  readonly connection: number;
  /** Counted from 1, over all connections. */
  readonly number: number;
};

export type Http2Server = {
  readonly port: number;
  readonly connections: readonly TLSSocket[];
  readonly sessions: readonly ServerHttp2Session[];
  readonly requests: readonly Request[];
  /** Error codes of reset streams, and PINGs, in order of arrival. */
  readonly signs: readonly string[];
  /** Bytes received and sent on a connection, above TLS. */
  traffic(connection: number): { readonly in: number; readonly out: number };
  close(): Promise<void>;
};

type Options = {
  readonly settings?: Settings;
  /** Called for a stream before its body arrives. */
  readonly early?: (stream: ServerHttp2Stream) => void;
};

/**
 * Speaks only HTTP/2, and calls `reply` once a request is complete. TLS ends in front of the session, so that a test can also write to
 * the connection, which a session that owns its socket forbids.
 */
export async function http2Server(
  reply: (request: Request) => void,
  { settings = {}, early }: Options = {},
): Promise<Http2Server> {
  const connections: TLSSocket[] = [];
  const sessions: ServerHttp2Session[] = [];
  const requests: Request[] = [];
  const signs: string[] = [];
  const onwards: (Socket | undefined)[] = [];
  const inner = createHttp2Server({ settings, maxSendHeaderBlockLength: 1 << 20 });
  inner.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
    session.on('ping', () => signs.push('PING'));
    session.on('goaway', (code) => signs.push(`GOAWAY ${code}`));
  });
  inner.on('stream', (stream: ServerHttp2Stream, headers, _flags, head) => {
    const session = stream.session as ServerHttp2Session | undefined;
    if (session === undefined) return;
    const connection = 1 + onwards.findIndex((onward) => onward?.localPort === session.socket.remotePort);
    const raw = (hexadecimal: string) => connections[connection - 1]?.write(Buffer.from(hexadecimal, 'hex'));
    let body = '';
    stream.on('error', () => {});
    stream.on('close', () => stream.rstCode !== undefined && stream.rstCode > 0 && signs.push(`RST ${stream.rstCode}`));
    early?.(stream);
    stream.on('data', (chunk) => {
      body += chunk.toString('latin1');
    });
    stream.on('end', () => {
      const request = { stream, session, raw, head, headers, body, connection, number: requests.length + 1 };
      requests.push(request);
      reply(request);
    });
  });
  const innerPort = await listen(inner);
  const server = createServer({ ...CREDENTIALS, ALPNProtocols: ['h2'] }, (socket) => {
    connections.push(socket);
    const onward = connect(innerPort, '127.0.0.1').setNoDelay(true);
    onwards.push(onward);
    socket.setNoDelay(true).on('error', () => {});
    onward.on('error', () => {});
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroySoon());
  });
  const port = await listen(server);
  return {
    port,
    connections,
    sessions,
    requests,
    signs,
    traffic: (connection) => {
      const socket = connections[connection - 1];
      return { in: socket?.bytesRead ?? 0, out: socket?.bytesWritten ?? 0 };
    },
    close: async () => {
      for (const socket of connections) socket.destroy();
      for (const session of sessions) session.destroy();
      server.close();
      inner.close();
      await Promise.all([once(server, 'close'), once(inner, 'close')]);
    },
  };
}

/** Waits until everything sent before has arrived and its consequences have come back. */
export async function roundTrips(session: ServerHttp2Session | undefined): Promise<void> {
  for (let time = 0; time < 2; time++) await new Promise((resolve) => session?.ping(resolve));
}

/** Answers like a server that accepts the push. */
export function accept({ stream }: Pick<Request, 'stream'>): void {
  answer(stream, 200, '{"received_checks":1}');
}

export function answer(
  stream: ServerHttp2Stream,
  status: number,
  body: string,
  fields: IncomingHttpHeaders = {},
): void {
  stream.respond({ ':status': status, ...fields });
  stream.end(body);
}

/** An HTTP/2 server that closes at the end of the current test. */
export async function serve(...told: Parameters<typeof http2Server>): Promise<Http2Server> {
  return closedInTheEnd(await http2Server(...told));
}

/** Agents of the server that verify certificates. */
export function client(
  server: { port: number },
  settings: Partial<TransportSettings> = {},
  wire?: Parameters<typeof probe>[1],
): Probe {
  const tls = { verify: true, ca: AUTHORITY };
  const made = probe({ baseUrl: `https://localhost:${server.port}`, tls, ...settings }, wire);
  closedInTheEnd(made.transport);
  return made;
}

export async function against(reply: (request: Request) => void, options?: Options) {
  const server = await serve(reply, options);
  return { server, agent: client(server) };
}

export const PROTOCOL_ERROR = 1;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;

/** The bytes of a frame (RFC 9113, section 4.1) on the request's stream. */
export function frame({ stream }: Pick<Request, 'stream'>, type: number, flags: number, payload: string): string {
  const byte = (value: number, digits = 2) => value.toString(16).padStart(digits, '0');
  return byte(payload.length / 2, 6) + byte(type) + byte(flags) + byte(stream.id ?? 0, 8) + payload;
}

/** The bytes of a GOAWAY frame (RFC 9113, section 6.8). */
export function goaway(lastStreamId: number, code: number): string {
  const number = (value: number) => value.toString(16).padStart(8, '0');
  return `0000080700000000${number(0).slice(0, 2)}${number(lastStreamId)}${number(code)}`;
}
