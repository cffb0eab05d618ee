import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { muster as inPlace } from '../cli/muster.ts';
import { ENROL_AND_REPORT } from '../run/real-time/own-server.ts';
import { total } from '../run/real-time/sums.ts';
import { folder, GENERATOR_TOO_SLOW, resultsOf, scenario, start, WITHOUT_FAULT } from './muster.ts';

// Weights that sum to the number of agents are counts of agents.
const HOSTS = 'fleet: { agents: 40, payload: lean, profiles: { ubuntu-24.04: 25, debian-12: 15 } }';

describe('muster run', () => {
  // The tests below use the results of this run.
  it('runs a fleet from enrollment to a passing verdict and writes all results', async ({ skip }) => {
    const file = scenario('whole', `${HOSTS}\n${ENROL_AND_REPORT}\nthresholds: { checkdata: ["error_rate < 1%"] }`);
    const args = ['run', file, '--json', '--workers', '2', '--junit', 'whole.xml'];
    const { code, stderr, stdout } = await start(args, { GITHUB_STEP_SUMMARY: join(folder, 'step.md') }).ended;
    expect(WITHOUT_FAULT).toContain(code);
    expect(stderr).toContain(code === 0 ? '✓ PASS' : '✗ INVALID');
    const { files, path, summary } = resultsOf('whole');
    const expected = [
      'authorize.hgrm',
      'checkdata.hgrm',
      'histograms.hlog',
      'packages.hgrm',
      'register.hgrm',
      'report.html',
      'scenario.yaml',
      'summary.json',
      'timeline.csv',
      'timeline.ndjson',
    ];
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8')));
    expect(stderr).toContain(summary.runId);
    skip(code === GENERATOR_TOO_SLOW, 'the generator did not keep up on this machine');
    expect(files).toEqual(expected);
    expect(total(summary, 'register', 'succeeded')).toBeGreaterThan(35);
    // Each agent once after its registration, and twice in the second of cadence, except for jitter.
    expect(total(summary, 'checkdata', 'succeeded')).toBeGreaterThanOrEqual(2 * 36);
    // A host may be down at this hour, and then its agent plans nothing.
    for (const [operation, agents] of [
      ['packages', 40],
      ['authorize', 20],
    ] as const) {
      // The run may end before the last ones were sent.
      const [succeeded, dropped] = [total(summary, operation, 'succeeded'), total(summary, operation, 'dropped')];
      expect(succeeded + dropped).toBe(total(summary, operation, 'planned'));
      expect(succeeded).toBeGreaterThan(agents / 2);
      expect(total(summary, operation, 'planned')).toBeGreaterThan(agents - 5);
    }
    const profiles = { 'debian-12': 15, 'ubuntu-24.04': 25 };
    expect(Object.fromEntries(summary.profiles.map(({ profile, agents }) => [profile, agents]))).toEqual(profiles);
    const answered = summary.profiles.reduce((sum, { responseMs }) => sum + (responseMs.checkdata?.count ?? 0), 0);
    expect(answered).toBe(
      summary.overall.find(({ operation }) => operation === 'checkdata')?.latencyMs.response?.count,
    );
  });

  it('writes reports for build servers', () => {
    expect(readFileSync(join(folder, 'whole.xml'), 'utf8')).toContain('<testsuite name="whole"');
    expect(readFileSync(join(folder, 'step.md'), 'utf8')).toMatch(/^### whole: /);
  });

  it('leaves logs from which muster report rebuilds the same summary byte for byte', async () => {
    const file = join(resultsOf('whole').path, 'summary.json');
    const written = readFileSync(file, 'utf8');
    rmSync(file);
    const { code } = await inPlace(['report', 'results/whole/latest'], { cwd: folder });
    expect(WITHOUT_FAULT).toContain(code);
    expect(code === GENERATOR_TOO_SLOW).toBe(JSON.parse(written).verdict.kind === 'invalid');
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('leaves an effective scenario that can be run again', async () => {
    const { path } = resultsOf('whole');
    const { code, stdout } = await inPlace(['validate', join(path, 'scenario.yaml')], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('valid')]);
  });
});
