import { describe, expect, it } from 'vitest';
import {
  chanceOf,
  criticalValue,
  type Estimate,
  pairsFor,
  upperLimit,
} from '../../../src/metrics/comparing/significance.ts';

/** Pairs with this mean, and this standard error. */
function estimate(worseBy: number, pairs = 4, spreadError: Estimate['spreadError'] = () => 1): Estimate {
  return { worseBy, pairs, spreadError, counts: undefined };
}

describe('the critical values of Student’s t', () => {
  it.each([
    [0.05, 1, 6.314],
    [0.025, 2, 4.303],
    [0.05, 3, 2.353],
    [0.01, 6, 3.143],
    [0.025, 10, 2.228],
    [0.005, 30, 2.75],
  ])('are those of printed tables: %d with %i degrees of freedom', (probability, freedom, value) => {
    expect(criticalValue(probability, freedom)).toBeCloseTo(value, 3);
  });

  it('stay within 1% of those of the normal distribution from a hundred degrees of freedom on, and above them', () => {
    const value = criticalValue(0.05, 1000);
    expect(value).toBeGreaterThan(1.6449);
    expect(value).toBeLessThan(1.6449 * 1.01);
  });
});

describe('chance', () => {
  it('counts for less if several figures change together, and the same for all figures', () => {
    const alone = chanceOf([estimate(6), ...Array.from({ length: 4 }, () => estimate(0))]);
    const together = chanceOf([estimate(6), estimate(6), estimate(6), estimate(0), estimate(0)]);
    expect(new Set(alone).size).toBe(1);
    expect(alone[0]).toBeCloseTo(criticalValue(0.02 / 5, 3), 6);
    expect(together[0]).toBeCloseTo(criticalValue((3 * 0.02) / 5, 3), 6);
  });

  it('is unknown for a figure without an estimate, which does not count', () => {
    expect(chanceOf([undefined, estimate(0)])).toEqual([undefined, chanceOf([estimate(0)])[0]]);
  });
});

describe('the upper limit', () => {
  const spreadError = (pairs: number) => 0.1 / Math.sqrt(pairs);

  it('lies above the change, by less with more pairs, and the planned pairs rule out the margin', () => {
    expect(upperLimit(estimate(2))).toBeGreaterThan(upperLimit(estimate(2, 12)));
    expect(upperLimit(estimate(2, 12))).toBeGreaterThan(2);
    const pairs = pairsFor(0.05, estimate(0, 4, spreadError)) ?? 0;
    expect(upperLimit(estimate(0, pairs, spreadError))).toBeLessThan(0.05);
    expect(pairsFor(0.001, estimate(0, 4, spreadError))).toBeUndefined();
  });

  it('is not widened by few runs if only counts vary', () => {
    const counts = { error: () => 1, operations: 100 };
    const limits = [4, 12, 1000].map((pairs) => upperLimit({ ...estimate(0, pairs, () => 0), counts }));
    expect(new Set(limits).size).toBe(1);
    expect(limits[0]).toBeGreaterThan(1.75);
    expect(limits[0]).toBeLessThan(1.78);
  });
});
