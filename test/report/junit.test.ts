import { describe, expect, it } from 'vitest';
import { junitXml } from '../../src/report/junit.ts';
import { badSummary, goodSummary, invalidSummary, unreachableSummary } from './summaries.ts';

const ALL = [goodSummary(), badSummary(), invalidSummary(), unreachableSummary()];

type Rule = { readonly attributes: string; readonly required: string; readonly children: string };

/** junit-10.xsd of its version 3.1.6, in other words. */
const RULES: Readonly<Record<string, Rule>> = {
  '': { attributes: '', required: '', children: 'testsuites' },
  testsuites: { attributes: 'name time tests failures errors', required: '', children: 'testsuite' },
  testsuite: {
    attributes: 'name tests failures errors group time skipped timestamp hostname id package file log url',
    required: 'name tests failures errors',
    children: 'testsuite properties testcase system-out system-err',
  },
  testcase: {
    attributes: 'name time classname group',
    required: 'name',
    children: 'skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err',
  },
  ...Object.fromEntries(
    ['failure', 'error', 'skipped'].map((name) => [name, { attributes: 'type message', required: '', children: '' }]),
  ),
  'system-out': { attributes: '', required: '', children: '' },
};

function schemaFaults(xml: string): string[] {
  const open = [''];
  return [...xml.matchAll(/<(\/?)([\w-]+)([^<>]*?)(\/?)>/g)].flatMap(([, closes, name = '', rest = '', isEmpty]) => {
    if (closes) return open.pop() === name ? [] : [`${name} is not open`];
    const parent = open.at(-1) ?? '';
    if (!isEmpty) open.push(name);
    const [given, rule] = [[...rest.matchAll(/([\w-]+)="/g)].map(([, attribute = '']) => attribute), RULES[name]];
    const words = (text = '') => text.split(' ').filter((word) => word !== '');
    return [
      ...(words(RULES[parent]?.children).includes(name) ? [] : [`${parent} has <${name}>`]),
      ...given.filter((attribute) => !words(rule?.attributes).includes(attribute)).map((one) => `${name} has ${one}`),
      ...words(rule?.required)
        .filter((one) => !given.includes(one))
        .map((one) => `${name} lacks ${one}`),
    ];
  });
}

describe('JUnit XML', () => {
  it('matches the golden file for four runs', async () => {
    await expect(junitXml(ALL)).toMatchFileSnapshot('golden/junit.xml');
  });

  it('has a suite for each scenario, with counts that match its cases, per suite and in total', () => {
    const xml = junitXml(ALL);
    const suites = xml.split('<testsuite ').slice(1);
    expect(suites).toHaveLength(ALL.length);
    const counts = (text: string, names: readonly string[]) =>
      names.map((name) => Number(new RegExp(`${name}="(\\d+)"`).exec(text)?.[1]));
    const tags = (text: string) =>
      ['<testcase ', '<failure ', '<error ', '<skipped '].map((tag) => text.split(tag).length - 1);
    for (const suite of suites) expect(counts(suite, ['tests', 'failures', 'errors', 'skipped'])).toEqual(tags(suite));
    expect(counts(xml, ['tests', 'failures', 'errors'])).toEqual(tags(xml).slice(0, 3));
  });

  it('has only what the schema of the xUnit plugin of Jenkins permits, and all that it requires', () => {
    const xml = junitXml([...ALL, { ...goodSummary(), thresholds: [], warnings: ['a warning'] }]);
    expect(schemaFaults(xml)).toEqual([]);
    expect(schemaFaults(xml.replace(/(?<=<testsuites [^>]*) time="[^"]*"/, ' skipped="1"'))).toEqual([
      'testsuites has skipped',
    ]);
    expect(schemaFaults(xml.replaceAll(' errors="0"', ''))).toContain('testsuite lacks errors');
  });

  it('gives each case a time, and each suite their sum, because readers show what they lack as NaN', () => {
    const cases = [...junitXml([goodSummary()]).matchAll(/<testcase [^>]*>/g)].map(([tag]) => tag);
    expect(cases.map((tag) => / time="([\d.]+)"/.exec(tag)?.[1])).toEqual(['7.000', ...Array(5).fill('0.000')]);
    expect(junitXml(ALL)).toMatch(/<testsuites [^>]*time="26\.000">\n {2}<testsuite [^>]*time="7\.000"/);
  });

  it('reports a crossed threshold as a failure, and a run without usable figures as an error', () => {
    expect(junitXml([badSummary()])).toMatch(
      /name="checkdata p\(99\) &lt; 250ms" time="0\.000">\n *<failure message="observed /,
    );
    expect(junitXml([invalidSummary()])).toMatch(/name="the generator kept up" time="0\.000">\n *<error message="/);
    expect(junitXml([unreachableSummary()])).toMatch(
      /name="the target was reached" time="0\.000">\n *<error message="/,
    );
  });

  it('skips the thresholds of a run that has none, and includes its warnings', () => {
    const warnings = ['checkdata: all 8 started operations failed (8 http_403), and no threshold covers that'];
    const xml = junitXml([{ ...goodSummary(), verdict: { kind: 'done', reasons: [] }, thresholds: [], warnings }]);
    expect(xml).toMatch(/tests="4" failures="0" errors="0" time="7\.000" skipped="1"/);
    expect(xml).toMatch(
      /name="thresholds" time="0\.000">\n *<skipped message="the scenario has none">the scenario has none\ncheckdata: all 8/,
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
