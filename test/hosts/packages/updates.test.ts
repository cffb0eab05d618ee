import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newsOf, published, releasesOf } from '../../../src/hosts/packages/updates.ts';
import { draws } from '../../draws.ts';

const DAY_SECONDS = 86_400;

describe('the changes in an archive', () => {
  it('are the installed packages whose latest revision has changed', () => {
    const series = Array.from({ length: 120 }, (_, index) => {
      const mask = index % 4 === 0 ? [] : [index % 3 === 0 ? 1 << (index % 32) : 0, 1 << (index % 31)];
      return {
        releases: releasesOf('archive', `package-${index}`),
        counts: [{ mask, count: 1 + (index % 3) }],
      };
    });
    const newsBetween = newsOf(series);
    const anyStretch = fc.record({
      to: fc.integer({ min: 0, max: 1500 * DAY_SECONDS }),
      length: fc.double({ min: 0, max: 60 * DAY_SECONDS, noNaN: true }),
      host: fc.tuple(fc.integer(), fc.integer()),
    });
    fc.assert(
      fc.property(anyStretch, ({ to, length, host }) => {
        const from = to - length;
        const changed = series.filter(({ releases }) => published(releases, to) !== published(releases, from));
        const there = changed
          .flatMap(({ counts }) => counts)
          .filter(({ mask }) => mask.length === 0 || mask.some((word, i) => (word & (host[i] ?? 0)) !== 0));
        expect(newsBetween(from, to, host)).toBe(there.reduce((sum, { count }) => sum + count, 0));
      }),
      { numRuns: draws(100) },
    );
  });
});
