import { describe, expect, it } from 'vitest';
import { GENERATOR_TOO_SLOW, muster, outcomes, resultsOf, scenario, WITHOUT_FAULT } from './muster.ts';

const ENROL = '- { name: enrol, register: { rate: 100/s } }';

describe('a run against a server that misbehaves', () => {
  it('meets the same failures with the same seed', async () => {
    const file = scenario(
      'half-away',
      `target: { faults: [{ do: status, status: 503, share: 50%, operations: [checkdata] }] }
fleet: { agents: 40, payload: lean }
phases:
  ${ENROL}
  - { name: steady, duration: 1s, checkdata: { every: 500ms } }`,
    );
    const counted: number[][] = [];
    for (const workers of ['1', '2']) {
      const { code } = await muster('run', file, '--workers', workers, '--quiet');
      expect(WITHOUT_FAULT).toContain(code);
      if (code === GENERATOR_TOO_SLOW) return;
      const { summary } = resultsOf('half-away');
      counted.push(['ok', 'http_503'].map((outcome) => outcomes(summary, 'checkdata', outcome)));
      expect(outcomes(summary, 'register', 'ok')).toBe(40);
    }
    const [ok = 0, away = 0] = counted[0] ?? [];
    expect(Math.min(ok, away)).toBeGreaterThan(20);
    expect(counted[1]).toEqual(counted[0]);
  });

  it('counts the times of faults from the start, and keeps agents waiting until the end of a freeze', async () => {
    const file = scenario(
      'frozen',
      `target: { faults: [{ do: freeze, at: steady+100ms, for: 600ms }] }
fleet: { agents: 100, payload: lean }
phases:
  - { name: enrol, register: { rate: 200/s } }
  - { name: steady, duration: 1s, checkdata: { rate: 50/s } }`,
    );
    expect(WITHOUT_FAULT).toContain((await muster('run', file, '--quiet')).code);
    const steady = resultsOf('frozen').summary.phases[1];
    const { response } = steady?.operations.find(({ operation }) => operation === 'checkdata')?.latencyMs ?? {};
    // The arrival due 20 ms into the freeze waits for the rest of it.
    expect(response?.max).toBeGreaterThan(570);
  });
});
