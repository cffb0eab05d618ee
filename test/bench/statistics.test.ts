import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, percentile, spreadOf } from '../../bench/harness/statistics.ts';

const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 });

describe('the statistics of benchmarks', () => {
  it('have as many values above the median as below it, in any order', () => {
    fc.assert(
      fc.property(values, (all) => {
        const middle = median(all);
        expect(all.filter((one) => one > middle).length).toBeLessThanOrEqual(all.length / 2);
        expect(all.filter((one) => one < middle).length).toBeLessThanOrEqual(all.length / 2);
      }),
    );
  });

  it('average the two middle values of an even count', () => {
    expect(median([10, 1, 4, 2])).toBe(3);
  });

  it('find the smallest value that at least the given share does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 50, 99, 100]);
  });

  it('range from the smallest to the largest sample', () => {
    expect(spreadOf([5, 9, 7, 1, 8])).toEqual({ median: 7, low: 1, high: 9 });
  });
});
