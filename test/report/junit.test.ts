import { describe, expect, it } from 'vitest';
import { junitXml } from '../../src/report/junit.ts';
import { badSummary, goodSummary, invalidSummary, unreachableSummary } from './summaries.ts';

const ALL = [goodSummary(), badSummary(), invalidSummary(), unreachableSummary()];

describe('JUnit XML', () => {
  it('matches the golden file for four runs', async () => {
    await expect(junitXml(ALL)).toMatchFileSnapshot('golden/junit.xml');
  });

  it('has a suite for each scenario, with counts that match its cases, per suite and in total', () => {
    const xml = junitXml(ALL);
    const suites = xml.split('<testsuite ').slice(1);
    expect(suites).toHaveLength(ALL.length);
    const counts = (text: string) =>
      ['tests', 'failures', 'errors', 'skipped'].map((name) => Number(new RegExp(`${name}="(\\d+)"`).exec(text)?.[1]));
    const tags = (text: string) =>
      ['<testcase ', '<failure ', '<error ', '<skipped '].map((tag) => text.split(tag).length - 1);
    for (const suite of suites) expect(counts(suite)).toEqual(tags(suite));
    expect(counts(xml)).toEqual(tags(xml));
  });

  it('reports a crossed threshold as a failure, and a run without usable figures as an error', () => {
    expect(junitXml([badSummary()])).toMatch(/name="checkdata p\(99\) &lt; 250ms">\n *<failure message="observed /);
    expect(junitXml([invalidSummary()])).toMatch(/name="the generator kept up">\n *<error message="/);
    expect(junitXml([unreachableSummary()])).toMatch(/name="the target was reached">\n *<error message="/);
  });

  it('skips the thresholds of a run that has none, and includes its warnings', () => {
    const warnings = ['checkdata: all 8 started operations failed (8 http_403), and no threshold covers that'];
    const xml = junitXml([{ ...goodSummary(), verdict: { kind: 'done', reasons: [] }, thresholds: [], warnings }]);
    expect(xml).toMatch(/tests="4" failures="0" errors="0" skipped="1"/);
    expect(xml).toMatch(
      /name="thresholds">\n *<skipped message="the scenario has none">the scenario has none\ncheckdata: all 8/,
    );
  });

  it('contains the evidence of failures after the cases of its suite', () => {
    const xml = junitXml([badSummary(), goodSummary()]);
    expect(xml.match(/<system-out>/g)).toHaveLength(1);
    expect(xml).toMatch(
      /<\/testcase>\n {4}<system-out>checkdata http_503, first by agent 7 at 3\.21s, in phase steady:\n {2}HTTP\/1\.1 503/,
    );
  });

  it('is well-formed for any scenario name', () => {
    const xml = junitXml([{ ...goodSummary(), scenarioName: 'a "b" <c> & \u0000\ud800\n\u{1f600}' }]);
    expect(xml).toContain('name="a &quot;b&quot; &lt;c&gt; &amp; \ufffd\ufffd \u{1f600}"');
  });
});
