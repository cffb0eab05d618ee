import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newsOf } from '../../src/machine/inventory/release-calendar.ts';
import { published, releasesOf } from '../../src/machine/inventory/releases.ts';

const DAY_SECONDS = 86_400;

describe('the news of an archive', () => {
  it('are the packages whose newest revision is another than it was', () => {
    const releases = Array.from({ length: 120 }, (_, index) => releasesOf('archive', `package-${index}`));
    const newsBetween = newsOf(releases);
    const anyStretch = fc.record({
      to: fc.integer({ min: 0, max: 1500 * DAY_SECONDS }),
      length: fc.double({ min: 0, max: 60 * DAY_SECONDS, noNaN: true }),
    });
    fc.assert(
      fc.property(anyStretch, ({ to, length }) => {
        const from = to - length;
        const changed = releases.filter((series) => published(series, to) !== published(series, from));
        expect(newsBetween(from, to)).toBe(changed.length);
      }),
      { numRuns: 300 },
    );
  });
});
