import { describe, expect, it } from 'vitest';
import { missingLine } from './shown-text.ts';

const OUTPUT = `first: 0s/20s  starting
  checkdata     301 301      0  2.31 ms 55.9 ms
  ✓ PASS
  results     results/first/2026-11-23T13-54-10Z-seed1
`;

/** The first of these lines that is missing in the output. */
const missing = (...lines: string[]) => missingLine({ lines }, OUTPUT);

describe('output on a page', () => {
  it('may differ in figures, times and whitespace', () => {
    expect(
      missing('  checkdata 1,301 12 0 1m2.5s 3 s', '  results results/first/2026-01-01T00-00-00Z-seed7'),
    ).toBeUndefined();
  });

  it('must have the words of the actual output', () => {
    expect(missing('  ✗ PASS')).toBe('  ✗ PASS');
    expect(missing('  checkdata 301 301 0 2.31 ms')).toBe('  checkdata 301 301 0 2.31 ms');
  });

  it('must have the order of the actual output', () => {
    expect(missing('  ✓ PASS', 'first: 0s/20s  starting')).toBe('first: 0s/20s  starting');
  });

  it('may omit lines and parts of lines with …', () => {
    expect(missing('first: …', '…', '  results … seed7')).toBe('  results … seed7');
    expect(missing('first: …', '…', '  results …seed7')).toBeUndefined();
  });
});
