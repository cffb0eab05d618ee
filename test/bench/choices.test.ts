import { describe, expect, it } from 'vitest';
import { choicesOf } from '../../bench/harness/choices.ts';
import { coresOf } from '../../bench/processes/pinning.ts';

describe('arguments of a benchmark', () => {
  it('yield every combination of the given values', () => {
    expect(choicesOf(['a.b=1|2', 'c=x=y|z'])).toEqual([
      ['a.b=1', 'c=x=y'],
      ['a.b=1', 'c=z'],
      ['a.b=2', 'c=x=y'],
      ['a.b=2', 'c=z'],
    ]);
    expect(choicesOf([])).toEqual([]);
  });

  it('include the cores in the notation of the kernel', () => {
    expect(coresOf('0-2,5,7-8')).toEqual([0, 1, 2, 5, 7, 8]);
  });
});
