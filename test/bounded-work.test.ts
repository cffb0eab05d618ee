import { getHeapStatistics } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIB } from '../src/base/kernel/units.ts';
import { ENDPOINT_PATHS } from '../src/base/protocol/push.ts';
import { exposeRuns } from '../src/outputs/exposition/expose-runs.ts';
import { createPublishedRuns } from '../src/outputs/exposition/run-families.ts';
import { DEFAULT_SETTINGS } from '../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../src/server/start.ts';
import { readAnswer } from '../src/wire/agent/answers.ts';
import { readSettings } from '../src/wire/agent/configuration/read-settings.ts';
import { makeAuthority, openSigner } from '../src/wire/poller/authority.ts';
import { readMember } from '../src/wire/poller/requests.ts';
import { answerEnding } from '../src/wire/transport/http-parser.ts';
import { createPullClient } from '../src/wire/transport/pull-client.ts';
import { tlsModeOf } from '../src/wire/web-server/tls/tls-mode.ts';
import { HOSTILE_BODIES, plainBody } from './hostile-bodies.ts';
import { HOSTILE_REQUESTS } from './hostile-requests.ts';
import { send } from './server/push-client.ts';
import { certificateRequest } from './wire/poller/certificate-request.ts';
import { type RawServer, rawServer } from './wire/transport/wire.ts';
import { makeAuthority as makeAgentAuthority } from './wire/web-server/authority.ts';
import { exchange, openAgent } from './wire/web-server/fleet.ts';

/** A place that receives bytes from outside: takes a body, and resolves once it is processed. */
type Entrance = (body: Buffer) => unknown;

const own = '"agentuuid":"known","password":"secret"';
const servers: MonitoringServer[] = [];
let documented: MonitoringServer;
let shipped: MonitoringServer;
let answering: RawServer;
let answer: Buffer = Buffer.of();
const pullClient = createPullClient({ credentials: undefined, timeoutMs: 60_000 });

async function start(settings: Parameters<typeof startMonitoringServer>[0]): Promise<MonitoringServer> {
  const server = await startMonitoringServer({ registrations: [{ uuid: 'known', password: 'secret' }], ...settings });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  documented = await start({ dialect: 'documented', admin: { port: 0, token: 't' } });
  shipped = await start({ dialect: 'shipped', verify: true });
  answering = await rawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n`);
    socket.write(answer);
  });
});

afterAll(async () => {
  pullClient.close();
  await answering.close();
  for (const server of servers) await server.stop();
});

const headers = { 'Content-Type': 'application/json', Authorization: 'X-OITC-API' };
const within = (before: string, body: Buffer, after: string) =>
  Buffer.concat([Buffer.from(before), body, Buffer.from(after)]);

const register: Entrance = (body) => send(documented.url, { path: ENDPOINT_PATHS.register_agent, headers, body });
const document: Entrance = (body) =>
  send(documented.url, {
    path: ENDPOINT_PATHS.submit_checkdata,
    headers,
    body: within(`{${own},"checkdata":`, body, '}'),
  });
const updates: Entrance = (body) =>
  send(shipped.url, {
    path: ENDPOINT_PATHS.submit_package_info,
    headers,
    body: within(
      `{${own},"checkdata":{"Pending":false,"Stats":{"OperatingSystem":"windows"},"WindowsUpdates":`,
      body,
      '}}',
    ),
  });
const field: Entrance = (body) =>
  send(shipped.url, {
    path: ENDPOINT_PATHS.register_agent,
    headers,
    body: within('{"agentuuid":"x","password":"","hostname":', body, '}'),
  });
const form: Entrance = (body) =>
  send(shipped.url, {
    path: ENDPOINT_PATHS.register_agent,
    body,
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  });
const admin: Entrance = (body) =>
  send(documented.adminUrl ?? '', { path: '/hosts', headers: { Authorization: 'Bearer t' }, body });
const polled: Entrance = async (body) => {
  answer = body;
  const address = { host: '127.0.0.1', port: answering.port };
  const asked = { address, secure: false, path: '/', basicAuth: undefined, body: undefined } as const;
  const ending = await pullClient.request(asked).ending;
  for (const name of ['agent', 'Stats', 'csr'] as const) readMember(ending, name);
};
const answered: Entrance = (body) => {
  for (const operation of ['register', 'checkdata'] as const)
    readAnswer(operation, () => 'known', { status: 200, body: body.toString('utf8') });
};
const configured: Entrance = (body) => {
  const text = body.toString();
  readSettings({ configuration: `[default]\ncustomchecks = c\n${text}`, customChecks: text, exporters: text });
};

/** The size is the largest one tried. */
const ENTRANCES: readonly (readonly [name: string, take: Entrance, sizeBytes: number])[] = [
  ['the body of a registration', register, MIB],
  ['a document of check data', document, MIB],
  ['a list of Windows updates with verification', updates, MIB],
  ['a field of a registration', field, MIB],
  ['a form', form, MIB],
  ['a request to the admin endpoint', admin, 2 * MIB],
  ['the answer of a polled agent', polled, MIB],
  ['the answer to a push', answered, MIB],
  ['a pushed configuration', configured, 384 * 1024],
];

type Cost = { readonly cpuMs: number; readonly heapBytes: number };

/** Cost to this thread: its processor time, which other processes do not affect, and all its heap allocations. */
async function costOf(take: Entrance, body: Buffer): Promise<Cost> {
  const heapBefore = getHeapStatistics().total_allocated_bytes;
  const before = process.threadCpuUsage();
  await take(body);
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1000, heapBytes: getHeapStatistics().total_allocated_bytes - heapBefore };
}

const bodies = new Map<string, Buffer>();
afterAll(() => bodies.clear());

/** Cached, because most entrances are tried with the same bodies. */
function hostileBody(kind: string, sizeBytes: number): Buffer {
  const key = `${sizeBytes} ${kind}`;
  const body = bodies.get(key) ?? HOSTILE_BODIES[kind]?.(sizeBytes) ?? NOTHING;
  bodies.set(key, body);
  return body;
}

// Compared with a plain body of the same size. Building the objects takes up to a hundred times as long, and forty times their size.
const MAX_TIMES = 15;
const MAX_HEAP_BYTES = 24 * MIB;
/** The least of so many measurements: what runs beside the test can only add processor time, by emptying caches. */
const MAX_MEASUREMENTS = 5;
const NOTHING = Buffer.of();

/** Returns the kinds of bodies that take more work than a plain one, or more memory. */
async function dear(take: Entrance, sizeBytes: number, kinds: readonly string[]): Promise<readonly string[]> {
  const plain = plainBody(sizeBytes);
  await take(plain);
  const { cpuMs: plainMs } = await costOf(take, plain);
  const mostMs = MAX_TIMES * Math.max(plainMs, 2);
  const found: string[] = [];
  for (const kind of kinds) {
    const body = hostileBody(kind, sizeBytes);
    const { cpuMs, heapBytes } = await costOf(take, body);
    let leastMs = cpuMs;
    for (let n = 1; n < MAX_MEASUREMENTS && leastMs > mostMs; n++)
      leastMs = Math.min(leastMs, (await costOf(take, body)).cpuMs);
    if (leastMs > mostMs || heapBytes > MAX_HEAP_BYTES)
      found.push(`${kind}: ${(leastMs / plainMs).toFixed(0)} times the work, ${(heapBytes / MIB).toFixed(0)} MiB`);
  }
  return found;
}

// For cases in which a plain body costs almost nothing: fifty times the cost of the most expensive one on a quiet machine.
const MAX_CPU_MS = 2000;

const KINDS = Object.keys(HOSTILE_BODIES);

async function expectBounded(take: Entrance, mostBytes: number): Promise<void> {
  for (const sizeBytes of [1024, 64 * 1024, mostBytes - 1024]) expect(await dear(take, sizeBytes, KINDS)).toEqual([]);
}

describe('work on received bytes is bounded by their number for', () => {
  it.each(ENTRANCES)('%s', (_, take, sizeBytes) => expectBounded(take, sizeBytes));

  it('a document of realistic parts that has the maximum size and is accepted', async () => {
    const body = within(`{${own},"checkdata":`, plainBody(DEFAULT_SETTINGS.limits.bodyBytes - 1024), '}');
    const push = () => send(documented.url, { path: ENDPOINT_PATHS.submit_checkdata, headers, body });
    await push();
    const before = getHeapStatistics().total_allocated_bytes;
    expect((await push()).status).toBe(200);
    expect(getHeapStatistics().total_allocated_bytes - before).toBeLessThan(2.5 * DEFAULT_SETTINGS.limits.bodyBytes);
  });

  it('a list of Windows updates of the maximum size', async () => {
    expect(
      await dear(updates, DEFAULT_SETTINGS.limits.bodyBytes - 1024, [
        'a known key again and again',
        'a wide array of objects',
      ]),
    ).toEqual([]);
  });

  it.each(['/config', '/autotls'])("a body that an agent's web server receives at %s", async (path) => {
    const { at } = await openAgent({ configPush: true, autoTls: true });
    const post: Entrance = (body) => send(`http://${at.host}:${at.port}`, { path, body });
    await expectBounded(post, MIB / 2);
  });

  it('certificate requests in answers of polled agents', async () => {
    const authority = await makeAuthority({ systemId: '1', keyType: 'ecdsa-p256', nowMs: 0 });
    const signer = await openSigner(authority, () => 0);
    const sign = (csr: string) => () => signer.sign(csr).catch(() => {});
    await sign((await certificateRequest()).csr)();
    for (const sizeBytes of [1024, 15 * 1024, 4 * MIB])
      for (const [kind, make] of Object.entries(HOSTILE_REQUESTS)) {
        const { cpuMs, heapBytes } = await costOf(sign(make(sizeBytes)), NOTHING);
        expect([kind, cpuMs < MAX_CPU_MS, heapBytes < 64 * MIB]).toEqual([kind, true, true]);
      }
  });

  it('certificates posted to an agent', async () => {
    const authority = await makeAgentAuthority();
    const { certificate, key } = await authority.issue();
    const load = (files: { signed?: string; ca?: string }) => () =>
      tlsModeOf(
        { autoTls: true, tlsLevel: 'lax', ownCertificate: undefined },
        {
          'agent.crt': files.signed ?? certificate,
          'agent.key': key,
          'server_ca.crt': files.ca ?? authority.certificate,
        },
        () => undefined,
      );
    const asCertificate = (text: string) => text.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE');
    const kinds = Object.entries(HOSTILE_REQUESTS).map(([kind, make]) => [kind, asCertificate(make(MIB / 2))] as const);
    const repeated = (text: string) => text.repeat(MIB / 2 / text.length);
    for (const [kind, text] of [...kinds, ['one certificate again and again', repeated(certificate)] as const])
      for (const files of [{ signed: text }, { ca: text }, { ca: authority.certificate + text }]) {
        const { cpuMs, heapBytes } = await costOf(load(files), NOTHING);
        expect([kind, cpuMs < MAX_CPU_MS, heapBytes < 64 * MIB]).toEqual([kind, true, true]);
      }
  });

  it.each([
    ['unpacks to a thousand times its size', [gzipSync(Buffer.alloc(64 * MIB))]],
    ['consists of empty parts', Array<Buffer>(50_000).fill(gzipSync(''))],
    ['ends with other data', [gzipSync('{}'), Buffer.alloc(MIB / 2)]],
    ['is nested', [gzipSync(gzipSync(gzipSync(Buffer.alloc(16 * MIB))))]],
  ])('a compressed answer to a push that %s', async (_kind, parts) => {
    const body = Buffer.concat(parts).subarray(0, MIB);
    const read = () => answerEnding(200, body, true);
    const { cpuMs, heapBytes } = await costOf(read, NOTHING);
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
    expect(heapBytes).toBeLessThan(8 * MIB);
  });

  it.each([
    ['Accept of many types', `Accept: ${'a/b;q=0.1,'.repeat(1500)}`],
    ['Accept of commas', `Accept: ${','.repeat(15_000)}`],
    ['many fields', 'a: b\r\n'.repeat(2500).trim()],
    ['an unread body', 'Content-Length: 99999999999'],
  ])('a scrape of the metrics of runs with %s', async (_kind, fields) => {
    const at = { address: { host: '127.0.0.1', port: 0 }, token: undefined };
    const exposition = await exposeRuns(at, createPublishedRuns().families);
    const { hostname: host, port } = new URL(exposition.url);
    const scrape = () =>
      exchange(
        { host, port: Number(port) },
        `GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n\r\n`,
      );
    await scrape();
    const { cpuMs, heapBytes } = await costOf(scrape, NOTHING);
    exposition.close();
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
    expect(heapBytes).toBeLessThan(8 * MIB);
  });

  it("the heads of requests to an agent's web server", async () => {
    const { at } = await openAgent();
    const ask = (fields: string) => () =>
      exchange(at, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`);
    const plain = ask(`${'x'.repeat(60)}: ${'y'.repeat(1000)}\r\n`.repeat(240));
    await plain();
    const { cpuMs } = await costOf(plain, NOTHING);
    const numbered = (field: (number: number) => string) => Array.from({ length: 16_000 }, (_, n) => field(n)).join('');
    for (const fields of [
      'a:\r\n'.repeat(60_000),
      numbered((n) => `k${n.toString(36)}:1\r\n`),
      numbered(() => 'cookie:a\r\n'),
    ]) {
      const cost = await costOf(ask(fields), NOTHING);
      expect(cost.heapBytes).toBeLessThan(2.5 * DEFAULT_SETTINGS.limits.bodyBytes);
      expect(cost.cpuMs).toBeLessThan(60 * Math.max(cpuMs, 2));
    }
  });
});
