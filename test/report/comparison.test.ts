import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/metrics/comparing/compare.ts';
import { comparisonMarkdown } from '../../src/report/comparison-markdown.ts';
import { comparisonText } from '../../src/report/comparison-text.ts';
import { comparisonJunitXml } from '../../src/report/junit.ts';
import { COLOURED, PLAIN } from '../../src/report/palette.ts';
import { runOf } from '../metrics/comparing/runs.ts';

const BASE = [runOf({ failed: 2 }), runOf({ serviceMs: 10.4 })];
const BAD = compare(BASE, [runOf({ serviceMs: 15, failed: 30, count: 380 })], 0.05);
const SINGLE = compare([runOf()], [runOf({ serviceMs: 7 })], 0.05);
const FACTS = { scenarioName: 'steady', candidateRuns: 1, tolerance: 0.05 };
const BAD_FACTS = { ...FACTS, baseRuns: 2, warnings: ['seed differs: base 1, candidate 2'] };
const SINGLE_FACTS = { ...FACTS, baseRuns: 1, warnings: [] };

describe('a comparison for a person', () => {
  it('is the golden text', async () => {
    await expect(comparisonText(BAD, BAD_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-bad.txt');
    await expect(comparisonText(SINGLE, SINGLE_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-single.txt');
  });

  it('says the same with and without colours', () => {
    expect(stripVTControlCharacters(comparisonText(BAD, BAD_FACTS, COLOURED))).toBe(
      comparisonText(BAD, BAD_FACTS, PLAIN),
    );
  });

  it('is the golden JUnit XML, in which a regression is a failure and a run without meaning an error', async () => {
    const xml = comparisonJunitXml('steady', BAD, ['run1 is invalid: too slow']);
    await expect(xml).toMatchFileSnapshot('golden/comparison-bad.xml');
  });

  it('is the golden Markdown', async () => {
    await expect(comparisonMarkdown(BAD, BAD_FACTS)).toMatchFileSnapshot('golden/comparison-bad.md');
  });
});
