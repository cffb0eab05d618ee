import { describe, expect, it } from 'vitest';
import { stepSummary } from '../../src/report/markdown.ts';
import { badSummary, goodSummary, invalidSummary, unreachableSummary } from './summaries.ts';

const CASES = { good: goodSummary, bad: badSummary, invalid: invalidSummary, unreachable: unreachableSummary };

describe('a run in Markdown', () => {
  it.each(Object.entries(CASES))('matches the golden file of the %s run', async (name, summaryOf) => {
    await expect(stepSummary(summaryOf())).toMatchFileSnapshot(`golden/step-${name}.md`);
  });

  it('escapes any scenario name', () => {
    expect(stepSummary({ ...goodSummary(), scenarioName: 'a|b <img> *c*\n# d' })).toContain(
      '### a\\|b \\<img\\> \\*c\\* \\# d: ',
    );
  });
});
