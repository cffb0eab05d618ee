import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chanceOfShares, noiseBetween } from '../../../src/metrics/comparing/compare.ts';

const values = fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('the noise between two samples', () => {
  it('of one value each is what is assumed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1000, noNaN: true }), (assumed) => {
        expect(noiseBetween([3], [700], assumed)).toBeCloseTo(assumed, 9);
      }),
    );
  });

  it('does not depend on the order of values or sides', () => {
    fc.assert(
      fc.property(values, values, (base, candidate) => {
        const noise = noiseBetween(base, candidate, 1);
        expect(noiseBetween(candidate.toReversed(), base.toReversed(), 1)).toBeCloseTo(noise, 6);
      }),
    );
  });

  it('grows with the spread inside the samples', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 50 }), (base, times) => {
        const wider = base.map((value) => value * times);
        expect(noiseBetween(wider, wider, 0)).toBeCloseTo(noiseBetween(base, base, 0) * times, 3);
      }),
    );
  });

  it('is that of the t test where there is much to learn from', () => {
    // Two samples of 50 values whose standard deviation is 1.0102: t(0.995; 98) = 2.627.
    const sample = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    expect(noiseBetween(sample, sample, 0)).toBeCloseTo(2.627 * 1.0102 * Math.sqrt(2 / 50), 1);
  });
});

describe('the chance of shares', () => {
  it('falls with the root of the count', () => {
    const few = chanceOfShares({ failed: 10, of: 1000 }, { failed: 10, of: 1000 });
    const many = chanceOfShares({ failed: 1000, of: 100_000 }, { failed: 1000, of: 100_000 });
    expect(few / many).toBeCloseTo(10, 6);
    expect(few).toBeCloseTo(2.576 * Math.sqrt((0.01 * 0.99 * 2) / 1000), 9);
  });

  it('is none where nothing failed or nothing happened', () => {
    expect(chanceOfShares({ failed: 0, of: 10 }, { failed: 0, of: 10 })).toBe(0);
    expect(chanceOfShares({ failed: 0, of: 0 }, { failed: 1, of: 10 })).toBe(0);
  });
});
