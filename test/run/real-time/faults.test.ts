import { beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { GENERATOR_TOO_SLOW, measuredRun, NOT_KEPT_UP, WITHOUT_FAULT } from './finished-run.ts';
import { outcomes } from './sums.ts';

const FREEZE_MS = 300;
// Each agent is due at most once during the freeze, and the first soon after its start.
const MISBEHAVING = `
target:
  faults:
    - { do: status, status: 503, share: 50%, operations: [checkdata] }
    - { do: freeze, at: steady+100ms, for: ${FREEZE_MS}ms }
fleet: { agents: 40, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, register: { rate: 100/s } }
  - { name: steady, duration: 1s, checkdata: { every: 500ms } }`;

describe('a run with faults of the server', () => {
  const summaries: Summary[] = [];
  beforeAll(async () => {
    for (const workers of [1, 2]) summaries.push(await measuredRun(MISBEHAVING, workers));
  });

  it('has the same failures with the same seed', ({ skip }) => {
    for (const { verdict } of summaries) expect(WITHOUT_FAULT).toContain(verdict.kind);
    skip(
      summaries.some(({ verdict }) => verdict.kind === GENERATOR_TOO_SLOW),
      NOT_KEPT_UP,
    );
    for (const summary of summaries) expect(outcomes(summary, 'register', 'ok')).toBe(40);
    const [one = [], two] = summaries.map((summary) =>
      (['ok', 'http_503'] as const).map((outcome) => outcomes(summary, 'checkdata', outcome)),
    );
    expect(Math.min(...one)).toBeGreaterThan(20);
    expect(two).toEqual(one);
  });

  it('counts the times of faults from the start, and delays answers until the end of a freeze', () => {
    for (const { phases } of summaries) {
      const { response } = phases[1]?.operations.find(({ operation }) => operation === 'checkdata')?.latencyMs ?? {};
      // The arrival that is due 20 ms into the freeze waits for the rest of it.
      expect(response?.max).toBeGreaterThan(FREEZE_MS - 30);
    }
  });
});
