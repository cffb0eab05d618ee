import { describe, expect, it } from 'vitest';
import { muster, resultsOf, scenario } from './muster.ts';
import { closedUrl, ENROL_AND_REPORT, FLEET } from './own-server.ts';

describe('a run that cannot be', () => {
  it.each([
    ['the scenario is missing', ['run', 'nowhere.yaml'], 'nowhere.yaml'],
    ['the results cannot be written', ['run', 'tiny.yaml', '--out', 'tiny.yaml/results'], 'tiny.yaml/results'],
    ['a flag is unknown', ['run', 'tiny.yaml', '--agnets', '5'], 'agnets'],
  ])('ends with 104 and one clear message where %s', async (_title, args, named) => {
    scenario('tiny', `${FLEET}\nphases: [{ name: enrol, register: { rate: 100/s } }]`);
    const { code, stderr } = await muster(...args);
    expect(code).toBe(104);
    expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('ends with 112 for a host that is not allowed, before anything is sent', async () => {
    const file = scenario('foreign', `target: { url: "http://push.invalid" }\n${FLEET}\n${ENROL_AND_REPORT}`);
    const { code, stderr } = await muster('run', file);
    expect(code).toBe(112);
    expect(stderr).toContain('--allow push.invalid');
  });

  it('ends with 115 long before its timeline if nothing listens', async () => {
    const url = await closedUrl();
    const file = scenario(
      'deserted',
      `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, duration: 10m, register: { rate: 100/s }, checkdata: { every: 1s } }]`,
    );
    const { code, stdout, stderr } = await muster('run', file, '--quiet');
    expect(code).toBe(115);
    expect(stdout).toMatch(/^deserted: ✗ TARGET UNREACHABLE: none of \d+ operations reached the target .*\n$/);
    expect(stderr).toBe('');
    expect(resultsOf('deserted').summary.elapsedMs).toBeLessThan(600_000);
  });
});
