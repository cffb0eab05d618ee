import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Band } from '../../src/report/page/chart-data.ts';
import { stripsOf } from '../../src/report/page/strips.ts';

const happening = fc.record({ from: fc.nat(100), lasts: fc.nat(40), kind: fc.constantFrom('event', 'fault') });

it('no fault or event hides another, however many overlap, and charts keep most of their height', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 17 }), (happenings) => {
      const bands = happenings.map(
        ({ from, lasts, kind }, n): Band =>
          ({ kind, label: `${n}`, fromSeconds: from, toSeconds: from + lasts }) as Band,
      );
      const { all, heightPx } = stripsOf(bands);
      expect(all).toHaveLength(bands.length);
      expect(heightPx).toBeLessThanOrEqual(90);
      for (const [n, one] of all.entries()) {
        for (const other of all.slice(n + 1)) {
          const [a, b] = [one.band, other.band];
          const isBeside = a.toSeconds <= b.fromSeconds && a.fromSeconds < b.fromSeconds;
          const isAfter = b.toSeconds <= a.fromSeconds && b.fromSeconds < a.fromSeconds;
          const isBelow = other.topPx >= one.topPx + one.tallPx || one.topPx >= other.topPx + other.tallPx;
          expect(isBeside || isAfter || isBelow).toBe(true);
        }
      }
    }),
  );
});
