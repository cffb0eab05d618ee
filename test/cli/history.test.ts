import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { runOf } from '../metrics/comparing/runs.ts';
import { newFolder } from '../results/result.ts';
import { muster } from './muster.ts';

/** A results folder as written by `muster run`: a folder per scenario with a folder per run, and a link to the newest. */
function results(...summaries: readonly Summary[]): string {
  const cwd = newFolder();
  for (const summary of summaries) {
    const folder = join(cwd, 'results', summary.scenarioName, summary.runId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'summary.json'), JSON.stringify(summary));
    writeFileSync(join(folder, 'report.html'), '');
    const latest = join(folder, '../latest');
    if (summary.runId.endsWith('01')) symlinkSync(summary.runId, latest, 'dir');
  }
  return cwd;
}

function night(day: number, part: Partial<Summary> = {}): Summary {
  const text = String(day).padStart(2, '0');
  return { ...runOf({ serviceMs: 10 + day }), runId: `night-${text}`, startedAt: `2026-11-${text}T23:00:00Z`, ...part };
}

const NIGHTS = Array.from({ length: 20 }, (_, index) => night(index + 1));

describe('muster history', () => {
  it('counts the latest run once also in a copy, whose link became a folder', async () => {
    const cwd = results(night(2), night(3));
    cpSync(join(cwd, 'results/steady/night-03'), join(cwd, 'results/steady/latest'), { recursive: true });
    expect((await muster(['history'], { cwd })).stdout).toMatch(/^steady: 2 runs/);
    expect((await muster(['history', 'results/steady/latest'], { cwd })).stdout).toMatch(/^steady: 1 run,/);
  });

  it('lists each run once, with version, verdict and key figures, the newest last', async () => {
    const { code, stdout } = await muster(['history'], { cwd: results(...NIGHTS) });
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'steady: 20 runs, checkdata',
      '',
      '  run       Muster  verdict  ok/s  errors      p50      p95      p99',
      '  night-01   0.1.0     DONE   100      0%  22.0 ms  31.9 ms  32.7 ms',
      '  night-02   0.1.0     DONE   100      0%  24.0 ms  34.8 ms  35.7 ms',
    ]);
    expect(stdout.match(/night-\d+/g)).toEqual(NIGHTS.map(({ runId }) => runId));
  });

  it('can be limited to the newest runs, one scenario and another operation', async () => {
    const cwd = results(...NIGHTS, { ...night(30), scenarioName: 'storm' });
    const { stdout } = await muster(['history', '--last', '2', '--scenario', 'steady', '--operation', 'register'], {
      cwd,
    });
    expect(stdout).toContain('steady: 2 runs, register');
    expect(stdout.match(/night-\d+/g)).toEqual(['night-19', 'night-20']);
  });

  it('lists below a run what changed since the previous one, even if that one is not shown', async () => {
    const other = { ...runOf().environment, muster: '0.2.0' };
    const cwd = results(night(1), night(2, { environment: other }));
    const { stdout } = await muster(['history', '--last', '1'], { cwd });
    expect(stdout).toContain('    changed: Muster 0.1.0 → 0.2.0');
  });

  it('draws a page of all operations, with links to the reports', async () => {
    const cwd = results(...NIGHTS);
    await muster(['history', '--html', 'pages/../trend.html'], { cwd });
    const page = readFileSync(join(cwd, 'trend.html'), 'utf8');
    const links = [...page.matchAll(/href="(results[^"]+)"/g)].map(([, link = '']) => link);
    expect(new Set(links)).toEqual(new Set(NIGHTS.map(({ runId }) => `results/steady/${runId}/report.html`)));
    for (const link of links) expect(readFileSync(join(cwd, link), 'utf8')).toBe('');
    for (const title of ['register ok/s', 'register p99', 'checkdata errors', 'checkdata p50'])
      expect(page).toContain(`<figcaption>${title}</figcaption>`);
    // Each of the twenty runs is a mark, and its label contains the exact value.
    const p99 = /aria-label="checkdata p99\. ([^"]*)"/.exec(page)?.[1]?.split('; ') ?? [];
    expect(p99).toHaveLength(20);
    expect(p99[0]).toBe('2026-11-01: 32.7 ms');
  });

  it('shows control characters from a summary as escapes', async () => {
    const environment = { ...runOf().environment, muster: '\x1b[31m' };
    const { stdout } = await muster(['history'], {
      cwd: results(night(1), night(2, { runId: 'red\x1b[31m\u202e', environment })),
    });
    expect(stdout).toContain('red\\u001b[31m\\u202e');
    expect(stdout).toContain('changed: Muster 0.1.0 → \\u001b[31m');
    expect(stdout).not.toContain('\x1b');
  });

  it('skips a run whose summary.json is not a file', async () => {
    const cwd = results(night(1), night(2));
    const summary = join(cwd, 'results', 'steady', 'night-02', 'summary.json');
    rmSync(summary);
    mkdirSync(summary);
    const { code, stdout, stderr } = await muster(['history'], { cwd });
    expect({ code, runs: stdout.match(/night-\d+/g) }).toEqual({ code: 0, runs: ['night-01'] });
    expect(stderr).toMatch(
      /summary\.json: expected a file written by muster run, found a folder or a device; remove it\.\n$/,
    );
  });

  it('prints the same as JSON', async () => {
    const { stdout } = await muster(['history', '--json'], { cwd: results(...NIGHTS) });
    const [trend] = JSON.parse(stdout);
    expect(trend.runs).toHaveLength(20);
    expect(trend.runs[0].figures.checkdata.p99).toBe(32.735);
  });

  it('reports what it cannot read, and shows the other runs', async () => {
    const cwd = results(night(1), night(2));
    writeFileSync(join(cwd, 'results/steady/night-02/summary.json'), '{"schemaVersion": 99}');
    mkdirSync(join(cwd, 'results/steady/night-03'));
    writeFileSync(join(cwd, 'results/steady/night-03/timeline.ndjson'), '');
    const { code, stdout, stderr } = await muster(['history'], { cwd });
    expect(code).toBe(0);
    expect(stdout.match(/night-\d+/g)).toEqual(['night-01']);
    expect(stderr).toMatch(/^skipped results\/steady\/night-02: .*schema version 99.*update Muster/m);
    expect(stderr).toMatch(/^skipped results\/steady\/night-03: .*muster report creates one/m);
  });

  // Root may list any folder.
  it.skipIf(process.getuid?.() === 0)(
    'reports a folder that it may not list, and shows the runs in others',
    async () => {
      const cwd = results(night(1));
      const folder = join(cwd, 'results/closed');
      mkdirSync(folder, { mode: 0 });
      onTestFinished(() => chmodSync(folder, 0o700));
      const { code, stdout, stderr } = await muster(['history'], { cwd });
      expect([code, stdout.match(/night-\d+/g)]).toEqual([0, ['night-01']]);
      expect(stderr).toMatch(/^skipped results\/closed: .*expected a folder that this user may list, .*EACCES/m);
      rmSync(join(cwd, 'results/steady'), { recursive: true });
      for (const searched of ['results/closed', 'results']) {
        const closed = await muster(['history', searched], { cwd });
        expect([closed.code, closed.stderr]).toEqual([104, expect.stringMatching(/EACCES: permission denied.*\.\n$/)]);
      }
    },
  );

  it.each(['history', 'compare'])('rejects a folder that cannot be resolved with one sentence: %s', async (command) => {
    const cwd = newFolder();
    symlinkSync('loop', join(cwd, 'loop'));
    const { code, stderr } = await muster([command, 'loop', 'loop'].slice(0, command === 'history' ? 2 : 3), { cwd });
    expect(code).toBe(104);
    expect(stderr).toMatch(/loop: expected a folder that this user may list, found an error: ELOOP: [^\n]*\.\n/);
  });

  it.each([
    [['history', 'a.html'], 'a.html contains no result of a run: give the folder instead of a file.'],
    [['history', 'nowhere'], 'nowhere contains no result of a run: no such folder.'],
    [['history', '.'], 'contains no result of a run'],
    [['history', 'results', '--last', '0'], '--last: expected a whole number of at least 1, found "0".'],
    [
      ['history', 'results', '--scenario', 'x'],
      '--scenario: expected a scenario with results in this folder (steady), found "x".',
    ],
    [['history', 'results', '--operation', 'push'], 'operation'],
  ])('rejects %j with one sentence', async (args, sentence) => {
    const cwd = args.includes('results') ? results(night(1)) : newFolder();
    const { code, stderr } = await muster(args, { cwd });
    expect(code).toBe(104);
    expect(stderr).toContain(sentence);
  });
});
