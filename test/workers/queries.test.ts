import { expect, it } from 'vitest';
import { mergeFound } from '../../src/workers/queries.ts';

it('agents that several shards found are counted together, and listed in the order of their indices', () => {
  const parts = [
    { count: 3, agents: [0, 10, 20] },
    { count: 0, agents: [] },
    { count: 2, agents: [1, 11] },
  ];
  expect(mergeFound(parts, true)).toEqual({ count: 5, agents: [0, 1, 10, 11, 20] });
  expect(mergeFound(parts, false)).toEqual({ count: 5, agents: undefined });
});
