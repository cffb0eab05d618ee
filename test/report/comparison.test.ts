import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { comparisonText } from '../../src/report/comparison.ts';
import { comparisonPage } from '../../src/report/html/comparison-page.ts';
import { comparisonJunitXml } from '../../src/report/junit.ts';
import { COLOURED, PLAIN } from '../../src/report/layout.ts';
import { comparisonMarkdown } from '../../src/report/markdown.ts';
import { BAD, BAD_FACTS, SINGLE, SINGLE_FACTS } from './comparisons.ts';

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

  it('is the golden page', async () => {
    const page = comparisonPage(BAD, BAD_FACTS).replace(/<style>.*<\/style>/s, '');
    await expect(page).toMatchFileSnapshot('golden/comparison-bad.html');
  });

  it('is the golden Markdown', async () => {
    await expect(comparisonMarkdown(BAD, BAD_FACTS)).toMatchFileSnapshot('golden/comparison-bad.md');
  });
});
