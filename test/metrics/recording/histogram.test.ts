import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import {
  countsByBound,
  countsByValue,
  createHistogram,
  decode,
  encode,
  latencyOf,
  maxMs,
  meanMs,
  merge,
  minMs,
  pack,
  percentileDistribution,
  percentileMs,
  record,
  rounded,
  unpack,
  valueCount,
} from '../../../src/metrics/recording/histogram.ts';
import { draws } from '../../draws.ts';

const durations = fc.array(fc.double({ min: 0.001, max: 3_600_000, noNaN: true }), { minLength: 1, maxLength: 60 });

function histogramOf(values: readonly number[]) {
  const histogram = createHistogram();
  for (const value of values) record(histogram, value);
  return histogram;
}

function payloadOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  expect(bytes.readUInt32BE(4)).toBe(bytes.length - 8);
  return inflateSync(bytes.subarray(8));
}

describe('a histogram', () => {
  it('keeps every percentile within three significant digits', () => {
    fc.assert(
      fc.property(durations, fc.double({ min: 1, max: 100, noNaN: true }), (values, percentile) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length - 1e-9) - 1)] ?? 0;
        const found = percentileMs(histogramOf(values), percentile) ?? Number.NaN;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact / 1000 + 0.0011);
      }),
      { numRuns: draws(6) },
    );
  });

  it('has the same statistics however its values were split, merged and encoded', () => {
    fc.assert(
      fc.property(durations, durations, durations, (a, b, c) => {
        const whole = latencyOf(histogramOf([...a, ...b, ...c]));
        for (const order of [
          [a, b, c],
          [c, b, a],
          [b, a, c],
        ]) {
          const sum = createHistogram();
          for (const part of order) merge(sum, decode(encode(histogramOf(part))));
          expect(latencyOf(sum)).toEqual(whole);
        }
      }),
      { numRuns: draws(4) },
    );
  });

  it('has the figures of its percentiles, minimum, maximum and mean in a summary', () => {
    fc.assert(
      fc.property(fc.array(durations, { minLength: 1, maxLength: 20 }), (values) => {
        const histogram = histogramOf(values.flat());
        const at = (percentile: number) => rounded(percentileMs(histogram, percentile) ?? Number.NaN);
        expect(latencyOf(histogram)).toEqual({
          count: values.flat().length,
          mean: rounded(meanMs(histogram) ?? 0),
          min: at(0),
          max: at(100),
          p50: at(50),
          p75: at(75),
          p90: at(90),
          p95: at(95),
          p99: at(99),
          p999: at(99.9),
        });
      }),
    );
  });

  it('is encoded as by the JavaScript library, but with the offset 0 and the ratio 1.0 that Java writes', () => {
    fc.assert(
      fc.property(fc.array(durations, { maxLength: 20 }), fc.integer({ min: 1, max: 1e7 }), (values, times) => {
        const histogram = histogramOf(values.flat());
        if (values.length > 0) histogram.recordValueWithCount(42, times);
        const [own, library] = [encode(histogram), encodeIntoCompressedBase64(histogram)].map(payloadOf);
        expect([own?.readUInt32BE(8), own?.readDoubleBE(32)]).toEqual([0, 1]);
        expect([library?.readUInt32BE(8), library?.readDoubleBE(32)]).toEqual([1, Number.MIN_VALUE]);
        library?.writeUInt32BE(0, 8);
        library?.writeDoubleBE(1, 32);
        expect(own).toEqual(library);
        expect(latencyOf(decode(encodeIntoCompressedBase64(histogram)))).toEqual(latencyOf(decode(encode(histogram))));
      }),
    );
  });

  it('is encoded to the same bytes whether its parts were merged packed or as text', () => {
    fc.assert(
      fc.property(durations, durations, (a, b) => {
        const [asText, packed] = [createHistogram(), createHistogram()];
        for (const part of [a, b].map(histogramOf)) {
          merge(asText, decode(encode(part)));
          merge(packed, pack(part));
        }
        expect(latencyOf(packed)).toEqual(latencyOf(histogramOf([...a, ...b])));
        expect(encode(packed)).toBe(encode(asText));
        expect(encode(unpack(pack(packed)))).toBe(encode(asText));
        expect(encode(pack(packed))).toBe(encode(asText));
      }),
      { numRuns: draws(6) },
    );
  });

  it('packs counts larger than one byte, or four, into a small buffer of its own', () => {
    const histogram = createHistogram();
    for (const [value, count] of [
      [1, 127],
      [2, 128],
      [3_600_000_000, 2 ** 31],
    ] as const)
      histogram.recordValueWithCount(value, count);
    const packed = pack(histogram);
    expect(packed.buffer.byteLength).toBe(packed.length);
    expect(packed.length).toBeLessThan(16);
    expect(latencyOf(unpack(packed))).toEqual(latencyOf(histogram));
    expect(pack(createHistogram())).toHaveLength(0);
  });

  it('clamps values outside of one microsecond to one hour', () => {
    const histogram = histogramOf([-3, 0, 0.0001, 1e12]);
    expect(valueCount(histogram)).toBe(4);
    expect(minMs(histogram)).toBe(0.001);
    expect(maxMs(histogram)).toBeCloseTo(3_600_000, -4);
  });

  it('rejects a duration that is NaN', () => {
    expect(() => record(createHistogram(), Number.NaN)).toThrow(RangeError);
  });

  it('has no statistics without values', () => {
    const empty = createHistogram();
    expect([percentileMs(empty, 99), minMs(empty), maxMs(empty), meanMs(empty)]).toEqual(Array(4).fill(undefined));
  });

  it('has the same mean as the library', () => {
    fc.assert(
      fc.property(durations, durations, (a, b) => {
        const histogram = histogramOf(a);
        merge(histogram, histogramOf(b));
        if (valueCount(histogram) > 0) expect(meanMs(histogram)).toBe(histogram.mean / 1000);
      }),
      { numRuns: draws(4) },
    );
  });

  it('is unchanged by merging an empty one', () => {
    const histogram = histogramOf([4, 5]);
    merge(histogram, createHistogram());
    expect(latencyOf(histogram)).toEqual(latencyOf(histogramOf([4, 5])));
  });

  it('counts each value under the first bound that its whole class does not exceed, and its sum matches the mean', () => {
    // Steps, so that values often equal bounds, which their HDR class then exceeds.
    const steps = fc.integer({ min: 1, max: 900 }).map((step) => step * 0.1);
    const values = fc.array(fc.oneof(steps, fc.double({ min: 0.001, max: 90_000, noNaN: true })), { maxLength: 60 });
    fc.assert(
      fc.property(values, fc.uniqueArray(steps, { maxLength: 60 }), (values, some) => {
        const rising = some.toSorted((a, b) => a - b);
        const histogram = histogramOf(values);
        const expected = Array.from({ length: rising.length + 1 }, () => 0);
        countsByValue(histogram, (valueMs, count) => {
          const bound = rising.findIndex((boundMs) => valueMs <= boundMs);
          const place = bound < 0 ? rising.length : bound;
          expected[place] = (expected[place] ?? 0) + count;
        });
        const { counts, sumMs } = countsByBound(histogram, rising);
        expect(counts).toEqual(expected);
        expect(sumMs).toBeCloseTo((meanMs(histogram) ?? 0) * valueCount(histogram), 6);
      }),
      { numRuns: draws(6) },
    );
  });

  it('prints a percentile distribution in milliseconds', () => {
    const text = percentileDistribution(histogramOf([1, 2, 3]));
    expect(text).toMatch(/^ +Value +Percentile +TotalCount 1\/\(1-Percentile\)/);
    expect(text).toMatch(/#\[Max {5}= +3\.00\d, Total count {4}= +3\]/);
  });
});
