import { expect, it } from 'vitest';
import { memoized } from '../../../src/base/kernel/memoize.ts';

it('computes equal texts once, and again after their eviction', () => {
  const made: string[] = [];
  const lengthOf = memoized(2, (text) => made.push(text) && text.length);
  expect(['a', 'bc', 'a', 'bc'].map(lengthOf)).toEqual([1, 2, 1, 2]);
  expect(made).toEqual(['a', 'bc']);
  expect(['def', 'a'].map(lengthOf)).toEqual([3, 1]);
  expect(made).toEqual(['a', 'bc', 'def', 'a']);
});
