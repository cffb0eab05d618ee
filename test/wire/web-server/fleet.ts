import { connect, type Socket } from 'node:net';
import { threadId } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import type { Address } from '../../../src/base/kernel/address.ts';
import type { WebServerPorts, WebServerSetup } from '../../../src/wire/web-server/ports.ts';
import type { TlsAcceptor } from '../../../src/wire/web-server/tls/tls-acceptor.ts';
import { createWebServers, type WebServerOptions, type WebServers } from '../../../src/wire/web-server/web-servers.ts';

export type Call = { readonly port: string; readonly given: readonly unknown[] };

/** The ports of the agents behind the web servers that a test replaces. */
export type Behavior = Partial<WebServerPorts>;

export type Fleet = {
  readonly servers: WebServers;
  /** Calls of ports that store or report something, in order. */
  readonly calls: Call[];
  /** Reports about clients, in order. */
  readonly heard: readonly string[];
  readonly setup: (agent: number, changes?: Partial<WebServerSetup>) => WebServerSetup;
  readonly addressOf: (agent: number) => Address;
};

const PLAIN = { basicAuth: undefined, configPush: false, autoTls: false, tls: undefined };

const NO_TLS: TlsAcceptor = {
  accept: () => {
    throw new Error('no agent of this test has TLS');
  },
  forget: () => {},
};

let fleets = 0;

/** Loopback addresses that no other fleet, test process or outgoing connection uses. */
function freeAddresses(): (agent: number) => Address {
  const { pid } = process;
  const port = 3000 + (((pid >> 7) * 16 + (threadId % 16)) % 29_000);
  const base = fleets * 1000;
  fleets++;
  return (agent) => ({ host: `127.${100 + (pid & 127)}.${((base + agent) >> 8) & 255}.${(base + agent) & 255}`, port });
}

/** Agents whose web servers are not open yet, and stop at the end of the test. */
export function createFleet(
  behavior: Behavior = {},
  options: Partial<WebServerOptions> = {},
  tlsAcceptor: TlsAcceptor = NO_TLS,
): Fleet {
  const addressOf = freeAddresses();
  const calls: Call[] = [];
  const heard: string[] = [];
  const noted =
    (port: string) =>
    (...given: readonly unknown[]) => {
      calls.push({ port, given });
    };
  const stored = (port: string) => {
    const note = noted(port);
    return async (...given: readonly unknown[]) => note(...given);
  };
  const servers = createWebServers(
    // These tests send requests that no browser would send.
    { trustWebPages: true, ...options },
    {
      checkdata: () => Buffer.from('{}'),
      packages: () => Buffer.from('{"Enabled":false}'),
      documents: () => ({ configuration: '[default]\n', customChecks: '', exporters: '; none\n' }),
      exporters: () => ['node', 'a"<b'],
      scrape: (_, name) => (name === 'node' ? '# HELP up\nup 1\n' : undefined),
      csr: async (_, domain) => `-----BEGIN CERTIFICATE REQUEST-----\n${domain}\n`,
      storeDocuments: stored('storeDocuments'),
      storeCertificates: stored('storeCertificates'),
      reload: noted('reload'),
      served: noted('served'),
      clients: {
        accepted: () => heard.push('accepted'),
        handshake: () => heard.push('handshake'),
        refused: (reason) => heard.push(reason),
        unanswered: () => heard.push('unanswered'),
      },
      failed: noted('failed'),
      ...behavior,
    },
    tlsAcceptor,
  );
  onTestFinished(() => servers.stop(100));
  return {
    servers,
    calls,
    heard,
    addressOf,
    setup: (agent, changes) => ({ ...PLAIN, address: addressOf(agent), ...changes }),
  };
}

/** One listening agent, with its address. */
export async function openAgent(
  changes: Partial<WebServerSetup> = {},
  behavior: Behavior = {},
  options: Partial<WebServerOptions> = {},
): Promise<Fleet & { readonly at: Address }> {
  const fleet = createFleet(behavior, options);
  await fleet.servers.open([[0, fleet.setup(0, changes)]]);
  return { ...fleet, at: fleet.addressOf(0) };
}

/** Sends the bytes, ends the client's side, and returns everything received until the server closes. */
export function exchange(at: Address, request: string): Promise<string> {
  const socket = dial(at);
  socket.end(request, 'latin1');
  return received(socket);
}

export function dial(at: Address): Socket {
  return connect({ ...at, allowHalfOpen: true });
}

/** Everything that the socket receives until it closes, one character per byte, with dates replaced. */
export function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {}).once('end', () => socket.destroy());
    socket.once('close', () => resolve(withoutDates(text)));
  });
}

const DATE = /Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g;

function withoutDates(text: string): string {
  return text.replace(DATE, 'Date: now');
}

export function get(path: string, ...fields: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${['Host: x', ...fields].join('\r\n')}\r\n\r\n`;
}

export function post(path: string, body: string, ...fields: readonly string[]): string {
  const head = ['Host: x', `Content-Length: ${Buffer.byteLength(body)}`, ...fields];
  return `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${Buffer.from(body).toString('latin1')}`;
}
