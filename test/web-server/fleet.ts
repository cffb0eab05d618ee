import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebServerPorts, WebServerSetup } from '../../src/web-server/ports.ts';
import { createWebServers, type WebServerOptions, type WebServers } from '../../src/web-server/web-servers.ts';

export type Call = { readonly port: string; readonly given: readonly unknown[] };

/** What a test replaces of the agents behind the web servers. */
export type Behaviour = Partial<WebServerPorts>;

export type Fleet = {
  readonly servers: WebServers;
  /** Calls of ports that keep or tell something, in their order. */
  readonly calls: Call[];
  readonly setup: (agent: number, changes?: Partial<WebServerSetup>) => WebServerSetup;
  readonly portOf: (agent: number) => number;
};

const PLAIN = { basicAuth: undefined, configPush: false, autoTls: false, tls: undefined };

/** Free ports of loopback; another program could take one before it is used, which no test has seen yet. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Agents with web servers that are not open yet; stopped at the end of the test. */
export async function createFleet(
  count: number,
  behaviour: Behaviour = {},
  options: Partial<WebServerOptions> = {},
): Promise<Fleet> {
  const ports = await freePorts(count);
  const portOf = (agent: number) => ports[agent] ?? 0;
  const calls: Call[] = [];
  const noted =
    (port: string) =>
    (...given: readonly unknown[]) => {
      calls.push({ port, given });
    };
  const stored = (port: string) => {
    const note = noted(port);
    return async (...given: readonly unknown[]) => note(...given);
  };
  const servers = createWebServers(options, {
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
    failed: noted('failed'),
    ...behaviour,
  });
  onTestFinished(() => servers.stop(100));
  return {
    servers,
    calls,
    portOf,
    setup: (agent, changes) => ({ ...PLAIN, address: { host: '127.0.0.1', port: portOf(agent) }, ...changes }),
  };
}

/** One agent that listens; returns its port, too. */
export async function openAgent(
  changes: Partial<WebServerSetup> = {},
  behaviour: Behaviour = {},
  options: Partial<WebServerOptions> = {},
): Promise<Fleet & { readonly port: number }> {
  const fleet = await createFleet(1, behaviour, options);
  await fleet.servers.open([[0, fleet.setup(0, changes)]]);
  return { ...fleet, port: fleet.portOf(0) };
}

/** What comes back, until the server closes, for bytes of a client that then ends its side. */
export function exchange(port: number, request: string): Promise<string> {
  const socket = dial(port);
  socket.end(request, 'latin1');
  return received(socket);
}

export function dial(port: number): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true });
}

/** All that the socket receives until it is closed, one character a byte; dates are put out of the way. */
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

export function withoutDates(text: string): string {
  return text.replace(DATE, 'Date: now');
}

export function get(path: string, ...fields: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${['Host: x', ...fields].join('\r\n')}\r\n\r\n`;
}

export function post(path: string, body: string, ...fields: readonly string[]): string {
  const head = ['Host: x', `Content-Length: ${Buffer.byteLength(body)}`, ...fields];
  return `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${Buffer.from(body).toString('latin1')}`;
}
