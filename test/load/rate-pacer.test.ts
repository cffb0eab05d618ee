import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constantRate, type RatePacer, rampRate } from '../../src/load/rate-pacer.ts';

const rates = fc.double({ min: 0.01, max: 20_000, noNaN: true });

/** The number of arrivals due before the end. */
function countWithin(dueAtMs: RatePacer, durationMs: number): number {
  let count = 0;
  while (dueAtMs(count) < durationMs) count++;
  return count;
}

describe('a constant rate', () => {
  it('starts at once and is evenly spaced', () => {
    expect([0, 1, 2, 200].map(constantRate(200))).toEqual([0, 5, 10, 1000]);
  });

  it('makes as many arrivals in a phase as are written, whatever the unit: 23/m are 23 in a minute', () => {
    expect(countWithin(constantRate(23 / 60), 60_000)).toBe(23);
    const per = fc.constantFrom(1, 60, 3600);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), per, fc.integer({ min: 1, max: 5 }), (count, seconds, times) => {
        const durationMs = times * seconds * 1000;
        expect(countWithin(constantRate(count / seconds), durationMs)).toBe(count * times);
        expect(countWithin(rampRate(count / seconds, count / seconds, durationMs), durationMs)).toBe(count * times);
      }),
    );
  });
});

describe('a ramp', () => {
  it('reaches the area under its line', () => {
    expect(countWithin(rampRate(100, 2000, 10_000), 10_000)).toBe(10_500);
    expect(countWithin(rampRate(2000, 100, 10_000), 10_000)).toBe(10_500);
    expect(countWithin(rampRate(0, 100, 10_000), 10_000)).toBe(500);
  });

  it('is the constant rate when both ends are equal', () => {
    fc.assert(
      fc.property(rates, fc.nat(1000), (rate, n) => {
        const dueMs = constantRate(rate)(n);
        fc.pre(dueMs < 1e7);
        expect(rampRate(rate, rate, 1e8)(n)).toBeCloseTo(dueMs, 5);
      }),
    );
  });

  it('never goes back in time, and ends with its phase', () => {
    fc.assert(
      fc.property(rates, rates, fc.nat(200_000), (from, to, n) => {
        const dueAtMs = rampRate(from, to, 10_000);
        expect(dueAtMs(n + 1)).toBeGreaterThanOrEqual(dueAtMs(n));
        expect(dueAtMs(n) < 10_000 || dueAtMs(n) === Number.POSITIVE_INFINITY).toBe(true);
      }),
    );
  });
});
