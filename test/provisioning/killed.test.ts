import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp, planCleanup } from '../../src/provisioning/cleanup.ts';
import { openLedger } from '../../src/provisioning/ledger.ts';
import type { ProvisionPorts } from '../../src/provisioning/ledger-hosts.ts';
import { provision } from '../../src/provisioning/provision.ts';
import type { ChangeRequest } from '../../src/provisioning/requests.ts';
import { type Change, createHostServer } from '../../src/provisioning/server.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { draws } from '../draws.ts';
import { push, send } from '../server/push-client.ts';
import { agentsFor, KEY, ORDER, registerAll } from './fleet.ts';

const AGENTS = agentsFor(3);
/** Requests that provisioning and cleaning up this fleet takes: four steps of each agent, and the removal of two things. */
const REQUESTS = { provision: 4 * AGENTS.length, cleanup: 2 * AGENTS.length };

let folder: string;
let server: MonitoringServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-'));
  late = [];
  server = await startMonitoringServer({ dialect: 'shipped', apiKey: KEY, hostAssignment: { kind: 'manual' } });
});

afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

class Killed extends Error {}

/**
 * The server processes the last request at once, never, while the next command waits, or after the next command has sent it, too.
 * `undecided`: the command died before it wrote the request down. `cut`, `lost`: it lives on without an answer, the server having
 * processed the request, or not.
 */
const FATES = ['sent', 'unsent', 'undecided', 'late', 'later', 'cut', 'lost'] as const;

type Death = { readonly atRequest: number; readonly fate: (typeof FATES)[number] };

type Late = { readonly request: ChangeRequest; readonly fate: Death['fate'] };

let late: Late[] = [];

/** Ports of a process that dies at one of its changing requests, before or after the server has it; nothing is written afterwards. */
function portsOf(death?: Death): ProvisionPorts & { readonly close: () => void } {
  // Each command starts later, so that no two of them add a host at the same time.
  let now = ++clock;
  let requests = 0;
  let isDead = false;
  const real = createHostServer({
    url: server.url,
    apiKey: KEY,
    awaitTurn: async () => {},
    signal: new AbortController().signal,
    tls: { verify: true, ca: undefined },
  });
  const ledger = openLedger(join(folder, 'ledger.db'), server.url);
  const processLate = async (isNow: (one: Late) => boolean) => {
    const now = late.filter(isNow);
    late = late.filter((one) => !now.includes(one));
    for (const { request } of now) await real.change(request);
  };
  const unprocessed = (request: ChangeRequest, fate: Death['fate'], intent: (() => void) | undefined): Change => {
    if (fate !== 'undecided') intent?.();
    if (fate === 'lost') return { kind: 'unanswered', reason: 'lost' };
    if (fate === 'late' || fate === 'later') late.push({ request, fate });
    isDead = true;
    throw new Killed();
  };
  const alive = <T>(value: T): T => {
    if (isDead) throw new Killed();
    return value;
  };
  return {
    nowMs: () => now,
    pause: async (durationMs) => {
      now += durationMs;
      await processLate(({ fate }) => fate === 'late');
    },
    onProgress: () => {},
    signal: new AbortController().signal,
    ledger: {
      ...ledger,
      write: (entry) => alive(ledger).write(entry),
      remove: (uuid) => alive(ledger).remove(uuid),
    },
    server: {
      ...real,
      change: async (request, intent) => {
        alive(real);
        const fate = requests++ === death?.atRequest ? fateOf(death, request) : undefined;
        if (fate !== undefined && fate !== 'sent' && fate !== 'cut') return unprocessed(request, fate, intent);
        const change = await real.change(request, intent);
        await processLate((one) => isDeepStrictEqual(timeless(one.request), timeless(request)));
        if (fate === 'cut') return { kind: 'unanswered', reason: 'cut' };
        isDead = fate === 'sent';
        return alive(change);
      },
    },
    close: ledger.close,
  };
}

let clock = Date.parse('2026-01-31T12:00:00Z');

/** The request without the time in the mark of its host. */
function timeless(request: ChangeRequest): unknown {
  return JSON.parse(JSON.stringify(request).replace(/, added [^,]+/, ''));
}

function fateOf({ fate }: Death, request: ChangeRequest): Death['fate'] {
  return fate === 'later' && !isAddition(request) ? 'late' : fate;
}

/** Only hosts can be told from their duplicates. */
function isAddition({ path }: ChangeRequest): boolean {
  return path === '/hosts/add.json';
}

async function provisionOnce(death?: Death): Promise<void> {
  const ports = portsOf(death);
  await provision({ ...ORDER, agents: AGENTS, withServices: true }, ports).catch(unlessKilled);
  ports.close();
}

async function cleanUpOnce(death?: Death): Promise<void> {
  const ports = portsOf(death);
  await planCleanup({ agents: AGENTS, hadUuid: () => false }, ports)
    .then((plan) => cleanUp(plan, ports))
    .catch(unlessKilled);
  ports.close();
}

function unlessKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}

type Row = { readonly Host: { readonly id: number; readonly name: string; readonly description: string } };

async function rowsOf(path: string, member: string): Promise<readonly Row[]> {
  const { text } = await send(server.url, { method: 'GET', path, headers: KEYED });
  return JSON.parse(text)[member];
}

const KEYED = { Authorization: `X-OITC-API ${KEY}` };

const hostNames = async () =>
  (await rowsOf('/hosts/notMonitored.json?angular=true', 'all_hosts')).map(({ Host }) => Host.name);
/** Copies a host with its description, as the server's "Copy host" does. */
async function copy({ Host: { name, description } }: Row): Promise<void> {
  const Host = { name: `copy of ${name}`, address: '10.0.0.1', description, container_id: 1, hosttemplate_id: 1 };
  const { server: api, close } = portsOf();
  close();
  await api.change({ path: '/hosts/add.json', body: { Host } });
}

const registrations = () => rowsOf('/agentconnector/push.json?angular=true', 'agents');

async function servicesOffered(): Promise<number> {
  const { server: api, close } = portsOf();
  close();
  const hosts = await rowsOf('/hosts/notMonitored.json?angular=true', 'all_hosts');
  const offered = await Promise.all(hosts.map(({ Host }) => api.offeredServices(Host.id)));
  return offered.flat().length;
}

const deaths = (requests: number) =>
  fc.array(fc.record({ atRequest: fc.nat(requests - 1), fate: fc.constantFrom(...FATES) }), {
    minLength: 1,
    maxLength: 3,
  });

describe('a killed command', () => {
  it('leaves nothing twice, forgets nothing and removes no copy, at whichever request it died or lost the answer', async () => {
    await fc.assert(
      fc.asyncProperty(deaths(REQUESTS.provision), deaths(REQUESTS.cleanup), async (provisioning, cleaning) => {
        const passwords = await registerAll(server.url, AGENTS);
        for (const death of provisioning) await provisionOnce(death);
        await provisionOnce();
        expect((await hostNames()).sort()).toEqual(AGENTS.map(({ hostName }) => hostName).sort());
        expect(await servicesOffered()).toBe(0);
        const statuses = await Promise.all(
          AGENTS.map(({ uuid }, index) =>
            push(
              server.url,
              'submit_checkdata',
              { agentuuid: uuid, password: passwords[index], checkdata: { memory: {} } },
              KEY,
            ),
          ),
        );
        expect(statuses.map(({ status }) => status)).toEqual(AGENTS.map(() => 200));
        const originals = await rowsOf('/hosts/notMonitored.json?angular=true', 'all_hosts');
        for (const host of originals) await copy(host);
        const copies = originals.map(({ Host }) => `copy of ${Host.name}`);
        for (const death of cleaning) await cleanUpOnce(death);
        await cleanUpOnce();
        expect(await hostNames()).toEqual(copies);
        for (const { Host } of await rowsOf('/hosts/notMonitored.json?angular=true', 'all_hosts'))
          await send(server.url, { method: 'POST', path: `/hosts/delete/${Host.id}.json`, headers: KEYED });
        expect(await registrations()).toEqual([]);
        const { ledger, close } = portsOf();
        expect(ledger.entries()).toEqual([]);
        close();
      }),
      {
        numRuns: draws(10),
        examples: Array.from({ length: REQUESTS.provision }, (_, atRequest): [Death[], Death[]] => [
          [{ atRequest, fate: atRequest % 2 === 0 ? 'later' : 'late' }],
          [{ atRequest: atRequest % REQUESTS.cleanup, fate: 'sent' }],
        ]),
      },
    );
  });

  it('waits 30 seconds from the start of an addition that the server may still process, and for no step that may be taken twice', async () => {
    await registerAll(server.url, AGENTS);
    await provisionOnce({ atRequest: 0, fate: 'unsent' });
    const intendedMs = clock;
    const ports = portsOf();
    await provision({ ...ORDER, agents: AGENTS }, ports);
    expect(ports.nowMs() - intendedMs).toBe(30_000);
    ports.close();
    await cleanUpOnce();
    await registerAll(server.url, AGENTS);
    await provisionOnce({ atRequest: 1, fate: 'unsent' });
    const next = portsOf();
    const startedMs = next.nowMs();
    await provision({ ...ORDER, agents: AGENTS }, next);
    expect(next.nowMs()).toBe(startedMs);
    next.close();
  });

  it('is cleaned up after the server has processed its last request, too', async () => {
    await registerAll(server.url, AGENTS);
    await provisionOnce({ atRequest: 0, fate: 'late' });
    await cleanUpOnce();
    expect(late).toEqual([]);
    expect(await hostNames()).toEqual([]);
  });

  it('has written down each request before the server has it', async () => {
    await registerAll(server.url, AGENTS);
    const ports = portsOf();
    const inFlight: number[] = [];
    const change: typeof ports.server.change = (request, intent) =>
      ports.server.change(request, () => {
        intent?.();
        inFlight.push(ports.ledger.entries().filter(({ isPending }) => isPending).length);
      });
    await provision(
      { ...ORDER, agents: AGENTS, withServices: true },
      { ...ports, server: { ...ports.server, change } },
    );
    expect(inFlight).toEqual(Array(REQUESTS.provision).fill(1));
    ports.close();
  });
});
