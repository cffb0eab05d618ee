import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostConfiguration } from '../../src/hosts/host/configuration.ts';
import { WITHOUT_COLLECTION } from '../../src/hosts/packages/document.ts';
import type { PayloadWriter } from '../../src/hosts/payloads.ts';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws } from '../draws.ts';
import type { Parsed } from './any-machine.ts';
import { compileFleet, type TestFleet } from './host-data.ts';

const FLEET: TestFleet = {
  seed: 3,
  profiles: Object.fromEntries(PROFILE_NAMES.map((name) => [name, 1])),
  payload: 'lean',
  checkIntervalSeconds: 30,
  checks: { customchecks: 2, prometheus_exporters: 2 },
};
const fleet = compileFleet(FLEET);

const USUAL: HostConfiguration = {
  checkIntervalSeconds: 30,
  disabledChecks: ['docker'],
  customChecks: undefined,
  exporters: undefined,
  packages: { intervalMinutes: 60, updateCheck: true },
};
const CUSTOM = [
  { name: 'Zeta', command: '/opt/check_orders  --open', intervalSeconds: 300, timeoutSeconds: 10 },
  { name: '9', command: 'check_http -H localhost', intervalSeconds: 60, timeoutSeconds: 15 },
  { name: '10', command: "sh -c 'echo <1>'", intervalSeconds: 45, timeoutSeconds: 45 },
  { name: 'never', command: 'check_dns', intervalSeconds: 10, timeoutSeconds: 11 },
];
const OTHER: HostConfiguration = {
  checkIntervalSeconds: 60,
  disabledChecks: [
    'docker',
    'swap',
    'disk_io',
    'processes',
    'agent',
    'packagemanager',
    'customchecks',
    'prometheus_exporters',
  ],
  customChecks: CUSTOM,
  exporters: ['shop_exporter'],
  packages: undefined,
};

const OUT = Buffer.alloc(2_000_000);
const START_MS = Date.UTC(2026, 2, 3, 10);
const agents = fc.nat(2000);
const RUNS = { numRuns: draws(10) };

function text(writer: PayloadWriter, agent: number, instantMs: number, collectionMs?: number): string {
  return OUT.toString('utf8', 0, writer.writeCheckdata(OUT, 0, agent, instantMs, collectionMs));
}

function told(writer: PayloadWriter, agent: number, instantMs: number, collectionMs?: number): Parsed {
  return JSON.parse(text(writer, agent, instantMs, collectionMs));
}

function served(writer: PayloadWriter, agent: number, instantMs: number, collectionMs?: number): string {
  return OUT.toString('utf8', 0, writer.writeServedPackages(OUT, 0, agent, instantMs, collectionMs));
}

/** A host that is up from half an hour before the start to two hours after it. */
const upAgents = agents.filter(
  (agent) => fleet.payloads.nextOutage(agent, START_MS - 1_800_000, START_MS + 7_200_000) === undefined,
);

it('agents that start at the same time with the same configuration share one writer', () => {
  const at = (reloadMs: number, startMs?: number, version?: string) =>
    fleet.reloaded(reloadMs, undefined, { startMs, version });
  expect(at(1000, 500)).toBe(at(1000, 500));
  for (const other of [at(1001, 500), at(1000, 501), at(1000), at(1000, 500, '3.4.0')])
    expect(other).not.toBe(at(1000, 500));
  expect(fleet.reloaded(1000, USUAL)).toBe(fleet.reloaded(1000, { ...USUAL }));
});

describe('the check data of an agent with a pushed configuration', () => {
  it('omit disabled checks, except for permanent ones, and leave all others unchanged', () => {
    fc.assert(
      fc.property(upAgents, (agent) => {
        const plain = told(fleet.payloads, agent, START_MS + 3_600_000);
        const configuration = { ...USUAL, disabledChecks: OTHER.disabledChecks };
        // Reloaded long ago, so that rates and collections equal those of an agent that was never reloaded.
        const own = told(fleet.reloaded(0, configuration), agent, START_MS + 3_600_000);
        const left = ['swap', 'disk_io', 'processes'];
        expect(Object.keys(own)).toEqual(Object.keys(plain).filter((key) => !left.includes(key)));
        for (const [key, value] of Object.entries(own)) expect(value).toEqual(plain[key]);
      }),
      RUNS,
    );
  });

  it('contain the configured custom checks in byte order, except for those that never start', () => {
    const written = text(fleet.reloaded(START_MS, OTHER), 4, START_MS + 4000);
    const [, checks = ''] = /"customchecks":(\{.*?\}\}),/.exec(written) ?? [];
    expect([...checks.matchAll(/"([^"]+)":\{"stdout"/g)].map(([, name]) => name)).toEqual(['10', '9', 'zeta']);
    expect(told(fleet.reloaded(START_MS, OTHER), 4, START_MS + 4000).prometheus_exporters).toEqual(['shop_exporter']);
  });

  it('have results of custom checks that match their exit codes, each on its own grid since the reload', () => {
    const grid: Record<string, number> = { zeta: 300, 9: 60, 10: 45 };
    fc.assert(
      fc.property(upAgents, fc.integer({ min: 4000, max: 7_000_000 }), (agent, afterMs) => {
        const { customchecks } = told(fleet.reloaded(START_MS, OTHER), agent, START_MS + afterMs);
        for (const [name, result] of Object.entries<Parsed>(customchecks)) {
          const sinceStart = result.execution_unix_timestamp_sec - START_MS / 1000;
          const seconds = grid[name] ?? 0;
          expect(sinceStart % seconds).toBe(0);
          // The check run took four seconds.
          expect(sinceStart).toBeLessThanOrEqual(afterMs / 1000 - 0.7);
          expect(sinceStart).toBeGreaterThan(afterMs / 1000 - 4 - seconds - 0.001);
          const expected = { 0: / OK - /, 1: / WARNING - /, 2: / CRITICAL - /, 124: /timed out after \d+s seconds$/ };
          const pattern = { ...expected, 127: /^No such file or directory: '[^ ]/ }[result.rc as keyof typeof expected];
          expect(result.stdout).toMatch(pattern ?? /nothing/);
        }
      }),
      RUNS,
    );
  });

  it('have the same result of a custom check whichever other checks are configured', () => {
    const alone = fleet.reloaded(START_MS, { ...OTHER, customChecks: CUSTOM.slice(0, 1) });
    const among = fleet.reloaded(START_MS, OTHER);
    const [one, other] = [alone, among].map((writer) => told(writer, 7, START_MS + 900_000).customchecks.zeta);
    expect(one).toEqual(other);
  });

  it('are not affected by interleaved agents with the same checks at other intervals', () => {
    const configurations = [5, 30, 600].map((seconds) => ({
      ...OTHER,
      checkIntervalSeconds: seconds,
      packages: { intervalMinutes: seconds, updateCheck: true },
    }));
    const among = configurations.map((configuration) => fleet.reloaded(START_MS, configuration));
    for (const agent of [1, 2, 3]) {
      const written = among.map((writer) => text(writer, agent, START_MS + 3_600_000));
      const alone = configurations.map((own) =>
        text(compileFleet(FLEET).reloaded(START_MS, own), agent, START_MS + 3_600_000),
      );
      expect(written).toEqual(alone);
      expect(written.map((one) => JSON.parse(one).agent.check_interval)).toEqual([5, 30, 600]);
      expect(among.map((writer) => writer.checkRunMs(agent))).toEqual(
        configurations.map((own) => compileFleet(FLEET).reloaded(START_MS, own).checkRunMs(agent)),
      );
    }
  });

  it('take no time for a check run without the CPU check on Linux and macOS', () => {
    const lengths = (disabledChecks: readonly string[], checkIntervalSeconds: number) => {
      const writer = fleet.reloaded(START_MS, { ...USUAL, disabledChecks, checkIntervalSeconds });
      return [...new Set(Array.from({ length: 40 }, (_, agent) => writer.checkRunMs(agent)))].sort((a, b) => b - a);
    };
    expect([lengths(['memory'], 30), lengths(['memory'], 2)]).toEqual([
      [4000, 700],
      [1000, 700],
    ]);
    expect([lengths(['cpu'], 30), lengths(['cpu'], 2)]).toEqual([
      [700, 0],
      [700, 0],
    ]);
  });

  it('report disabled packages in the notation of an agent without a collector', () => {
    expect(told(fleet.reloaded(0, OTHER), 4, START_MS).packagemanager).toEqual({ enabled: false, pending: false });
  });

  it('start over: no rates in the first run, no collection before 90 s, and then at the configured interval', () => {
    fc.assert(
      fc.property(upAgents, (agent) => {
        const writer = fleet.reloaded(START_MS, {
          ...USUAL,
          checkIntervalSeconds: 60,
          packages: { intervalMinutes: 2, updateCheck: true },
        });
        const runMs = writer.checkRunMs(agent);
        const first = told(writer, agent, START_MS + runMs);
        expect(first.agent.check_interval).toBe(60);
        expect(first.packagemanager).toMatchObject({ Enabled: true, Pending: true });
        for (const card of Object.values<Parsed>(first.net_io)) expect(card.avg_bytes_recv_ps).toBe(0);
        const collections = [91.9, 96, 200, 250].map((second) => {
          const { packagemanager } = told(writer, agent, START_MS + 1000 * second);
          return packagemanager.LastUpdate === 0 ? 'none' : packagemanager.LastUpdate - START_MS / 1000;
        });
        expect(collections).toEqual(['none', 90, 120, 240]);
      }),
      { numRuns: draws(6) },
    );
  });

  it('list containers in their place among the checks, and report an error if no engine runs', () => {
    fc.assert(
      fc.property(upAgents, (agent) => {
        const own = told(fleet.reloaded(0, { ...USUAL, disabledChecks: [] }), agent, START_MS + 3_600_000);
        const error =
          own.agent.goos === 'windows' ? /^error during connect: /u : /^Cannot connect to the Docker daemon/u;
        const engine = own.processes.some(({ cmdline }: Parsed) => cmdline.startsWith('/usr/bin/dockerd'));
        // An empty process list does not show whether an engine runs.
        if (own.processes.length > 0) expect(Array.isArray(own.docker)).toBe(engine);
        if (!Array.isArray(own.docker)) expect(own.docker).toEqual({ error: expect.stringMatching(error) });
        expect(Object.keys(own)).toEqual(Object.keys(own).toSorted());
        const plain = told(fleet.payloads, agent, START_MS + 3_600_000);
        expect({ ...own, docker: undefined }).toEqual({ ...plain, docker: undefined });
      }),
      RUNS,
    );
  });

  it('fit into the reported maximum size', () => {
    const writer = fleet.reloaded(START_MS, OTHER);
    for (let agent = 0; agent < 20; agent++) {
      const room = writer.checkdataRoomBytes(agent);
      expect(writer.writeCheckdata(Buffer.alloc(room), 0, agent, START_MS)).toBeLessThanOrEqual(room);
    }
  });
});

describe('packages from the web server', () => {
  it('are the document of the collection that the check data report', () => {
    const last = fc.option(fc.integer({ min: 0, max: 3_000_000 }), { nil: undefined });
    fc.assert(
      fc.property(upAgents, last, (agent, agoMs) => {
        const instantMs = START_MS + 3_600_000;
        const collectionMs = agoMs === undefined ? undefined : instantMs - agoMs;
        for (const writer of [fleet.payloads, fleet.reloaded(START_MS, USUAL)]) {
          const document = served(writer, agent, instantMs, collectionMs);
          const { LastUpdate, Stats } = JSON.parse(document);
          expect(told(writer, agent, instantMs, collectionMs).packagemanager).toMatchObject({ LastUpdate, Stats });
          if (collectionMs === undefined) continue;
          expect(document).toBe(OUT.toString('utf8', 0, writer.writePackages(OUT, 0, agent, collectionMs)));
        }
      }),
      RUNS,
    );
  });

  it('have no updates if the agent does not check for them, and are otherwise unchanged', () => {
    const blind = fleet.reloaded(0, { ...USUAL, packages: { intervalMinutes: 60, updateCheck: false } });
    const seeing = fleet.reloaded(0, USUAL);
    let updates = 0;
    fc.assert(
      fc.property(upAgents, (agent) => {
        const instantMs = START_MS + 3_600_000;
        const [own, usual] = [blind, seeing].map((writer) => JSON.parse(served(writer, agent, instantMs)));
        const none = { LinuxUpdates: [], WindowsUpdates: [], MacosUpdates: [] };
        const Stats = { ...usual.Stats, UpgradablePackages: 0, SecurityUpdates: 0 };
        expect(JSON.stringify(own)).toBe(JSON.stringify({ ...usual, Stats, ...none }));
        expect(told(blind, agent, instantMs).packagemanager.Stats).toEqual(Stats);
        updates += usual.Stats.UpgradablePackages;
      }),
      RUNS,
    );
    expect(updates).toBeGreaterThan(0);
  });

  it('are pending before the first collection, and report everything as off if disabled', () => {
    const lists = ['LinuxPackages', 'LinuxUpdates', 'WindowsApps', 'WindowsUpdates', 'MacosApps', 'MacosUpdates'];
    const empty = Object.fromEntries(lists.map((name) => [name, []]));
    const nothing = { InstalledPackages: 0, RebootRequired: false, LastError: '', AgentVersion: '', Uptime: 0 };
    const pending = JSON.parse(served(fleet.payloads, 4, START_MS, Number.POSITIVE_INFINITY));
    expect(pending).toMatchObject({ Enabled: true, Pending: true, LastUpdate: 0, Stats: nothing, ...empty });
    const disabled = JSON.parse(served(fleet.reloaded(0, OTHER), 4, START_MS));
    expect(disabled).toMatchObject({ Enabled: false, Pending: false, LastUpdate: 0, Stats: nothing, ...empty });
    const unknown = JSON.parse(WITHOUT_COLLECTION.unknown);
    expect(unknown).toEqual({ ...disabled, ...Object.fromEntries(lists.map((name) => [name, null])) });
    expect(Object.keys(unknown)).toEqual(Object.keys(JSON.parse(served(fleet.payloads, 4, START_MS))));
  });
});
