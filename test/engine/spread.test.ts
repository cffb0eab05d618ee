import { describe, expect, it } from 'vitest';
import { percentile } from '../../bench/harness/statistics.ts';
import { randomStream } from '../../src/base/kernel/random.ts';
import type { Operation } from '../../src/base/protocol/operations.ts';
import { createSchedule } from '../../src/engine/schedule.ts';
import { scenarioOf, withPhases } from '../scenario/read-scenario.ts';
import { ON_THE_GRID } from './virtual-run.ts';

type Arrival = {
  readonly agent: number;
  readonly operation: Operation;
  readonly phase: number;
  readonly dueMs: number;
};

/** The arrivals of a scenario whose agents take no time from process start to first result. */
function arrivalsOf(phases: string, sets: readonly string[] = [], shards = 1): readonly Arrival[] {
  const scenario = scenarioOf(withPhases(phases), ['fleet.agents=600', ...sets]);
  const arrivals: Arrival[] = [];
  for (let index = 0; index < shards; index++) {
    const part = {
      ...scenario.fleet,
      shard: { index, count: shards },
      firstResultAfterMs: () => 0,
      durations: ON_THE_GRID,
    };
    createSchedule(scenario.phases, part, () => {}).takeDue(
      Number.MAX_VALUE,
      Number.POSITIVE_INFINITY,
      ({ agent, phase, load, dueMs }) => {
        arrivals.push({ agent: index + agent * shards, operation: load.operation, phase, dueMs });
      },
    );
  }
  return arrivals.sort((a, b) => a.dueMs - b.dueMs || a.agent - b.agent);
}

const steady = (load: string, duration = '5m') => `  - { name: steady, duration: ${duration}, ${load} }`;

/** 1 for independent arrivals, 0 for evenly spaced ones. */
function dispersionPerSecond(arrivals: readonly Arrival[], seconds: number): number {
  const counts = new Array<number>(seconds).fill(0);
  for (const { dueMs } of arrivals) counts[Math.floor(dueMs / 1000)] = (counts[Math.floor(dueMs / 1000)] ?? 0) + 1;
  const mean = arrivals.length / seconds;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / seconds / mean;
}

/** Response times of a server that processes one request after another, each in up to twice a mean time. */
function responsesAt(meanMs: number, arrivals: readonly Arrival[]): readonly number[] {
  const random = randomStream(1);
  let freeMs = 0;
  return arrivals.map(({ dueMs }) => {
    freeMs = Math.max(freeMs, dueMs) + 2 * meanMs * random();
    return freeMs - dueMs;
  });
}

const SEEDS = [1, 2, 3, 4, 5, 6];
const everyHalfMinute = (word = '') => steady(`checkdata: { every: 30s${word} }`);

describe('the agents of a cadence', () => {
  it('arrive like those of hosts that booted at random times: chance decides how many share a second', () => {
    const drawn = SEEDS.map((seed) => dispersionPerSecond(arrivalsOf(everyHalfMinute(), [`fleet.seed=${seed}`]), 300));
    const mean = drawn.reduce((sum, dispersion) => sum + dispersion) / drawn.length;
    expect(mean).toBeGreaterThan(0.8);
    expect(mean).toBeLessThan(1.2);
    expect(dispersionPerSecond(arrivalsOf(everyHalfMinute(', spread: even')), 300)).toBeLessThan(0.03);
    expect(dispersionPerSecond(arrivalsOf(everyHalfMinute(', spread: together')), 300)).toBeCloseTo(600 * (29 / 30), 0);
  });

  it('wait three to five times as long at p99, on a server with 80% utilization, as evenly spaced ones', () => {
    const p99Ms = (word: string) => percentile(responsesAt(40, arrivalsOf(everyHalfMinute(word))), 0.99);
    const ratio = p99Ms('') / p99Ms(', spread: even');
    expect(ratio).toBeGreaterThan(3);
    expect(ratio).toBeLessThan(5);
  });

  it('have the same positions for any number of shards', () => {
    const load = steady('checkdata: { every: 30s }, packages: { every: 1h }, authorize: { every: 7s }');
    expect(arrivalsOf(load, [], 3)).toEqual(arrivalsOf(load));
    expect(arrivalsOf(load, ['fleet.seed=2'])[0]?.dueMs).not.toBe(arrivalsOf(load)[0]?.dueMs);
  });

  it.each(['random', 'even', 'together'])('arrive once per interval of a phase: %s', (spread) => {
    const counts = new Array<number>(600).fill(0);
    for (const { agent } of arrivalsOf(everyHalfMinute(`, spread: ${spread}`)))
      counts[agent] = (counts[agent] ?? 0) + 1;
    expect(new Set(counts)).toEqual(new Set([10]));
    const uneven = new Array<number>(600).fill(0);
    const load = steady(`checkdata: { every: 30s, spread: ${spread} }`, '5m10s');
    for (const { agent } of arrivalsOf(load)) uneven[agent] = (uneven[agent] ?? 0) + 1;
    for (const count of uneven) expect([10, 11]).toContain(count);
  });

  it.each(['random', 'even', 'together'])(
    'keep their positions from phase to phase, even after a pause: %s',
    (spread) => {
      const arrivals = arrivalsOf(`
  - { name: a, duration: 41s, checkdata: { every: 30s, spread: ${spread} } }
  - { name: pause, duration: 13s, exclude: true }
  - { name: b, duration: 31s, checkdata: { rate: 1/s } }
  - { name: c, duration: 47s, checkdata: { every: 30s, spread: ${spread} } }`);
      const places = (phase: number) =>
        new Map(
          arrivals.filter((it) => it.phase === phase).map(({ agent, dueMs }) => [agent, Math.round(dueMs) % 30_000]),
        );
      expect(places(3).size).toBe(600);
      expect(places(3)).toEqual(places(0));
    },
  );
});

describe('package information', () => {
  const both = steady('checkdata: { every: 30s }, packages: { every: 1h }', '2h');
  const packagesOf = (load: string, ...sets: string[]) =>
    arrivalsOf(load, sets).filter(({ operation }) => operation === 'packages');

  it.each(['', ', spread: even'])('of a standing fleet is sent once per agent, over the whole interval%s', (word) => {
    const packages = packagesOf(steady(`packages: { every: 1h${word} }`, '2h'));
    expect(packages).toHaveLength(2 * 600);
    const quarters = [0, 0, 0, 0];
    for (const { dueMs } of packages) {
      const quarter = Math.floor(dueMs / 900_000) % 4;
      quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    }
    for (const count of quarters) expect(Math.abs(count - 300)).toBeLessThan(60);
  });

  it('of a fresh fleet is sent 90 s after each start, plus up to a check interval and the collection time', () => {
    const packages = packagesOf(both, 'fleet.start=fresh', 'fleet.agents=50');
    expect(packages).toHaveLength(2 * 50);
    const [first, second] = [packages.slice(0, 50), packages.slice(50)];
    for (const { dueMs } of first) expect(dueMs).toBeGreaterThan(90_000);
    for (const { dueMs } of first) expect(dueMs).toBeLessThan(90_000 + 36_000);
    for (const { dueMs } of second) expect(dueMs).toBeGreaterThan(3_600_000);
    for (const { dueMs } of second) expect(dueMs).toBeLessThan(3_600_000 + 36_000);
  });

  it.each(['standing', 'fresh'])("counts from the same start as its agent's check data, in a %s fleet", (start) => {
    const checks = new Map<number, number>();
    for (const { agent, operation, dueMs } of arrivalsOf(both, [`fleet.start=${start}`, 'fleet.agents=50'])) {
      if (operation === 'checkdata') checks.set(agent, dueMs);
      else {
        const sinceMs = dueMs - (checks.get(agent) ?? Number.NaN);
        expect(sinceMs).toBeGreaterThanOrEqual(2000);
        expect(sinceMs).toBeLessThanOrEqual(6000);
      }
    }
  });
});
