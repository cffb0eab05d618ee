import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Address } from '../../../src/base/kernel/address.ts';
import { PLAIN } from '../../../src/report/palette.ts';
import { summaryText } from '../../../src/report/summary-text.ts';
import { identityOf } from '../../../src/wire/agent/identity.ts';
import { ask, type Documents, pushDocuments, readDocuments, refusal } from './client.ts';
import { type RecordingServer, recordingServer } from './recording-server.ts';
import { freeRange, type RunningFleet, startFleet, temporaryFolder } from './running-fleet.ts';

/** One agent per test. */
const AGENTS = 12;
let server: RecordingServer;
let elsewhere: RecordingServer;
let fleet: RunningFleet;

beforeAll(async () => {
  server = await recordingServer(AGENTS);
  elsewhere = await recordingServer(AGENTS);
  fleet = await startFleet(
    `
target: { url: "${server.url}", apiKey: first }
fleet: { agents: ${AGENTS}, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN, configPush: true, autoTls: true, keys: { type: ecdsa-p256, pool: 1 } }
phases: [{ name: push, duration: 2m, checkdata: { every: 1s } }]`,
    { workers: 2 },
  );
});
afterAll(async () => {
  await fleet.close();
  server.close();
  elsewhere.close();
});

type Changes = Readonly<Record<string, string>>;

/** Pushes the agent's own documents with other values; the second and third document as given. */
async function push(at: Address, changes: Changes, others: readonly string[] = []): Promise<Documents> {
  const [main, checks, exporters] = await readDocuments(at);
  const documents: Documents = [withValues(main, changes), others[0] ?? checks, others[1] ?? exporters];
  const { status, body } = await pushDocuments(at, documents);
  if (status !== 200 || body !== '') throw new Error(`${status} ${body}`);
  return documents;
}

function withValues(ini: string, changes: Changes): string {
  let text = ini;
  for (const [key, value] of Object.entries(changes)) {
    const line = new RegExp(`^${key} *=.*$`, 'm');
    if (!line.test(text)) throw new Error(`there is no ${key}`);
    text = text.replace(line, `${key} = ${value}`);
  }
  return text;
}

/** Unlike `expect.poll`, works for concurrent tests. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const look = async () => {
    if (!(await holds())) throw new Error('what was waited for did not come');
  };
  await vi.waitFor(look, { timeout: 60_000 });
}

/** Returns the next check data of the agent for which `holds` is true. */
async function shows(at: Address, holds: (document: Readonly<Record<string, unknown>>) => boolean): Promise<string> {
  let body = '{}';
  await until(async () => {
    ({ body } = await ask(at, '/'));
    return body !== '{}' && holds(JSON.parse(body));
  });
  return body;
}

const intervalOf = (document: Readonly<Record<string, unknown>>) =>
  (document.agent as { check_interval?: number }).check_interval;

async function pushes(agent: number, holds: (document: Readonly<Record<string, unknown>>) => boolean) {
  await until(() => server.of(agent).checkdata.some((text) => holds(JSON.parse(text))));
}

describe.concurrent('an agent that receives a configuration', () => {
  it('stores it verbatim and returns it', async ({ expect }) => {
    const at = fleet.at(0);
    const [main] = await readDocuments(at);
    const told: Documents = [`; by hand\r\n${main}\n`, '[Ä]\ncommand = x\n', '# none\n'];
    await pushDocuments(at, told);
    await expect.poll(() => readDocuments(at)).toEqual(told);
  });

  it('has no data from before, and checks at the new interval in both modes', async ({ expect }) => {
    const at = fleet.at(1);
    await pushes(1, () => true);
    const toldMs = Date.now();
    await push(at, { interval: '5' });
    const body = await shows(at, () => true);
    const { last_updated_timestamp: updated } = JSON.parse(body).agent;
    expect(updated).toBeGreaterThanOrEqual(Math.floor(toldMs / 1000));
    expect(JSON.parse(body).agent.check_interval).toBe(5);
    await pushes(1, (document) => intervalOf(document) === 5);
    await expect.poll(() => server.of(1).checkdata).toContain(body);
  });

  it('omits a check in both modes', async ({ expect }) => {
    await push(fleet.at(2), { cpustats: 'False' });
    const body = await shows(fleet.at(2), (document) => !('cpu' in document));
    expect(JSON.parse(body)).toHaveProperty('memory');
    await expect.poll(() => server.of(2).checkdata).toContain(body);
  });

  it('runs other custom checks in both modes', async () => {
    const checks = '[check_it]\ncommand = /bin/it\ninterval = 1\ntimeout = 1\nenabled = True\n';
    await push(fleet.at(3), { interval: '1', customchecks: '/etc/openitcockpit-agent/customchecks.ini' }, [checks]);
    const isRun = ({ customchecks }: Readonly<Record<string, unknown>>) => 'check_it' in (customchecks as object);
    await shows(fleet.at(3), isRun);
    await pushes(3, isRun);
  });

  it('moves to another port, and to another address', async ({ expect }) => {
    const [before, there] = [fleet.at(4), { ...fleet.at(4), port: fleet.at(4).port + 1 }];
    await push(before, { port: String(there.port) });
    await expect.poll(() => refusal(there)).toBeUndefined();
    expect(await refusal(before)).toBe('ECONNREFUSED');
    // No agent has the last address of the range.
    const elsewhere = { ...there, host: fleet.at(0).host.replace(/\d+$/, (last) => String(Number(last) + 60)) };
    await push(there, { address: elsewhere.host });
    await expect.poll(() => refusal(elsewhere)).toBeUndefined();
    expect(await refusal(there)).toBe('ECONNREFUSED');
  });

  it('requires user and password', async ({ expect }) => {
    const at = fleet.at(5);
    await push(at, { auth: 'me:p:w' });
    await expect.poll(() => ask(at, '/').then(({ status }) => status)).toBe(403);
    expect((await ask(at, '/', { auth: 'me:p:w' })).status).toBe(200);
    expect((await ask(at, '/config', { auth: 'me:p' })).status).toBe(403);
  });

  it('rejects further configurations after config-update-mode was disabled', async ({ expect }) => {
    const at = fleet.at(6);
    const documents = await push(at, { 'config-update-mode': 'False' });
    await expect.poll(() => ask(at, '/config').then(({ status }) => status)).toBe(403);
    expect(await pushDocuments(at, documents)).toEqual({ status: 403, body: 'config update is disabled\n' });
    expect(await refusal(at)).toBeUndefined();
  });

  it('stops pushing but still serves new check runs, and pushes again when enabled', async ({ expect }) => {
    const at = fleet.at(7);
    const [main] = await readDocuments(at);
    await push(at, { enabled: 'False' });
    const before = await shows(at, () => true);
    const count = server.of(7).checkdata.length;
    await expect.poll(async () => (await ask(at, '/')).body).not.toBe(before);
    expect(server.of(7).checkdata.length).toBe(count);
    await pushDocuments(at, [main, '', '']);
    await expect.poll(() => server.of(7).checkdata.length).toBeGreaterThan(count);
  });

  it('stops pushing if its new target is another server, which receives no load', async ({ expect }) => {
    const at = fleet.at(8);
    await push(at, { url: elsewhere.url });
    const before = await shows(at, () => true);
    const count = server.of(8).checkdata.length;
    await expect.poll(async () => (await ask(at, '/')).body).not.toBe(before);
    expect([server.of(8).checkdata.length, elsewhere.of(8).checkdata.length]).toEqual([count, 0]);
  });

  it('pushes with another API key', async ({ expect }) => {
    await pushes(9, () => true);
    await push(fleet.at(9), { apikey: 'second' });
    await expect.poll(() => [...server.keysOf(9)]).toEqual(['X-OITC-API first', 'X-OITC-API second']);
  });

  it('stops with an invalid configuration, without effect on its neighbors', async ({ expect }) => {
    const at = fleet.at(10);
    await push(at, { interval: 'soon' });
    await expect.poll(() => refusal(at)).toBe('ECONNREFUSED');
    const count = server.of(10).checkdata.length;
    await expect.poll(() => fleet.latest()?.down).toBe(1);
    expect(await refusal(fleet.at(11))).toBeUndefined();
    expect(server.of(10).checkdata.length).toBe(count);
  });
});

it('and the agent that is down is reported with its reason in the timeline, the results and the summary', async () => {
  const latest = fleet.latest();
  if (latest === undefined) throw new Error('no second is over');
  expect(latest).toMatchObject({ listening: AGENTS - 1, down: 1 });
  const { summary } = await fleet.stop();
  const reason = expect.stringMatching(/^config\.ini: \[default\] interval = "soon": /);
  expect(summary.webServers).toMatchObject({ listening: AGENTS - 1, downCount: 1, down: [{ reason }] });
  const [down] = summary.webServers?.down ?? [];
  expect(summaryText(summary, undefined, PLAIN).replace(/\s+/g, ' ')).toContain(`${down?.host}: ${down?.reason}`);
});

it('an identity file keeps a configuration over a restart, even one that stops the agent; it is rejected if it cannot be stored', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const listen = freeRange();
  const start = () =>
    startFleet(
      `
target: { url: embedded }
fleet: { agents: 3, seed: 1, payload: lean, profiles: { debian-12: 1 }, identities: ${join(folder, 'fleet.sqlite')} }
webServer: { listen: LISTEN, configPush: true }
phases: [{ name: asked, duration: 1m }]`,
      { listen },
    );
  const first = await start();
  onTestFinished(first.close);
  const told = await push(first.at(0), { interval: '3', auth: 'me:pw' });
  await push(first.at(1), { port: '70000' });
  await expect.poll(() => refusal(first.at(1))).toBe('ECONNREFUSED');
  // A leftover of a killed process next to the file blocks the next write.
  const { hostName } = identityOf(first.scenario.fleet.seed, 2);
  const leftover = `.config.ini.${process.pid}.part`;
  mkdirSync(join(folder, 'fleet.sqlite.agents', hostName, leftover), { recursive: true });
  const [kept, ...others] = await readDocuments(first.at(2));
  const refused = await pushDocuments(first.at(2), [withValues(kept, { interval: '7' }), ...others]);
  expect([refused.status, await readDocuments(first.at(2))]).toEqual([500, [kept, ...others]]);
  await first.stop();

  const second = await start();
  onTestFinished(second.close);
  const auth = { auth: 'me:pw' };
  expect((await ask(second.at(0), '/')).status).toBe(403);
  expect(await readDocuments(second.at(0), auth)).toEqual(told);
  await expect.poll(async () => (await ask(second.at(0), '/', auth)).body).toMatch(/"check_interval":3[,}]/);
  expect(await refusal(second.at(1))).toBe('ECONNREFUSED');
  expect(await refusal(second.at(2))).toBeUndefined();
  const { summary } = await second.stop();
  const reason = 'config.ini: [default] port: expected a whole number from 0 to 65535, found 70000.';
  expect(summary.webServers).toMatchObject({ listening: 2, downCount: 1, down: [{ reason }] });
});
