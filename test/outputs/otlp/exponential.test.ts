import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countsByBound,
  createHistogram,
  maxMs,
  minMs,
  percentileMs,
  record,
} from '../../../src/metrics/recording/histogram.ts';
import { exponentialOf, lowerBoundOf, SCALE } from '../../../src/outputs/otlp/metric-data.ts';

/** Ratio of a bucket's upper bound to its lower bound. */
const WIDTH = 2 ** (1 / 2 ** SCALE);
/** An HDR histogram with three digits: largest ratio of a value's recorded upper bound to the value. */
const HDR = 1 + 1 / 1024;

// Whole microseconds, as they are recorded, of all magnitudes, some close together.
const duration = fc.oneof(
  fc.integer({ min: 1, max: 3_600_000_000 }),
  fc.integer({ min: 1, max: 5000 }),
  fc.double({ min: 0, max: Math.log2(3_600_000_000), noNaN: true }).map((log) => Math.floor(2 ** log)),
);
const durations = fc.array(duration, { minLength: 1, maxLength: 300 });

function recorded(values: readonly number[]) {
  const histogram = createHistogram();
  for (const microseconds of values) record(histogram, microseconds / 1000);
  return histogram;
}

/** The upper bound at which an HDR histogram counts a value, in seconds; summaries report it. */
const hdrSeconds = (microseconds: number) => (maxMs(recorded([microseconds])) ?? 0) / 1000;

/** The bounds of the bucket that contains the value of this rank. */
function bucketAt(rank: number, { positive: { offset, bucketCounts } }: ReturnType<typeof exponentialOf>) {
  let passed = 0;
  const place = bucketCounts.findIndex((count) => {
    passed += count;
    return passed >= rank;
  });
  return { lower: lowerBoundOf(offset + place), upper: lowerBoundOf(offset + place + 1) };
}

describe('an exponential histogram of durations', () => {
  it('counts each value in the bucket of its HDR histogram value, and in no other', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const { scale, zeroCount, negative, positive } = exponentialOf(recorded(values));
        expect({ scale, zeroCount, negative }).toEqual({
          scale: 8,
          zeroCount: 0,
          negative: { offset: 0, bucketCounts: [] },
        });
        const borders = values.map(hdrSeconds);
        const expected = positive.bucketCounts.map((_, place) => {
          const [lower, upper] = [lowerBoundOf(positive.offset + place), lowerBoundOf(positive.offset + place + 1)];
          return borders.filter((border) => border > lower && border <= upper).length;
        });
        expect(positive.bucketCounts).toEqual(expected);
        expect(positive.bucketCounts.at(0)).toBeGreaterThan(0);
        expect(positive.bucketCounts.at(-1)).toBeGreaterThan(0);
      }),
    );
  });

  it('has the count, the sum, the minimum and the maximum of the HDR histogram', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const histogram = recorded(values);
        const { count, sum, min, max, positive } = exponentialOf(histogram);
        expect(count).toBe(values.length);
        expect(positive.bucketCounts.reduce((all, each) => all + each, 0)).toBe(values.length);
        expect(sum).toBe(countsByBound(histogram, []).sumMs / 1000);
        expect([min, max]).toEqual([(minMs(histogram) ?? 0) / 1000, hdrSeconds(Math.max(...values))]);
      }),
    );
  });

  it('has each quantile within 0.28 % of the summary, and within 0.38 % of what was recorded', () => {
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 100, noNaN: true }), (values, percentile) => {
        const histogram = recorded(values);
        const rank = Math.min(values.length, Math.max(1, Math.ceil((percentile / 100) * values.length)));
        const { lower, upper } = bucketAt(rank, exponentialOf(histogram));
        const told = (percentileMs(histogram, (rank / values.length) * 100) ?? 0) / 1000;
        expect(told).toBeGreaterThan(lower);
        expect(told).toBeLessThanOrEqual(upper);
        expect(upper / lower).toBeCloseTo(WIDTH, 12);
        const exact = (values.toSorted((a, b) => a - b)[rank - 1] ?? 0) / 1e6;
        expect(lower).toBeGreaterThan(exact / WIDTH / (1 + 1e-12));
        expect(upper).toBeLessThan(exact * HDR * WIDTH * (1 + 1e-12));
      }),
    );
    expect(WIDTH - 1).toBeLessThan(0.0028);
    expect(WIDTH * HDR - 1).toBeLessThan(0.0038);
  });

  it('has no more buckets than needed from a microsecond to an hour', () => {
    const { positive } = exponentialOf(recorded([1, 3_600_000_000]));
    expect(positive.bucketCounts.length).toBeLessThan(32 * 256);
  });

  it('without values is empty', () => {
    expect(exponentialOf(createHistogram())).toMatchObject({ count: 0, sum: 0, positive: { bucketCounts: [] } });
  });
});
