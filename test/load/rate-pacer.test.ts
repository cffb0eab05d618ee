import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constantRate, rampRate } from '../../src/load/rate-pacer.ts';

const rates = fc.double({ min: 0.01, max: 20_000, noNaN: true });

describe('a constant rate', () => {
  it('starts at once and is evenly spaced', () => {
    expect([0, 1, 2, 200].map(constantRate(200))).toEqual([0, 5, 10, 1000]);
  });

  it('makes rate times duration arrivals in whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 100 }), (rate, seconds) => {
        const dueAtMs = constantRate(rate);
        expect(dueAtMs(rate * seconds - 1)).toBeLessThan(seconds * 1000);
        // The arrival due exactly at the end belongs to what follows.
        expect(dueAtMs(rate * seconds)).toBe(seconds * 1000);
      }),
    );
  });
});

describe('a ramp', () => {
  it.each([
    [100, 2000, 10_500],
    [2000, 100, 10_500],
    [0, 100, 500],
  ])('from %i/s to %i/s over 10 s reaches the area under its line', (from, to, arrivals) => {
    const dueAtMs = rampRate(from, to, 10_000);
    expect(dueAtMs(arrivals - 1)).toBeLessThan(10_000);
    expect(dueAtMs(arrivals)).toBe(Number.POSITIVE_INFINITY);
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

  it('never goes back in time', () => {
    fc.assert(
      fc.property(rates, rates, fc.nat(200_000), (from, to, n) => {
        const dueAtMs = rampRate(from, to, 10_000);
        expect(dueAtMs(n + 1)).toBeGreaterThanOrEqual(dueAtMs(n));
      }),
    );
  });
});
