import { describe, expect, it } from 'vitest';
import { reportPage } from '../../src/report/html/page.ts';
import { junitXml } from '../../src/report/junit.ts';
import { stepSummary } from '../../src/report/markdown.ts';
import { PLAIN } from '../../src/report/palette.ts';
import { summaryText } from '../../src/report/summary-text.ts';
import { cohortReport, shortReport } from './html/reports.ts';

const NO_ASSETS = { plotScript: '', pageScript: '', style: '', terms: [] };

describe('a report with cohorts', () => {
  it('has a row for each cohort and operation in the terminal, the first twelve of them, on narrow terminals, too', async () => {
    const { summary } = cohortReport(15);
    const text = summaryText(summary, undefined, PLAIN);
    const block = text.slice(text.indexOf('  cohort (agents)'), text.indexOf('  hosts'));
    await expect(block).toMatchFileSnapshot('golden/cohorts.txt');
    const narrow = summaryText(summary, undefined, { ...PLAIN, columns: 40 });
    expect(narrow.split('\n').find((line) => line.includes('role=web (5)'))).toMatch(/role=web \(5\) +\d/);
  });

  it('has the same rows in Markdown', () => {
    const markdown = stepSummary(cohortReport().summary);
    expect(markdown).toContain('| checkdata by cohort | agents | planned |');
    expect(markdown).toMatch(/\| host=\\<b\\>\\\*-a-very-long.* \| 6 \| \d+ \|/);
    expect(markdown).toContain('checkdata\\{phase:steady,role:web\\} error\\_rate');
  });

  it('has them all in HTML, over the counted phases and phase by phase, with the expression of each name', () => {
    const page = reportPage(cohortReport(15), NO_ASSETS);
    expect(page).toContain('<h2 id="cohorts">Cohorts</h2>');
    expect(page.match(/<th scope="row"><code>site-14<\/code><\/th>/g)?.length).toBeGreaterThan(3);
    expect(page).toContain('offices is <code>profile=windows-* and not 0..9</code>');
    expect(page).toContain('host=&lt;b&gt;*');
    expect(page).not.toContain('host=<b>');
  });

  it('ends its note after the first sentence if only thresholds select cohorts', () => {
    const report = cohortReport(15);
    const cohorts = (report.summary.cohorts ?? []).map((one) => ({ ...one, name: one.cohort }));
    const page = reportPage({ ...report, summary: { ...report.summary, cohorts } }, NO_ASSETS);
    expect(page).toContain('Agents can be in several cohorts, or in none.</p>');
  });

  it('names the cohort of a threshold in JUnit, too', () => {
    expect(junitXml([cohortReport().summary])).toContain('checkdata{phase:steady,role:web}');
  });

  it('says nothing of cohorts if there are none', () => {
    const { summary } = shortReport();
    expect(summaryText(summary, undefined, PLAIN)).not.toContain('cohort');
    expect(stepSummary(summary)).not.toContain('cohort');
    expect(reportPage(shortReport(), NO_ASSETS)).not.toContain('id="cohorts"');
  });
});
