import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp, planCleanup } from '../../src/provisioning/cleanup.ts';
import { openLedger } from '../../src/provisioning/ledger.ts';
import type { ProvisionPorts } from '../../src/provisioning/ledger-hosts.ts';
import { type ProvisionOrder, provision } from '../../src/provisioning/provision.ts';
import { createHostServer, type HostServer } from '../../src/provisioning/server.ts';
import type { MonitoringServerSettings } from '../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { push } from '../server/push-client.ts';
import { agentsFor, KEY, ORDER, registerAll } from './fleet.ts';

const AGENTS = agentsFor(3);
const CONTAINER = 5;

let folder: string;
let server: MonitoringServer;
/** What the server takes from the user of the key, from now on. */
let restricted: { id: number; right: 'read' | 'none' }[];
let ports: ProvisionPorts & { readonly close: () => void };
let paths: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-'));
  restricted = [];
  paths = [];
  const settings: Partial<MonitoringServerSettings> = { dialect: 'shipped', apiKey: KEY, restricted };
  server = await startMonitoringServer({ ...settings, hostAssignment: { kind: 'manual' } });
  ports = portsOf({});
});

afterEach(async () => {
  ports.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

function portsOf(replaced: Partial<HostServer>): ProvisionPorts & { readonly close: () => void } {
  const real = createHostServer({
    url: server.url,
    apiKey: KEY,
    awaitTurn: async () => {},
    signal: new AbortController().signal,
    tls: { verify: true, ca: undefined },
  });
  const ledger = openLedger(join(folder, 'ledger.db'), server.url);
  return {
    nowMs: Date.now,
    pause: async () => {},
    onProgress: () => {},
    signal: new AbortController().signal,
    ledger,
    server: {
      ...real,
      change: (request, intent) => {
        paths.push(request.path.replace(/\?.*/, ''));
        return real.change(request, intent);
      },
      ...replaced,
    },
    close: ledger.close,
  };
}

function provisionAll(order: Partial<ProvisionOrder> = {}) {
  const place = { ...ORDER.place, container: CONTAINER };
  return provision({ ...ORDER, agents: AGENTS, unregisteredToo: true, place, ...order }, ports);
}

async function cleanUpAll(hadUuid: (agent: number, uuid: string) => boolean = () => false) {
  return cleanUp(await planCleanup({ agents: AGENTS, hadUuid }, ports), ports);
}

const hostIdsInLedger = () => ports.ledger.entries().map(({ hostId }) => hostId);
const additions = () => paths.filter((path) => path === '/hosts/add.json').length;

/** Whether hosts exist, also if nobody sees them. */
async function existing(ids: readonly (number | undefined)[]): Promise<number> {
  const hosts = await Promise.all(ids.map((id) => ports.server.host(id ?? 0)));
  return hosts.filter((host) => host !== undefined).length;
}

describe('in a container in which the user of the key may not edit hosts', () => {
  it.each([
    ['missing', 999, []],
    ['hidden', CONTAINER, [{ id: CONTAINER, right: 'none' as const }]],
    ['read-only', CONTAINER, [{ id: CONTAINER, right: 'read' as const }]],
  ])('%s: adds nothing, and says so', async (_, container, rights) => {
    restricted.push(...rights);
    await expect(provisionAll({ place: { ...ORDER.place, container } })).rejects.toThrow(
      new RegExp(`^Container ${container} of .* no host was added`),
    );
    expect([paths, ports.ledger.entries()]).toEqual([[], []]);
  });

  it.each([
    ['hidden', 'none' as const, true],
    ['hidden', 'none' as const, false],
    ['read-only', 'read' as const, false],
  ])(
    'that becomes %s: adds nothing twice, leaves what it may not delete, and keeps it in the ledger',
    async (_, right, isAll) => {
      await registerAll(server.url, AGENTS);
      expect(await provisionAll()).toMatchObject({ hostsAdded: 3, assigned: 3, failures: [] });
      const ids = hostIdsInLedger();
      restricted.push({ id: CONTAINER, right });
      const again = await provisionAll({ unregisteredToo: isAll });
      expect(again).toMatchObject({ hostsAdded: 0, hostsFound: 0 });
      expect(again.failures.map(({ hostName }) => hostName)).toEqual(AGENTS.map(({ hostName }) => hostName));
      expect(again.unregistered).toEqual([]);
      const cleaned = await cleanUpAll();
      expect(cleaned).toMatchObject({ hosts: 0, pushAgents: 0 });
      expect(new Set(cleaned.failures.map(({ hostName }) => hostName))).toEqual(
        new Set(AGENTS.map(({ hostName }) => hostName)),
      );
      expect([additions(), hostIdsInLedger()]).toEqual([3, ids]);
      restricted.pop();
      expect(await cleanUpAll()).toMatchObject({ hosts: 3, failures: [] });
      expect([await existing(ids), ports.ledger.entries()]).toEqual([0, []]);
    },
  );

  it('removes a host that no list shows, and ends', async () => {
    ports.close();
    ports = portsOf({ containers: async () => [999] });
    await expect(provisionAll({ place: { ...ORDER.place, container: 999 } })).rejects.toThrow(
      /^Host 1 .* was added to container 999 .* but no list of the server has it: .* it was removed again\.$/,
    );
    expect([paths, ports.ledger.entries()]).toEqual([['/hosts/add.json', '/hosts/delete/1.json'], []]);
  });

  it('keeps a host in the ledger that no list shows and that it may not delete', async () => {
    restricted.push({ id: 6, right: 'read' });
    ports.close();
    ports = portsOf({ containers: async () => [999] });
    await expect(provisionAll({ place: { ...ORDER.place, container: 999 } })).rejects.toThrow('it is still there');
    expect(hostIdsInLedger()).toEqual([1]);
    const cleaned = await cleanUpAll();
    expect(cleaned.failures).toEqual([
      { hostName: AGENTS[0]?.hostName, reason: expect.stringContaining('no write access') },
    ]);
    expect(hostIdsInLedger()).toEqual([1]);
  });

  it.each([
    ['hidden', 'none' as const],
    ['read-only', 'read' as const],
  ])(
    'that is %s after an addition whose answer was not seen: keeps the addition, and adds nothing elsewhere instead',
    async (_, right) => {
      const pending = { ...entryOf(0), hostId: undefined, step: 'host' as const, isPending: true, atMs: 0 };
      ports.ledger.write({ ...pending, container: CONTAINER });
      restricted.push({ id: CONTAINER, right });
      const [first, ...others] = AGENTS;
      const failure = {
        hostName: first?.hostName,
        reason: `an interrupted command may have added a host to container ${CONTAINER}, in which the user of the API key may not edit hosts`,
      };
      const place = { ...ORDER.place, container: 6 };
      expect(await provisionAll({ place })).toMatchObject({ hostsAdded: others.length, failures: [failure] });
      expect(await cleanUpAll()).toMatchObject({ hosts: others.length, failures: [failure] });
      expect(hostIdsInLedger()).toEqual([undefined]);
      restricted.pop();
      expect(await cleanUpAll()).toMatchObject({ hosts: 0, failures: [] });
      expect(ports.ledger.entries()).toEqual([]);
    },
  );
});

function entryOf(agent: number) {
  const { uuid, hostName } = AGENTS[agent] ?? { uuid: '', hostName: '' };
  return { uuid, hostName };
}

async function addMarked(name: string, uuid: string | undefined): Promise<number> {
  const description = `Simulated by Muster: agent ${uuid}, added 2026-01-31T12:00:00.000Z, debian-12, web`;
  const Host = { name, address: '10.0.0.1', description, container_id: CONTAINER, hosttemplate_id: 1 };
  const change = await ports.server.change({ path: '/hosts/add.json', body: { Host } });
  return change.kind === 'done' ? Number(change.answer.id) : Number.NaN;
}

describe('a copied description', () => {
  it('neither deletes the copy nor gives it to the agent, also of the same name', async () => {
    await provisionAll();
    const [own] = ports.ledger.entries();
    const copies = [await addMarked('copy', own?.uuid), await addMarked(own?.hostName ?? '', own?.uuid)];
    expect(await provisionAll()).toMatchObject({ hostsAdded: 0, hostsFound: 3, configured: 0 });
    const cleaned = await cleanUpAll();
    expect(cleaned).toMatchObject({ hosts: 3 });
    expect(cleaned.failures.map(({ reason }) => reason)).toEqual(
      copies.map((id) => `host ${id} carries the mark of this fleet, but the ledger does not say that Muster added it`),
    );
    expect([await existing(copies), ports.ledger.entries()]).toEqual([2, []]);
  });

  it('does not stand for the host of an interrupted addition', async () => {
    const copy = await addMarked('copy', AGENTS[0]?.uuid);
    ports.ledger.write({ ...entryOf(0), hostId: undefined, step: 'host', isPending: true, atMs: 1 });
    expect(await provisionAll()).toMatchObject({ hostsAdded: 3 });
    await cleanUpAll();
    expect(await existing([copy])).toBe(1);
  });
});

it('leaves a host of the ledger that was renamed and has lost its mark, and adds no other', async () => {
  await provisionAll();
  ports.ledger.write({
    ...entryOf(0),
    hostId: await addMarked('mine', undefined),
    step: 'configuration',
    isPending: false,
    atMs: 0,
  });
  const again = await provisionAll();
  expect(again).toMatchObject({
    hostsAdded: 0,
    failures: [{ reason: expect.stringContaining('now called mine and has no mark') }],
  });
  expect((await cleanUpAll()).failures.map(({ reason }) => reason)).toContainEqual(
    expect.stringContaining('is now called mine and has no mark'),
  );
  expect(ports.ledger.entries()).toHaveLength(1);
});

it('adds all hosts again to a server that was reset and gives their IDs to others', async () => {
  await provisionAll();
  const { port } = server;
  await server.stop();
  server = await startMonitoringServer({ dialect: 'shipped', apiKey: KEY, port, hostAssignment: { kind: 'manual' } });
  // The ledger has the ID of the first host for the last agent, which comes after it.
  const [first] = ports.ledger.entries();
  const last = ports.ledger.entries().at(-1);
  if (first === undefined || last === undefined) throw new Error('expected entries');
  ports.ledger.write({ ...last, hostId: first.hostId });
  ports.ledger.write({ ...first, hostId: 999 });
  expect(await provisionAll()).toMatchObject({ hostsAdded: 3, failures: [] });
  expect(await cleanUpAll()).toMatchObject({ hosts: 3, failures: [] });
});

it('removes a registration of an agent that renewed its UUID, and leaves one that only has its name and address', async () => {
  const [agent] = AGENTS;
  const identity = { password: '', hostname: agent?.hostName, ipaddress: agent?.address };
  const renewed = 'b894bb01-3e24-4a73-87b4-286ee497c81a';
  const foreign = 'c894bb01-3e24-4a73-87b4-286ee497c81a';
  for (const agentuuid of [renewed, foreign]) await push(server.url, 'register_agent', { ...identity, agentuuid }, KEY);
  const cleaned = await cleanUpAll((index, uuid) => index === 0 && uuid === renewed);
  expect(cleaned.pushAgents).toBe(1);
  expect(cleaned.failures).toEqual([
    { hostName: agent?.hostName, reason: expect.stringContaining(`another UUID (${foreign})`) },
  ]);
  expect((await ports.server.pushAgents()).map(({ uuid }) => uuid)).toEqual([foreign]);
});

it('assigns all agents before it creates the first service, and stops creating when others have registered', async () => {
  await registerAll(server.url, AGENTS);
  const assignments = () => paths.filter((path) => path.includes('select_agent')).length;
  const isService = (path: string) => path.includes('create_services');
  const cut = await provisionAll({ withServices: true, isOutdated: () => paths.some(isService) });
  expect(cut).toMatchObject({ assigned: 3, servicesCreated: 2 });
  const first = paths.findIndex(isService);
  expect(assignments()).toBe(paths.slice(0, first).filter((path) => path.includes('select_agent')).length);
  expect(await provisionAll({ withServices: true })).toMatchObject({ assigned: 0, servicesCreated: 4 });
});

it('names what it did and what is left when the user of the key loses the container in the middle', async () => {
  let changes = 0;
  const { change } = ports.server;
  ports.close();
  ports = portsOf({
    change: async (request, intent) => {
      if (++changes === 3) restricted.push({ id: CONTAINER, right: 'none' });
      return change(request, intent);
    },
  });
  const done = await provisionAll();
  expect(done).toMatchObject({ hostsAdded: 1, configured: 1 });
  expect(done.failures).toEqual([
    { hostName: AGENTS[1]?.hostName, reason: expect.stringContaining('it is still there, and in the ledger') },
    { hostName: '1 more agent', reason: 'not tried after these failures' },
  ]);
});
