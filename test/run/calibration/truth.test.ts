import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistogram, percentileMs, record } from '../../../src/metrics/recording/histogram.ts';
import {
  compareWithTruth,
  countAbove,
  errorMs,
  isWithin,
  percentileOf,
  timesUnderFreeze,
} from '../../../src/run/calibration/truth.ts';

const durations = fc.array(fc.double({ min: 0.001, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 80 });
const percentiles = fc.double({ min: 0, max: 100, noNaN: true });

function histogramOf(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) record(histogram, value);
  return histogram;
}

describe('a percentile of exact values', () => {
  it("equals the histogram's within its precision", () => {
    fc.assert(
      fc.property(durations, percentiles, (values, percentile) => {
        const trueMs = percentileOf(values, percentile);
        const measuredMs = percentileMs(histogramOf(values), percentile) ?? Number.NaN;
        expect(errorMs({ percentile, trueMs, measuredMs })).toBe(0);
      }),
    );
  });

  it('never falls if values rise in any order, so a generator that only adds delay stays above the truth', () => {
    fc.assert(
      fc.property(durations, fc.infiniteStream(fc.nat(50)), percentiles, (values, extra, percentile) => {
        const later = values.map((value) => value + (extra.next().value ?? 0));
        expect(percentileOf(later.toReversed(), percentile)).toBeGreaterThanOrEqual(percentileOf(values, percentile));
      }),
    );
  });

  it('requires a value', () => {
    expect(() => percentileOf([], 50)).toThrow(RangeError);
  });
});

describe('a comparison with the truth', () => {
  it('finds an offset above the precision, and its sign', () => {
    const truth = Array.from({ length: 100 }, (_, n) => n + 1);
    for (const offset of [-0.9, 7]) {
      const measured = histogramOf(truth.map((value) => value + offset));
      for (const comparison of compareWithTruth(truth, measured)) {
        expect(Math.abs(errorMs(comparison) - offset)).toBeLessThanOrEqual(0.25);
        expect(isWithin(comparison, { belowMs: 1, aboveMs: 5 })).toBe(offset < 0);
      }
    }
  });

  it('rejects an empty histogram', () => {
    expect(() => compareWithTruth([1], createHistogram())).toThrow('nothing was measured');
  });
});

it('values above a limit are counted as recorded, except for those within precision of the limit', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0.01, max: 60_000, noNaN: true }), (values, limit) => {
      const count = countAbove(histogramOf(values), limit);
      expect(count).toBeGreaterThanOrEqual(values.filter((value) => value > limit * 1.002 + 0.002).length);
      expect(count).toBeLessThanOrEqual(values.filter((value) => value > limit * 0.998 - 0.002).length);
    }),
  );
});

describe('the calculation of a freeze', () => {
  const loads = fc.record({
    ratePerSecond: fc.integer({ min: 1, max: 500 }),
    agents: fc.integer({ min: 1, max: 200 }),
    freezeMs: fc.integer({ min: 1, max: 15_000 }),
    durationMs: fc.integer({ min: 15_000, max: 19_000 }),
  });

  it('accounts for every arrival', () => {
    fc.assert(
      fc.property(loads, (load) => {
        const { responseMs, serviceMs, dropped } = timesUnderFreeze(load);
        expect(serviceMs.length).toBe(responseMs.length);
        expect(responseMs.length + dropped).toBe(Math.ceil(load.durationMs / (1000 / load.ratePerSecond)));
      }),
    );
  });

  it('makes rate × (freeze − x) arrivals wait longer than x if none is dropped', () => {
    fc.assert(
      fc.property(loads, fc.double({ min: 0, max: 1, noNaN: true }), (load, share) => {
        const { responseMs, dropped } = timesUnderFreeze(load);
        fc.pre(dropped === 0);
        const limitMs = share * load.freezeMs;
        const waiting = responseMs.filter((wait) => wait > limitMs).length;
        expect(Math.abs(waiting - ((load.freezeMs - limitMs) * load.ratePerSecond) / 1000)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('leaves only one wait per agent in service time', () => {
    fc.assert(
      fc.property(loads, (load) => {
        const { responseMs, serviceMs, dropped } = timesUnderFreeze(load);
        const frozen = responseMs.filter((wait) => wait > 0).length + dropped;
        expect(serviceMs.filter((wait) => wait > 0).length).toBe(Math.min(load.agents, frozen));
      }),
    );
  });
});
