import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closedUrl } from '../run/real-time/own-server.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
  rmSync(folder, { recursive: true });
});
beforeAll(() => {
  writeFileSync(
    join(folder, 'two.yaml'),
    `target: { timeout: 700ms }
fleet: { agents: 2, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, register: { over: 100ms } }, { name: steady, duration: 200ms, checkdata: { every: 100ms } }]
thresholds: { register: ["error_rate == 0%"], checkdata: ["error_rate == 0%"] }
`,
  );
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const CERTIFICATES = join(import.meta.dirname, '../wire/transport/certificates');
const PAIR = { key: readFileSync(`${CERTIFICATES}/server.key`), cert: readFileSync(`${CERTIFICATES}/server.pem`) };

const answering =
  (status: number, body = '', fields: Readonly<Record<string, string>> = {}): RequestListener =>
  (request, response) => {
    request.resume().on('end', () => response.writeHead(status, fields).end(body));
  };
const http = async (listener: RequestListener) => `http://127.0.0.1:${await portOf(createHttpServer(listener))}`;
const https = async (more: object = {}) => {
  const server = createHttpsServer({ ...PAIR, ...more }, answering(200));
  return `https://127.0.0.1:${await portOf(server)}`;
};
/** A server that does not speak HTTP. */
const tcp = async (talk: (socket: Socket) => void) => `http://127.0.0.1:${await portOf(createServer(talk))}`;
const asHttps = (url: string) => url.replace('http:', 'https:');
const asHttp = (url: string) => url.replace('https:', 'http:');

const greet = (text: string) => (socket: Socket) => void socket.write(text);
const redirect: RequestListener = (request, response) => {
  if (request.method === 'GET') answering(request.url === '/' ? 200 : 405, '<!doctype html>')(request, response);
  else answering(301, '', { Location: request.url ?? '/' })(request, response);
};

type Mistake = readonly [what: string, url: () => Promise<string>, remedy: RegExp, flags?: readonly string[]];

const MISTAKES: readonly Mistake[] = [
  ['a server that was not started', closedUrl, /start the server/],
  ['HTTPS to a port without TLS', async () => asHttps(await http(answering(200))), /use http:\/\//],
  ['HTTP to a port with TLS', async () => asHttp(await https()), /use https:\/\//],
  ['an unknown CA', https, /target\.tls\.ca/, ['--set', 'target.tls.verify=true']],
  ['a required client certificate', () => https({ requestCert: true }), /requires a client certificate/],
  ['SSH', () => tcp(greet('SSH-2.0-a\r\n')), /no web server/],
  ['HTTPS to SSH', async () => asHttps(await tcp(greet('SSH-2.0-a\r\n'))), /use http:\/\//],
  ['a server that hangs up', () => tcp((socket) => socket.on('data', () => socket.destroy())), /without an answer/],
  ['a server that never answers', () => tcp((socket) => socket.resume()), /muster capacity/],
  ['HTTPS to one', async () => asHttps(await tcp((socket) => socket.resume())), /completes no TLS handshake/],
  ['a login page', () => http(answering(200, '<!DOCTYPE html>')), /an HTML page/],
  ['a redirect', () => http(redirect), /after a redirect/],
  [
    'a proxy with a login',
    () => http(answering(401, '', { 'WWW-Authenticate': 'Basic realm="a"' })),
    /asks for a login/,
  ],
  ['a name without an address', () => Promise.resolve('http://a.invalid'), /getent hosts/, ['--allow', 'a.invalid']],
  [
    'a proxy that is down',
    () => http(answering(200)),
    /the proxy is down/,
    ['--set', 'target.proxy=http://127.0.0.1:9'],
  ],
  ['a web server of another kind', () => http(answering(404)), /check target\.url/],
  ['a body limit', () => http(answering(413)), /client_max_body_size/],
];

describe('the first mistake', () => {
  it.each(MISTAKES.map(([what, url, remedy, flags = []]) => ({ what, url, remedy, flags })))(
    '$what ends with its remedy in the last five lines',
    async ({ url, remedy, flags }) => {
      const { code, stdout } = await muster(['run', 'two.yaml', '--target', await url(), ...flags], { cwd: folder });
      expect([99, 111, 115]).toContain(code);
      expect(stdout.trimEnd().split('\n').slice(-5).join(' ').replaceAll(/\s+/g, ' ')).toMatch(remedy);
    },
  );
});
