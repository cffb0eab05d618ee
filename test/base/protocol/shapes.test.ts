import { expect, it } from 'vitest';
import { CHECK_SHAPES } from '../../../src/base/protocol/shapes.ts';

it('a count is a non-negative integer', () => {
  const isCount = (duplex: unknown) => {
    const device = { isup: true, duplex, speed: -1, mtu: 1500 };
    return CHECK_SHAPES.net_stats?.safeParse({ eth0: device }).success;
  };
  expect([0, 1, -1, 0.5].map(isCount)).toEqual([true, true, false, false]);
});
