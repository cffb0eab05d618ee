import { expect, it } from 'vitest';
import { annotations } from '../../src/cli/output/ci-reports.ts';
import { badSummary, goodSummary } from './summaries.ts';

it('annotates a failed run with one error for each reason, on one line each', () => {
  const lines = annotations({ ...badSummary(), warnings: [] })
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(badSummary().verdict.reasons.length);
  expect(lines[0]).toBe('::error title=steady%3A ✗ THRESHOLD CROSSED::checkdata p(99) < 250ms: observed 29180ms');
});

it('annotates a passed run only with its warnings, whose text GitHub cannot take for a command', () => {
  expect(annotations(goodSummary())).toBe('');
  const warned = { ...goodSummary(), warnings: ['5% failed\n::error::no'] };
  expect(annotations(warned)).toBe('::warning title=steady%3A ✓ PASS%2C with a warning::5%25 failed\\n::error::no\n');
});
