import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../src/engine/schedule.ts';
import { durationsOf } from '../../src/load/durations.ts';
import { startsLongAgo } from '../../src/load/pacers.ts';
import type { Load, Phase } from '../../src/load/timeline.ts';
import { compileFleet } from '../hosts/host-data.ts';
import { restore } from './restore.ts';
import { friendly, phase, RUN_EPOCH_MS, runVirtually } from './virtual-run.ts';

const AGENTS = 40;
const EVERY_MS = 30_000;

function standing(everyMs: number, operation: Load['operation'], jitter = 0): Load {
  const model = {
    kind: 'cadence',
    everyMs,
    firstMs: 90_000,
    jitter,
    standing: true,
    ...startsLongAgo(everyMs),
  } as const;
  return { operation, model };
}

const CHECKS = standing(EVERY_MS, 'checkdata');
const PACKAGES = standing(120_000, 'packages');

describe('check runs of varying duration', () => {
  const { requests } = runVirtually({
    agents: AGENTS,
    phases: [phase([CHECKS], 20 * 60_000)],
    serve: friendly(0),
    machines: compileFleet({ seed: 1, profiles: { 'debian-12': 1 }, payload: 'lean', checkIntervalSeconds: 30 }),
    durations: durationsOf(1),
    prepare: (engine) => restore(engine, [...Array(AGENTS).keys()]),
  });
  const beganMs = ({ body }: (typeof requests)[number]) => {
    const { last_updated_timestamp: second } = (body.checkdata as { agent: { last_updated_timestamp: number } }).agent;
    return second * 1000 - RUN_EPOCH_MS;
  };

  it('still start on the grid, exactly one interval apart', () => {
    for (let agent = 0; agent < AGENTS; agent++) {
      const own = requests.filter((request) => request.agent === agent).map(beganMs);
      expect(own.length).toBeGreaterThanOrEqual(39);
      expect(own).toEqual(own.map((_, run) => (own[0] ?? 0) + run * EVERY_MS));
    }
  });

  it('are pushed when they end, 4.006 to 4.43 seconds after their start', () => {
    // The document contains whole seconds.
    const ages = requests.map((request) => request.atMs - beganMs(request));
    for (const ageMs of ages) {
      expect(ageMs).toBeGreaterThanOrEqual(4006);
      expect(ageMs).toBeLessThan(5430);
    }
    const ofOne = requests.filter(({ agent }) => agent === 7).map((request) => request.atMs - beganMs(request));
    expect(new Set(ofOne.map(Math.round)).size).toBeGreaterThan(10);
  });
});

describe('phases that continue a cadence', () => {
  const arrivalsIn = (phases: readonly Phase[], seed: number): readonly string[] => {
    const part = { seed, agents: 500, shard: { index: 0, count: 1 }, firstResultAfterMs: () => 4000 };
    const taken: string[] = [];
    createSchedule(phases, { ...part, durations: durationsOf(seed) }, () => {}).takeDue(
      Number.MAX_VALUE,
      Number.POSITIVE_INFINITY,
      ({ agent, load, dueMs, resultMs }) => taken.push(`${agent} ${load.operation} ${dueMs} of ${resultMs}`),
    );
    return taken.sort();
  };

  it.each([1, 2, 3])(
    'neither lose nor repeat arrivals in progress at their start, of any duration: seed %i',
    (seed) => {
      for (const loads of [[CHECKS, PACKAGES], [standing(EVERY_MS, 'checkdata', 0.9)]]) {
        const whole = [phase(loads, 600_000)];
        const parts = Array.from({ length: 60 }, (_, n) => phase(loads, 10_000, `p${n}`, n * 10_000));
        expect(arrivalsIn(parts, seed)).toEqual(arrivalsIn(whole, seed));
      }
    },
  );
});
