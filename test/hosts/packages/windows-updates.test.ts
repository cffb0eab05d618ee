import { describe, expect, it } from 'vitest';
import { monthOf } from '../../../src/hosts/packages/updates.ts';
import { cumulativeOf, cumulativeUpdates } from '../../../src/hosts/packages/windows-updates.ts';
import { HOST_DATA } from '../host-data.ts';

describe('the cumulative updates of an edition', () => {
  const windows = cumulativeUpdates(HOST_DATA.tables, 'windows-11');

  it('have the published numbers in known months, and increasing ones afterward', () => {
    expect(cumulativeOf(windows, monthOf(2024, 10))).toEqual({ article: 5_044_284, build: 2033 });
    expect(cumulativeOf(windows, monthOf(2026, 1))).toEqual({ article: 5_074_109, build: 7623 });
    const later = Array.from({ length: 24 }, (_, month) => cumulativeOf(windows, monthOf(2026, 9) + month));
    for (const key of ['article', 'build'] as const) {
      const numbers = later.map((update) => update[key]);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });

  it('must be listed without a gap', () => {
    const data = {
      'apps/windows-cumulative.tsv': 'edition\tmonth\tarticle\tbuild\nx\t2024-10\t1\t1\nx\t2024-12\t2\t2\n',
    };
    expect(() => cumulativeUpdates(data, 'x')).toThrow(
      'apps/windows-cumulative.tsv:3:month: expected 2024-11, as no month is left out, found 2024-12',
    );
    expect(() => cumulativeUpdates(HOST_DATA.tables, 'y')).toThrow(
      'apps/windows-cumulative.tsv:1:edition: expected lines of y, found nothing',
    );
  });
});
