import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { ReloadSettings } from '../../src/engine/reconfigurations.ts';
import type { HostConfiguration } from '../../src/hosts/host/configuration.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { friendly, phase, runVirtually, total, type VirtualRun, type VirtualSettings } from './virtual-run.ts';

const RUN_MS = 4000;
const CONFIGURATION: HostConfiguration = {
  checkIntervalSeconds: 30,
  disabledChecks: [],
  customChecks: undefined,
  exporters: undefined,
  packages: { intervalMinutes: 60, updateCheck: true },
};
const UNCHANGED: ReloadSettings = {
  configuration: undefined,
  push: { timeoutMs: 10_000, apiKey: 'KEY', proxy: undefined },
  checkEveryMs: undefined,
  packagesEveryMs: undefined,
  listens: false,
};

function grid(everyMs: number, more: Partial<{ firstMs: number; jitter: number }> = {}): LoadModel {
  return {
    kind: 'cadence',
    everyMs,
    firstMs: 0,
    jitter: 0,
    originMs: 0,
    standing: false,
    spread: 'even',
    spreadMs: 0,
    ...more,
  };
}

const CHECKS: Load = { operation: 'checkdata', model: grid(30_000) };
const PACKAGES: Load = { operation: 'packages', model: grid(600_000, { firstMs: 90_000 }) };

function at(atMs: number, act: (engine: Engine) => void) {
  return { atMs, act };
}

function reloadAt(atMs: number, settings: ReloadSettings = UNCHANGED, agent = 1) {
  return at(atMs, (engine) => engine.reload(agent, settings));
}

function runOf(settings: Partial<VirtualSettings>) {
  return runVirtually({
    agents: 2,
    phases: [phase([CHECKS], 300_000)],
    serve: friendly(),
    listening: { checkIntervalMs: 30_000 },
    prepare: (engine) => {
      restore(engine, [0, 1]);
    },
    ...settings,
  });
}

function secondsOf({ requests }: VirtualRun, agent: number, endpoint = 'submit_checkdata') {
  return requests.filter((it) => it.agent === agent && it.endpoint === endpoint).map(({ atMs }) => atMs / 1000);
}

/** What agent 1 shows at each of these times. */
function showing(instants: readonly number[]) {
  const shown: (number | undefined)[] = [];
  return { shown, looks: instants.map((atMs) => at(atMs, (engine) => shown.push(engine.lastRun(1)?.resultMs))) };
}

describe('a reloaded agent', () => {
  it('gets its first result when its check run ends, and counts only its own interval from there', () => {
    const { shown, looks } = showing([69_000, 70_001, 73_999, 74_000, 103_999, 104_000]);
    const run = runOf({ meanwhile: [reloadAt(70_000), ...looks] });
    expect(secondsOf(run, 1)).toEqual([0, 30, 60, 74, 104, 134, 164, 194, 224, 254, 284]);
    expect(secondsOf(run, 0)).toEqual(Array.from({ length: 10 }, (_, k) => 30 * k));
    expect(shown).toEqual([60_000, undefined, undefined, 74_000, 74_000, 104_000]);
    expect(run.disconnected).toEqual([{ atMs: 70_000, agent: 1 }]);
  });

  it('starts its checks a second later if it listens, and counts everything from there', () => {
    const { shown, looks } = showing([74_000, 74_999, 75_000, 104_999, 105_000]);
    const phases = [phase([CHECKS, PACKAGES], 300_000)];
    const run = runOf({ phases, meanwhile: [reloadAt(70_000, { ...UNCHANGED, listens: true }), ...looks] });
    expect(secondsOf(run, 1)).toEqual([0, 30, 60, 75, 105, 135, 165, 195, 225, 255, 285]);
    expect(shown).toEqual([undefined, undefined, 75_000, 75_000, 105_000]);
    const collected = run.requests.filter(({ agent, endpoint }) => agent === 1 && endpoint === 'submit_package_info');
    expect(collected.map(({ body }) => body.checkdata)).toMatchObject([{ at: 161_000 }]);
  });

  it.each([1000, 1000 + RUN_MS])(
    'has no result if check runs are %d ms apart, as one takes too long',
    (checkEveryMs) => {
      const { shown, looks } = showing([74_000, 200_000, 299_000]);
      const run = runOf({ meanwhile: [reloadAt(70_000, { ...UNCHANGED, checkEveryMs }), ...looks] });
      expect(secondsOf(run, 1)).toEqual([0, 30, 60]);
      expect(shown).toEqual([undefined, undefined, undefined]);
    },
  );

  it('has results if a check run takes less than the interval minus one second', () => {
    const { shown, looks } = showing([73_999, 74_000, 79_500]);
    runOf({ meanwhile: [reloadAt(70_000, { ...UNCHANGED, push: undefined, checkEveryMs: 5001 }), ...looks] });
    expect(shown).toEqual([undefined, 74_000, 79_001]);
  });

  it('keeps its configured interval, with the jitter of the load, in later phases', () => {
    const load: Load = { operation: 'checkdata', model: grid(30_000, { jitter: 0.5 }) };
    const phases = [phase([load], 150_000), phase([load], 150_000, 'b', 150_000)];
    const run = runOf({ phases, meanwhile: [reloadAt(70_000, { ...UNCHANGED, checkEveryMs: 10_000 })] });
    const seconds = secondsOf(run, 1).filter((second) => second > 70);
    expect(seconds.length).toBe(23);
    for (const [k, second] of seconds.entries()) {
      expect(second).toBeGreaterThanOrEqual(74 + 10 * k);
      expect(second).toBeLessThan(74 + 10 * k + 5);
    }
    expect(seconds.some((second, k) => second > 74.5 + 10 * k)).toBe(true);
  });

  it("ignores the load's delay of the first result", () => {
    const load: Load = { operation: 'checkdata', model: grid(30_000, { firstMs: 20_000 }) };
    const run = runOf({ phases: [phase([load], 120_000)], meanwhile: [reloadAt(40_000)] });
    expect(secondsOf(run, 1)).toEqual([20, 30, 44, 74, 104]);
  });

  it('abandons its pending request and all waiting results', () => {
    const load: Load = { operation: 'checkdata', model: grid(5000) };
    const serve: VirtualSettings['serve'] = (request) =>
      request.agent === 1 && request.atMs < 50_000 ? undefined : friendly()(request);
    const run = runOf({
      phases: [phase([load], 60_000)],
      serve,
      timeoutMs: 60_000,
      meanwhile: [reloadAt(12_000, { ...UNCHANGED, push: { timeoutMs: 60_000, apiKey: 'KEY', proxy: undefined } })],
    });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.outcomes.canceled).toBe(1);
    expect(series?.dropped.agent_busy).toBeGreaterThanOrEqual(2);
    expect(series?.planned).toBe((series?.started ?? 0) + total(series?.dropped ?? {}));
    expect(secondsOf(run, 1).slice(0, 2)).toEqual([0, 16]);
  });

  it('waits for answers until its own configured timeout', () => {
    const load: Load = { operation: 'checkdata', model: grid(30_000) };
    const run = runOf({
      phases: [phase([load], 90_000)],
      serve: () => ({ afterMs: 5000, ending: { kind: 'answer', status: 200, body: '{}' } }),
      meanwhile: [reloadAt(10_000, { ...UNCHANGED, push: { timeoutMs: 1000, apiKey: 'KEY', proxy: undefined } })],
    });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.outcomes).toEqual({ ok: 4, timeout: 3 });
  });

  it('uses the API key of its own configuration', () => {
    const run = runOf({
      meanwhile: [reloadAt(10_000, { ...UNCHANGED, push: { timeoutMs: 1000, apiKey: 'OTHER', proxy: undefined } })],
    });
    expect(run.apiKeys).toEqual([{ agent: 1, apiKey: 'OTHER' }]);
  });

  it('uses the API key of an event instead while that lasts', () => {
    const retarget = { kind: 'retarget', apiKey: 'EVENT' } as const;
    const run = runOf({
      events: [{ name: 'r', cohort: EVERYONE, fromMs: 5000, toMs: 40_000, overMs: 0, action: retarget }],
      meanwhile: [reloadAt(10_000, { ...UNCHANGED, push: { timeoutMs: 1000, apiKey: 'OTHER', proxy: undefined } })],
    });
    const keys = run.apiKeys.map(({ apiKey }) => apiKey);
    expect([...new Set(keys.slice(0, -1))]).toEqual(['EVENT', 'OTHER']);
    expect(keys[0]).toBe('EVENT');
    expect(keys.at(-1)).toBe('OTHER');
  });

  it('keeps that API key while an event gives it another release, and afterward', () => {
    const run = runOf({
      events: [
        {
          name: 'rollout',
          cohort: { kind: 'agents', first: 1, last: 1 },
          fromMs: 20_000,
          toMs: 40_000,
          overMs: 0,
          action: { kind: 'upgrade', version: '3.4.0' },
        },
      ],
      meanwhile: [reloadAt(10_000, { ...UNCHANGED, push: { timeoutMs: 1000, apiKey: 'OTHER', proxy: undefined } })],
    });
    expect(run.apiKeys.every(({ apiKey }) => apiKey === 'OTHER')).toBe(true);
    expect(run.apiKeys.some(({ version }) => version === '3.4.0')).toBe(true);
    expect(run.apiKeys.at(-1)).toEqual({ agent: 1, apiKey: 'OTHER' });
    expect(run.clients.map(({ atMs }) => atMs)).toEqual([20_000, 40_000]);
  });

  it('abandons a registration whose password is being stored, but not the password', () => {
    const run = runOf({ prepare: () => {}, storeMs: 20_000, meanwhile: [reloadAt(10_000)] });
    expect(secondsOf(run, 1, 'register_agent')).toEqual([0]);
    // The result of second 14 waits until the password is stored.
    expect(secondsOf(run, 1).slice(0, 2)).toEqual([20.001, 44]);
    const [first] = run.requests.filter(({ agent, endpoint }) => agent === 1 && endpoint === 'submit_checkdata');
    expect(first?.body.checkdata).toMatchObject({ at: 14_000 });
  });

  it('picks up arrivals that were due before', () => {
    const run = runOf({ meanwhile: [at(30_000, (engine) => engine.reload(1, UNCHANGED))] });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(secondsOf(run, 1).slice(0, 3)).toEqual([0, 30, 34]);
    expect(series?.outcomes.canceled).toBe(1);
  });

  it('gets its share of a rate again when its first run ends', () => {
    const load: Load = { operation: 'checkdata', model: { kind: 'rate', ratePerSecond: 2, limit: undefined } };
    const seconds = secondsOf(runOf({ phases: [phase([load], 20_000)], meanwhile: [reloadAt(5000)] }), 1);
    expect(seconds).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5, 19.5]);
  });

  it('gives up its slot of a closed load until its first run ends', () => {
    const load: Load = { operation: 'checkdata', model: { kind: 'concurrency', slots: 2, limit: undefined } };
    const run = runOf({ phases: [phase([load], 20_000)], serve: friendly(500), meanwhile: [reloadAt(5200)] });
    expect(secondsOf(run, 1).filter((second) => second > 5.2 && second < 9.2)).toEqual([]);
    expect(secondsOf(run, 1).at(-1)).toBeGreaterThan(19);
  });
});

describe('the packages of a reloaded agent', () => {
  const phases = [phase([CHECKS, PACKAGES], 900_000)];

  it('are collected 90 s after the reload, and then at its configured interval', () => {
    const settings = { ...UNCHANGED, packagesEveryMs: 240_000 };
    const run = runOf({ phases, meanwhile: [reloadAt(200_000, settings)] });
    const collections = run.requests
      .filter(({ agent, endpoint }) => agent === 1 && endpoint === 'submit_package_info')
      .map(({ body }) => Math.round((body.checkdata as { at: number }).at / 1000));
    expect(collections).toEqual([85, 290, 440, 680]);
    const told = run.requests
      .filter(({ agent, endpoint, atMs }) => agent === 1 && endpoint === 'submit_checkdata' && atMs > 150_000)
      .map(({ body }) => (body.checkdata as { collection: number | string }).collection)
      .map((it) => (typeof it === 'number' ? Math.round(it / 1000) : it));
    expect([...new Set(told)]).toEqual([85, 'none', 290, 440, 680]);
  });

  it('are no longer sent if they are disabled', () => {
    const settings = { ...UNCHANGED, configuration: { ...CONFIGURATION, packages: undefined } };
    const run = runOf({ phases, meanwhile: [reloadAt(200_000, settings)] });
    expect(secondsOf(run, 1, 'submit_package_info')).toHaveLength(1);
    expect(secondsOf(run, 0, 'submit_package_info')).toHaveLength(2);
    expect(secondsOf(run, 1).at(-1)).toBeGreaterThan(800);
  });

  it('are collected on its own schedule if no load defines one', () => {
    const run = runOf({ meanwhile: [reloadAt(70_000)] });
    const told = run.requests.map(({ body }) => (body.checkdata as { collection: unknown }).collection);
    expect(new Set(told)).toEqual(new Set(['own']));
  });
});

describe('an agent whose push mode is disabled', () => {
  const off: ReloadSettings = { ...UNCHANGED, push: undefined, checkEveryMs: 20_000 };

  it('sends nothing, and shows the results of its own grid', () => {
    const { shown, looks } = showing([73_000, 74_500, 93_500, 94_500, 299_000]);
    const run = runOf({ phases: [phase([CHECKS, PACKAGES], 300_000)], meanwhile: [reloadAt(70_000, off), ...looks] });
    expect(secondsOf(run, 1)).toEqual([0, 30, 60]);
    expect(secondsOf(run, 1, 'submit_package_info')).toEqual([]);
    expect(shown).toEqual([undefined, 74_000, 74_000, 94_000, 294_000]);
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.planned).toBe(13);
  });

  it('pushes again once push mode is enabled', () => {
    const run = runOf({ meanwhile: [reloadAt(70_000, off), reloadAt(150_000)] });
    expect(secondsOf(run, 1)).toEqual([0, 30, 60, 154, 184, 214, 244, 274]);
  });
});

describe('an agent whose process has ended', () => {
  it('sends nothing, shows nothing and counts as down until it is reloaded', () => {
    const { shown, looks } = showing([69_000, 71_000, 200_500, 205_000]);
    const counts: number[] = [];
    const run = runOf({
      meanwhile: [
        at(70_000, (engine) => engine.down(1)),
        at(71_000, (engine) => counts.push(engine.downAgents())),
        reloadAt(200_000),
        at(201_000, (engine) => counts.push(engine.downAgents())),
        ...looks,
      ],
    });
    expect(secondsOf(run, 1)).toEqual([0, 30, 60, 204, 234, 264, 294]);
    expect(shown).toEqual([60_000, undefined, undefined, 204_000]);
    expect(counts).toEqual([1, 0]);
  });

  it('occupies no slot of a closed load', () => {
    const load: Load = { operation: 'checkdata', model: { kind: 'concurrency', slots: 2, limit: undefined } };
    const run = runOf({
      phases: [phase([load], 20_000)],
      serve: friendly(500),
      meanwhile: [at(5200, (engine) => engine.down(1))],
    });
    expect(secondsOf(run, 1).at(-1)).toBeLessThan(5.2);
    expect(secondsOf(run, 0).at(-1)).toBeGreaterThan(19);
  });

  it('does not start again with its host', () => {
    const run = runOf({
      outages: { 1: { downMs: 100_000, agentStartMs: 150_000 } },
      meanwhile: [at(70_000, (engine) => engine.down(1))],
    });
    expect(run.hosts).toEqual([]);
    expect(secondsOf(run, 1)).toEqual([0, 30, 60]);
  });
});

describe('a reload and an outage of the host', () => {
  const outages = { 1: { downMs: 100_000, agentStartMs: 150_000 } };
  const every10 = { ...UNCHANGED, checkEveryMs: 10_000 };

  it('the configuration survives the outage', () => {
    const run = runOf({ phases: [phase([CHECKS], 200_000)], outages, meanwhile: [reloadAt(70_000, every10)] });
    expect(secondsOf(run, 1).map(Math.round)).toEqual([0, 30, 60, 74, 84, 94, 154, 164, 174, 184, 194]);
    expect(run.hosts.map(({ atMs, change }) => [atMs, change])).toEqual([
      [100_000, 'down'],
      [150_000, 'up'],
    ]);
  });

  it('a reload while the host is down takes effect when it is up again', () => {
    const { shown, looks } = showing([140_000, 153_000, 155_000]);
    const run = runOf({
      phases: [phase([CHECKS], 200_000)],
      outages,
      meanwhile: [reloadAt(120_000, every10), ...looks],
    });
    expect(secondsOf(run, 1).map(Math.round)).toEqual([0, 30, 60, 90, 154, 164, 174, 184, 194]);
    expect(shown).toEqual([undefined, undefined, 154_001]);
  });

  it('a reload keeps the next outage, even of an agent that sends nothing', () => {
    const again = [outages[1], { downMs: 200_000, agentStartMs: 250_000 }];
    const run = runOf({
      phases: [phase([], 300_000)],
      outages: { 0: again, 1: again },
      meanwhile: [reloadAt(152_000, { ...UNCHANGED, push: undefined })],
    });
    const changes = [100_000, 150_000, 200_000, 250_000];
    for (const agent of [0, 1])
      expect(run.hosts.filter((host) => host.agent === agent).map(({ atMs }) => atMs)).toEqual(changes);
  });

  it('a reload during the first run after an outage restarts that run', () => {
    const { shown, looks } = showing([154_500, 156_500]);
    const run = runOf({
      phases: [phase([CHECKS], 200_000)],
      outages,
      meanwhile: [reloadAt(152_000, every10), ...looks],
    });
    expect(secondsOf(run, 1).map(Math.round)).toEqual([0, 30, 60, 90, 156, 166, 176, 186, 196]);
    expect(shown).toEqual([undefined, 152_000 + RUN_MS]);
  });
});
