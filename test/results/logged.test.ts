import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TraceRow } from '../../src/load/traces/row.ts';
import { summarize } from '../../src/metrics/summary/summary.ts';
import type { OperationSummary } from '../../src/metrics/summary/summary-schema.ts';
import { readAssets } from '../../src/report/html/assets.ts';
import { reportPage } from '../../src/report/html/page.ts';
import { LOGGED_NOTE, loggedLines, loggedRates } from '../../src/report/logged-figures.ts';
import { stepSummary } from '../../src/report/markdown.ts';
import { PLAIN } from '../../src/report/palette.ts';
import { readSummaries } from '../../src/results/find-runs.ts';
import { loggedBeside, writeLogged } from '../../src/results/logged.ts';
import { rebuild } from '../../src/results/rebuild.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { row, traceText } from '../load/traces/traces.ts';
import { FACTS, recordingOf } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { newFolder } from './result.ts';

const answered = (one: TraceRow, status: number, responseMs: number): TraceRow => ({ ...one, status, responseMs });

/** A second with four answers in 10 ms, and one with two refused in 100 ms. */
const ROWS = [
  ...[0, 200, 400, 600].map((ms) => answered(row(1000 * ms, 'checkdata', 0), 200, 10)),
  ...[1000, 1500].map((ms) => answered(row(1000 * ms, 'checkdata', 1), 502, 100)),
  answered(row(2_500_000, 'register', 2), 201, 3),
];

/** A scenario that plays the rows, the first second of them in a phase of its own, after an enrollment of two seconds. */
function replayOf(rows: readonly TraceRow[], speed = 1): { readonly scenario: Scenario; readonly file: string } {
  const folder = newFolder();
  const file = join(folder, 'incident.trace');
  const text = traceText(3, rows);
  writeFileSync(file, text);
  const scenario = scenarioOf(
    `name: incident
fleet: { agents: 3 }
phases:
  - { name: enroll, exclude: true, duration: 2s, register: { over: 1s, agents: 2 } }
  - { name: before, duration: ${1 / speed}s, load: { trace: ${file}, speed: ${speed} } }
  - { name: incident, duration: ${2 / speed}s, load: { trace: ${file}, speed: ${speed} } }
thresholds: { "checkdata{phase:incident}": ["error_rate < 1%"] }
`,
    [],
    {},
    { [file]: text },
  );
  return { scenario, file };
}

const figures = (operations: readonly OperationSummary[] = []) =>
  operations.map(({ operation, planned, failed, latencyMs: { response } }) => [
    operation,
    planned,
    failed,
    response && Math.round(response.p50),
  ]);

describe('the log behind a trace', () => {
  it('has the figures of each phase, and arrivals over time', () => {
    const { scenario } = replayOf(ROWS);
    const logged = loggedBeside(scenario, 5000);
    expect(
      logged?.phases.map(({ name, durationMs, operations }) => [name, durationMs, ...figures(operations)]),
    ).toEqual([
      ['before', 1000, ['checkdata', 4, 0, 10]],
      ['incident', 2000, ['register', 1, 0, 3], ['checkdata', 2, 2, 100]],
    ]);
    expect(logged).toMatchObject({ statuses: true, secondsPerInterval: 1, arrivals: [0, 0, 4, 2, 1] });
  });

  it('has rates of the run at another speed, and its own response times', () => {
    const logged = loggedBeside(replayOf(ROWS, 4).scenario, 2750);
    expect(logged?.phases.map(({ durationMs, operations }) => [durationMs, ...figures(operations)])).toEqual([
      [250, ['checkdata', 4, 0, 10]],
      [500, ['register', 1, 0, 3], ['checkdata', 2, 2, 100]],
    ]);
    expect(logged?.arrivals).toEqual([0, 0, 7]);
  });

  it('counts as far as the run came', () => {
    const logged = loggedBeside(replayOf(ROWS).scenario, 3200);
    expect(logged?.phases.map(({ durationMs, operations }) => [durationMs, ...figures(operations)])).toEqual([
      [1000, ['checkdata', 4, 0, 10]],
      [200, ['checkdata', 1, 1, 100]],
    ]);
  });

  it('is left out without answers in it, without a trace, and if the file is gone or another one', () => {
    const silent = replayOf(ROWS.map(({ atUs, operation, agent }) => row(atUs, operation, agent)));
    expect(loggedBeside(silent.scenario, 5000)).toBeUndefined();
    const { scenario, file } = replayOf(ROWS);
    expect(loggedBeside({ ...scenario, phases: scenario.phases.slice(0, 1) }, 5000)).toBeUndefined();
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('502', '-'));
    expect(loggedBeside(scenario, 5000)).toBeUndefined();
    writeFileSync(file, '');
    expect(loggedBeside(scenario, 5000)).toBeUndefined();
  });

  it('has no errors that it does not tell', () => {
    const unknown = replayOf(ROWS.map((one) => ({ ...one, status: 0 })));
    const logged = loggedBeside(unknown.scenario, 5000);
    expect(logged?.statuses).toBe(false);
    const summary = { ...summarize(recordingOf([]), FACTS), logged };
    expect(loggedLines(summary, PLAIN)[1]).toBe(
      '  checkdata in before, then     4.0       -  10.0 ms  10.0 ms  10.0 ms',
    );
  });

  it('is not beside a part of the fleet', () => {
    const logged = loggedBeside(replayOf(ROWS).scenario, 5000);
    const shard = { number: 1, of: 2 };
    expect(summarize(recordingOf([]), { ...FACTS, logged }).logged).toEqual(logged);
    expect(summarize(recordingOf([]), { ...FACTS, logged, shard }).logged).toBeUndefined();
  });
});

describe('results of a log', () => {
  it('are those of a run with its arrivals and answers, at the time of the log', async () => {
    const path = join(newFolder(), 'incident-then');
    const { scenario } = replayOf(ROWS);
    await writeLogged(scenario, FACTS.environment, path);
    const [found, ...others] = readSummaries(path);
    expect(others).toEqual([]);
    expect(found?.summary).toMatchObject({
      scenarioName: 'incident',
      startedAt: '2026-11-20T08:59:58.000Z',
      elapsedMs: 5000,
      agents: { registered: 3 },
      verdict: { kind: 'threshold_crossed' },
    });
    expect(figures(found?.summary.phases[2]?.operations)).toEqual([
      ['register', 1, 0, 3],
      ['checkdata', 2, 2, 100],
    ]);
    expect((await rebuild(found?.folder ?? '')).summary).toEqual(found?.summary);
  });

  it('leave nothing behind if the trace has changed', async () => {
    const path = join(newFolder(), 'incident-then');
    const { scenario, file } = replayOf(ROWS);
    writeFileSync(file, traceText(3, [...ROWS, row(9e6, 'checkdata', 0)]));
    await expect(writeLogged(scenario, FACTS.environment, path)).rejects.toThrow('has changed');
    expect(() => readSummaries(path)).toThrow('contains no result');
  });

  it('are not written into a folder that must not be', async () => {
    const path = join(newFolder(), 'incident-then');
    mkdirSync(join(path, 'latest'), { recursive: true });
    await expect(writeLogged(replayOf(ROWS).scenario, FACTS.environment, path)).rejects.toThrow('found a folder');
  });
});

describe('then and now', () => {
  it('stand below each other, a row for each operation of a phase', async () => {
    const { scenario } = replayOf(ROWS);
    const path = join(newFolder(), 'incident-then');
    const then = await writeLogged(scenario, FACTS.environment, path);
    const summary = { ...then, logged: loggedBeside(scenario, 5000) };
    expect(loggedLines(then, PLAIN)).toEqual([]);
    expect(loggedLines(summary, PLAIN).slice(0, 7)).toEqual([
      '  then and now                 rate  errors      p50      p95      p99',
      '  checkdata in before, then     4.0      0%  10.0 ms  10.0 ms  10.0 ms',
      '  checkdata in before, now      4.0      0%  10.0 ms  10.0 ms  10.0 ms',
      '  register in incident, then    0.5      0%  3.00 ms  3.00 ms  3.00 ms',
      '  register in incident, now     0.5      0%  3.00 ms  3.00 ms  3.00 ms',
      '  checkdata in incident, then   1.0    100%   100 ms   100 ms   100 ms',
      '  checkdata in incident, now    1.0    100%   100 ms   100 ms   100 ms',
    ]);
    const rebuilt = await rebuild(readSummaries(path)[0]?.folder ?? '');
    if (rebuilt.kind !== 'rebuilt') throw new Error('expected to be rebuilt');
    expect(loggedRates(summary, rebuilt.history)).toEqual([
      { label: 'then', values: [0, 0, 4, 2, 1] },
      { label: 'now', values: [0, 0, 4, 2, 1] },
    ]);
    const row = '| checkdata in incident, then | 1.0 | 100% | 100 ms | 100 ms | 100 ms |';
    expect(stepSummary(summary).split('\n')).toContain(row);
    const page = reportPage({ summary, history: rebuilt.history, spectra: [] }, readAssets());
    expect(page).toContain('id="chart-logged"');
    for (const text of [stepSummary(summary), page]) expect(text.split(LOGGED_NOTE)).toHaveLength(2);
    expect(stepSummary(then)).not.toContain('then and now');
  });
});
