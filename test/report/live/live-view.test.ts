import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { liveView } from '../../../src/report/live/live-view.ts';
import { COLORED, PLAIN } from '../../../src/report/palette.ts';
import { draws } from '../../draws.ts';
import { frameOf, perform, servedFrameOf, stateAt } from '../../metrics/recordings.ts';
import { calm, figuresOf, runOf, troubled } from './live-runs.ts';

const TROUBLED = runOf(troubled());

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

describe('the live view', () => {
  it.each([
    ['in a wide window', 100, 23],
    ['in a narrow window', 60, 23],
    ['in a very narrow window', 40, 23],
    ['in a low window', 100, 6],
  ])('matches the golden file %s: %i columns, %i rows', async (_, columns, rows) => {
    const text = textOf(liveView(TROUBLED, { ...PLAIN, columns, rows }));
    await expect(text).toMatchFileSnapshot(`golden/live-${columns}x${rows}.txt`);
  });

  it('highlights problems and dims idle operations with colors', async () => {
    const lines = liveView(TROUBLED, { ...COLORED, columns: 100, rows: 23 });
    await expect(textOf(lines)).toMatchFileSnapshot('golden/live-colored.txt');
    expect(lines.map(stripVTControlCharacters)).toEqual(liveView(TROUBLED, { ...PLAIN, columns: 100, rows: 23 }));
  });

  it('lists the events in progress with their time left', () => {
    const events = [
      { name: 'cable', leftMs: 2500 },
      { name: 'wave', leftMs: 60_000 },
    ];
    const lines = liveView({ ...TROUBLED, events }, { ...PLAIN, columns: 100, rows: 23 });
    expect(lines.find((line) => line.includes('events'))?.trim()).toMatch(/^events +cable 3s · wave 1m left$/);
  });

  it('names the machines of a cluster, the latest first, as far as they fit', () => {
    const machine = (name: string, schedulingDelayP99Ms: number) => ({
      name,
      part: 1,
      agents: 1,
      workers: 1,
      fromMs: 0,
      clockOffsetMs: 0,
      clockErrorMs: 0,
      figures: {
        startedPerSecond: 12,
        stalledMs: 0,
        busiestLoopUtilization: 0.3,
        usedCores: 0.2,
        schedulingDelayP99Ms,
      },
    });
    const machines = [machine('a', 2), machine('b', 450), machine('c', 1)];
    const lineIn = (columns: number) =>
      liveView({ ...TROUBLED, machines }, { ...PLAIN, columns, rows: 24 }).find((line) => line.includes('machines'));
    expect(lineIn(80)?.trim()).toBe('machines    b 12.0/s p99 450 ms busy 30% · a 12.0/s p99 2.00 ms busy 30%');
    expect(lineIn(50)?.trim()).toBe('machines  b 12.0/s p99 450 ms busy 30%');
    expect(liveView(TROUBLED, { ...PLAIN, columns: 80, rows: 24 }).join()).not.toContain('machines');
  });

  it('of a run without problems has no red and no yellow', async () => {
    const text = textOf(liveView(runOf(calm()), { ...COLORED, columns: 80, rows: 23 }));
    expect(text).not.toContain('\u001b[31m');
    expect(text).not.toContain('\u001b[33m');
    await expect(stripVTControlCharacters(text)).toMatchFileSnapshot('golden/live-calm.txt');
  });

  it('never exceeds the window, whatever its size', () => {
    const room = fc.record({ columns: fc.integer({ min: 1, max: 140 }), rows: fc.integer({ min: 0, max: 30 }) });
    const run = { ...TROUBLED, name: 'a-scenario-whose-name-is-much-longer-than-others' };
    fc.assert(
      fc.property(room, ({ columns, rows }) => {
        const lines = liveView(run, { ...COLORED, columns, rows }).map(stripVTControlCharacters);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(Math.max(0, ...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      }),
      { numRuns: draws(10) },
    );
  });

  it('hides idle operations before it shows all of them in one line', () => {
    const firstWords = (rows: number) =>
      liveView(TROUBLED, { ...PLAIN, columns: 100, rows }).map((line) => line.trim().split(' ')[0]);
    expect(firstWords(8)).toEqual(expect.arrayContaining(['register', 'authorize', 'checkdata']));
    expect(firstWords(7)).toEqual([
      'nightly',
      'operation',
      'authorize',
      'checkdata',
      'response',
      'errors',
      'generator',
    ]);
    expect(firstWords(6)).toContain('load');
  });

  it('hides columns of the table instead of truncating figures', () => {
    for (let columns = 24; columns < 60; columns++) {
      const lines = liveView(TROUBLED, { ...PLAIN, columns, rows: 23 });
      const table = lines.filter((line) => /^ *(operation|register|authorize|checkdata)/.test(line));
      expect(table).toHaveLength(4);
      expect(table.join()).not.toContain('…');
    }
  });

  it('shows the phase and the time left if only one line remains', () => {
    const [line] = liveView(TROUBLED, { ...PLAIN, columns: 40, rows: 1 });
    expect(line).toBe('steady 3/3  █████░░░░░   50%  45s left');
  });

  it('shows that the run is starting before its first second, and finishing after its last', () => {
    const before = runOf(figuresOf([]), { phase: undefined });
    expect(liveView(before, { ...PLAIN, columns: 60, rows: 9 })).toEqual([
      '',
      '  nightly  starting  ░░░░░░░░░░░░    0%  1m30s of 1m30s left',
    ]);
    const after = runOf(calm(), { phase: undefined, totalMs: 3500 });
    expect(liveView(after, { ...PLAIN, columns: 60, rows: 1 })).toEqual([
      '  nightly  finishing  █████████████████  100%  last answers',
    ]);
  });

  it('keeps its progress bar at the same position every second', () => {
    const barEnds = [1, 2, 3, 4].map((seconds) => {
      const run = runOf({ ...calm(), elapsedSeconds: seconds * 20 });
      return liveView(run, { ...PLAIN, columns: 80, rows: 1 })[0]?.lastIndexOf('░');
    });
    expect(new Set(barEnds).size).toBe(1);
  });

  it('says that nothing finished instead of showing times', () => {
    const lines = liveView(runOf(figuresOf([frameOf(0, [])])), { ...PLAIN, columns: 80, rows: 23 });
    expect(lines).toContain('  load        nothing yet');
    expect(lines).toContain('  response    nothing finished in 1 s');
    expect(lines).toContain('  errors      none');
  });

  it('shows how long the oldest request has waited for its answer, from two seconds on', () => {
    const shown = (longestWaitMs: number) => {
      const other = { ...frameOf(0, []), longestWaitMs: 30, inFlight: 8 };
      const figures = figuresOf(
        [
          { ...other, shard: 0 },
          { ...other, shard: 1, longestWaitMs },
        ],
        [0, 1],
      );
      return liveView(runOf(figures), { ...PLAIN, columns: 80, rows: 23 }).filter((line) => line.includes('waiting'));
    };
    expect(shown(12_900)).toEqual(['  waiting     12s for an answer: the oldest of 16 in flight']);
    expect(shown(1999)).toEqual([]);
  });

  it('marks times if all operations failed', () => {
    const figures = figuresOf([frameOf(0, [{ outcome: 'http_503' }])]);
    const lines = liveView(runOf(figures), { ...PLAIN, columns: 100, rows: 23 });
    expect(lines.find((line) => line.includes('response'))).toContain(' · of failures alone');
  });

  it('shows the evidence of the newest failure', () => {
    const recorder = createRecorder();
    perform(recorder, { outcome: 'http_500' });
    const seen = { reason: '', head: 'HTTP/1.1 500 Oops\nServer: nginx', body: 'database\n gone' };
    recorder.series('steady', 'checkdata').keepEvidence('http_500', { agent: 7, atMs: 300, secrets: [] }, seen);
    const lines = liveView(runOf(figuresOf([recorder.takeFrame(stateAt(0))])), { ...PLAIN, columns: 100, rows: 23 });
    expect(lines).toContain(
      '  newest      http_500 of checkdata, from the start, agent 7: HTTP/1.1 500 Oops · database gone',
    );
  });

  it('shows the planned rate of each operation, including served requests', () => {
    const figures = figuresOf([
      servedFrameOf(0, 'serve-checkdata', ['ok', 'ok']),
      frameOf(1, [{ operation: 'poll' }, { operation: 'poll', outcome: 'timeout' }]),
    ]);
    const rows = liveView(runOf(figures), { ...PLAIN, columns: 100, rows: 23 }).map((line) => line.trim().split(/ +/));
    expect(rows).toContainEqual(expect.arrayContaining(['serve-checkdata', '1.0', '1.0']));
    expect(rows).toContainEqual(['poll', '1.0', '0.5', '0.5', '0.0', ...Array(3).fill(['5.00', 'ms']).flat()]);
  });
});
