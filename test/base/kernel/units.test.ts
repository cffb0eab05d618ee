import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatBytes, formatDuration, parseDuration, parseRate } from '../../../src/base/kernel/units.ts';

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['5s', 5000],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['100us', 0.1],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 9);
  });

  it.each(['', '5', 's', '5 s', '-5s', '5x', '5s!'])('refuse %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('read back as written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 10 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBeCloseTo(milliseconds, 3);
      }),
    );
  });
});

describe('rates', () => {
  it('can be per second, minute or hour', () => {
    expect([parseRate('200/s'), parseRate('30/m'), parseRate('36/h')]).toEqual([200, 0.5, 0.01]);
  });

  it.each(['', '200', '/s', '-1/s', '5/d'])('refuse %j', (text) => {
    expect(parseRate(text)).toBeUndefined();
  });
});

describe('byte sizes', () => {
  it('are written in decimal units', () => {
    expect([0, 999, 1400, 220_000, 3.2e9].map(formatBytes)).toEqual(['0 B', '999 B', '1.4 KB', '220 KB', '3.2 GB']);
  });
});
