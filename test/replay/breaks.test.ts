import { describe, expect, it } from 'vitest';
import { phasesOfLog } from '../../src/replay/breaks.ts';
import { createLoadObserver } from '../../src/replay/logged-load.ts';

const CHECKDATA = 1 << 16;

type Load = { readonly perSecond: number; readonly status?: number; readonly ms?: number };

/** The load of a log, second by second. */
function observed(seconds: readonly Load[]) {
  const observer = createLoadObserver();
  seconds.forEach(({ perSecond, status = 200, ms = 20 }, second) => {
    for (let index = 0; index < perSecond; index++)
      observer.take(second * 1e6 + Math.floor(((index + 0.5) * 1e6) / perSecond), CHECKDATA | status, ms * 1000);
  });
  return observer.end();
}

const usual = (seconds: number): Load[] => Array.from({ length: seconds }, () => ({ perSecond: 20 }));
const times = (seconds: number, load: Load): Load[] => Array.from({ length: seconds }, () => load);
const named = (load: ReturnType<typeof observed>) =>
  phasesOfLog(load).map(({ name, fromUs, toUs }) => [name, Math.round(fromUs / 1e6), Math.round(toUs / 1e6)]);

describe('the phases of a log', () => {
  it('are one without a visible break', () => {
    expect(named(observed(usual(300)))).toEqual([['replay', 0, 300]]);
    expect(named(observed(usual(1)))).toEqual([['replay', 0, 1]]);
    expect(named(observed([{ perSecond: 1 }]))).toEqual([['replay', 0, 1]]);
  });

  it.each([
    ['requests are missing', times(60, { perSecond: 0 })],
    ['requests fail', times(60, { perSecond: 20, status: 503 })],
    ['answers take long', times(60, { perSecond: 20, ms: 4000 })],
  ])('are three around a time in which %s', (why, incident) => {
    const load = observed([...usual(120), ...incident, ...times(10, { perSecond: 60 }), ...usual(110)]);
    const phases = phasesOfLog(load);
    expect(phases.map(({ name, why: reason }) => [name, reason])).toEqual([
      ['before', ''],
      ['incident', why],
      ['recovery', ''],
    ]);
    const [, { fromUs, toUs } = { fromUs: 0, toUs: 0 }] = phases;
    expect(Math.abs(fromUs - 120e6)).toBeLessThanOrEqual(4e6);
    expect(Math.abs(toUs - 180e6)).toBeLessThanOrEqual(4e6);
    // Together they are the whole log.
    expect(phases.map(({ fromUs: from }) => from)).toEqual([0, ...phases.slice(0, -1).map(({ toUs: to }) => to)]);
    expect(phases.at(-1)?.toUs).toBe(load.lastUs);
  });

  it('begin and end an outage with the requests around it', () => {
    const [, incident] = phasesOfLog(observed([...usual(121), ...times(61, { perSecond: 0 }), ...usual(118)]));
    expect(incident).toMatchObject({ fromUs: 120_975_000, toUs: 182_025_000 });
  });

  it('are around the longest of several incidents, and need something before it', () => {
    const outage = (seconds: number) => times(seconds, { perSecond: 0 });
    const load = observed([...usual(100), ...outage(20), ...usual(100), ...outage(50), ...usual(100)]);
    expect(named(load)).toEqual([
      ['before', 0, 220],
      ['incident', 220, 270],
      ['recovery', 270, 370],
    ]);
    expect(named(observed([...times(60, { perSecond: 1 }), ...usual(300)]))).toEqual([['replay', 0, 360]]);
  });
});

describe('the load of a log', () => {
  it('has the busiest second, the longest silences and the figures of its parts', () => {
    const load = observed([
      ...usual(50),
      ...times(30, { perSecond: 0 }),
      { perSecond: 90, status: 500, ms: 100 },
      ...usual(49),
    ]);
    expect(load.busiest).toEqual({ second: 80, arrivals: 90 });
    expect(load.silences.map(({ fromUs, toUs }) => [Math.round(fromUs / 1e6), Math.round(toUs / 1e6)])).toEqual([
      [50, 80],
    ]);
    expect(load.statuses).toEqual(
      new Map([
        [200, 1980],
        [500, 90],
      ]),
    );
    expect(load.stretchOf(80, 81)).toEqual({ arrivals: 90, errors: 90, meanMs: 100 });
    expect(load.percentileMs(0, 50, 0.99)).toBeCloseTo(20, -1);
  });

  it('is kept for years, in parts that become longer', () => {
    const observer = createLoadObserver();
    const days = 800;
    for (let day = 0; day < days; day++) observer.take(day * 86_400e6, CHECKDATA | 200, -1);
    const load = observer.end();
    expect(load.bins).toBeLessThanOrEqual(1024);
    expect(load.stretchOf(0, load.bins + 1).arrivals).toBe(days);
    expect(load.percentileMs(0, load.bins, 0.5)).toBeUndefined();
  });
});
