import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetIndex, isInShard, localIn, shardOf, shardWithin, shareOf } from '../../src/load/shard.ts';

describe('shards', () => {
  it('cover the fleet exactly once, for any number of shards', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 16 }), (agents, count) => {
        const indices = Array.from({ length: count }, (_, index) => ({ index, count })).flatMap((shard) =>
          Array.from({ length: shareOf(shard, agents) }, (_, local) => fleetIndex(shard, local)),
        );
        expect(indices.sort((a, b) => a - b)).toEqual(Array.from({ length: agents }, (_, index) => index));
      }),
    );
  });

  it('of a list contain exactly its agents, distributed like a separate fleet', () => {
    const lists = fc.uniqueArray(fc.integer({ min: 0, max: 300 })).map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 5 }), (list, count) => {
        const parts = Array.from({ length: count }, (_, index) => shardWithin(shardOf(list), { index, count }));
        const shares = parts.map((part) => Array.from({ length: shareOf(part, 301) }, (_, n) => fleetIndex(part, n)));
        for (const [index, share] of shares.entries())
          expect(share).toEqual(list.filter((_, place) => place % count === index));
        for (const [index, part] of parts.entries())
          for (let agent = 0; agent <= 301; agent++) {
            expect(isInShard(part, agent)).toBe(shares[index]?.includes(agent));
            if (isInShard(part, agent)) expect(fleetIndex(part, localIn(part, agent))).toBe(agent);
          }
      }),
    );
  });
});
