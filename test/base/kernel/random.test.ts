import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash32, shuffled, spread, uniform } from '../../../src/base/kernel/random.ts';

describe('random values', () => {
  it('depend only on their coordinates', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string(), fc.maxSafeNat(), (seed, label, index) => {
        expect(hash32(seed, label, index)).toBe(hash32(seed, label, index));
      }),
    );
  });

  it('differ for another seed, label or coordinate', () => {
    const values = new Set<number>();
    for (let seed = 0; seed < 10; seed++)
      for (const label of ['uuid', 'cpu', 'disk'])
        for (let index = 0; index < 100; index++) values.add(hash32(seed, label, index));
    expect(values.size).toBeGreaterThan(2990);
  });

  it('keep their value across releases', () => {
    expect([hash32(1, 'uuid', 0), hash32(1, 'uuid', 1), hash32(2, 'cpu', 7, 9)]).toMatchInlineSnapshot(`
      [
        4081149457,
        2853476861,
        2756431631,
      ]
    `);
  });

  it('are distributed uniformly', () => {
    const buckets = new Array<number>(10).fill(0);
    for (let index = 0; index < 100_000; index++) {
      const bucket = Math.floor(uniform(1, 'x', index) * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe('the spread sequence', () => {
  it('leaves no gap above three times the mean, for any stride of a shard', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 50, max: 500 }), (stride, count) => {
        const points = Array.from({ length: count }, (_, n) => spread(n * stride)).sort((a, b) => a - b);
        const gaps = points.map((point, n) => (points[n + 1] ?? (points[0] ?? 0) + 1) - point);
        // Strides near a Fibonacci number spread more slowly, but never worse than a stride times the mean gap.
        expect(Math.max(...gaps) * count).toBeLessThan(3 * stride + 3);
      }),
    );
  });
});

describe('a shuffle', () => {
  it('gives each number a distinct place', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 3000 }), (seed, count) => {
        const place = shuffled(seed, 'profile', count);
        const places = Array.from({ length: count }, (_, n) => place(n)).sort((a, b) => a - b);
        expect(places).toEqual(Array.from({ length: count }, (_, n) => n));
      }),
    );
  });

  it('does not preserve the order, and differs for another seed', () => {
    const first = Array.from({ length: 100 }, (_, n) => shuffled(1, 'profile', 100)(n));
    const other = Array.from({ length: 100 }, (_, n) => shuffled(2, 'profile', 100)(n));
    expect(first.filter((place, n) => place === n).length).toBeLessThan(10);
    expect(first.filter((place, n) => place === other[n]).length).toBeLessThan(10);
  });
});
