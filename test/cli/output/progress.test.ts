import { describe, expect, it } from 'vitest';
import type { TextSink } from '../../../src/cli/io.ts';
import { createProgress, type Progress } from '../../../src/cli/output/progress.ts';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { type Call, frameOf, PHASES } from '../../metrics/recordings.ts';
import { scenarioOf, withPhases } from '../../scenario/read-scenario.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const REQUEST = { quiet: false };
const SCENARIO = scenarioOf(
  withPhases(
    '  - { name: enroll, register: { rate: 50/s } }\n  - { name: steady, duration: 58s, checkdata: { every: 5s } }\n',
  ),
);

function progressOn(stderr: TextSink, env: Record<string, string> = {}, request = REQUEST): Progress {
  return createProgress(SCENARIO, request, { stderr, env });
}

/** Consecutive seconds of a run. */
function seconds(from: number, to: number, calls: readonly Call[] = [{}]): TimelineFrame[] {
  const totals = createRunTotals(PHASES, [0]);
  for (let second = from; second < to; second++) totals.add(frameOf(second, calls));
  return totals.takeTimeline().filter(({ second }) => second >= from);
}

/** A progress display on a terminal after a typed command. */
function displayed(columns: number, rows: number, env: Record<string, string> = {}) {
  const terminal = createTerminal(columns, rows);
  terminal.sink.write('$ muster run sample.yaml\n');
  return { terminal, progress: progressOn(terminal.sink, env) };
}

const isHead = (text: string) => text.endsWith(' left');

async function textsOf(terminal: Terminal): Promise<string[]> {
  return (await terminal.lines()).map(({ text }) => text);
}

/** Checks that a terminal shows the typed command and exactly one view, without wrapped lines. */
async function expectOneView(terminal: Terminal, above: readonly string[] = []): Promise<string[]> {
  const lines = await terminal.lines();
  const texts = lines.map(({ text }) => text);
  expect(texts.slice(0, 1 + above.length)).toEqual(['$ muster run sample.yaml', ...above]);
  expect(texts.filter(isHead)).toHaveLength(1);
  expect(texts.filter((text) => text.includes('generator'))).toHaveLength(1);
  expect(lines.filter(({ isWrapped }) => isWrapped)).toEqual([]);
  return texts;
}

describe('progress on a terminal', () => {
  it('is one view that is redrawn in place every second', async () => {
    const { terminal, progress } = displayed(80, 24);
    expect((await textsOf(terminal)).slice(1)).toEqual([
      '',
      expect.stringMatching(/^ {2}sample {2}starting {2}░+ {4}0%/),
    ]);
    for (let second = 0; second < 40; second++) progress.advance(seconds(second, second + 1));
    const [, blank, head] = await expectOneView(terminal);
    expect(blank).toBe('');
    expect(head).toContain('  sample  steady 2/2  █');
    expect(head).toContain('20s of 1m left');
  });

  it('grows with its content, even at the bottom of a full screen', async () => {
    const terminal = createTerminal(80, 24);
    terminal.sink.write('more\n'.repeat(30));
    const progress = progressOn(terminal.sink);
    for (const outcome of ['ok', 'timeout', 'http_503', 'ok'] as const)
      progress.advance(seconds(0, 1, [{ outcome }, { operation: 'register' }, { operation: 'authorize' }]));
    const lines = await textsOf(terminal);
    expect(lines.filter(isHead)).toHaveLength(1);
    expect(lines.filter((text) => text.startsWith('  newest'))).toEqual([
      '  newest      http_503 of checkdata, from the start',
    ]);
  });

  it('prints messages above it, in order, and keeps them', async () => {
    const { terminal, progress } = displayed(80, 24);
    progress.preparing('made key 1 of 2');
    progress.preparing('made key 2 of 2');
    for (let second = 0; second < 3; second++) progress.advance(seconds(second, second + 1));
    progress.note('stopping');
    progress.advance(seconds(3, 4));
    await expectOneView(terminal, ['made key 1 of 2', 'made key 2 of 2', 'stopping']);
  });

  it.each([
    ['narrower', 60, 50],
    ['very narrow', 34, 50],
    ['wider', 140, 50],
    ['lower', 100, 20],
    ['narrower and lower', 80, 30],
  ])('survives a window that becomes %s', async (_, columns, rows) => {
    const { terminal, progress } = displayed(100, 50);
    progress.note('a note');
    progress.advance(seconds(0, 3, [{ outcome: 'timeout' }, { operation: 'register' }]));
    await terminal.resize(columns, rows);
    await expectOneView(terminal, ['a note']);
    progress.advance(seconds(3, 4));
    await expectOneView(terminal, ['a note']);
    progress.end();
    expect(await textsOf(terminal)).toEqual(['$ muster run sample.yaml', 'a note']);
  });

  it('is complete in a window that becomes too low for the previous view', async () => {
    const { terminal, progress } = displayed(100, 9);
    progress.advance(seconds(0, 3, [{ outcome: 'timeout' }, { operation: 'register' }]));
    await terminal.resize(100, 5);
    const shown = (await textsOf(terminal)).slice(-4);
    expect(shown.map((text) => text.trim().split(' ')[0])).toEqual(['sample', 'load', 'response', 'errors']);
  });

  it('leaves only messages and a visible cursor', async () => {
    const { terminal, progress } = displayed(100, 24);
    expect(terminal.written().endsWith('\u001b[?25h')).toBe(false);
    progress.advance(seconds(0, 30));
    progress.note('a note');
    expect(terminal.written()).toContain('\u001b[?25l');
    progress.end();
    terminal.sink.write('the summary\n');
    expect(await textsOf(terminal)).toEqual(['$ muster run sample.yaml', 'a note', 'the summary']);
    expect(terminal.written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(
      terminal.written().lastIndexOf('\u001b[?25l'),
    );
    expect(terminal.listeners()).toBe(0);
  });

  it('assumes a default size for a terminal that reports none', async () => {
    const terminal = createTerminal(80, 24);
    const progress = progressOn({ ...terminal.sink, columns: 0, rows: 0 });
    progress.advance(seconds(0, 1));
    const lines = await textsOf(terminal);
    expect(lines.filter(isHead)).toEqual([expect.stringMatching(/^.{60,79}$/)]);
    expect(lines.at(-1)).toContain('generator');
  });

  it('has colors unless they are disabled', () => {
    const coloredWith = (env: Record<string, string>) => {
      const { terminal, progress } = displayed(80, 24, env);
      progress.advance(seconds(0, 1, [{ outcome: 'timeout' }]));
      return terminal.written().includes('\u001b[31m');
    };
    expect(coloredWith({})).toBe(true);
    expect(coloredWith({ NO_COLOR: '1' })).toBe(false);
    expect(coloredWith({ NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(true);
  });

  it('shows only messages with --quiet', () => {
    const terminal = createTerminal(80, 24);
    const progress = progressOn(terminal.sink, {}, { ...REQUEST, quiet: true });
    progress.preparing('made key 1 of 2');
    progress.advance(seconds(0, 20));
    progress.note('stopping');
    progress.end();
    expect(terminal.written()).toBe('stopping\n');
  });
});

describe('progress without a terminal', () => {
  function logged(sink: Partial<TextSink>, env: Record<string, string>): string[] {
    let text = '';
    const progress = progressOn({ write: (part) => (text += part), ...sink }, env);
    progress.preparing('made key 1 of 1');
    progress.advance(seconds(0, 9));
    progress.advance(seconds(9, 21, [{ outcome: 'timeout' }]));
    progress.end();
    return text.split('\n');
  }

  it.each([
    ['in a pipe', {}, {}],
    ['in a pipe with colors forced', {}, { FORCE_COLOR: '1' }],
    ['on a dumb terminal', { isTTY: true, columns: 80 }, { TERM: 'dumb' }],
  ])('is one line every ten seconds about what happened since the previous one: %s', (_, sink, env) => {
    expect(logged(sink, env)).toEqual([
      'sample: 0s/1m  starting',
      'made key 1 of 1',
      'sample: 10s/1m  steady  0.9/s of 1.0/s  p99 5.00 ms  errors 10% (timeout 1)  in flight 0  10 authorized',
      'sample: 20s/1m  steady  0.0/s of 1.0/s  p99 5.00 ms  errors 100% (timeout 10)  in flight 0  10 authorized',
      '',
    ]);
  });
});
