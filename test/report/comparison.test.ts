import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { comparisonText } from '../../src/report/comparison.ts';
import { comparisonPage } from '../../src/report/html/comparison-page.ts';
import { comparisonJunitXml } from '../../src/report/junit.ts';
import { comparisonMarkdown } from '../../src/report/markdown.ts';
import { COLORED, PLAIN } from '../../src/report/palette.ts';
import { ACCEPTED, BAD, BAD_FACTS, NOISY, SINGLE, SINGLE_FACTS } from './comparisons.ts';

describe('the text of a comparison', () => {
  it('says for one run per side that it cannot tell, how many runs it needs, and which runs were compared', () => {
    const texts = [
      comparisonText(SINGLE, SINGLE_FACTS, { ...PLAIN, columns: 100 }).replaceAll(/\n\s+/g, ' '),
      comparisonMarkdown(SINGLE, SINGLE_FACTS),
      comparisonPage(SINGLE, SINGLE_FACTS),
      comparisonJunitXml('steady', SINGLE, []),
    ];
    for (const text of texts) expect(text).toContain('run at least 4 pairs');
    for (const text of texts.slice(0, 3)) {
      for (const fact of ['2026-11-21T10-15-30Z-seed1', '2026-11-21 10:15:30 UTC', '0.1.0', '4 × a CPU, linux'])
        expect(text).toContain(fact);
    }
    expect(texts[3]).toContain('failures="0" errors="1"');
  });

  it.each([
    ['no verdict', NOISY, 'cannot tell: changes below'],
    ['passed, if it is accepted', ACCEPTED, 'no regression beyond noise: changes below'],
  ])('says of noise in every format which changes could not be seen, and what helps: it is %s', (_, noisy, words) => {
    const texts = [
      comparisonText(noisy, SINGLE_FACTS, { ...PLAIN, columns: 100 }).replaceAll(/\n\s+/g, ' '),
      comparisonMarkdown(noisy, SINGLE_FACTS),
      comparisonPage(noisy, SINGLE_FACTS),
      comparisonJunitXml('steady', noisy, []),
    ];
    const told = new RegExp(
      `${words} \\d+\\.\\d% could not be seen \\(p\\d+ of checkdata in steady\\); run \\d+ more pairs, or on an idle machine`,
      'i',
    );
    for (const text of texts) expect(text).toMatch(told);
    expect(texts[1]).toContain(noisy === NOISY ? '❔' : '✅');
    expect(texts[2]).toContain('class="verdict caution"');
    expect(texts[3]).toContain(
      noisy === NOISY
        ? 'failures="0" errors="1" time="0.000" skipped="3"'
        : 'failures="0" errors="0" time="0.000" skipped="3"',
    );
  });

  it('shows the whole table on the page, however long', () => {
    expect(comparisonPage(BAD, BAD_FACTS)).toContain('#compared~.scroll,#runs~.scroll{max-height:none}');
  });

  it('matches the golden text', async () => {
    await expect(comparisonText(BAD, BAD_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-bad.txt');
    await expect(comparisonText(SINGLE, SINGLE_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-single.txt');
    await expect(comparisonText(NOISY, SINGLE_FACTS, PLAIN)).toMatchFileSnapshot('golden/comparison-noisy.txt');
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
