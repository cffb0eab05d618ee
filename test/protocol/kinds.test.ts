import { expect, it } from 'vitest';
import { count } from '../../src/protocol/shapes/kinds.ts';

it('a count is a whole number from 0 up', () => {
  expect([0, 1, -1, 0.5].map((value) => count.safeParse(value).success)).toEqual([true, true, false, false]);
});
