import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readBusAddress } from '../../src/cluster/address.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import { awaitMachines, machinesOf } from '../../src/cluster/coordinator.ts';
import { joinCluster } from '../../src/cluster/join.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { addressOfAgent } from '../../src/scenario/listen-range.ts';
import { type StartedFleet, startFleet } from '../../src/staging/fleet/fleet.ts';
import { keptBeside } from '../../src/staging/fleet/fleet-changes.ts';
import { makeAuthority, openSigner } from '../../src/wire/poller/authority.ts';
import { ask, pushDocuments, readDocuments, refusal } from '../run/listening/client.ts';
import { freeRange } from '../run/listening/running-fleet.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { countingServer } from './counting-server.ts';
import { hasNats, type NatsServer, startNats } from './nats-server.ts';

const AGENTS = 12;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const FLAGS = ['--machines', '2', '--replace', '--quiet'];

describe.skipIf(!hasNats)('a fleet on machines of a cluster, with nats-server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cluster-fleet-'));
  const identities = join(folder, 'identities.db');
  const said: string[] = [];
  const open: Bus[] = [];
  const joined: Awaited<ReturnType<typeof joinCluster>>[] = [];
  const file = join(folder, 'staging.yaml');
  let yaml = '';
  let nats: NatsServer;
  let server: Awaited<ReturnType<typeof countingServer>>;

  async function bus(name: string): Promise<Bus> {
    const { address, sealing } = await readBusAddress(nats.url, {});
    const opened = await openBus(address, name, sealing);
    open.push(opened);
    return opened;
  }

  async function raise(notes: string[] = [], text = yaml, count = 2): Promise<StartedFleet> {
    const scenario = scenarioOf(text);
    const order = { bus: await bus('coordinator'), machines: count, waitMs: 20_000, replace: true, replicas: 1 };
    const beside = text === yaml ? identities : join(folder, 'others.db');
    await awaitMachines(order, keptBeside(beside, scenario), () => {});
    const machines = machinesOf(order);
    const started = { scenario, file, identities: beside, upgradesHosts: false, workers: undefined, machines };
    return startFleet(started, (news) => {
      if (news.kind === 'note') notes.push(news.text);
    });
  }

  const allPush = (agents = AGENTS) =>
    expect.poll(() => server.pushes().filter(([, count]) => count > 1).length).toBe(agents);

  beforeAll(async () => {
    [nats, server] = await Promise.all([startNats(), countingServer()]);
    yaml = `
name: staging
target: { url: "${server.url}" }
fleet: { agents: ${AGENTS}, seed: 5, payload: lean }
phases: [{ name: steady, duration: 10s, checkdata: { every: 1s } }]
`;
    writeFileSync(file, yaml);
    for (const name of ['a', 'b', 'c'])
      joined.push(
        await joinCluster(await bus(name), { name, workers: 1, once: false }, (text) => said.push(`${name}: ${text}`)),
      );
  });

  afterAll(async () => {
    await Promise.all(joined.map(({ leave }) => leave()));
    await Promise.all(open.map((one) => one.close()));
    await nats.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is unchanged by a stop, a killed coordinator, and machines that join and leave, and no agent registers twice', async () => {
    const first = await raise();
    await allPush();
    const kicked = await first.addEvent({
      event: { name: 'kick', cohort: EVERYONE, fromMs: 0, toMs: 0, overMs: 0, action: { kind: 'restart' } },
      withAgents: true,
    });
    expect(kicked).toMatchObject({ count: AGENTS, agents: Array.from({ length: AGENTS }, (_, agent) => agent) });
    first.send('stop');
    await first.outcome;
    expect(readFileSync(`${identities}.events.yaml`, 'utf8')).toContain('kick');

    // A killed coordinator leaves machines at work, which the next start of the fleet takes over. If this takes long, the third machine
    // has got its share, too.
    const killed = spawn(process.execPath, [MAIN, 'fleet', file, '--data', folder, '--cluster', nats.url, ...FLAGS]);
    onTestFinished(() => void killed.kill('SIGKILL'));
    await expect.poll(() => said.filter((text) => /part \d of 2/.test(text)).length).toBe(4);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const notes: string[] = [];
    const third = await raise(notes);
    await expect.poll(() => said.filter((text) => text.endsWith('released')).length).toBeGreaterThanOrEqual(2);
    server.forgetPushes();
    await allPush();

    // The third machine gets its share.
    await expect.poll(() => notes.find((text) => /^\w joined: 4 agents moved to \w$/.test(text))).toBeDefined();
    server.forgetPushes();
    await allPush();
    const text = formatScenario(scenarioOf(yaml.replace(`agents: ${AGENTS}`, `agents: ${AGENTS + 3}`)));
    const applied = await third.apply({ text, file, secrets: {} }, false);
    expect(applied.agents).toMatchObject({ unchanged: AGENTS, come: [12, 13, 14] });
    await allPush(AGENTS + 3);
    await expect(third.apply({ text: text.replace('seed: 5', 'seed: 6'), file, secrets: {} }, false)).rejects.toThrow(
      'fleet.seed: expected 5 while the fleet is up',
    );

    // One that leaves hands over its agents.
    const left = Promise.all([
      joined[0]?.leave(),
      expect.poll(() => notes.at(-1)).toMatch(/^a leaves: \d+ agents moved to b, c$/),
    ]);
    await left;
    expect(said.findLast((one) => one.startsWith('a:'))).toMatch(/others have taken its agents over$/);
    server.forgetPushes();
    await allPush(AGENTS + 3);
    expect(await third.agents.conditions()).toHaveLength(AGENTS + 3);
    third.send('stop');
    const { summary } = await third.outcome;
    expect(summary.verdict.reasons.filter(({ kind }) => kind !== 'invalid')).toEqual([
      { kind: 'interrupted', text: 'the run was interrupted' },
    ]);
    expect(server.registered()).toHaveLength(AGENTS + 3);
    expect(server.again()).toEqual([]);
    expect(server.unknown()).toBe(0);
  });

  it('keeps certificates and configurations of agents that listen, with another number of machines, too', async () => {
    const listen = freeRange();
    const web = `webServer: { listen: "${listen}", autoTls: true, configPush: true, keys: { type: ecdsa-p256, pool: 1 } }`;
    const text = `${yaml.replace('seed: 5', 'seed: 6')}${web}\n`;
    const { webServer } = scenarioOf(text);
    if (webServer === undefined) throw new Error('its agents listen');
    const at = addressOfAgent(webServer.listen, 0);
    const two = await raise([], text, 2);
    await expect.poll(() => refusal(at)).toBeUndefined();
    const authority = await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
    const signer = await openSigner(authority, Date.now);
    const { csr } = JSON.parse((await ask(at, '/autotls')).body);
    await ask(at, '/autotls', { body: JSON.stringify({ signed: await signer.sign(csr), ca: signer.ca }) });
    const client = { tls: { cert: authority.certificate, key: authority.key } };
    await expect.poll(() => refusal(at, client)).toBeUndefined();
    const [main, ...others] = await readDocuments(at, client);
    await pushDocuments(at, [main.replace(/^interval *=.*$/m, 'interval = 3'), ...others], client);
    const shown = () =>
      readDocuments(at, client).then(
        ([now]) => now,
        () => '',
      );
    await expect.poll(shown).toContain('interval = 3');
    two.send('stop');
    await two.outcome;
    const one = await raise([], text, 1);
    await expect.poll(shown).toContain('interval = 3');
    expect((await ask(at, '/')).body).toBe('Client sent an HTTP request to an HTTPS server.\n');
    one.send('stop');
    await one.outcome;
  });
});
