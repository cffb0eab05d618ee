import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { stepSummary } from '../../../src/report/markdown.ts';
import { rebuild } from '../../../src/results/rebuild.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

/** So many of the first agents attack from the second second on, in two ways, while the others push. */
const withAttackers = (workers: number) => ({
  workers,
  scenario: scenarioOf(`
target: { url: embedded }
fleet: { agents: 40, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enrol, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 3s, checkdata: { every: 500ms } }
events:
  - { do: misbehave, how: broken-json, name: nonsense, at: 1500ms, for: 1500ms, cohort: 0..7 }
  - { do: misbehave, how: hoarded-connections, name: hoard, at: 1500ms, for: 1500ms, cohort: 8..9 }
thresholds:
  checkdata: ["error_rate == 0%"]
  delivery: ["lost == 0", "duplicated == 0"]
  "misbehave{how:broken-json}": ["accepted == 0"]`),
});

describe('agents that attack beside others', () => {
  const outDir = mkdtempSync(join(tmpdir(), 'muster-hostile-'));
  afterAll(() => rmSync(outDir, { recursive: true }));
  let summaries: readonly Summary[] = [];
  let folder = '';
  beforeAll(async () => {
    const one = await startRun({ ...ALONE, ...withAttackers(1), resultsFolder: outDir }, () => {}).outcome;
    const two = await startRun({ ...ALONE, ...withAttackers(2), resultsFolder: undefined }, () => {}).outcome;
    summaries = [one.summary, two.summary];
    folder = one.resultsPath ?? '';
  }, 30_000);

  it('are refused by the embedded server, and nobody else fails or loses anything', () => {
    for (const { misbehaviour, delivery, thresholds, overall, events } of summaries) {
      const [nonsense, hoard] = misbehaviour ?? [];
      expect(nonsense).toMatchObject({ how: 'broken-json', statuses: { 400: nonsense?.endings.refused } });
      expect(nonsense?.endings).toMatchObject({ accepted: 0, closed: 0, failed: 0, skipped: 0 });
      expect(nonsense?.endings.refused).toBeGreaterThan(0);
      // They leave when the event is over, long before the server would close.
      expect(hoard).toMatchObject({ how: 'hoarded-connections', endings: { unanswered: 2 }, sentBytes: 0 });
      expect(delivery).toMatchObject({ observed: true, lost: 0, duplicated: 0 });
      expect(thresholds.filter(({ passed }) => !passed)).toEqual([]);
      expect(overall.every(({ failed }) => failed === 0)).toBe(true);
      expect(events?.map(({ agents }) => agents)).toEqual([8, 2]);
    }
  });

  it('are in the reports, and the same when the results are read back', async () => {
    const [summary] = summaries;
    const again = await rebuild(folder);
    expect(again).toMatchObject({ kind: 'rebuilt', summary: JSON.parse(JSON.stringify(summary)) });
    const refused = summary?.misbehaviour?.[0]?.endings.refused;
    expect(summary && stepSummary(summary)).toContain(`| broken-json | ${refused} | 0 | ${refused} |`);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Attacks of misbehaving agents');
  });
});
