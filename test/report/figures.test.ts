import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tallyText } from '../../src/report/figures.ts';
import { countText, latencyText, rateText, shareText, tickText } from '../../src/report/page/figures.ts';

describe('formatted figures', () => {
  it('label no two ticks of a chart alike, however few bytes it shows', () => {
    for (const top of [1, 2, 5, 10, 100]) {
      const texts = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => tickText(part * top, 'bytes per second'));
      expect(new Set(texts).size).toBe(6);
    }
    expect(tickText(12, 'bytes per second')).toBe('12 B/s');
  });

  it.each([
    [0, '0'],
    [999_999, '999,999'],
    [999_999.9, '1.00M'],
    [12_345_678, '12.3M'],
    [999_999_999, '1.00G'],
  ])('show the count %d as %s', (count, text) => {
    expect(countText(count)).toBe(text);
  });

  it.each([
    [0.001, '0.00 ms'],
    [9.994, '9.99 ms'],
    [9.996, '10.0 ms'],
    [99.96, '100 ms'],
    [1234, '1,234 ms'],
    [9999.6, '10.0 s'],
    [3_600_000, '3,600 s'],
  ])('show %d milliseconds as %s', (milliseconds, text) => {
    expect(latencyText(milliseconds)).toBe(text);
  });

  it('fit their columns, whatever the value', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 3_700_000, noNaN: true }), (value) => {
        expect(latencyText(value).length).toBeLessThanOrEqual(8);
        expect(countText(value * 2000).length).toBeLessThanOrEqual(7);
        expect(rateText(value * 2000).length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it('never show a small share as 0%', () => {
    expect([0, 0.000_01, 0.001, 0.0994, 0.0996, 0.5, 1].map(shareText)).toEqual([
      '0%',
      '<0.1%',
      '0.1%',
      '9.9%',
      '10%',
      '50%',
      '100%',
    ]);
  });

  it('list the most frequent first and omit zero counts', () => {
    expect(tallyText({ timeout: 1, ok: 0, http_503: 1200 })).toBe('http_503 1,200, timeout 1');
    expect(tallyText({})).toBe('');
  });
});
