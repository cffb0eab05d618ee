import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetIndex, shareOf } from '../../src/load/shard.ts';

describe('shards', () => {
  it('cover the fleet exactly once, however many there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 16 }), (agents, count) => {
        const indices = Array.from({ length: count }, (_, index) => ({ index, count })).flatMap((shard) =>
          Array.from({ length: shareOf(shard, agents) }, (_, local) => fleetIndex(shard, local)),
        );
        expect(indices.sort((a, b) => a - b)).toEqual(Array.from({ length: agents }, (_, index) => index));
      }),
    );
  });
});
