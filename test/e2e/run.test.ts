import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GENERATOR_TOO_SLOW, muster, outcomes, resultsOf, scenario, total, WITHOUT_FAULT } from './muster.ts';
import { ENROL_AND_REPORT, FLEET } from './own-server.ts';

const AUTHORITY = join(import.meta.dirname, '../transport/certificates/authority.pem');

// Weights that sum to the number of agents are numbers of agents.
const HOSTS = 'fleet: { agents: 40, payload: lean, profiles: { ubuntu-24.04: 25, debian-12: 15 } }';

describe('muster run', () => {
  it('takes a fleet from enrolment to a passing verdict and leaves everything in the results', async () => {
    const file = scenario('whole', `${HOSTS}\n${ENROL_AND_REPORT}\nthresholds: { checkdata: ["error_rate < 1%"] }`);
    const { code, stderr, stdout } = await muster('run', file, '--json');
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
    if (code === GENERATOR_TOO_SLOW) return;
    expect(files).toEqual(expected);
    expect(total(summary, 'register', 'succeeded')).toBe(40);
    // Each agent once right after its registration, and twice in the second of cadence, jitter permitting.
    expect(total(summary, 'checkdata', 'succeeded')).toBeGreaterThanOrEqual(40 + 40);
    expect(total(summary, 'packages', 'succeeded')).toBe(40);
    expect(total(summary, 'authorize', 'succeeded')).toBe(20);
    const profiles = { 'debian-12': 15, 'ubuntu-24.04': 25 };
    expect(Object.fromEntries(summary.profiles.map(({ profile, agents }) => [profile, agents]))).toEqual(profiles);
    const answered = summary.profiles.reduce((sum, { responseMs }) => sum + (responseMs.checkdata?.count ?? 0), 0);
    expect(answered).toBe(
      summary.overall.find(({ operation }) => operation === 'checkdata')?.latencyMs.response?.count,
    );
  });

  it('speaks HTTPS with an embedded server that has a certificate made for the run', async () => {
    const file = scenario(
      'https',
      `target: { url: embedded, tls: { serve: self-signed } }\n${FLEET}\n${ENROL_AND_REPORT}`,
    );
    expect(WITHOUT_FAULT).toContain((await muster('run', file, '--quiet')).code);
    expect(total(resultsOf('https').summary, 'register', 'succeeded')).toBeGreaterThan(0);
    // Agents that trust only another certificate get no further than the handshake.
    const { code } = await muster('run', file, '--quiet', '--set', `target.tls.ca=${AUTHORITY}`);
    expect(code).toBe(115);
    expect(outcomes(resultsOf('https').summary, 'register', 'tls_failed')).toBeGreaterThan(0);
  });

  it('runs its own effective scenario again', async () => {
    const { path } = resultsOf('whole');
    expect(WITHOUT_FAULT).toContain((await muster('run', join(path, 'scenario.yaml'), '--quiet')).code);
  });
});
