import { describe, expect, it } from 'vitest';
import { PLAIN } from '../../src/report/palette.ts';
import { verdictLine } from '../../src/report/verdict-line.ts';
import { badSummary, goodSummary, invalidSummary } from './summaries.ts';

describe('the verdict line', () => {
  it('names the scenario, and nothing else with a pass', () => {
    expect(verdictLine(goodSummary(), PLAIN)).toBe('steady: ✓ PASS');
  });

  it('lists every reason, the worst first', () => {
    expect(verdictLine(badSummary(), PLAIN)).toMatch(
      /^steady: ✗ THRESHOLD CROSSED: checkdata p\(99\) < 250ms: observed 29180ms; .*; delivery lost == 0: observed 3; .*$/,
    );
    expect(verdictLine(invalidSummary(), PLAIN)).toMatch(/^steady: ✗ INCOMPLETE: worker 1 ended before .*$/);
  });

  it('reports a run without thresholds as done, never as a pass', () => {
    const done = { ...goodSummary(), verdict: { kind: 'done' as const, reasons: [] }, thresholds: [] };
    expect(verdictLine(done, PLAIN)).toBe('steady: • DONE, without thresholds');
    const shard = { ...done, shard: { number: 2, of: 3 } };
    expect(verdictLine(shard, PLAIN)).toBe('steady, shard 2 of 3: • DONE, thresholds not evaluated');
    const warned = { ...done, warnings: ['all failed'] };
    expect(verdictLine(warned, PLAIN)).toBe('steady: • DONE, without thresholds, with a warning: all failed');
  });

  it('distinguishes a pass from one with a warning', () => {
    const warned = { ...goodSummary(), warnings: ['much was never started'] };
    expect(verdictLine(warned, PLAIN)).toBe('steady: ✓ PASS, with a warning: much was never started');
  });
});
