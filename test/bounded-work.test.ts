import { getHeapStatistics } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnswer } from '../src/agent/answers.ts';
import { readSettings } from '../src/agent/configuration/read-settings.ts';
import { MIB } from '../src/kernel/units.ts';
import { DEFAULT_SETTINGS } from '../src/monitoring-server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../src/monitoring-server/start.ts';
import { readMember } from '../src/poller/requests.ts';
import { ENDPOINT_PATHS } from '../src/protocol/push.ts';
import { createPullClient } from '../src/transport/pull-client.ts';
import { HOSTILE_BODIES, plainBody } from './hostile-bodies.ts';
import { send } from './monitoring-server/push-client.ts';
import { type RawServer, rawServer } from './transport/wire.ts';
import { exchange, openAgent } from './web-server/fleet.ts';

/** Where bytes of others come in: takes a body, and is done when it has been judged. */
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
    ...{ path: ENDPOINT_PATHS.submit_checkdata, headers },
    body: within(`{${own},"checkdata":`, body, '}'),
  });
const updates: Entrance = (body) =>
  send(shipped.url, {
    ...{ path: ENDPOINT_PATHS.submit_package_info, headers },
    body: within(
      `{${own},"checkdata":{"Pending":false,"Stats":{"OperatingSystem":"windows"},"WindowsUpdates":`,
      body,
      '}}',
    ),
  });
const field: Entrance = (body) =>
  send(shipped.url, {
    ...{ path: ENDPOINT_PATHS.register_agent, headers },
    body: within('{"agentuuid":"x","password":"","hostname":', body, '}'),
  });
const form: Entrance = (body) =>
  send(shipped.url, {
    ...{ path: ENDPOINT_PATHS.register_agent, body },
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

/** The size is the largest that is tried. */
const ENTRANCES: readonly (readonly [name: string, take: Entrance, sizeBytes: number])[] = [
  ['the body of a registration', register, MIB],
  ['a document of check data', document, MIB],
  ['a list of Windows updates, with the shapes compared', updates, MIB],
  ['a field of a registration', field, MIB],
  ['a form', form, MIB],
  ['what the admin endpoint is told', admin, 2 * MIB],
  ['what a polled agent answers', polled, MIB],
  ['what a push is answered', answered, MIB],
  ['a configuration that was pushed', configured, 384 * 1024],
];

type Cost = { readonly cpuMs: number; readonly heapBytes: number };

/** What the thread does for it: its processor time, whoever else wants the processor, and all that it takes of the heap. */
async function costOf(take: Entrance, body: Buffer): Promise<Cost> {
  const heapBefore = getHeapStatistics().total_allocated_bytes;
  const before = process.threadCpuUsage();
  await take(body);
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1000, heapBytes: getHeapStatistics().total_allocated_bytes - heapBefore };
}

// Against a plain body of the same size. Building them takes up to a hundred times as long and forty times their size.
const MOST_TIMES = 15;
const MOST_HEAP_BYTES = 24 * MIB;

async function dear(take: Entrance, sizeBytes: number, kinds: readonly string[]): Promise<readonly string[]> {
  await take(plainBody(sizeBytes));
  const plain = await costOf(take, plainBody(sizeBytes));
  const found: string[] = [];
  for (const kind of kinds) {
    const body = HOSTILE_BODIES[kind]?.(sizeBytes) ?? Buffer.of();
    const { cpuMs, heapBytes } = await costOf(take, body);
    const times = cpuMs / Math.max(plain.cpuMs, 2);
    if (times > MOST_TIMES || heapBytes > MOST_HEAP_BYTES)
      found.push(`${kind}: ${times.toFixed(0)} times the work, ${(heapBytes / MIB).toFixed(0)} MiB`);
  }
  return found;
}

const KINDS = Object.keys(HOSTILE_BODIES);

async function expectBounded(take: Entrance, mostBytes: number): Promise<void> {
  for (const sizeBytes of [1024, 64 * 1024, mostBytes - 1024]) expect(await dear(take, sizeBytes, KINDS)).toEqual([]);
}

describe('work on bytes of others is bounded by their number, whatever they are:', () => {
  it.each(ENTRANCES)('%s', (_, take, sizeBytes) => expectBounded(take, sizeBytes));

  it('a list of Windows updates as long as a body may be', async () => {
    expect(
      await dear(updates, DEFAULT_SETTINGS.limits.bodyBytes - 1024, [
        'a known key again and again',
        'a wide array of objects',
      ]),
    ).toEqual([]);
  });

  it.each(['/config', '/autotls'])("what an agent's web server is sent at %s", async (path) => {
    const { at } = await openAgent({ configPush: true, autoTls: true });
    const post: Entrance = (body) => send(`http://${at.host}:${at.port}`, { path, body });
    await expectBounded(post, MIB / 2);
  });

  it("the heads of requests at an agent's web server", async () => {
    const { at } = await openAgent();
    const ask = (fields: string) => () =>
      exchange(at, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`);
    const nothing = Buffer.of();
    const plain = ask(`${'x'.repeat(60)}: ${'y'.repeat(1000)}\r\n`.repeat(240));
    await plain();
    const { cpuMs } = await costOf(plain, nothing);
    const numbered = (field: (number: number) => string) => Array.from({ length: 16_000 }, (_, n) => field(n)).join('');
    for (const fields of [
      'a:\r\n'.repeat(60_000),
      numbered((n) => `k${n.toString(36)}:1\r\n`),
      numbered(() => 'cookie:a\r\n'),
    ]) {
      const cost = await costOf(ask(fields), nothing);
      expect(cost.heapBytes).toBeLessThan(64 * MIB);
      expect(cost.cpuMs).toBeLessThan(60 * Math.max(cpuMs, 2));
    }
  });
});
