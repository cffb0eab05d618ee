import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { inTurns, runOf } from '../metrics/comparing/runs.ts';
import { newFolder, recordedRun } from '../results/result.ts';
import { muster } from './muster.ts';

let written = 0;

/** A folder with a run for each of these summaries, each with its own end, and the link to the newest. */
function runs(...summaries: readonly Summary[]): string {
  const folder = newFolder();
  for (const [index, summary] of summaries.entries()) {
    const endedAt = new Date(Date.parse(summary.endedAt) + written++).toISOString();
    mkdirSync(join(folder, `run${index}`));
    writeFileSync(join(folder, `run${index}`, 'summary.json'), JSON.stringify({ ...summary, endedAt }));
  }
  symlinkSync(`run${summaries.length - 1}`, join(folder, 'latest'), 'dir');
  return folder;
}

describe('muster compare', () => {
  const times = (serviceMs: number, ...more: readonly number[]) =>
    more.map((one) => runOf({ serviceMs: serviceMs + one, count: 2000 }));
  const four = (serviceMs = 10) => runs(...times(serviceMs, 0, 0.01, 0.02, 0.03));
  // Four times a hundred registrations are too few to rule out five more errors in a thousand.
  const lenient = ['--error-tolerance', '2%'];

  it('ends with 0 if runs are alike', async () => {
    const { code, stdout } = await muster(['compare', four(), four(), ...lenient]);
    expect(code).toBe(0);
    expect(stdout).toContain('✓ NO REGRESSION\n');
  });

  it('passes equal servers at its defaults with 800 operations of each kind, and names what fewer lack', async () => {
    const eight = () => runs(...Array.from({ length: 8 }, () => runOf({ count: 2000 })));
    expect((await muster(['compare', eight(), eight()])).code).toBe(0);
    const { code, stdout } = await muster(['compare', four(), four()]);
    expect(code).toBe(117);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '? CANNOT TELL: changes below 0.88 pp could not be seen (errors of register in enroll); run 4 more pairs, or 400 more operations on each side',
    );
  });

  it('ends with 117 if noise may hide a change beyond the tolerance, unless noise is accepted, and never with a green word', async () => {
    const [base, candidate] = inTurns(times(10, 0, 1, 3, 0), times(10, 2, 0, 3, 1)).map((side) => runs(...side));
    const args = ['compare', base ?? '', candidate ?? '', ...lenient];
    const { code, stdout } = await muster(args);
    expect(code).toBe(117);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /\? CANNOT TELL: changes below \S+% could not be seen \(p\d+ of checkdata in steady\); run \d+ more pairs, or on an idle machine/,
    );
    expect(stdout).not.toMatch(/✓|NO REGRESSION/);
    const accepted = await muster([...args, '--accept-noise']);
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain('✓ NO REGRESSION beyond noise: changes below');
    const { stdout: json } = await muster([...args, '--json']);
    expect(JSON.parse(json)).toMatchObject({
      isPaired: true,
      verdict: { kind: 'cannot_tell', because: 'noise', unseen: { operation: 'checkdata' } },
    });
  });

  it('plans from runs of the base, or from a pilot, how many pairs are needed for each figure', async () => {
    const base = runs(...times(10, 0, 1, 3, 0));
    const { code, stdout } = await muster(['compare', base, '--plan', ...lenient]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Take \d+ pairs of runs, in turns; fewer on an idle machine/);
    const { stdout: json } = await muster(['compare', base, four(), '--plan', '--json']);
    const { figures, pairs } = JSON.parse(json) as { pairs: number; figures: readonly { pairs: number }[] };
    expect(figures).toHaveLength(10);
    expect(pairs).toBe(Math.max(...figures.map((figure) => figure.pairs)));
  });

  it('ends with 114 on a regression, unless it is within the tolerance', async () => {
    const [base, candidate] = [four(), four(14)];
    expect((await muster(['compare', base, candidate])).code).toBe(114);
    expect((await muster(['compare', base, candidate, '--tolerance', '60%', ...lenient])).code).toBe(0);
  });

  it('ends with 117 if there are too few runs, whatever their difference', async () => {
    const { code, stdout } = await muster(['compare', runs(runOf()), runs(runOf({ serviceMs: 90 }))]);
    expect(code).toBe(117);
    expect(stdout).toContain('? CANNOT TELL');
    expect(stdout).not.toContain('REGRESSION');
  });

  it('reads each run of a folder once, or the given ones, and lists them with date, version and machine', async () => {
    const [base, candidate] = [runs(runOf(), runOf({ serviceMs: 10.2 })), runs(runOf())];
    const read = async (side: string) => {
      const { stdout } = await muster(['compare', side, join(candidate, 'latest'), '--json']);
      return JSON.parse(stdout).base;
    };
    expect(await read(base)).toHaveLength(2);
    expect(await read(join(base, 'latest'))).toEqual([
      {
        runId: '2026-11-21T10-15-30Z-seed1',
        startedAt: '2026-11-21T10:15:30.000Z',
        muster: '0.1.0',
        machine: '4 × a CPU, linux',
      },
    ]);
    expect(await read(`${join(base, 'run0')},${join(base, 'run1')},${runs(runOf())}`)).toHaveLength(3);
  });

  it('writes Markdown, an HTML page and JUnit XML', async () => {
    const cwd = newFolder();
    const files = ['--markdown', 'compared.md', '--html', 'compared.html', '--junit', 'compared.xml'];
    await muster(['compare', four(), four(), ...files, ...lenient], { cwd });
    expect(readFileSync(join(cwd, 'compared.xml'), 'utf8')).toContain('tests="12" failures="0" errors="0"');
    expect(readFileSync(join(cwd, 'compared.html'), 'utf8')).toContain('<h2 id="verdict">✓ No regression</h2>');
    expect(readFileSync(join(cwd, 'compared.md'), 'utf8')).toMatch(/^### steady: ✅ no regression\n/);
  });

  it.each([
    ['invalid', 111, 'INVALID'],
    ['unreachable', 115, 'TARGET UNREACHABLE'],
  ] as const)('has the same verdict in all outputs if the candidate is %s', async (kind, exitCode, words) => {
    const cwd = newFolder();
    const verdict: Summary['verdict'] = { kind, reasons: [{ kind, text: 'because' }] };
    const bad = () => ({ ...runOf(), verdict });
    const sides = [four(), runs(bad(), bad(), bad(), bad())];
    const files = ['--markdown', 'compared.md', '--html', 'compared.html', '--junit', 'compared.xml'];
    const { code, stdout } = await muster(['compare', ...sides, ...files], { cwd });
    expect(code).toBe(exitCode);
    const told = `the figures of 4 runs of the candidate say nothing about the server (${words})`;
    const html = readFileSync(join(cwd, 'compared.html'), 'utf8');
    const markdown = readFileSync(join(cwd, 'compared.md'), 'utf8');
    for (const text of [stdout, html, markdown]) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(told);
      expect(text).not.toMatch(/no regression|✓|✅|\bbetter *$/im);
    }
    expect(stdout).toContain(`! 2026-11-21T10-15-30Z-seed1 is ${kind}: because`);
    expect(html).toContain('class="verdict caution"');
    expect(markdown).toMatch(/^### steady: ❔ cannot tell/);
    expect(readFileSync(join(cwd, 'compared.xml'), 'utf8')).toContain('failures="0" errors="1"');
    const { stdout: json } = await muster(['compare', ...sides, '--json'], { cwd });
    expect((JSON.parse(json) as { verdict: object }).verdict).toEqual({
      kind: 'untrusted',
      because: kind,
      runs: { base: 0, candidate: 4 },
    });
  });

  it.each<[string, () => readonly string[] | Promise<readonly string[]>, string]>([
    ['another scenario', () => [runs(runOf()), runs({ ...runOf(), scenarioName: 'storm' })], 'found steady and storm'],
    ['no folder', () => [runs(runOf()), join(newFolder(), 'none')], 'none contains no result with a summary.json: no'],
    [
      'one run on both sides',
      () => {
        const folder = runs(runOf());
        return [folder, join(folder, 'latest')];
      },
      'run0 more than once',
    ],
    [
      'one run several times',
      () => {
        const run = join(runs(runOf()), 'run0');
        return [[run, run, run, run].join(','), runs(runOf())];
      },
      'Expected each run once',
    ],
    [
      'a copy of a run',
      () => {
        const [folder, copies] = [runs(runOf()), newFolder()];
        cpSync(folder, copies, { recursive: true });
        return [folder, join(copies, 'run0')];
      },
      'run0 and its copy',
    ],
    [
      'reports',
      () => ['a.html', 'b.html'],
      'a.html contains no result with a summary.json: give the folder instead of a file.',
    ],
    [
      'an empty folder',
      () => [newFolder(), runs(runOf())],
      'choose the folder of a run, or of a scenario with several',
    ],
    ['a killed run', async () => [(await recordedRun(4)).folder, runs(runOf())], 'muster report creates one'],
    [
      'one side and no --plan',
      () => [runs(runOf())],
      'two folders of results, before and after, or one with --plan; found one',
    ],
    [
      'a plan from too few runs',
      () => [runs(runOf(), runOf(), runOf()), '--plan'],
      '--plan: expected at least 4 runs of a side, with operations in counted phases, found 3',
    ],
    ['a plan with reports', () => [four(), '--plan', '--html', 'a.html'], '--plan: expected no --markdown'],
    [
      'a tolerance without a unit',
      () => [runs(runOf()), runs(runOf()), '--tolerance', '5'],
      '--tolerance: expected a percentage',
    ],
    [
      'a file that cannot be written',
      () => [runs(runOf()), runs(runOf()), '--markdown', '/nowhere/a.md'],
      'cannot write /nowhere/a.md',
    ],
  ])('ends with 104 and one sentence for %s', async (_, args, words) => {
    const { code, stdout, stderr } = await muster(['compare', ...(await args())]);
    expect([code, stdout]).toEqual([104, '']);
    expect(stderr).toContain(words);
  });
});
