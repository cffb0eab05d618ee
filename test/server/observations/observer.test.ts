import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Operation } from '../../../src/base/protocol/operations.ts';
import { ENDPOINT_PATHS } from '../../../src/base/protocol/push.ts';
import type { ArrivalCounts } from '../../../src/server/observations/observer.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from '../../../src/server/settings.ts';
import { startMonitoringServer } from '../../../src/server/start.ts';
import { draws } from '../../draws.ts';
import { anyCase, checkdata, packages } from '../../hosts/any-machine.ts';
import { push, send } from '../push-client.ts';

const own = { agentuuid: 'a', password: 'p' };

async function start(settings: Partial<MonitoringServerSettings> = {}) {
  const server = await startMonitoringServer({ registrations: [{ uuid: 'a', password: 'p' }], ...settings });
  onTestFinished(() => server.stop());
  return server;
}

/** Check data of a run that started at this Unix time. */
function runAt(instantMs: number, members: object = {}) {
  const [date, time] = new Date(instantMs).toISOString().replace('Z', '').split('T');
  const agent = {
    last_updated: `${date} ${time}000000 +0000 UTC m=+1.000000000`,
    last_updated_timestamp: Math.floor(instantMs / 1000),
  };
  return { checkdata: { agent, ...members }, ...own };
}

function entryOf({ operations, uuids, ...columns }: ArrivalCounts, uuid: string, operation: Operation) {
  const entry = uuids.indexOf(uuid) * operations.length + operations.indexOf(operation);
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[entry]]));
}

describe('the arrival counts', () => {
  it('contain received and acknowledged requests of each agent and operation, in order of arrival', async () => {
    const server = await start();
    await push(server.url, 'register_agent', { agentuuid: 'b', password: '' });
    await push(server.url, 'register_agent', own);
    await push(server.url, 'submit_checkdata', own);
    await push(server.url, 'submit_checkdata', { ...own, password: 'wrong' });
    await push(server.url, 'submit_package_info', { agentuuid: 'stranger' });
    const arrivals = structuredClone(server.arrivals());
    expect(arrivals.uuids).toEqual(['b', 'a', 'stranger']);
    const entry = (received: number, acknowledged: number, firstArrival: number, lastArrival: number) => {
      return { received, acknowledged, firstArrival, lastArrival };
    };
    expect(entryOf(arrivals, 'b', 'register')).toEqual(entry(1, 1, 1, 1));
    expect(entryOf(arrivals, 'a', 'register')).toEqual(entry(0, 0, 0, 0));
    expect(entryOf(arrivals, 'a', 'authorize')).toEqual(entry(1, 1, 2, 2));
    expect(entryOf(arrivals, 'a', 'checkdata')).toEqual(entry(2, 1, 3, 4));
    expect(entryOf(arrivals, 'stranger', 'packages')).toEqual(entry(1, 0, 5, 5));
  });

  it('cover thousands of agents', async () => {
    const server = await start({ registrations: [] });
    const uuids = Array.from({ length: 1000 }, (_, i) => `agent-${i}`);
    await Promise.all(uuids.map((agentuuid) => push(server.url, 'register_agent', { agentuuid, password: '' })));
    const arrivals = server.arrivals();
    expect(arrivals.uuids.toSorted()).toEqual(uuids.toSorted());
    expect(arrivals.received.reduce((sum, received) => sum + received)).toBe(1000);
    expect(Math.max(...arrivals.lastArrival)).toBe(1000);
  });

  it('stay within the agent limit, and report how many requests were left out', async () => {
    const server = await start({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 1000, agents: 1 } });
    await push(server.url, 'submit_checkdata', own);
    await push(server.url, 'submit_checkdata', { agentuuid: 'b' });
    await push(server.url, 'submit_checkdata', {});
    expect(server.arrivals().uuids).toEqual(['a']);
    expect(server.observations().unattributed).toBe(2);
  });

  it('exclude requests that are not pushes', async () => {
    const server = await start();
    await send(server.url, { method: 'GET', path: ENDPOINT_PATHS.register_agent });
    await send(server.url, { path: '/other', body: JSON.stringify(own) });
    expect(server.arrivals().uuids).toEqual([]);
  });
});

describe('the observations', () => {
  it('distinguish repeated documents from new ones to the millisecond, and count those that go back', async () => {
    const server = await start();
    const now = Date.now();
    for (const instantMs of [now, now, now + 1, now]) await push(server.url, 'submit_checkdata', runAt(instantMs));
    expect(server.observations().operations.checkdata).toMatchObject({
      received: 4,
      acknowledged: 4,
      repeated: 1,
      backward: 1,
      stale: 0,
      ahead: 0,
      undated: 0,
    });
  });

  it('count documents that are stale, ahead of time, or undated', async () => {
    const server = await start();
    for (const instantMs of [Date.now() - 200_000, Date.now() + 60_000]) {
      await push(server.url, 'submit_checkdata', runAt(instantMs));
    }
    await push(server.url, 'submit_checkdata', { checkdata: { agent: {} }, ...own });
    const { ageMaxMs, ...counts } = server.observations().operations.checkdata;
    expect(counts).toMatchObject({ stale: 1, ahead: 1, undated: 1 });
    expect(counts.ageCounts).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    expect(ageMaxMs).toBeGreaterThanOrEqual(200_000);
  });

  it.each(['-1e999', '1e999', '-1', '1e300'])('treat %s as no date, so that averages stay valid', async (seconds) => {
    const server = await start();
    const credentials = '"agentuuid":"a","password":"p"';
    const checkdata = `{"agent":{"last_updated":"","last_updated_timestamp":${seconds}}}`;
    const documents = {
      submit_checkdata: `{"checkdata":${checkdata},${credentials}}`,
      submit_package_info: `{"checkdata":{"LastUpdate":${seconds}},${credentials}}`,
    };
    for (const [endpoint, body] of Object.entries(documents)) {
      await send(server.url, { path: `/agentconnector/${endpoint}.json`, body });
    }
    const { checkdata: checks, packages: inventories } = server.observations().operations;
    expect([checks.undated, inventories.undated]).toEqual([1, 1]);
    expect([checks.ageSumMs, inventories.ageSumMs, checks.ageMaxMs]).toEqual([0, 0, 0]);
  });

  it('use the collection time of package documents', async () => {
    const server = await start();
    const document = { Pending: false, LastUpdate: 1_700_000_000, Stats: { OperatingSystem: 'linux' } };
    for (const LastUpdate of [document.LastUpdate, document.LastUpdate, 0]) {
      await push(server.url, 'submit_package_info', { checkdata: { ...document, LastUpdate }, ...own });
    }
    expect(server.observations().operations.packages).toMatchObject({
      received: 3,
      acknowledged: 3,
      repeated: 1,
      stale: 2,
      undated: 1,
    });
  });
});

describe('verification', () => {
  it('finds no fault in any document of the fleet', async () => {
    const server = await start({ verify: true });
    const faultless = fc.asyncProperty(anyCase, async (host) => {
      await push(server.url, 'submit_checkdata', { checkdata: checkdata(host), ...own });
      await push(server.url, 'submit_package_info', { checkdata: packages(host), ...own });
      expect(server.observations().shapeFaults).toEqual([]);
    });
    await fc.assert(faultless, { numRuns: draws(6) });
  });

  it('names each difference from the shapes, and the number of documents that have it', async () => {
    const server = await start({ verify: true });
    const [host] = fc.sample(anyCase, { numRuns: 1, seed: 1 });
    if (host === undefined) throw new Error('no sample');
    const { cpu, prometheus_exporters, ...sound } = checkdata(host);
    const { cpu_total_percentage, ...rest } = cpu;
    const document = {
      ...sound,
      cpu: { ...rest, extra: 1 },
      users: { error: 'no utmp' },
      swap: { error: 1 },
      weather: {},
    };
    for (let i = 0; i < 2; i++) await push(server.url, 'submit_checkdata', { checkdata: document, ...own });
    const faults = server.observations().shapeFaults;
    expect(new Set(faults.map(({ documents }) => documents))).toEqual(new Set([2]));
    expect(faults.map(({ fault }) => fault)).toEqual(
      expect.arrayContaining([
        'prometheus_exporters: missing',
        'weather: unknown check',
        'cpu.cpu_total_percentage: Invalid input: expected number, received undefined',
        'cpu: Unrecognized key: "extra"',
      ]),
    );
    expect(faults.filter(({ fault }) => fault.startsWith('users'))).toEqual([]);
    expect(faults.filter(({ fault }) => fault.startsWith('swap'))).not.toEqual([]);
  });

  it("checks no document before its agent's password, and the key if there is one, are verified", async () => {
    const server = await start({ verify: true, apiKey: 'right' });
    const headers = { 'Content-Type': 'application/json', Authorization: 'X-OITC-API wrong' };
    const submit = (body: object, Authorization: string) =>
      send(server.url, {
        path: ENDPOINT_PATHS.submit_checkdata,
        headers: { ...headers, Authorization },
        body: JSON.stringify({ checkdata: { weather: 1 }, ...body }),
      });
    await submit(own, 'X-OITC-API wrong');
    await submit({ ...own, password: 'wrong' }, 'X-OITC-API right');
    expect(server.observations().shapeFaults).toEqual([]);
    await submit(own, 'X-OITC-API right');
    expect(server.observations().shapeFaults).not.toEqual([]);
  });

  it('skips a document that is larger than any agent sends', async () => {
    const server = await start({ verify: true });
    const processes = 'x'.repeat(5_000_000);
    await push(server.url, 'submit_checkdata', { checkdata: { processes }, ...own });
    expect(server.observations().shapeFaults).toEqual([
      { fault: 'checkdata: larger than the 4194304 bytes that are verified', documents: 1 },
    ]);
  });

  it('is off by default', async () => {
    const server = await start();
    await push(server.url, 'submit_checkdata', { checkdata: { weather: 1 }, ...own });
    expect(server.observations().shapeFaults).toEqual([]);
  });
});
