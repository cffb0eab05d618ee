import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressText } from '../../../src/base/kernel/address.ts';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import type { AgentCase } from '../../../src/conformance/agent/agent-case.ts';
import { AGENT_CASES, tryAgent } from '../../../src/conformance/agent/mode.ts';
import { makeCertificateRequest } from '../../../src/wire/web-server/auto-tls/certificate-requests.ts';
import { makeKey } from '../../../src/wire/web-server/auto-tls/keys.ts';
import type { WebServerSetup } from '../../../src/wire/web-server/ports.ts';
import { checkdataText, packagesText, usualFleet } from '../../hosts/any-machine.ts';
import { type Behavior, openAgent } from '../../wire/web-server/fleet.ts';
import { isDeviation } from '../deviations.ts';

/** Changes the beginning of an answer, one character per byte. */
type Change = (answer: string, request: string) => string;

/** Stands before a web server and changes its answers. Returns the address. */
async function proxy(to: { readonly host: string; readonly port: number }, change: Change) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const agent = connect({ ...to, allowHalfOpen: true });
    for (const socket of [client, agent]) sockets.add(socket.on('error', () => {}).setNoDelay(true));
    let request = '';
    client.on('data', (bytes) => {
      request = bytes.toString('latin1');
      agent.write(bytes);
    });
    client.on('end', () => agent.end());
    agent.on('data', (bytes) => client.write(change(bytes.toString('latin1'), request), 'latin1'));
    agent.on('end', () => client.end());
    client.on('close', () => agent.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
}

const MACHINE = { fleet: usualFleet('debian-12', 'lean'), agent: 0, instantMs: Date.UTC(2026, 0, 31, 12) };
const CHECKDATA = checkdataText(MACHINE);
const PACKAGES = packagesText(MACHINE);
const KEY = makeKey('ecdsa-p256');

const DOCUMENTS: Behavior = {
  checkdata: () => Buffer.from(CHECKDATA),
  packages: () => Buffer.from(PACKAGES),
  exporters: () => ['node'],
  scrape: (_, name) => (name === 'node' ? 'up 1\n' : undefined),
  csr: async (_, domain) => makeCertificateRequest(await KEY, domain || 'host.example'),
};

/** These wait for half a minute, need a key of RSA, or are read by Node in another way. */
const CASES = AGENT_CASES.filter(
  (one) => !('slow' in one && one.slow) && !isDeviation(one, 'shipped') && one.id !== 'autotls.3',
);

async function brokenBy(mutation: {
  readonly change?: Change;
  readonly behavior?: Behavior;
  readonly setup?: Partial<WebServerSetup>;
  readonly cases?: readonly AgentCase[];
}): Promise<readonly string[]> {
  const { change = (answer) => answer, behavior, setup = {}, cases = CASES } = mutation;
  const { at } = await openAgent({ autoTls: true, ...setup }, { ...DOCUMENTS, ...behavior });
  const address = await proxy(at, change);
  const subject = {
    peer: { address, tls: undefined },
    base: `http://${addressText(address)}`,
    auth: setup.basicAuth,
    authority: undefined,
    allowChanges: false,
    saved: () => {},
    patienceMs: 0,
    clock: monotonicClock,
    timer: realTimer,
  };
  const ports = { clock: monotonicClock, timer: realTimer, signal: new AbortController().signal, onResult: () => {} };
  const found = await tryAgent(subject, cases, ports);
  return (found?.results ?? []).filter(({ verdict }) => verdict.kind === 'broken').map(({ rule }) => rule.id);
}

const on =
  (line: string, change: (answer: string) => string): Change =>
  (answer, request) =>
    request.startsWith(`${line} HTTP/1.1\r\nHost: `) ? change(answer) : answer;
const answering =
  (status: string, body = '', ...headers: readonly string[]) =>
  () =>
    [
      `HTTP/1.1 ${status}`,
      ...headers,
      'Date: Sun, 22 Nov 2026 00:53:14 GMT',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
const adding = (header: string) => (answer: string) => answer.replace('\r\n', `\r\n${header}\r\n`);
const OK_JSON = ['200 OK', '[]', 'Content-Type: application/json'] as const;
const edited = (text: string, edit: (document: Record<string, never>) => void) => {
  const document = JSON.parse(text) as Record<string, never>;
  edit(document);
  return Buffer.from(
    JSON.stringify(document).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026'),
  );
};
const checkdata = (edit: (document: Record<string, Record<string, unknown>>) => void): Behavior => {
  const bytes = edited(CHECKDATA, edit);
  return { checkdata: () => bytes };
};
const packages = (edit: (document: Record<string, Record<string, unknown>>) => void): Behavior => {
  const bytes = edited(PACKAGES, edit);
  return { packages: () => bytes };
};

/** Agents that break one rule each. */
const MUTATED: readonly {
  readonly rule: string;
  readonly agent: string;
  readonly change?: Change;
  readonly behavior?: Behavior;
  readonly setup?: Partial<WebServerSetup>;
}[] = [
  {
    rule: 'route.4',
    agent: 'serves the exporters as an object',
    change: on('GET /prometheus', (all) => all.replace('["node"]', '{"no":1}')),
  },
  {
    rule: 'route.5',
    agent: 'gives 404 for an unknown exporter',
    change: on('GET /prometheus?exporter=muster-conform', answering('404 Not Found')),
  },
  {
    rule: 'route.6',
    agent: 'takes an empty exporter for a name',
    change: on('GET /prometheus?exporter=', answering('200 OK', 'Unknown exporter')),
  },
  {
    rule: 'route.7',
    agent: 'gives scrapes a charset',
    change: on('GET /prometheus?exporter=node', (all) => all.replace('text/plain', 'text/plain; charset=utf-8')),
  },
  { rule: 'route.9', agent: 'ignores a slash at the end', change: on('GET /packages/', answering(...OK_JSON)) },
  { rule: 'route.10', agent: 'ignores the case of paths', change: on('GET /Packages', answering(...OK_JSON)) },
  { rule: 'route.11', agent: 'knows no double slash', change: on('GET //packages', answering('404 Not Found')) },
  {
    rule: 'route.12',
    agent: 'loses the query in redirects',
    change: on('GET /./prometheus?exporter=a%20b', (all) => all.replace('?exporter=a%20b', '')),
  },
  { rule: 'route.13', agent: 'does not unescape', change: on('GET /%70ackages', answering('404 Not Found')) },
  { rule: 'method.1', agent: 'answers HEAD', change: on('HEAD /', answering('200 OK')) },
  { rule: 'method.2', agent: 'answers OPTIONS', change: on('OPTIONS /', answering('204 No Content')) },
  { rule: 'method.4', agent: 'names the methods it knows', change: on('PUT /', adding('Allow: GET')) },
  { rule: 'method.5', agent: 'explains a 405', change: on('PUT /', answering('405 Method Not Allowed', 'no')) },
  { rule: 'answer.1', agent: 'says what it is', change: on('GET /packages', adding('Server: agent')) },
  {
    rule: 'answer.3',
    agent: 'counts long answers',
    change: on('GET /', answering('200 OK', CHECKDATA.replace(/[^ -~]/g, '?'), 'Content-Type: application/json')),
  },
  {
    rule: 'answer.7',
    agent: 'ends JSON with a line feed',
    change: on(
      'GET /packages',
      answering('200 OK', `${PACKAGES.replace(/[^ -~]/g, '?')}\n`, 'Content-Type: application/json'),
    ),
  },
  {
    rule: 'answer.8',
    agent: 'lets browsers sniff',
    change: on('GET /muster-conform', (all) => all.replace('X-Content-Type-Options: nosniff\r\n', '')),
  },
  {
    rule: 'connection.12',
    agent: 'upgrades',
    change: (all, request) => (request.includes('Upgrade: h2c') ? answering('426 Upgrade Required')() : all),
  },
  {
    rule: 'connection.13',
    agent: 'ignores expectations',
    change: (all, request) => (request.includes('Expect: 200-ok') ? answering(...OK_JSON)() : all),
  },
  {
    rule: 'auth.2',
    agent: 'asks for credentials',
    setup: { basicAuth: 'user:password' },
    change: (all) => all.replace('403 Forbidden\r\n', '403 Forbidden\r\nWWW-Authenticate: Basic\r\n'),
  },
  {
    rule: 'auth.9',
    agent: 'hides its paths',
    setup: { basicAuth: 'user:password' },
    change: (all, request) =>
      !request.includes('Authorization') && request.startsWith('GET /muster-conform HTTP/1.1\r\n')
        ? answering('403 Forbidden', 'Forbidden\n')()
        : all,
  },
  {
    rule: 'config.1',
    agent: 'hides its configuration',
    change: on('GET /config', answering('404 Not Found', '404 page not found\n')),
  },
  {
    rule: 'config.3',
    agent: 'has two documents',
    setup: { configPush: true },
    change: on('GET /config', (all) => all.replace('prometheus_exporter', 'prometheus-exporter')),
  },
  {
    rule: 'autotls.8',
    agent: 'has a new key for each request',
    behavior: { csr: async (_, domain) => makeCertificateRequest(await makeKey('ecdsa-p256'), domain || 'host') },
  },
  {
    rule: 'autotls.6',
    agent: 'asks for its own name',
    behavior: {
      csr: async (_, domain) =>
        makeCertificateRequest(await KEY, domain === 'conform.example' ? 'host' : domain || 'host'),
    },
  },
  {
    rule: 'check.memory',
    agent: 'has memory as text',
    behavior: checkdata(({ memory }) => Object.assign(memory ?? {}, { total: '1' })),
  },
  {
    rule: 'check.system_load',
    agent: 'has a list of loads',
    behavior: checkdata((document) => Object.assign(document, { system_load: [1, 2, 3] })),
  },
  {
    rule: 'document.1',
    agent: 'leaves out custom checks',
    behavior: checkdata((document) => void delete document.customchecks),
  },
  {
    rule: 'document.2',
    agent: 'has its checks in another order',
    behavior: checkdata((document) => {
      const { agent } = document;
      delete document.agent;
      Object.assign(document, { agent });
    }),
  },
  {
    rule: 'document.3',
    agent: 'has two clocks',
    behavior: checkdata(({ agent }) => Object.assign(agent ?? {}, { last_updated_timestamp: 5 })),
  },
  {
    rule: 'packages.1',
    agent: 'leaves out lists of other systems',
    behavior: packages((document) => void delete document.WindowsApps),
  },
  {
    rule: 'packages.4',
    agent: 'calls its system darwin',
    behavior: packages(({ Stats }) => Object.assign(Stats ?? {}, { OperatingSystem: 'darwin' })),
  },
  {
    rule: 'packages.5',
    agent: 'miscounts',
    behavior: packages(({ Stats }) => Object.assign(Stats ?? {}, { InstalledPackages: 5000 })),
  },
  {
    rule: 'packages.6',
    agent: 'has two versions',
    behavior: packages(({ Stats }) => Object.assign(Stats ?? {}, { AgentVersion: '3.5.0' })),
  },
];

describe('the web server of an agent', () => {
  it.each([{}, { basicAuth: 'user:pass:word' }, { configPush: true }])('with %o breaks no rule', async (setup) => {
    expect(await brokenBy({ setup })).toEqual([]);
  });

  it.each(MUTATED)('that $agent breaks exactly $rule', async ({ rule, ...mutation }) => {
    expect(await brokenBy(mutation)).toEqual([rule]);
  });
});
