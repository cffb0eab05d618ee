import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSchedule } from '../../src/engine/schedule.ts';
import type { Load, Phase } from '../../src/load/timeline.ts';
import { draws } from '../draws.ts';
import { ON_THE_GRID, phase } from './virtual-run.ts';

const AGENTS = 2500;

function every(everyMs: number, originMs: number): Load {
  const model = {
    kind: 'cadence',
    everyMs,
    jitter: 0.1,
    firstMs: 0,
    originMs,
    standing: false,
    spread: 'even',
    spreadMs: everyMs,
  } as const;
  return { operation: 'checkdata', model };
}

/** The second phase has its own grid; the third continues the first one's. */
const PHASES: readonly Phase[] = [
  phase([every(4000, 0)], 15_000, 'a', 0),
  phase([every(7000, 15_000)], 12_000, 'b', 15_000),
  phase([every(4000, 0)], 5000, 'c', 27_000),
];

type Step = { readonly atMs: number; readonly agent: number; readonly does: 'prepare' | 'restart' };

/** All arrivals, with these steps in between. */
function arrivalsWith(steps: readonly Step[]): readonly string[] {
  const taken: string[] = [];
  const part = {
    seed: 1,
    agents: AGENTS,
    shard: { index: 0, count: 1 },
    firstResultAfterMs: () => 0,
    durations: ON_THE_GRID,
  };
  const schedule = createSchedule(PHASES, part, ({ name }) => taken.push(`phase ${name}`));
  const takeUntil = (nowMs: number) =>
    schedule.takeDue(nowMs, Number.POSITIVE_INFINITY, ({ agent, dueMs }) => taken.push(`${agent} at ${dueMs}`));
  for (const { atMs, agent, does } of steps) {
    takeUntil(atMs);
    if (does === 'prepare') schedule.prepare(atMs);
    else schedule.restart(agent, { agentStartMs: atMs, resultMs: atMs + 500 });
  }
  takeUntil(32_000);
  return taken;
}

it('preparing a phase early changes none of its arrivals, even if agents restart in the meantime', () => {
  const step = fc.record({
    atMs: fc.oneof(
      fc.integer({ min: 0, max: 31_000 }),
      fc.constantFrom(14_999, 15_000, 15_001, 26_999, 27_000, 27_001),
    ),
    agent: fc.nat(AGENTS - 1),
    does: fc.constantFrom('prepare', 'prepare', 'restart'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const inOrder = steps.toSorted((a, b) => a.atMs - b.atMs);
      const unprepared = inOrder.filter(({ does }) => does === 'restart');
      expect(arrivalsWith(inOrder)).toEqual(arrivalsWith(unprepared));
    }),
    { numRuns: draws(5) },
  );
});

it('a large fleet is prepared in parts, shortly before the phase starts', () => {
  const part = {
    seed: 1,
    agents: AGENTS,
    shard: { index: 0, count: 1 },
    firstResultAfterMs: () => 0,
    durations: ON_THE_GRID,
  };
  const schedule = createSchedule(PHASES, part, () => {});
  schedule.takeDue(0, 1, () => {});
  expect(schedule.prepare(4000)).toBe(true);
  expect([1, 2, 3, 4].map(() => schedule.prepare(6000))).toEqual([false, false, true, true]);
});
