import { describe, expect, it } from 'vitest';
import type { ThresholdResult } from '../../src/metrics/judging/thresholds.ts';
import { thresholdsSection, verdictSection } from '../../src/report/html/sections.ts';
import { junitXml } from '../../src/report/junit.ts';
import { stepSummary } from '../../src/report/markdown.ts';
import { PLAIN } from '../../src/report/palette.ts';
import { summaryText } from '../../src/report/summary-text.ts';
import { goodSummary } from './summaries.ts';

const BECAUSE = 'worker 1 was late by 650 ms at 14.2 s';
const THRESHOLD = { kind: 'operation', operation: 'checkdata', text: 'p(95) < 20ms', unit: 'milliseconds' } as const;

const JUDGED: ThresholdResult = {
  ...THRESHOLD,
  observed: 12,
  passed: true,
  judgedOn: 'rest',
  leftOut: { share: 0.035, ms: 700, text: `judged on 96.5% of steady; 0.7 s left out: ${BECAUSE}` },
};

const UNJUDGED: ThresholdResult = {
  ...THRESHOLD,
  passed: false,
  unjudged: `34% of steady was left out (limit 20%): ${BECAUSE}`,
  leftOut: { share: 0.34, ms: 7000, text: `late for 7.0 s (34%) of steady: ${BECAUSE}` },
};

const REPORTS = [
  ['text', (summary) => summaryText(summary, undefined, { ...PLAIN, columns: 200 }).replaceAll(/\s+/g, ' ')],
  ['Markdown', (summary) => stepSummary(summary).replaceAll('\\', '')],
  ['JUnit XML', (summary) => junitXml([summary])],
  ['report.html', (summary) => thresholdsSection(summary).markup],
] as const satisfies readonly (readonly [string, (summary: ReturnType<typeof goodSummary>) => string])[];

it('that was not judged makes the text, the report and the checks of a build say what to do', () => {
  const summary = {
    ...goodSummary(),
    verdict: { ...goodSummary().verdict, kind: 'invalid' as const },
    thresholds: [UNJUDGED],
  };
  const texts = [summaryText(summary, undefined, PLAIN), stepSummary(summary), verdictSection(summary).markup];
  for (const text of texts) expect(text.replaceAll(/\s+/g, ' ')).toContain('run it again when other programs are idle');
});

describe('a threshold in a run whose generator was late', () => {
  it.each(REPORTS)(
    'names in %s what was left out and why, and does not appear crossed if it was not judged',
    (_, of) => {
      const holds = of({ ...goodSummary(), thresholds: [JUDGED] });
      expect(holds).toContain(`judged on 96.5% of steady; 0.7 s left out: ${BECAUSE}`);
      expect(holds).not.toMatch(/❔|not judged|<error/);
      const unjudged = of({ ...goodSummary(), thresholds: [UNJUDGED] });
      expect(unjudged).toContain(`not judged: 34% of steady was left out (limit 20%): ${BECAUSE}`);
      expect(unjudged).not.toMatch(/✗ checkdata|❌|<failure|crossed/);
      expect(unjudged).toMatch(/\? checkdata|❔|<error|\?<span/);
    },
  );
});
