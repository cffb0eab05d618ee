import { describe, expect, it } from 'vitest';
import { stepSummary } from '../../src/report/markdown.ts';
import { badSummary, goodSummary, invalidSummary, unreachableSummary } from './summaries.ts';

const CASES = { good: goodSummary, bad: badSummary, invalid: invalidSummary, unreachable: unreachableSummary };

describe('a run in Markdown', () => {
  it.each(Object.entries(CASES))('is the golden one of the %s run', async (name, summaryOf) => {
    await expect(stepSummary(summaryOf())).toMatchFileSnapshot(`golden/step-${name}.md`);
  });

  it('shows a name as it is, whatever it holds', () => {
    expect(stepSummary({ ...goodSummary(), scenarioName: 'a|b <img> *c*\n# d' })).toContain(
      '### a\\|b \\<img\\> \\*c\\* \\# d: ',
    );
  });
});
