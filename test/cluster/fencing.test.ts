import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readBusAddress } from '../../src/cluster/address.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import { machinesOf } from '../../src/cluster/coordinator.ts';
import { joinCluster } from '../../src/cluster/join.ts';
import { isJoinedMachine, MACHINES_BUCKET, machineSubject, ORDER_OBJECT } from '../../src/cluster/messages.ts';
import { ALONE, startRun } from '../../src/run/run.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { countingServer } from './counting-server.ts';
import { hasNats, startNats } from './nats-server.ts';

/** A network to a server that can be cut: bytes wait, and nobody is told. */
async function cuttable(port: number) {
  const held: [Socket, Buffer][] = [];
  let isCut = false;
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (bytes: Buffer) => (isCut ? held.push([to, bytes]) : to.write(bytes)));
    from.on('error', () => {}).on('close', () => to.destroy());
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pass(near, far);
    pass(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      for (const [to, bytes] of held.splice(0)) to.write(bytes);
    },
    close: () => server.close(),
  };
}

const AGENTS = 10;
const SEED = 5;
const SCENARIO = `
phases:
  - { name: enroll, duration: 1s, register: { over: 300ms } }
  - { name: steady, duration: 5m, checkdata: { rate: 10/s } }
`;

it.skipIf(!hasNats)(
  'a machine that is cut off stops before its agents run elsewhere: nothing is sent twice, and all that it sent and registered counts',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-fencing-'));
    // One agent of each machine is still being registered when the network is cut.
    const [nats, server] = await Promise.all([startNats(), countingServer('p-', [uuidOf(SEED, 0), uuidOf(SEED, 1)])]);
    const network = await cuttable(Number(new URL(nats.url).port));
    const open: Bus[] = [];
    const busAt = async (url: string, name: string): Promise<Bus> => {
      const { address, sealing } = await readBusAddress(url, {});
      const bus = await openBus(address, name, sealing);
      open.push(bus);
      return bus;
    };
    const said: string[] = [];
    const machine = async (name: string, url: string) =>
      joinCluster(await busAt(url, name), { name, workers: 1, once: false }, (text) => said.push(`${name}: ${text}`));
    const joined = [await machine('cut', network.url), await machine('other', nats.url)];
    const fleet = `fleet: { agents: ${AGENTS}, seed: ${SEED}, payload: lean, identities: "${join(folder, 'identities.db')}" }`;
    const scenario = scenarioOf(`target: { url: "${server.url}" }\n${fleet}\n${SCENARIO}`);
    const coordinator = await busAt(nats.url, 'coordinator');
    const machines = machinesOf({ bus: coordinator, machines: 2, waitMs: 20_000, replace: true, replicas: 1 });
    const notes: string[] = [];
    const { outcome, send } = startRun(
      { ...ALONE, scenario, machines, workers: 1, resultsFolder: undefined },
      (event) => {
        if (event.kind === 'note') notes.push(event.text);
      },
    );
    const total = () => server.pushes().reduce((sum, [, count]) => sum + count, 0);
    await expect.poll(total).toBeGreaterThan(30);
    await expect.poll(server.registered).toHaveLength(AGENTS);
    joined.push(await machine('spare', nats.url));
    network.cut();
    // Its lease ends five seconds after the cut, and the other one begins five seconds later.
    server.answerLate();
    await expect.poll(() => said.some((text) => text.startsWith('spare: run'))).toBe(true);
    const moved = () => server.connections().filter(({ length }) => length > 1);
    await expect.poll(() => moved().length).toBeGreaterThanOrEqual(AGENTS / 2 - 1);
    // The password of one is on the machine that is cut off.
    await expect.poll(() => notes.find((text) => text.includes('1 agent held back'))).toBeDefined();
    // Both machines would push, if the first one had not stopped.
    const before = new Map(server.pushes());
    const more = () => server.pushes().map(([uuid, count]) => count - (before.get(uuid) ?? 0));
    await expect.poll(() => Math.min(...more())).toBeGreaterThan(3);
    network.mend();
    await expect.poll(() => notes.at(-1)).toContain('no agents are held back any more');
    await expect.poll(() => server.pushes()).toHaveLength(AGENTS);
    send('stop');
    const { summary } = await outcome;
    const operations = summary.phases.flatMap((phase) => phase.operations);
    const pushes = operations.filter(({ operation }) => operation === 'checkdata');
    expect(pushes.reduce((sum, { started }) => sum + started, 0)).toBe(total());
    for (const ports of server.connections()) expect(new Set(ports).size).toBe(ports.length);
    expect(server.again()).toEqual([]);
    expect(server.twice()).toEqual([]);
    expect(summary.verdict.reasons.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('machine cut was lost'),
        expect.stringContaining('the lost machine is back, and what it sent'),
      ]),
    );
    await Promise.all(joined.map(({ leave }) => leave()));
    await Promise.all(open.map((bus) => bus.close()));
    network.close();
    await nats.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  },
);

it.skipIf(!hasNats)('a machine that leaves ends in order, although NATS has lost its run', async () => {
  const nats = await startNats();
  const { address, sealing } = await readBusAddress(nats.url, {});
  const [own, theirs] = [await openBus(address, 'coordinator', sealing), await openBus(address, 'a', sealing)];
  const run = await own.createRun('gone', { replicas: 1, ttlMs: undefined });
  const scenario = scenarioOf(`target: { url: "http://127.0.0.1:9" }\nfleet: { agents: 1 }\n${SCENARIO}`);
  await run.putObject(ORDER_OBJECT, { scenario, replicas: 1 });
  const said: string[] = [];
  const { leave } = await joinCluster(theirs, { name: 'a', workers: 1, once: false }, (text) => said.push(text));
  const machines = await own.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: 10_000 });
  const [entry] = await machines.entries();
  const machine = isJoinedMachine(entry?.value) ? entry.value : undefined;
  const part = { part: 0, shard: { index: 0, count: 1 }, generation: 0, elapsedS: 0, fromSequence: 0 };
  const work = { ...part, run: 'gone', coordinator: 'us' };
  const isReady = new Promise((resolve) => run.read('from.0', resolve));
  const taken = await own.request(machineSubject(machine?.id ?? ''), { kind: 'take', work }, 20_000);
  expect(taken).toMatchObject({ kind: 'answer' });
  await isReady;
  await run.destroy();
  await leave();
  // What still waited to be stored fails now; nobody else would catch it.
  await theirs.close();
  expect(said.at(-1)).toBe('run gone: run gone was deleted');
  await own.close();
  await nats.close();
});
