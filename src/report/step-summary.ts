import { formatDuration } from '../kernel/units.ts';
import { observedText, thresholdSubject } from '../metrics/judging/thresholds.ts';
import type { VerdictKind } from '../metrics/judging/verdict.ts';
import type { OperationSummary, Summary } from '../metrics/summary/summary-schema.ts';
import { countText, latencyText, rateText } from './figures.ts';
import { markdownTable, plainMarkdown } from './markdown.ts';
import { runTitle, unjudgedText } from './run-title.ts';

const MARKS: Readonly<Record<VerdictKind, string>> = {
  pass: '✅ PASS',
  threshold_crossed: '❌ THRESHOLD CROSSED',
  invalid: '⚠️ INVALID',
  interrupted: '⚠️ INTERRUPTED',
  incomplete: '⚠️ INCOMPLETE',
  unreachable: '❌ TARGET UNREACHABLE',
  regression: '❌ REGRESSION',
};

/** A run in Markdown, as a build server shows it beside a job; ends with an empty line, so that several can follow. */
export function stepSummary(summary: Summary): string {
  const { verdict, seed, elapsedMs, environment, overall, thresholds, warnings, validity } = summary;
  const told = verdict.reasons.filter(({ kind }) => kind !== 'threshold_crossed').map(({ text }) => text);
  const unjudged = unjudgedText(summary);
  const facts = [`seed ${seed}`, formatDuration(Math.round(elapsedMs / 100) * 100), `Muster ${environment.muster}`];
  return [
    `### ${plainMarkdown(runTitle(summary))}: ${MARKS[verdict.kind]}`,
    facts.join(' · '),
    listed([...told, ...warnings, ...validity.warnings]),
    overall.length === 0 ? 'Nothing was planned in a counted phase.' : markdownTable(HEADINGS, overall.map(row)),
    thresholds.length === 0 ? '' : markdownTable(['', 'threshold', 'observed'], thresholds.map(thresholdRow)),
    unjudged === undefined ? '' : `Thresholds ${unjudged}.`,
    '',
  ]
    .filter((block, index, blocks) => block !== '' || index === blocks.length - 1)
    .join('\n\n');
}

const HEADINGS = ['operation', 'planned', 'ok', 'failed', 'dropped', 'ok/s', 'p50', 'p95', 'p99', 'max'];

function row({ operation, planned, succeeded, failed, dropped, succeededPerSecond, latencyMs }: OperationSummary) {
  const { response } = latencyMs;
  const times = [response?.p50, response?.p95, response?.p99, response?.max];
  return [
    operation,
    ...[planned, succeeded, failed, dropped].map(countText),
    rateText(succeededPerSecond),
    ...times.map((time) => (time === undefined ? '-' : latencyText(time))),
  ];
}

function thresholdRow(threshold: Summary['thresholds'][number]): string[] {
  const claim = `${thresholdSubject(threshold)} ${threshold.text}`;
  return [threshold.passed ? '✅' : '❌', plainMarkdown(claim), plainMarkdown(observedText(threshold))];
}

function listed(texts: readonly string[]): string {
  return texts.map((text) => `- ${plainMarkdown(text)}`).join('\n');
}
