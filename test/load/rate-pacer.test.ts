import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constantRate, type RatePacer, rampRate } from '../../src/load/rate-pacer.ts';

const rates = fc.double({ min: 0.01, max: 20_000, noNaN: true });

function expectCountsToAgree(pacer: RatePacer, elapsedMs: number): void {
  const count = pacer.dueCount(elapsedMs);
  if (count > 0) expect(pacer.dueAtMs(count - 1)).toBeLessThanOrEqual(elapsedMs);
  expect(pacer.dueAtMs(count)).toBeGreaterThan(elapsedMs);
}

describe('a constant rate', () => {
  it('starts at once and is evenly spaced', () => {
    const pacer = constantRate(200);
    expect([0, 1, 2, 200].map(pacer.dueAtMs)).toEqual([0, 5, 10, 1000]);
  });

  it('has as many arrivals due as its due instants say', () => {
    fc.assert(
      fc.property(rates, fc.double({ min: 0, max: 60_000, noNaN: true }), (rate, elapsedMs) => {
        expectCountsToAgree(constantRate(rate), elapsedMs);
      }),
    );
  });

  it('makes rate times duration arrivals in whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 100 }), (rate, seconds) => {
        // The arrival due exactly at the end belongs to what follows.
        expect(constantRate(rate).dueCount(seconds * 1000) - 1).toBe(rate * seconds);
      }),
    );
  });
});

describe('a ramp', () => {
  it('reaches the area under its line', () => {
    expect(rampRate(100, 2000, 10_000).dueCount(9999.9999)).toBe(10_500);
    expect(rampRate(2000, 100, 10_000).dueCount(9999.9999)).toBe(10_500);
    expect(rampRate(0, 100, 10_000).dueCount(9999.9999)).toBe(500);
  });

  it('is the constant rate when both ends are equal', () => {
    fc.assert(
      fc.property(rates, fc.nat(1000), (rate, n) => {
        const dueMs = constantRate(rate).dueAtMs(n);
        fc.pre(dueMs < 1e7);
        expect(rampRate(rate, rate, 1e8).dueAtMs(n)).toBeCloseTo(dueMs, 5);
      }),
    );
  });

  it('never goes back in time, and its counts agree with its instants', () => {
    fc.assert(
      fc.property(rates, rates, fc.double({ min: 0, max: 9_999, noNaN: true }), (from, to, elapsedMs) => {
        const pacer = rampRate(from, to, 10_000);
        expectCountsToAgree(pacer, elapsedMs);
        const count = pacer.dueCount(elapsedMs);
        expect(pacer.dueAtMs(count + 1)).toBeGreaterThanOrEqual(pacer.dueAtMs(count));
      }),
    );
  });
});
