import { describe, expect, it } from 'vitest';
import { missingLine } from './shown-text.ts';

const OUTPUT = `first: 0s/20s  starting
  checkdata     301 301      0  2.31 ms 55.9 ms
  ✓ PASS
  results     results/first/2026-11-23T13-54-10Z-seed1
`;

/** The first of these lines that the output does not have. */
const missing = (...lines: string[]) => missingLine({ lines }, OUTPUT);

describe('what a page shows', () => {
  it('may have other figures, instants and blanks', () => {
    expect(
      missing('  checkdata 1,301 12 0 1m2.5s 3 s', '  results results/first/2026-01-01T00-00-00Z-seed7'),
    ).toBeUndefined();
  });

  it('has the words of the output', () => {
    expect(missing('  ✗ PASS')).toBe('  ✗ PASS');
    expect(missing('  checkdata 301 301 0 2.31 ms')).toBe('  checkdata 301 301 0 2.31 ms');
  });

  it('comes in the order of the output', () => {
    expect(missing('  ✓ PASS', 'first: 0s/20s  starting')).toBe('first: 0s/20s  starting');
  });

  it('may leave out lines and parts of lines where it has …', () => {
    expect(missing('first: …', '…', '  results … seed7')).toBe('  results … seed7');
    expect(missing('first: …', '…', '  results …seed7')).toBeUndefined();
  });
});
