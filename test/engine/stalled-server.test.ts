import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Load } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { friendly, phase, runVirtually, type Serve, total } from './virtual-run.ts';

/** Check runs at whole multiples of the interval. */
function checkRuns(everyMs: number, firstMs = everyMs): Load {
  return {
    operation: 'checkdata',
    model: { kind: 'cadence', everyMs, firstMs, jitter: 0, originMs: 0, standing: false, spread: 'even', spreadMs: 0 },
  };
}

/** Answers the first request late, and all others within a millisecond. */
function stalledFor(lateMs: number): Serve {
  let seen = 0;
  return (request) => friendly(seen++ === 0 ? lateMs : 1)(request);
}

const restored = { agents: 1, prepare: (engine: Engine) => restore(engine, [0]) };

/** Times in seconds at which results were sent, and times of their check runs. */
function sentResults({ requests }: ReturnType<typeof runVirtually>): readonly (readonly [number, number])[] {
  return requests
    .filter(({ endpoint }) => endpoint === 'submit_checkdata')
    .map(({ atMs, body }) => [Math.floor(atMs / 100) / 10, (body.checkdata as { at: number }).at / 1000]);
}

describe('a server that stalls', () => {
  // Observed on the real agent.
  it.each([
    [
      5,
      29,
      24,
      [
        [5, 5],
        [29, 20],
        [29, 25],
        [30, 30],
      ],
    ],
    [
      5,
      14,
      12,
      [
        [5, 5],
        [17, 10],
        [17, 15],
        [20, 20],
      ],
    ],
    [
      10,
      25,
      24,
      [
        [10, 10],
        [34, 30],
        [40, 40],
      ],
    ],
  ])(
    'then gets every result that has waited for up to 10 s: interval %i, limit %i, late %i',
    (interval, limit, late, expected) => {
      const run = runVirtually({
        ...restored,
        phases: [phase([checkRuns(interval * 1000)], (expected.at(-1)?.[0] ?? 0) * 1000 + 1)],
        serve: stalledFor(late * 1000),
        timeoutMs: limit * 1000,
      });
      expect(sentResults(run)).toEqual(expected);
      expect(run.mostPerAgent).toBe(1);
    },
  );

  it('then gets the results of the wait for a registration right after it', () => {
    const phases = [phase([checkRuns(5000, 0)], 12_100)];
    const run = runVirtually({ agents: 1, phases, serve: stalledFor(12_000), timeoutMs: 29_000 });
    expect(run.requests[0]?.endpoint).toBe('register_agent');
    expect(sentResults(run)).toEqual([
      [12, 0],
      [12, 5],
      [12, 10],
    ]);
  });

  it('costs the results that have waited longer, each of which is counted', () => {
    const run = runVirtually({
      ...restored,
      phases: [phase([checkRuns(1000)], 40_000)],
      serve: stalledFor(30_000),
      timeoutMs: 60_000,
    });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.planned).toBe(39);
    expect(series?.dropped).toEqual({ agent_busy: 19 });
    expect(total(series?.outcomes ?? {})).toBe(20);
  });

  it('leaves two kinds of dropped results at the end of the run: too old, and still valid', () => {
    const run = runVirtually({
      ...restored,
      phases: [phase([checkRuns(1000)], 20_000)],
      serve: () => undefined,
      timeoutMs: 60_000,
    });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.dropped).toEqual({ agent_busy: 8, run_ended: 10 });
  });
});
