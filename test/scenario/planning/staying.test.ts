import { describe, expect, it } from 'vitest';
import { keptScenario, scenarioSince } from '../../../src/scenario/planning/staying.ts';
import { scenarioOf } from '../read-scenario.ts';

const scenario = scenarioOf(`
target: { url: embedded, faults: [{ do: latency, delay: 1s, at: 10s, for: 20s }, { do: forget, at: 5s }] }
fleet: { agents: 10, payload: lean, start: fresh }
phases:
  - { name: enroll, register: { over: 20s } }
  - { name: rise, duration: 40s, checkdata: { rate: 10/s..50/s } }
  - { name: steady, duration: 1m, checkdata: { every: 30s }, packages: { every: 1h } }
events:
  - { do: stop, name: late, at: steady+5s, cohort: 50% }
  - { do: disconnect, name: cable, at: 30s, for: 10s }
  - { do: reboot, name: weekly, at: 1s, for: 10s, repeat: { every: 7d } }
thresholds: { checkdata: ["p(99) < 1s"] }
`);
const staying = keptScenario(scenario);
const DAY_MS = 86_400_000;

describe('the scenario of a kept fleet', () => {
  it('has no end, like events that lasted to the end, and has no thresholds', () => {
    expect(staying.phases.map(({ durationMs }) => durationMs)).toEqual([20_000, 40_000, Number.POSITIVE_INFINITY]);
    expect(staying.events.map(({ toMs }) => toMs)).toEqual([Number.POSITIVE_INFINITY, 40_000, 11_000]);
    expect(staying.thresholds).toEqual([]);
  });

  it.each([
    ['register: { over: 5s }', /found register alone/],
    ['exclude: true', /found no load/],
  ])('needs a load that continues: rejects %s', (load, why) => {
    const last = scenarioOf(`fleet: { agents: 10 }\nphases: [{ name: last, duration: 10s, ${load} }]`);
    expect(() => keptScenario(last)).toThrow(why);
  });

  it('may consist of web servers only', () => {
    const asked = scenarioOf(
      `fleet: { agents: 10 }\nwebServer: { listen: '127.0.0.1:20000+' }\nphases: [{ name: asked, duration: 10s }]`,
    );
    expect(keptScenario(asked).phases[0]?.durationMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a scenario from a later time', () => {
  it('is the same scenario at time zero', () => {
    expect(scenarioSince(staying, 0)).toBe(staying);
  });

  it('continues with the current phase and omits past ones', () => {
    const [rise, steady, ...others] = scenarioSince(staying, 30_000).phases;
    expect(others).toEqual([]);
    expect(rise).toMatchObject({ name: 'rise', startMs: 0, durationMs: 30_000 });
    expect(rise?.loads[0]?.model).toMatchObject({
      curve: [
        { atMs: 0, perSecond: 20 },
        { atMs: 30_000, perSecond: 50 },
      ],
    });
    expect(steady).toMatchObject({ startMs: 30_000, durationMs: Number.POSITIVE_INFINITY });
  });

  it('keeps the arrival grids of agents, which become standing after a while', () => {
    const models = scenarioSince(staying, DAY_MS).phases[0]?.loads.map(({ model }) => model);
    expect(models).toMatchObject([
      { standing: true, originMs: 60_000 - DAY_MS },
      { standing: true, originMs: 60_000 - DAY_MS },
    ]);
  });

  it('counts times from there, and keeps past events with lasting effects', () => {
    const { events } = scenarioSince(staying, DAY_MS);
    expect(events.map(({ name, fromMs, toMs }) => [name, fromMs + DAY_MS, toMs + DAY_MS])).toEqual([
      ['late', 65_000, Number.POSITIVE_INFINITY],
      ['cable', 30_000, 40_000],
      ['weekly', 1000, 11_000],
    ]);
    // A disconnection leaves no trace a season later.
    expect(scenarioSince(staying, 100 * DAY_MS).events.map(({ name }) => name)).toEqual(['late', 'weekly']);
  });

  it('keeps only the rest of each fault of a restarted embedded server', () => {
    expect(scenarioSince(staying, 15_000).target.faults).toMatchObject([{ do: 'latency', atMs: 0, forMs: 15_000 }]);
    expect(scenarioSince(staying, 40_000).target.faults).toEqual([]);
  });
});
