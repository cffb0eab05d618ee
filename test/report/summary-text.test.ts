import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COLOURED, PLAIN } from '../../src/report/palette.ts';
import { summaryText } from '../../src/report/summary-text.ts';
import { badSummary, goodSummary, invalidSummary, polledSummary, unreachableSummary } from './summaries.ts';

const RESULTS = 'results/steady/2026-11-21T10-15-30Z-seed1';
const CASES = {
  good: goodSummary,
  bad: badSummary,
  invalid: invalidSummary,
  unreachable: unreachableSummary,
  polled: polledSummary,
};
const cases = Object.entries(CASES);

describe('the text at the end of a run', () => {
  it.each(cases)('is the golden one of the %s run', async (name, summaryOf) => {
    await expect(summaryText(summaryOf(), RESULTS, PLAIN)).toMatchFileSnapshot(`golden/summary-${name}.txt`);
  });

  it('is the golden one in colours', async () => {
    await expect(summaryText(badSummary(), RESULTS, COLOURED)).toMatchFileSnapshot('golden/summary-bad-coloured.txt');
  });

  it.each(cases)('of the %s run says the same with and without colours', (_, summaryOf) => {
    const coloured = summaryText(summaryOf(), RESULTS, COLOURED);
    expect(stripVTControlCharacters(coloured)).toBe(summaryText(summaryOf(), RESULTS, PLAIN));
  });

  it.each(cases)('of the %s run is at most 100 columns wide', (_, summaryOf) => {
    const lines = summaryText(summaryOf(), undefined, PLAIN).split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it('keeps its columns with the largest figures', () => {
    const [, operation] = goodSummary().overall;
    if (operation === undefined) throw new Error('the good run has two operations');
    const slowest = { ...operation.latencyMs.response, p50: 9999, p95: 9999.4, p99: 99_949, max: 3_600_000 };
    const large = {
      ...operation,
      planned: 1e9,
      succeeded: 999_999,
      failed: 999_999_999,
      succeededPerSecond: 999_999,
      latencyMs: { response: { ...slowest, count: 1, min: 1, mean: 1, p75: 1, p90: 1, p999: 1 } },
    };
    const text = summaryText({ ...goodSummary(), overall: [large] }, undefined, PLAIN);
    const row = text.split('\n').find((line) => line.includes('checkdata  '));
    expect(row?.trim().split(/(?<!\d) +| +(?!ms|s\b)/)).toEqual([
      'checkdata',
      '1.00G',
      '999,999',
      '1.00G',
      '0',
      '999,999',
      '9,999 ms',
      '9,999 ms',
      '99.9 s',
      '3,600 s',
    ]);
    expect(row?.length).toBeLessThanOrEqual(90);
  });
});
