import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rebuild } from '../../../src/results/rebuild.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = scenarioOf(`
fleet: { agents: 20, payload: lean }
hostClock: { factor: 60, start: "2026-11-12T00:00:00Z" }
phases: [{ name: night, duration: 2m, checkdata: { rate: 20/s } }]
events: [{ do: cpu-saturated, name: backup, at: 1m, for: 30s }]
`);

const folder = mkdtempSync(join(tmpdir(), 'muster-compressed-day-'));
afterAll(() => rmSync(folder, { recursive: true }));

it("the results of a run contain its own times, and the time on the hosts' clocks", async () => {
  const order = { ...ALONE, scenario: SCENARIO, workers: 2, resultsFolder: folder };
  const { summary, resultsPath = '' } = await startRun(order, () => {}).outcome;
  expect(summary.hostClock).toEqual({ factor: 60, startedAt: '2026-11-12T00:00:00.000Z' });
  expect(summary.phases).toMatchObject([{ name: 'night', startMs: 0, durationMs: 2000 }]);
  expect(summary.events).toMatchObject([{ name: 'backup', fromMs: 1000, toMs: 1500 }]);
  expect(summary.scenario).toMatchObject({ phases: [{ duration: '2m' }], events: [{ at: '1m', for: '30s' }] });

  const rows = readFileSync(join(resultsPath, 'timeline.ndjson'), 'utf8').trim().split('\n');
  const times = rows.map((row) => JSON.parse(row) as { second: number; hostTime: string });
  expect(times.find(({ second }) => second === 1)?.hostTime).toBe('2026-11-12T00:01:00.000Z');
  // The server sees no stale documents and none from the future.
  const documents = expect.objectContaining({ stale: 0, ahead: 0, undated: 0 });
  expect(summary.delivery).toMatchObject({
    operations: expect.arrayContaining([expect.objectContaining({ operation: 'checkdata', documents })]),
  });
  expect((await rebuild(resultsPath)).summary).toEqual(summary);
});
