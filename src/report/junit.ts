import type { ComparedFigure, Comparison } from '../metrics/comparing/compare.ts';
import type { ThresholdOutcome, ThresholdResult } from '../metrics/judging/thresholds.ts';
import { type Reason, reasonsBesideThresholds, VERDICTS } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { comparisonRow, comparisonVerdictText } from './comparison.ts';
import { evidenceNotes } from './evidence-text.ts';
import { runTitle, thresholdTexts, unjudgedText } from './verdict-line.ts';

type Outcome =
  | { readonly kind: 'passed'; readonly note?: string }
  /** Nothing was checked. */
  | { readonly kind: 'skipped'; readonly text: string }
  /** A violated condition on the target. */
  | { readonly kind: 'failure'; readonly text: string }
  /** The run has no result that can be trusted. */
  | { readonly kind: 'error'; readonly text: string };

/** `seconds` of a suite are the sum of those of its cases. */
export type JunitCase = { readonly name: string; readonly outcome: Outcome; readonly seconds?: number };

type Suite = {
  readonly name: string;
  readonly attributes: string;
  readonly cases: readonly JunitCase[];
  /** Additional information; empty if there is none. */
  readonly output: string;
};

/** Runs as JUnit XML, a suite per scenario. Its cases are completeness, validity and each threshold, its output the evidence of failures. */
export function junitXml(summaries: readonly Summary[]): string {
  return xmlOf(summaries.map(suiteOf));
}

/** A comparison as JUnit XML: a case for each compared figure, and two for the runs. @param untrusted runs without meaning, a sentence each */
export function comparisonJunitXml(
  name: string,
  { figures, verdict }: Comparison,
  untrusted: readonly string[],
): string {
  const trust: JunitCase = { name: 'the figures of all runs are valid', outcome: errorOf(untrusted) };
  const words = comparisonVerdictText(verdict);
  const isUndecided = verdict.kind === 'cannot_tell' || verdict.kind === 'nothing_in_common';
  const enough: JunitCase = { name: 'there are enough runs to compare', outcome: errorOf(isUndecided ? [words] : []) };
  const output = verdict.kind === 'no_regression' && verdict.unseen !== undefined ? words : '';
  return xmlOf([{ name, attributes: '', cases: [trust, enough, ...figures.map(figureCase)], output }]);
}

function figureCase(compared: ComparedFigure): JunitCase {
  const [phase = '', operation = '', figure = '', base, candidate, change, noise, atWorst, judgment] =
    comparisonRow(compared);
  const text = `base ${base}, candidate ${candidate}: ${change}, with noise of ${noise}, at worst ${atWorst}`;
  const outcomes: Readonly<Record<ComparedFigure['judgment'], Outcome>> = {
    regression: { kind: 'failure', text },
    cannot_tell: { kind: 'skipped', text: `${judgment}: ${text}` },
    better: { kind: 'passed' },
    within_tolerance: { kind: 'passed' },
  };
  return { name: `${operation} in ${phase}: ${figure}`, outcome: outcomes[compared.judgment] };
}

/** Cases of another kind as JUnit XML, a suite for each list. */
export function casesJunitXml(suites: ReadonlyMap<string, readonly JunitCase[]>): string {
  return xmlOf([...suites].map(([name, cases]) => ({ name, attributes: '', cases, output: '' })));
}

function xmlOf(suites: readonly Suite[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="muster"${countsOf(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteOf(summary: Summary): Suite {
  return {
    name: runTitle(summary),
    attributes: attribute('timestamp', summary.startedAt.slice(0, 19)),
    cases: casesOf(summary),
    output: evidenceNotes(summary, '\n  ').join('\n'),
  };
}

function textsOf(reasons: readonly Reason[], subject: 'end' | 'target' | 'threshold'): string[] {
  return reasons.filter(({ kind }) => VERDICTS[kind].about === subject).map(({ text }) => text);
}

function casesOf(summary: Summary): JunitCase[] {
  const { verdict, validity, thresholds, warnings, elapsedMs } = summary;
  // A run without evaluated thresholds still reports its warnings.
  const texts = [unjudgedText(summary) ?? 'the scenario has none', ...warnings];
  const unasked = { kind: 'skipped', text: texts.join('\n') } as const;
  return [
    { name: 'the run completed', outcome: endOf(summary), seconds: elapsedMs / 1000 },
    { name: 'the target was reached', outcome: errorOf(textsOf(verdict.reasons, 'target')) },
    { name: 'the generator kept up', outcome: errorOf(validity.problems) },
    ...(thresholds.length === 0 ? [{ name: 'thresholds', outcome: unasked } as const] : thresholds.map(thresholdCase)),
  ];
}

/** If a threshold ended the run, the run failed like the threshold. Any other early end says nothing about the target. */
function endOf(summary: Summary): Outcome {
  const beside = reasonsBesideThresholds(summary);
  const cut = errorOf(textsOf(beside, 'end'));
  const [ended] = textsOf(beside, 'threshold');
  return cut.kind === 'passed' && ended !== undefined ? { kind: 'failure', text: ended } : cut;
}

function errorOf(texts: readonly string[]): Outcome {
  return texts.length === 0 ? { kind: 'passed' } : { kind: 'error', text: texts.join('\n') };
}

function thresholdCase(threshold: ThresholdResult): JunitCase {
  const { outcome, claim, note, whole } = thresholdTexts(threshold);
  const outcomes: Readonly<Record<ThresholdOutcome, Outcome>> = {
    holds: { kind: 'passed', ...(note !== undefined && { note }) },
    crossed: { kind: 'failure', text: `observed ${whole}` },
    unjudged: { kind: 'error', text: whole },
  };
  return { name: claim, outcome: outcomes[outcome] };
}

function suiteLines({ name, attributes, cases, output }: Suite): string[] {
  const skipped = attribute('skipped', String(countOf(cases, 'skipped')));
  const opened = `  <testsuite${attribute('name', name)}${countsOf(cases)}${skipped}${attributes}>`;
  const closing = output === '' ? [] : [`    <system-out>${escaped(output)}</system-out>`];
  return [opened, ...cases.flatMap((entry) => caseLines(entry, name)), ...closing, '  </testsuite>'];
}

function caseLines({ name, outcome, seconds = 0 }: JunitCase, suite: string): string[] {
  const opened = `    <testcase${attribute('classname', suite)}${attribute('name', name)} time="${seconds.toFixed(3)}"`;
  if (outcome.kind === 'passed') {
    if (outcome.note === undefined) return [`${opened}/>`];
    return [`${opened}>`, `      <system-out>${escaped(outcome.note)}</system-out>`, '    </testcase>'];
  }
  const [first = ''] = outcome.text.split('\n');
  const element = `      <${outcome.kind}${attribute('message', first)}>${escaped(outcome.text)}</${outcome.kind}>`;
  return [`${opened}>`, element, '    </testcase>'];
}

/** Jenkins' schema has no `skipped` for all suites together. */
function countsOf(cases: readonly JunitCase[]): string {
  const seconds = cases.reduce((sum, entry) => sum + (entry.seconds ?? 0), 0);
  return ` tests="${cases.length}" failures="${countOf(cases, 'failure')}" errors="${countOf(cases, 'error')}" time="${seconds.toFixed(3)}"`;
}

function countOf(cases: readonly JunitCase[], kind: Outcome['kind']): number {
  return cases.filter(({ outcome }) => outcome.kind === kind).length;
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escaped(value)
    .replaceAll('"', '&quot;')
    .replaceAll(/[\n\t]/g, ' ')}"`;
}

// Characters that XML 1.0 cannot represent (section 2.2); one of them would make the whole file unreadable.
const UNWRITABLE = /[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function escaped(text: string): string {
  return text.replaceAll(UNWRITABLE, '\uFFFD').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
