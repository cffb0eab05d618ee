import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFigureStore } from '../../src/staging/fleet/figure-store.ts';
import { newFolder, recordedRun, secondsIn } from '../results/result.ts';
import { muster } from './muster.ts';

describe('muster report', () => {
  it('prints the summary and writes it into the folder, with the exit code of its verdict', async () => {
    const { folder } = await recordedRun();
    const before = readFileSync(join(folder, 'summary.json'), 'utf8');
    rmSync(join(folder, 'summary.json'));
    const { code, stdout, stderr } = await muster(['report', folder]);
    expect([code, stderr]).toEqual([99, '']);
    expect(stdout).toContain('THRESHOLD CROSSED');
    expect(readFileSync(join(folder, 'summary.json'), 'utf8')).toBe(before);
  });

  it('prints only JSON with --json', async () => {
    const { folder, summary } = await recordedRun();
    const { stdout } = await muster(['report', folder, '--json']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(summary)));
  });

  it('prints a template filled with the summary, which escapes markup in .html only, and notes unknown names', async () => {
    const { folder, summary } = await recordedRun();
    const cwd = newFolder();
    const text = '{{runId}}: {{texts.verdict}} {{#texts.thresholds}}{{condition}}{{/texts.thresholds}}{{nothing}}';
    for (const name of ['own.md', 'own.html']) writeFileSync(join(cwd, name), text);
    const plain = await muster(['report', folder, '--template', 'own.md'], { cwd });
    const markup = await muster(['report', folder, '--template', 'own.html'], { cwd });
    expect(plain).toMatchObject({
      code: 99,
      stderr: '! the template names nothing, which the summary does not have\n',
    });
    expect(plain.stdout).toMatch(new RegExp(`^${summary.runId}: THRESHOLD CROSSED .* < `));
    expect(markup.stdout).toContain(' &lt; ');
  });

  it.each([
    ['a missing file', ['--template', 'gone.md'], 'Cannot read the template'],
    ['a text that is none', ['--template', 'broken.md'], '--template: expected a Mustache template, found an error'],
    ['--json beside it', ['--template', 'broken.md', '--json'], 'expected --json or --template, found both'],
  ])('ends with 104 and one sentence for a template such as %s', async (_, flags, sentence) => {
    const { folder } = await recordedRun();
    const cwd = newFolder();
    writeFileSync(join(cwd, 'broken.md'), '{{#a}}');
    const { code, stdout, stderr } = await muster(['report', folder, ...flags], { cwd });
    expect([code, stdout, stderr]).toEqual([104, '', expect.stringContaining(sentence)]);
  });

  it('writes JUnit XML, and appends to the GitHub step summary', async () => {
    const { folder } = await recordedRun(5);
    const cwd = newFolder();
    const step = join(cwd, 'step.md');
    writeFileSync(step, 'before\n');
    const { code, stderr } = await muster(['report', folder, '--junit', 'junit.xml'], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: step, GITHUB_ACTIONS: 'true' },
    });
    expect(code).toBe(113);
    expect(stderr).toMatch(/^::error title=kept%3A ✗ INCOMPLETE::the run was killed/m);
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toContain('<error message="the run was killed');
    expect(readFileSync(step, 'utf8')).toMatch(/^before\n### kept: ⚠️ INCOMPLETE\n/);
    expect(readdirSync(cwd).sort()).toEqual(['junit.xml', 'step.md']);
  });

  it.each([
    ['no folder is there', 'missing/junit.xml', 'no such file or directory'],
    ['a folder has the name', 'taken', 'it is a folder'],
  ])('ends with 104 and changes nothing if %s for the JUnit file', async (_, name, reason) => {
    const { folder } = await recordedRun(5);
    const cwd = newFolder();
    mkdirSync(join(cwd, 'taken'));
    const { code, stdout, stderr } = await muster(['report', folder, '--junit', name], { cwd });
    expect([code, stdout]).toEqual([104, '']);
    expect(stderr).toContain(`cannot write ${join(cwd, name)}: ${reason}`);
    expect(readdirSync(folder)).not.toContain('summary.json');
  });

  it('still shows the figures if it cannot write into the folder, and ends with 116', async () => {
    const { folder } = await recordedRun(5);
    mkdirSync(join(folder, 'report.html', 'taken'), { recursive: true });
    const { code, stdout, stderr } = await muster(['report', folder]);
    expect([code, stdout]).toEqual([116, expect.stringMatching(/checkdata[\s\S]*INCOMPLETE/)]);
    expect(stdout).not.toContain('report.html');
    expect(stderr).toMatch(/^cannot write the results to .*report\.html/);
  });

  it('ends with 104 for a folder that is not a result', async () => {
    const { code, stderr } = await muster(['report', newFolder()]);
    expect(code).toBe(104);
    expect(stderr).toContain('is not a result of a run');
  });
});

describe('muster report --fleet', () => {
  const startedMs = Date.parse('2026-01-31T12:00:00Z');

  /** Keeps the figures of a run as those of a fleet, with an event that was ended. */
  async function keptFleet(): Promise<string> {
    const cwd = newFolder();
    const store = openFigureStore(join(cwd, 'identities.db.figures'), (text) => expect.unreachable(text));
    for (const frame of await secondsIn((await recordedRun()).folder)) store.add([frame], startedMs);
    store.close();
    writeFileSync(
      join(cwd, 'identities.db.events.yaml'),
      '# Events of the fleet kept, seed 1, raised at 2026-01-31T12:00:00.000Z\n' +
        '- { do: stop, name: cable, at: 1s }\n- { do: end, event: cable, at: 3s }\n',
    );
    return cwd;
  }

  it('writes the figures of a time as a page and as a table whose counts agree', async () => {
    const cwd = await keptFleet();
    const span = ['--from', '2026-01-31T12:00', '--to', '2026-01-31T12:01'];
    const { code, stdout, stderr } = await muster(['report', '--fleet', '.', ...span, '--out', 'span'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual(['report.html', 'figures.csv'].map((name) => join(cwd, 'span', name)));
    const page = readFileSync(join(cwd, 'span', 'report.html'), 'utf8');
    const planned = [...page.matchAll(/<th scope="row"><code>[\w-]+<\/code><\/th><td><data value="(\d+)">/g)];
    const [header = '', ...rows] = readFileSync(join(cwd, 'span', 'figures.csv'), 'utf8')
      .trim()
      .split('\n');
    const column = header.split(',').indexOf('planned');
    const sum = (values: readonly (string | undefined)[]) => values.reduce((all, value) => all + Number(value), 0);
    expect(sum(planned.map(([, value]) => value))).toBe(sum(rows.map((row) => row.split(',')[column])));
    expect(rows.length).toBeGreaterThan(3);
    expect(page).toMatch(/<code>cable<\/code><\/th><td>2026-01-31 12:00:01<\/td><td>2026-01-31 12:00:03/);
  });

  it.each([
    [['--fleet', '.', '--from', 'noon'], /^--from: expected a time such as/],
    [['--fleet', '.', '--to', '2026-02-30'], /^--to: expected a time such as/],
    [['--fleet', '.', '--from', '2026-01-02', '--to', '2026-01-01'], /^--from: expected a time before 2026-01-01/],
    [['--fleet', 'elsewhere'], /^--fleet: expected the data folder of a fleet/],
    [['--fleet', '.', '--json'], /^report: expected the result folder of a run, or --fleet/],
    [['--from', '2026-01-02'], /^report: expected the result folder of a run, or --fleet/],
  ])('refuses %j, because it names no time of a fleet', async (flags, message) => {
    const { code, stderr } = await muster(['report', ...flags], { cwd: await keptFleet() });
    expect([code, stderr]).toEqual([104, expect.stringMatching(message)]);
  });

  it('ends with 116 if its files cannot be written', async () => {
    const cwd = await keptFleet();
    const { code, stderr } = await muster(['report', '--fleet', '.', '--out', 'identities.db.figures'], { cwd });
    expect([code, stderr]).toEqual([116, expect.stringMatching(/^cannot write .*figures: file already exists/)]);
  });
});
