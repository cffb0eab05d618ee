import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { comparisonText } from '../../src/report/comparison.ts';
import { comparisonPage } from '../../src/report/html/comparison-page.ts';
import { comparisonJunitXml } from '../../src/report/junit.ts';
import { COLORED, PLAIN } from '../../src/report/layout.ts';
import { comparisonMarkdown } from '../../src/report/markdown.ts';
import { BAD, BAD_FACTS, SINGLE, SINGLE_FACTS } from './comparisons.ts';

describe('the text of a comparison', () => {
  it('says for one run per side that it cannot tell, how many runs it needs, and which runs were compared', () => {
    const texts = [
      comparisonText(SINGLE, SINGLE_FACTS, { ...PLAIN, columns: 100 }).replaceAll(/\n\s+/g, ' '),
      comparisonMarkdown(SINGLE, SINGLE_FACTS),
      comparisonPage(SINGLE, SINGLE_FACTS),
      comparisonJunitXml('steady', SINGLE, []),
    ];
    for (const text of texts) expect(text).toContain('run at least 4 of the base and 3 of the candidate');
    for (const text of texts.slice(0, 3)) {
      for (const fact of ['2026-11-21T10-15-30Z-seed1', '2026-11-21 10:15:30 UTC', '0.1.0', '4 × a CPU, linux'])
        expect(text).toContain(fact);
    }
    expect(texts[3]).toContain('failures="0" errors="1"');
  });

  it('shows the whole table on the page, however long', () => {
    expect(comparisonPage(BAD, BAD_FACTS)).toContain('#compared~.scroll,#runs~.scroll{max-height:none}');
  });

  it('matches the golden text', async () => {
    await expect(comparisonText(BAD, BAD_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-bad.txt');
    await expect(comparisonText(SINGLE, SINGLE_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-single.txt');
  });

  it('is the same with and without colors', () => {
    expect(stripVTControlCharacters(comparisonText(BAD, BAD_FACTS, COLORED))).toBe(
      comparisonText(BAD, BAD_FACTS, PLAIN),
    );
  });

  it('matches the golden JUnit XML, where a regression is a failure and an invalid run an error', async () => {
    const xml = comparisonJunitXml('steady', BAD, ['run1 is invalid: too slow']);
    await expect(xml).toMatchFileSnapshot('golden/comparison-bad.xml');
  });

  it('matches the golden page', async () => {
    const page = comparisonPage(BAD, BAD_FACTS).replace(/<style>.*<\/style>/s, '');
    await expect(page).toMatchFileSnapshot('golden/comparison-bad.html');
  });

  it('matches the golden Markdown', async () => {
    await expect(comparisonMarkdown(BAD, BAD_FACTS)).toMatchFileSnapshot('golden/comparison-bad.md');
  });
});
