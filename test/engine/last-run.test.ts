import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { ReloadSettings } from '../../src/engine/reconfigurations.ts';
import type { Incident } from '../../src/hosts/host/incident.ts';
import { durationsOf } from '../../src/load/durations.ts';
import { startsLongAgo, usualStarts } from '../../src/load/pacers.ts';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { draws } from '../draws.ts';
import { compileFleet } from '../hosts/host-data.ts';
import { restore } from './restore.ts';
import {
  friendly,
  ON_THE_GRID,
  phase,
  RUN_EPOCH_MS,
  runVirtually,
  type SeenRequest,
  type VirtualSettings,
} from './virtual-run.ts';

const OUT = Buffer.alloc(1_000_000);
const AGENTS = 4;
const PORT_CHECK_MS = 1000;
const RUN_MS = 4000;

function checkdataOf(engine: Engine, agent: number): string {
  return OUT.toString('utf8', 0, engine.writeCheckdata(agent, OUT, 0));
}

function packagesOf(engine: Engine, agent: number): string {
  return OUT.toString('utf8', 0, engine.writePackages(agent, OUT, 0));
}

/** The document in a push, byte for byte. */
function pushed({ text }: SeenRequest): string {
  return text.slice('{"checkdata":'.length, text.lastIndexOf(',"agentuuid"'));
}

function cadence(everyMs: number, more: { firstMs?: number; jitter?: number } = {}): LoadModel {
  return {
    kind: 'cadence',
    everyMs,
    firstMs: 0,
    jitter: 0,
    originMs: 0,
    standing: false,
    spread: 'even',
    spreadMs: everyMs,
    ...more,
  };
}

const REBOOT: Incident = {
  kind: 'reboot',
  isHit: (agent) => agent === 1,
  fromMs: RUN_EPOCH_MS + 200_000,
  toMs: RUN_EPOCH_MS + 250_000,
};
const machines = compileFleet({
  seed: 1,
  profiles: { 'debian-12': 1, 'windows-11': 1 },
  payload: 'lean',
  checkIntervalSeconds: 30,
  incidents: [REBOOT],
});

const CHECKS: Load = { operation: 'checkdata', model: cadence(30_000) };
const JITTERED: Load = { operation: 'checkdata', model: cadence(30_000, { jitter: 0.4 }) };
const PACKAGES: Load = { operation: 'packages', model: cadence(150_000, { firstMs: 90_000 }) };
const REGISTER: Load = { operation: 'register', model: { kind: 'rate', ratePerSecond: 1, limit: AGENTS } };

describe('the document shown by an agent that pushes', () => {
  const loads = [
    { title: 'on a cadence', loads: [CHECKS] },
    { title: 'with jitter', loads: [JITTERED] },
    { title: 'with packages', loads: [CHECKS, PACKAGES] },
    { title: 'with check runs of varying duration', loads: [CHECKS, PACKAGES], durations: durationsOf(1) },
    { title: 'while it registers', loads: [REGISTER, JITTERED, PACKAGES] },
  ];

  it.each(loads)(
    'equals its last push byte for byte, even after a reboot: $title',
    ({ loads, durations = ON_THE_GRID }) => {
      const last = new Map<number, string>();
      let compared = 0;
      let engine: Engine | undefined;
      const serve: VirtualSettings['serve'] = (request) => {
        if (request.endpoint === 'submit_checkdata') {
          last.set(request.agent, pushed(request));
          compared++;
          if (engine !== undefined) expect(checkdataOf(engine, request.agent)).toBe(pushed(request));
        }
        return friendly(0)(request);
      };
      // Between two turns of the engine, and never at a whole second.
      const polls = Array.from({ length: 800 }, (_, n) => ({
        atMs: 0.5 + 777 * n,
        act: (running: Engine) => {
          for (let agent = 0; agent < AGENTS; agent++) {
            if (running.lastRun(agent) === undefined) expect(checkdataOf(running, agent)).toBe('{}');
            else expect(checkdataOf(running, agent)).toBe(last.get(agent));
          }
        },
      }));
      runVirtually({
        agents: AGENTS,
        phases: [phase(loads, 620_000)],
        serve,
        machines,
        durations,
        listening: { checkIntervalMs: 30_000 },
        prepare: (created) => {
          engine = created;
          restore(created, [0]);
        },
        meanwhile: polls,
      });
      expect(compared).toBeGreaterThan(70);
    },
  );

  it('is empty before the first run, and from a reboot until the first run after it, but not after a failed push', () => {
    const seen: (boolean | undefined)[] = [];
    const look = (engine: Engine) => seen.push(engine.lastRun(1) === undefined);
    const outage = { downMs: 100_000, agentStartMs: 150_000 };
    const model = { ...cadence(30_000), spreadMs: 0, originMs: 10_000 };
    runVirtually({
      agents: 2,
      phases: [phase([{ operation: 'checkdata', model }], 300_000)],
      // The outcome of the push does not matter.
      serve: () => ({ afterMs: 1, ending: { kind: 'failure', failure: 'connection_refused' } }),
      outages: { 1: outage },
      listening: { checkIntervalMs: 30_000 },
      meanwhile: [9000, 10_001, 99_000, 101_000, 150_001, 155_000, 155_002].map((atMs) => ({ atMs, act: look })),
      prepare: (engine) => restore(engine, [1]),
    });
    expect(seen).toEqual([true, false, false, true, true, true, false]);
  });

  it('is the newest result while older ones wait for an answer', () => {
    const shown: unknown[] = [];
    const model = { ...cadence(5000), spreadMs: 0 };
    runVirtually({
      agents: 1,
      phases: [phase([{ operation: 'checkdata', model }], 30_000)],
      // The result of second 5 is sent at second 12, when that of second 10 is also waiting.
      serve: () => ({ afterMs: 12_000, ending: { kind: 'answer', status: 200, body: '{}' } }),
      timeoutMs: 20_000,
      listening: { checkIntervalMs: 30_000 },
      prepare: (engine) => restore(engine, [0]),
      meanwhile: [4000, 6000, 11_000, 13_000, 16_000].map((atMs) => ({
        atMs,
        act: (engine: Engine) => shown.push(engine.lastRun(0)?.resultMs),
      })),
    });
    expect(shown).toEqual([0, 5000, 10_000, 10_000, 15_000]);
  });
});

describe('the document shown by an agent with a pushed configuration', () => {
  const settings: ReloadSettings = {
    configuration: {
      checkIntervalSeconds: 20,
      disabledChecks: ['swap'],
      customChecks: [{ name: 'Long', command: `/opt/${'x'.repeat(3000)}`, intervalSeconds: 60, timeoutSeconds: 5 }],
      exporters: ['one'],
      packages: { intervalMinutes: 2, updateCheck: true },
    },
    push: { timeoutMs: 10_000, apiKey: '', proxy: undefined },
    checkEveryMs: 20_000,
    packagesEveryMs: 120_000,
    listens: true,
  };

  it.each([{ loads: [CHECKS] }, { loads: [CHECKS, PACKAGES] }])('equals its pushes: %j', ({ loads }) => {
    const shown: { atMs: number; checkdata: string; packages: string }[] = [];
    const { requests } = runVirtually({
      agents: AGENTS,
      phases: [phase(loads, 500_000)],
      serve: friendly(),
      machines,
      listening: { checkIntervalMs: 30_000 },
      prepare: (engine) => restore(engine, [1]),
      meanwhile: [
        { atMs: 50_000, act: (engine: Engine) => engine.reload(1, settings) },
        ...Array.from({ length: 440 }, (_, n) => 50_500 + 1000 * n).map((atMs) => ({
          atMs,
          act: (engine: Engine) => {
            shown.push({ atMs, checkdata: checkdataOf(engine, 1), packages: packagesOf(engine, 1) });
            expect(checkdataOf(engine, 1).length).toBeLessThanOrEqual(engine.documentBytes(1));
          },
        })),
      ],
    });
    const own = requests.filter(({ agent, atMs }) => agent === 1 && atMs > 50_000);
    const pushes = own.filter(({ endpoint }) => endpoint === 'submit_checkdata');
    expect(pushes.length).toBeGreaterThan(15);
    for (const { atMs, checkdata, packages } of shown) {
      const push = pushes.filter((it) => it.atMs <= atMs).at(-1);
      const { packagemanager, ...checks } = JSON.parse(checkdata);
      // The reboot at second 200 temporarily removes the data.
      if (checkdata === '{}') expect(push === undefined || (atMs > 200_000 && atMs < 270_000)).toBe(true);
      else {
        expect(checkdata).toBe(push === undefined ? '' : pushed(push));
        expect(Object.keys(checks.customchecks)).toEqual(['long']);
        expect(checks).not.toHaveProperty('swap');
        expect(JSON.parse(packages)).toMatchObject(packagemanager);
      }
    }
    const collected = shown.map(({ packages }) => JSON.parse(packages).LastUpdate - RUN_EPOCH_MS / 1000);
    expect([...new Set(collected)].filter((second) => second > 0).length).toBeGreaterThanOrEqual(3);
  });
});

describe('the packages shown by an agent', () => {
  it('are unknown, then pending, and then those of the last push, from the next check run on', () => {
    const shown: { atMs: number; text: string }[] = [];
    const { requests } = runVirtually({
      agents: 1,
      phases: [phase([{ operation: 'checkdata', model: cadence(30_000) }, PACKAGES], 400_000)],
      serve: friendly(),
      machines,
      shard: { index: 0, count: 1 },
      listening: { checkIntervalMs: 30_000 },
      prepare: (engine) => restore(engine, [0]),
      meanwhile: Array.from({ length: 398 }, (_, n) => ({
        atMs: 1000 * n + 500,
        act: (engine: Engine) => shown.push({ atMs: 1000 * n + 500, text: packagesOf(engine, 0) }),
      })),
    });
    const pushes = requests.filter(({ endpoint }) => endpoint === 'submit_package_info');
    const checks = requests.filter(({ endpoint }) => endpoint === 'submit_checkdata');
    expect(pushes.length).toBe(3);
    for (const { atMs, text } of shown) {
      const check = checks.filter((it) => it.atMs <= atMs).at(-1);
      const push = pushes.filter((it) => it.atMs < (check?.atMs ?? 0)).at(-1);
      if (push !== undefined) expect(text).toBe(pushed(push));
      else expect(text).toContain(check === undefined ? '"LinuxPackages":null' : '"Pending":true');
    }
  });
});

describe('the check runs of an agent that is only polled', () => {
  const anyAgent = fc.integer({ min: 0, max: 49 });
  const anyInterval = fc.constantFrom(5000, 30_000, 60_000, 7000.5, 1000 / 3);
  const anyTime = fc.record({ end: fc.constant(undefined), ms: fc.double({ min: 0, max: 500_000, noNaN: true }) });
  /** Around the end of a check run. */
  const anyEnd = fc.record({ end: fc.nat(7), ms: fc.constantFrom(-0.01, 0, 0.01) });

  it('are on their own grid from its start during the day before the run', () => {
    fc.assert(
      fc.property(anyAgent, anyInterval, fc.oneof(anyTime, anyEnd), (agent, everyMs, { ms, end }) => {
        const firstMs = usualStarts(startsLongAgo(everyMs), 1)(agent) + PORT_CHECK_MS + RUN_MS;
        const endMs = firstMs + everyMs * (Math.ceil(-firstMs / everyMs) + (end ?? 0));
        const atMs = end === undefined ? ms : Math.max(0, endMs + ms);
        let resultMs: number | undefined;
        runVirtually({
          agents: 50,
          phases: [phase([], 500_001)],
          serve: friendly(),
          listening: { checkIntervalMs: everyMs },
          meanwhile: [{ atMs, act: (engine) => (resultMs = engine.lastRun(agent)?.resultMs) }],
        });
        if (resultMs === undefined) {
          expect(atMs).toBeLessThan(firstMs);
          return;
        }
        expect(resultMs).toBeLessThanOrEqual(atMs);
        expect(resultMs).toBeGreaterThan(atMs - everyMs - 1e-6);
        const turns = (resultMs - firstMs) / everyMs;
        expect(Math.abs(turns - Math.round(turns))).toBeLessThan(1e-6);
        expect(turns).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: draws(15) },
    );
  });

  it('are never shown before their end, not even by a rounding error', () => {
    const everyMs = 1000 / 3;
    const ends = Array.from({ length: 40 }, (_, n) => n).flatMap((agent) =>
      Array.from({ length: 20 }, (_, k) => ({
        agent,
        endMs:
          usualStarts(startsLongAgo(everyMs), 1)(agent) +
          PORT_CHECK_MS +
          RUN_MS +
          (Math.ceil(86_400_000 / everyMs) + 150 + k) * everyMs,
      })),
    );
    const late: number[] = [];
    runVirtually({
      agents: 40,
      phases: [phase([], 60_000)],
      serve: friendly(),
      listening: { checkIntervalMs: everyMs },
      meanwhile: ends.map(({ agent, endMs }) => {
        const atMs = endMs - 2 ** -37;
        return { atMs, act: (engine) => (engine.lastRun(agent)?.resultMs ?? 0) > atMs && late.push(atMs) };
      }),
    });
    expect(late).toEqual([]);
  });

  it('are shown once they end, which is later than the minimum duration', () => {
    const firstMs = usualStarts(startsLongAgo(30_000), 1)(0) + PORT_CHECK_MS + RUN_MS;
    const gridMs = firstMs + 30_000 * Math.ceil(-firstMs / 30_000);
    const shown: (number | undefined)[] = [];
    runVirtually({
      agents: 1,
      phases: [phase([], 60_000)],
      serve: friendly(),
      listening: { checkIntervalMs: 30_000 },
      durations: { ...ON_THE_GRID, lateMs: () => 100 },
      meanwhile: [gridMs + 99, gridMs + 101].map((atMs) => ({
        atMs,
        act: (engine: Engine) => shown.push(engine.lastRun(0)?.resultMs),
      })),
    });
    expect(shown).toEqual([expect.closeTo(gridMs - 30_000, 3), expect.closeTo(gridMs, 3)]);
  });

  it('are not shown once its process has ended', () => {
    const shown: unknown[] = [];
    runVirtually({
      agents: 1,
      phases: [phase([], 60_000)],
      serve: friendly(),
      listening: { checkIntervalMs: 5000 },
      meanwhile: [
        { atMs: 20_000, act: (engine) => engine.down(0) },
        { atMs: 50_000, act: (engine) => shown.push(engine.lastRun(0), checkdataOf(engine, 0)) },
      ],
    });
    expect(shown).toEqual([undefined, '{}']);
  });

  it('restart with its host, whose listener goes down and up at the same times', () => {
    const shown: (number | undefined)[] = [];
    const run = runVirtually({
      agents: 2,
      phases: [phase([], 300_000)],
      serve: friendly(),
      listening: { checkIntervalMs: 30_000 },
      outages: { 1: { downMs: 100_000, agentStartMs: 150_000 } },
      meanwhile: [101_000, 151_000, 154_500, 155_500, 185_002, 215_500].map((atMs) => ({
        atMs,
        act: (engine: Engine) => shown.push(engine.lastRun(1)?.resultMs),
      })),
    });
    expect(run.hosts).toEqual([
      { atMs: 100_000, agent: 1, change: 'down' },
      { atMs: 150_000, agent: 1, change: 'up' },
    ]);
    expect(shown).toEqual([undefined, undefined, undefined, 155_001, 185_001, 215_001]);
  });

  it('are not shown before the run starts, when host data is not queried yet', () => {
    let shown: unknown;
    const run = runVirtually({
      agents: 1,
      phases: [phase([], 60_000)],
      serve: friendly(),
      listening: { checkIntervalMs: 30_000 },
      requestedMs: Number.NEGATIVE_INFINITY,
      prepare: (engine) => {
        shown = checkdataOf(engine, 0);
      },
      outages: { 0: { downMs: 10_000, agentStartMs: 20_000 } },
    });
    expect(shown).toBe('{}');
    expect(run.hosts).toHaveLength(2);
  });

  it('respect a host that is down from the start', () => {
    const run = runVirtually({
      agents: 2,
      phases: [phase([], 100_000), phase([], 100_000, 'b', 100_000)],
      serve: friendly(),
      listening: { checkIntervalMs: 30_000 },
      outages: { 0: { downMs: -5000, agentStartMs: 120_000 } },
    });
    expect(run.hosts.map(({ atMs, change }) => [atMs, change])).toEqual([
      [0, 'down'],
      [120_000, 'up'],
    ]);
  });
});
