import { describe, expect, it } from 'vitest';
import { muster, resultsOf, scenario } from './muster.ts';
import { ENROL_AND_REPORT, FLEET, listen } from './own-server.ts';

describe('thresholds', () => {
  it('fails a threshold on the delivery at a server that is no observer, and says why', async () => {
    const { url } = await listen({ status: 403, body: '{"error":"no"}' });
    const file = scenario(
      'unobserved',
      `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, register: { over: 100ms } }]
thresholds: { delivery: ["lost == 0"] }`,
    );
    const { stdout } = await muster('run', file);
    expect(resultsOf('unobserved').summary.verdict.reasons).toContainEqual({
      kind: 'threshold_crossed',
      text: 'delivery lost == 0: observed no data (the target is not the embedded server)',
    });
    // The line is longer than the page.
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '✗ delivery lost == 0: no data (the target is not the embedded server)',
    );
  });

  it('runs several scenarios and ends with the gravest code', async () => {
    const good = scenario('good', `${FLEET}\n${ENROL_AND_REPORT}`);
    const bad = scenario('bad', `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { register: ["max < 0.001ms"] }`);
    const { code, stdout } = await muster('run', good, bad);
    expect([99, 111]).toContain(code);
    expect(stdout).toContain('✗ register max < 0.001ms');
  });

  it('fails a threshold that has nothing to measure', async () => {
    const file = scenario(
      'empty',
      `${FLEET}\n${ENROL_AND_REPORT.replace('first: 100ms', 'first: 1h')}\nthresholds: { packages: ["p(99) < 1s"] }`,
    );
    const { code, stdout } = await muster('run', file);
    expect([99, 111]).toContain(code);
    expect(stdout).toContain('no data');
  });
});
