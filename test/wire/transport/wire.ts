import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Ending, ExchangeEvidence, Traffic, WireSink } from '../../../src/base/protocol/exchange.ts';
import { USER_AGENT } from '../../../src/base/protocol/push.ts';
import type { CountingTransport, TransportSettings } from '../../../src/wire/transport/transport.ts';
import { createTransport } from '../../../src/wire/transport/transport.ts';

/** A raw TCP server that records what it receives and answers as the test defines. */
export type RawServer = {
  readonly port: number;
  readonly sockets: readonly Socket[];
  /** Whole requests, heads and bodies, in order of completion. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

const certificates = join(import.meta.dirname, 'certificates');
/** Signed by the authority in the same folder. */
export const CREDENTIALS = {
  key: readFileSync(join(certificates, 'server.key')),
  cert: readFileSync(join(certificates, 'server.pem')),
};

/** Closes the part at the end of the current test. */
export function closedInTheEnd<T extends { close(): unknown }>(part: T): T {
  onTestFinished(async () => {
    await part.close();
  });
  return part;
}

export type Reply = (socket: Socket, request: string, number: number) => void;

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

type RawServerOptions = { readonly pauseOnConnect?: boolean; readonly overTls?: boolean };

export async function rawServer(reply: Reply, { pauseOnConnect, overTls }: RawServerOptions = {}): Promise<RawServer> {
  const sockets: Socket[] = [];
  const requests: string[] = [];
  const connected = (socket: Socket): void => {
    sockets.push(socket);
    socket.on('error', () => {});
    let received = '';
    let sizeNeeded = 0;
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      // Searches a large request for its end once, not at each chunk.
      while (received.length > 0 && received.length >= sizeNeeded) {
        sizeNeeded = requestSize(received);
        if (sizeNeeded === 0 || sizeNeeded > received.length) return;
        const request = received.slice(0, sizeNeeded);
        received = received.slice(sizeNeeded);
        sizeNeeded = 0;
        requests.push(request);
        reply(socket, request, requests.length);
      }
    });
    if (pauseOnConnect === true) socket.pause();
  };
  const server =
    overTls === true ? createTlsServer(CREDENTIALS, connected) : createServer({ pauseOnConnect }, connected);
  const port = await listen(server);
  return {
    port,
    sockets,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server that closes at the end of the current test. */
export async function serve(reply: Reply = accept, options: RawServerOptions = {}): Promise<RawServer> {
  return closedInTheEnd(await rawServer(reply, options));
}

export const accept: Reply = (socket) => socket.write(httpAnswer(200, '{"received_checks":1}'));

function requestSize(received: string): number {
  const headEnd = received.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd));
  return headEnd < 0 ? 0 : headEnd + 4 + Number(length?.[1] ?? 0);
}

export function httpAnswer(status: number, body: string, headers = ''): string {
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export const SETTINGS: Omit<TransportSettings, 'baseUrl'> = {
  proxy: undefined,
  defaultProxy: undefined,
  allow: [],
  addresses: ['127.0.0.1'],
  reachedFrom: undefined,
  loopbackOnly: true,
  isOneOfSeveral: false,
  resolver: async (host) => {
    throw new Error(`nobody was to ask for ${host}`);
  },
  seed: 1,
  inFleet: (connection) => connection,
  sources: { addresses: [], ports: undefined, beginAt: 0 },
  apiKey: '',
  tls: { verify: true, ca: undefined },
  userAgent: USER_AGENT,
  sharedConnections: undefined,
  spareDials: 100,
};

/** A transport whose endings can be awaited, agent by agent. */
export type Probe = {
  readonly transport: CountingTransport;
  /** Sends the body for the agent and waits for the end of the exchange. */
  push(agent: number, body?: string): Promise<{ ending: Ending; traffic: Traffic; seen: ExchangeEvidence }>;
  readonly started: number[];
  /** Of all exchanges, in order. */
  readonly endings: Ending[];
};

export function probe(settings: Partial<TransportSettings> & { baseUrl: string }, wire?: WireSink): Probe {
  const bodies = new Map<number, string>();
  const waiting = new Map<number, (end: { ending: Ending; traffic: Traffic; seen: ExchangeEvidence }) => void>();
  const started: number[] = [];
  const endings: Ending[] = [];
  const transport = createTransport(
    { ...SETTINGS, ...settings },
    {
      ...(wire && { wire }),
      started: (agent) => started.push(agent),
      buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
      openBody: (agent) => {
        const text = bodies.get(agent) ?? '';
        return { roomBytes: text.length, write: (out, offset) => offset + out.write(text, offset, 'latin1') };
      },
      ended: (agent, ending, traffic) => {
        endings.push(ending);
        waiting.get(agent)?.({ ending, traffic, seen: transport.lastEvidence(agent) });
      },
    },
  );
  const push: Probe['push'] = (agent, body = '{}') => {
    bodies.set(agent, body);
    return new Promise((resolve) => {
      waiting.set(agent, resolve);
      transport.send(agent, 'submit_checkdata');
    });
  };
  return { transport, push, started, endings };
}

/** Agents of a loopback server that close at the end of the current test. */
export function client(server: { port: number }, settings: Partial<TransportSettings> = {}): Probe {
  const made = probe({ baseUrl: `http://127.0.0.1:${server.port}`, ...settings });
  closedInTheEnd(made.transport);
  return made;
}

/** Lets pending I/O proceed until the condition is true. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
