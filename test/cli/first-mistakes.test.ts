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
  ['a rate limit', () => http(answering(429)), /limit_req\), or lower the rate/],
  ['no server behind a proxy', () => http(answering(502)), /start that server/],
  ['a slow server behind a proxy', () => http(answering(504)), /fastcgi_read_timeout/],
  ['no API key', () => http(answering(401)), /requires an API key: set --api-key/],
  ['a wrong API key', () => http(answering(401)), /does not accept the API key: create one/, ['--api-key', 'no']],
  ['agents that the server knows', () => http(answering(403)), /another --seed/],
  ['an overloaded server', () => http(answering(503)), /lower the rate/],
];

const K6 = "// load\nimport http from 'k6/http';\nexport default function () {}\n";
const PHASES = 'phases: [{ name: steady, duration: 1s, checkdata: { every: 500ms } }]\n';
const FILES: Readonly<Record<string, string>> = {
  'tab.yaml': 'fleet:\n\tagents: 5\n',
  'key.yaml': `flet: { agents: 5 }\n${PHASES}`,
  'unit.yaml': `fleet: { agents: 5 }\n${PHASES.replace('1s', '5')}`,
  'condition.yaml': `fleet: { agents: 5 }\n${PHASES}thresholds: { checkdata: ["p(99 < 250ms"] }\n`,
  'phase.yaml': `fleet: { agents: 5 }\n${PHASES}thresholds: { "checkdata{phase:stedy}": ["p(99) < 1s"] }\n`,
  'event.yaml': `fleet: { agents: 5 }\n${PHASES}events: [{ do: disconect, at: 0s }]\n`,
  'url.yaml': `fleet: { agents: 5 }\ntarget: http://localhost:8080\n${PHASES}`,
  'secret.yaml': `fleet: { agents: 5 }\ntarget: { apiKey: "\${KEY_OF_MINE}" }\n${PHASES}`,
  'artillery.yml': 'config: { target: "http://localhost" }\nscenarios: [{ flow: [{ get: { url: / } }] }]\n',
  'targets.txt': 'GET http://localhost/\n',
  'load.js': K6,
  'load.k6': K6,
};
const LARGE = ['--set', 'fleet.connections=per-agent', '--agents', '9000000'];

type Line = readonly [what: string, args: readonly string[], cause: RegExp, next: RegExp, stdin?: string];

const LINES: readonly Line[] = [
  ['a scenario that is not there', ['run', 'tow.yaml'], /no such file/, /did you mean two\.yaml\?/],
  ['a folder', ['run', '.'], /found a folder/, /choose a file in it/],
  ['a tab', ['run', 'tab.yaml'], /tab\.yaml:2:1:.*found a tab/, /expected spaces/],
  ['an unknown key', ['run', 'key.yaml'], /found "flet"/, /did you mean fleet\?/],
  ['no unit', ['run', 'unit.yaml'], /without a unit/, /such as 250ms/],
  ['a typo in a condition', ['run', 'condition.yaml'], /found "p\(99 < 250ms"/, /such as p\(99\) < 250ms/],
  ['a typo in a phase', ['run', 'phase.yaml'], /found "stedy"/, /did you mean steady\?/],
  ['a typo in an event', ['run', 'event.yaml'], /found "disconect"/, /did you mean disconnect\?/],
  ['a URL in place of target', ['run', 'url.yaml'], /found "http:\/\/localhost:8080"/, /a section with url/],
  ['a variable that is not set', ['run', 'secret.yaml'], /KEY_OF_MINE.*found it unset/, /or a default/],
  ['no agents', ['run', 'two.yaml', '--agents', '0'], /found the number 0/, /from 1 to/],
  ['no duration', ['run', 'two.yaml', '--duration', '0'], /found "0" without a unit/, /such as 250ms/],
  [
    'no scheme',
    ['run', 'two.yaml', '--target', 'localhost:80'],
    /localhost:80/,
    /did you mean http:\/\/localhost:80\?/,
  ],
  ['a port out of range', ['run', 'two.yaml', '--target', 'http://a:99999'], /99999/, /a port up to 65535/],
  ['no --allow', ['run', 'two.yaml', '--target', 'http://mon.example'], /not on this machine/, /--allow mon\.example/],
  ['a URL to --allow', ['run', 'two.yaml', '--allow', 'http://a.b'], /"http:\/\/a\.b"/, /without scheme/],
  ['a URL as a scenario', ['run', 'http://a.b'], /found a URL/, /--target URL/],
  ['a URL as a command', ['http://a.b'], /found a URL/, /--target URL/],
  ['only flags', ['--target', 'http://a.b'], /found none/, /such as muster run/],
  ['a script of k6', ['run', 'load.js'], /a script of another tool/, /muster init/],
  ['one with another name', ['validate', 'load.k6'], /a script of another tool/, /muster init/],
  ['one from stdin', ['run', '-'], /stdin.*a script of another tool/, /muster init/, K6],
  ['targets of vegeta', ['plan', 'targets.txt'], /a script of another tool/, /coming-from/],
  ['a scenario of Artillery', ['run', 'artillery.yml'], /found "config"/, /use target, fleet and phases/],
  ['a plan of JMeter', ['run', 'plan.jmx'], /a script of another tool/, /muster init/],
  ['a simulation of Gatling', ['run', 'Load.scala'], /a script of another tool/, /muster init/],
  ['a flag of k6', ['run', 'two.yaml', '--vus', '5'], /Unknown flag --vus/, /use --agents/],
  ['a flag of curl', ['run', 'two.yaml', '-k'], /Unknown flag -k/, /target\.tls\.verify/],
  ['the status of nothing', ['status'], /Unknown command status/, /use muster ctl fleet/],
  ['a fleet that does not run', ['ctl', 'fleet'], /found none/, /start one with muster fleet/],
  ['a value with spaces', ['run', 'two.yaml', '--set', 'a={', 'b:', '1}'], /found "\{"/, /in quotes/],
  ['a report of a scenario', ['report', 'two.yaml'], /it is a file/, /choose a folder/],
  ['a report of nothing', ['report', 'nowhere'], /no such folder/, /choose a folder/],
  ['a comparison of pages', ['compare', 'a.html', 'b.html'], /contains no result/, /give the folder/],
  ['a comparison of one run', ['compare', 'nowhere'], /found one/, /two folders/],
  ['results in a file', ['run', 'two.yaml', '--out', 'tab.yaml'], /not a directory/, /another folder with --out/],
  ['provision without a server', ['provision', 'two.yaml'], /found embedded/, /start one with muster serve/],
  ['cleanup without one', ['cleanup', 'two.yaml'], /found embedded/, /start one with muster serve/],
  ['a port alone', ['serve', '--listen', '80'], /found "80"/, /such as 127\.0\.0\.1:8080/],
  ['more agents than files', ['plan', 'two.yaml', ...LARGE], /too little for this plan/, /use fewer agents/],
  ['no server of a cluster', ['join'], /found none/, /such as nats:/],
];

describe('the first mistake', () => {
  beforeAll(() => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  });

  it.each(LINES.map(([what, args, cause, next, stdin = '']) => ({ what, args, cause, next, stdin })))(
    '$what names its cause and the next step in the last five lines',
    async ({ args, cause, next, stdin }) => {
      const { code, stdout, stderr } = await muster(args, { cwd: folder, stdin });
      const lines = `${stdout}${stderr}`.trimEnd().split('\n').slice(-5).join(' ').replaceAll(/\s+/g, ' ');
      expect(lines).toMatch(cause);
      expect(lines).toMatch(next);
      expect([104, 112]).toContain(code);
    },
  );

  it('in the folder of a scenario leads to its latest run', async () => {
    const { code } = await muster(['run', 'two.yaml', '--out', 'runs', '--quiet'], { cwd: folder });
    expect([0, 111]).toContain(code);
    const { stderr } = await muster(['report', 'runs/two'], { cwd: folder });
    expect(stderr).toContain(`such as ${join(folder, 'runs/two/latest')}.`);
  });

  it.each(MISTAKES.map(([what, url, remedy, flags = []]) => ({ what, url, remedy, flags })))(
    '$what ends with its remedy in the last five lines',
    async ({ url, remedy, flags }) => {
      const { code, stdout } = await muster(['run', 'two.yaml', '--target', await url(), ...flags], { cwd: folder });
      expect([99, 111, 115]).toContain(code);
      expect(stdout.trimEnd().split('\n').slice(-5).join(' ').replaceAll(/\s+/g, ' ')).toMatch(remedy);
    },
  );
});
