import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanUp, planCleanup } from '../../src/provisioning/cleanup.ts';
import { openLedger } from '../../src/provisioning/ledger.ts';
import type { ProvisionPorts } from '../../src/provisioning/provision.ts';
import { provision } from '../../src/provisioning/provision.ts';
import type { ChangeRequest } from '../../src/provisioning/requests.ts';
import { createHostServer } from '../../src/provisioning/server.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
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

/** The server processes the last request at once, never, while the next command waits, or after the next command has sent it, too. */
const FATES = ['sent', 'unsent', 'late', 'later'] as const;

type Death = { readonly atRequest: number; readonly fate: (typeof FATES)[number] };

type Late = { readonly request: ChangeRequest; readonly fate: Death['fate'] };

let late: Late[] = [];

/** Ports of a process that dies at one of its changing requests, before or after the server has it; nothing is written afterwards. */
function portsOf(death?: Death): ProvisionPorts & { readonly close: () => void } {
  let now = clock;
  let requests = 0;
  let isDead = false;
  const real = createHostServer({
    ...{ url: server.url, apiKey: KEY, turn: async () => {}, signal: new AbortController().signal },
    tls: { verify: true, ca: undefined },
  });
  const ledger = openLedger(join(folder, 'ledger.db'), server.url);
  const processLate = async (isNow: (one: Late) => boolean) => {
    const now = late.filter(isNow);
    late = late.filter((one) => !now.includes(one));
    for (const { request } of now) await real.change(request);
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
      change: async (request) => {
        alive(real);
        const dies = requests++ === death?.atRequest;
        const fate = death?.fate === 'later' && !isAddition(request) ? 'late' : death?.fate;
        if (dies && fate?.startsWith('late')) late.push({ request, fate });
        if (dies && fate !== 'sent') isDead = true;
        alive(real);
        const change = await real.change(request);
        await processLate((one) => isDeepStrictEqual(one.request, request));
        if (dies) isDead = true;
        return alive(change);
      },
    },
    close: ledger.close,
  };
}

const clock = Date.parse('2026-01-31T12:00:00Z');

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
  await planCleanup(AGENTS, ports)
    .then((plan) => cleanUp(plan, ports))
    .catch(unlessKilled);
  ports.close();
}

function unlessKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}

async function rowsOf(
  path: string,
  member: string,
): Promise<readonly { readonly Host: { readonly id: number; name: string } }[]> {
  const headers = { Authorization: `X-OITC-API ${KEY}` };
  const { text } = await send(server.url, { method: 'GET', path, headers });
  return JSON.parse(text)[member];
}

const hostNames = async () =>
  (await rowsOf('/hosts/notMonitored.json?angular=true', 'all_hosts')).map(({ Host }) => Host.name);
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
  it('leaves nothing twice and forgets nothing, at whichever request it died', async () => {
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
        for (const death of cleaning) await cleanUpOnce(death);
        await cleanUpOnce();
        expect(await hostNames()).toEqual([]);
        expect(await registrations()).toEqual([]);
        const { ledger, close } = portsOf();
        expect(ledger.entries()).toEqual([]);
        close();
      }),
      {
        numRuns: 15,
        examples: Array.from({ length: REQUESTS.provision }, (_, atRequest): [Death[], Death[]] => [
          [{ atRequest, fate: atRequest % 2 === 0 ? 'later' : 'late' }],
          [{ atRequest: atRequest % REQUESTS.cleanup, fate: 'sent' }],
        ]),
      },
    );
  });

  it('waits ten seconds from the start of a request that the server may still process', async () => {
    await registerAll(server.url, AGENTS);
    await provisionOnce({ atRequest: 0, fate: 'unsent' });
    const ports = portsOf();
    await provision({ ...ORDER, agents: AGENTS }, ports);
    expect(ports.nowMs() - clock).toBe(10_000);
    ports.close();
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
    const change: typeof ports.server.change = (request) => {
      inFlight.push(ports.ledger.entries().filter(({ isPending }) => isPending).length);
      return ports.server.change(request);
    };
    await provision(
      { ...ORDER, agents: AGENTS, withServices: true },
      { ...ports, server: { ...ports.server, change } },
    );
    expect(inFlight).toEqual(Array(REQUESTS.provision).fill(1));
    ports.close();
  });
});
