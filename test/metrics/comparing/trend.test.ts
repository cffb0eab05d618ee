import { describe, expect, it } from 'vitest';
import { trendsOf } from '../../../src/metrics/comparing/trend.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { runOf } from './runs.ts';

const FOLDER = '/results/one';

/** A run at 23:00 on this day in November. */
function nightly(day: number, part: Partial<Summary> = {}): { folder: string; summary: Summary } {
  const startedAt = `2026-11-${String(day).padStart(2, '0')}T23:00:00.000Z`;
  return { folder: FOLDER, summary: { ...runOf(), startedAt, ...part } };
}

describe('the trend of runs', () => {
  it('sorts the runs of each scenario by their start, whatever the order in which they were found', () => {
    const found = [nightly(3), nightly(1, { scenarioName: 'storm' }), nightly(2), nightly(9), nightly(1)];
    const days = trendsOf(found).map(({ scenarioName, runs }) => [
      scenarioName,
      ...runs.map(({ startedAt }) => Number(startedAt.slice(8, 10))),
    ]);
    expect(days).toEqual([
      ['steady', 1, 2, 3, 9],
      ['storm', 1],
    ]);
  });

  it('contains exactly the figures of the summary, over the counted phases', () => {
    const summary = runOf({ failed: 40 });
    const [trend] = trendsOf([{ folder: FOLDER, summary }]);
    const pushes = summary.overall.find(({ operation }) => operation === 'checkdata');
    const { p50, p95, p99 } = pushes?.latencyMs.response ?? {};
    expect(trend?.operations).toEqual(['register', 'checkdata']);
    expect(trend?.runs[0]?.figures.checkdata).toEqual({ rate: pushes?.succeededPerSecond, errors: 0.1, p50, p95, p99 });
  });

  it('lists what changed since the previous run, and nothing for the first', () => {
    const { summary } = nightly(1);
    const environment = { ...summary.environment, muster: '0.2.0' };
    const [trend] = trendsOf([
      nightly(1, { scenario: { fleet: { agents: 100, seed: 1 } } }),
      nightly(2, { scenario: { fleet: { agents: 200, seed: 2 } }, seed: 2 }),
      nightly(3, { scenario: { fleet: { agents: 200, seed: 2 } }, seed: 2, environment }),
      nightly(4, { scenario: { fleet: { agents: 200, seed: 2 } }, seed: 2, environment }),
    ]);
    expect(trend?.runs.map(({ changes }) => changes)).toEqual([[], ['fleet.agents'], ['Muster 0.1.0 → 0.2.0'], []]);
  });

  it('omits figures of operations that a run did not perform', () => {
    const without = nightly(2, { overall: [] });
    const [trend] = trendsOf([nightly(1), without]);
    expect(trend?.runs.map(({ figures }) => Object.keys(figures))).toEqual([['register', 'checkdata'], []]);
  });
});
