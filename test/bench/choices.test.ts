import { describe, expect, it } from 'vitest';
import { choicesOf } from '../../bench/harness/choices.ts';
import { coresOf } from '../../bench/processes/pinning.ts';

describe('what a benchmark is told', () => {
  it('makes every combination of the values that are offered', () => {
    expect(choicesOf(['a.b=1|2', 'c=x=y|z'])).toEqual([
      ['a.b=1', 'c=x=y'],
      ['a.b=1', 'c=z'],
      ['a.b=2', 'c=x=y'],
      ['a.b=2', 'c=z'],
    ]);
    expect(choicesOf([])).toEqual([]);
  });

  it('finds the cores that the kernel lists', () => {
    expect(coresOf('0-2,5,7-8')).toEqual([0, 1, 2, 5, 7, 8]);
  });
});
