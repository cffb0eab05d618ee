import { describe, expect, it } from 'vitest';
import { stepOf } from '../../src/capacity/step.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { runOf } from '../metrics/comparing/runs.ts';

const ATTEMPT = { number: 3, load: 150, purpose: 'climb' } as const;

describe('a step', () => {
  it('holds if its run passed, and has the figures of the operation in question', () => {
    const run = runOf({ failed: 100 });
    const { outcome, reasons, figures, runId, load } = stepOf(ATTEMPT, run, 'checkdata');
    expect({ outcome, reasons, runId, load }).toEqual({ outcome: 'held', reasons: [], runId: run.runId, load: 150 });
    expect(figures).toMatchObject({ errorRate: 0.25, droppedRate: 0 });
    expect(figures?.p99Ms).toBeGreaterThan(figures?.p50Ms ?? 0);
    expect(stepOf(ATTEMPT, run, 'packages').figures).toBeUndefined();
  });

  it('gives way if work was never started, although no condition was missed', () => {
    const warnings = ['checkdata: 12% of 400 planned operations were never started'];
    expect(stepOf(ATTEMPT, { ...runOf(), warnings }, 'checkdata')).toMatchObject({
      outcome: 'gave_way',
      reasons: warnings,
    });
  });

  it('gives way if agents cannot register, although those that could were well', () => {
    const checkdata = runOf().overall.find(({ operation }) => operation === 'checkdata');
    if (checkdata === undefined) throw new Error('nothing was measured');
    const register = { ...checkdata, operation: 'register' as const, planned: 40, started: 40, failed: 8 };
    const run = { ...runOf(), overall: [checkdata, register] };
    expect(stepOf(ATTEMPT, run, 'checkdata')).toMatchObject({
      outcome: 'gave_way',
      reasons: ['register: 8 failed, 2% of all that was due, and their agents sent nothing else'],
    });
    const few = { ...register, failed: 4 };
    expect(stepOf(ATTEMPT, { ...run, overall: [checkdata, few] }, 'checkdata')).toMatchObject({ outcome: 'held' });
  });

  it.each([
    ['threshold_crossed', 'gave_way'],
    ['invalid', 'generator'],
    ['unreachable', 'unreachable'],
    ['incomplete', 'incomplete'],
  ] as const)('whose run is %s counts as %s, with the reason for that alone', (kind, outcome) => {
    const others = kind === 'threshold_crossed' ? [] : [{ kind: 'threshold_crossed' as const, text: 'slow' }];
    const verdict: Summary['verdict'] = { kind, reasons: [{ kind, text: 'why' }, ...others] };
    expect(stepOf(ATTEMPT, { ...runOf(), verdict }, 'checkdata')).toMatchObject({ outcome, reasons: ['why'] });
  });
});
