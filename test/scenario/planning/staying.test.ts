import { describe, expect, it } from 'vitest';
import { scenarioSince, stayingScenario } from '../../../src/scenario/planning/staying.ts';
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
const staying = stayingScenario(scenario);
const DAY_MS = 86_400_000;

describe('the scenario of a fleet that stays', () => {
  it('has no end, as what lasted to it, and is not judged', () => {
    expect(staying.phases.map(({ durationMs }) => durationMs)).toEqual([20_000, 40_000, Number.POSITIVE_INFINITY]);
    expect(staying.events.map(({ toMs }) => toMs)).toEqual([Number.POSITIVE_INFINITY, 40_000, 11_000]);
    expect(staying.thresholds).toEqual([]);
  });

  it.each([
    ['register: { over: 5s }', /found register alone/],
    ['exclude: true', /found no load/],
  ])('needs something that goes on: %s is refused', (load, why) => {
    const last = scenarioOf(`fleet: { agents: 10 }\nphases: [{ name: last, duration: 10s, ${load} }]`);
    expect(() => stayingScenario(last)).toThrow(why);
  });

  it('may have nothing but web servers', () => {
    const asked = scenarioOf(
      `fleet: { agents: 10 }\nwebServer: { listen: '127.0.0.1:20000+' }\nphases: [{ name: asked, duration: 10s }]`,
    );
    expect(stayingScenario(asked).phases[0]?.durationMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a scenario since an instant', () => {
  it('is itself at its beginning', () => {
    expect(scenarioSince(staying, 0)).toBe(staying);
  });

  it('goes on with the phase that is under way, and leaves out what is over', () => {
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

  it('keeps agents on their grids, and after a while they have run for long', () => {
    const models = scenarioSince(staying, DAY_MS).phases[0]?.loads.map(({ model }) => model);
    expect(models).toMatchObject([
      { standing: true, originMs: 60_000 - DAY_MS },
      { standing: true, originMs: 60_000 - DAY_MS },
    ]);
  });

  it('has times that count from there, and before it those that left something', () => {
    const { events } = scenarioSince(staying, DAY_MS);
    expect(events.map(({ name, fromMs, toMs }) => [name, fromMs + DAY_MS, toMs + DAY_MS])).toEqual([
      ['late', 65_000, Number.POSITIVE_INFINITY],
      ['cable', 30_000, 40_000],
      ['weekly', 1000, 11_000],
    ]);
    // A season later nothing shows of a cable that was pulled.
    expect(scenarioSince(staying, 100 * DAY_MS).events.map(({ name }) => name)).toEqual(['late', 'weekly']);
  });

  it('lets an embedded server that begins anew go wrong for the rest of the time alone', () => {
    expect(scenarioSince(staying, 15_000).target.faults).toMatchObject([{ do: 'latency', atMs: 0, forMs: 15_000 }]);
    expect(scenarioSince(staying, 40_000).target.faults).toEqual([]);
  });
});
