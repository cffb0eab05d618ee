import { formatDuration } from '../base/kernel/units.ts';
import type { Comparison } from '../metrics/comparing/compare.ts';
import { reasonsBesideThresholds, VERDICTS, type VerdictKind } from '../metrics/judging/verdict.ts';
import { plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import { type CohortFigures, cohortFigures } from './cohort-figures.ts';
import {
  COMPARED_RUN_HEADINGS,
  COMPARISON_HEADINGS,
  COMPARISON_TONES,
  type ComparisonFacts,
  comparedRunRows,
  comparisonRow,
  comparisonVerdictText,
  explanations,
} from './comparison.ts';
import { MISBEHAVIOR_HEADINGS, misbehaviorRow, recoveryText } from './event-figures.ts';
import { evidenceNotes } from './evidence-text.ts';
import { OPERATION_HEADINGS, operationCells } from './figures.ts';
import { LOGGED_HEADINGS, LOGGED_NOTE, loggedRows } from './logged-figures.ts';
import { runTitle, thresholdTexts, unjudgedText, VERDICT_WORDS } from './verdict-line.ts';

/** Escapes a text so that Markdown shows it literally, also in a table cell. */
function plainMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~]/g, (sign) => `\\${sign}`);
}

/** A table of cells that are already Markdown; columns of figures are right-aligned. */
function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const sides = headings.map((_, column) => (rows.every((cells) => FIGURE.test(cells[column] ?? '')) ? '--:' : '---'));
  return [headings, sides, ...rows].map(line).join('\n');
}

const FIGURE = /^(|-|no data|[±+-]?[\d,]+(\.\d+)?\s?(%|pp|[a-zµ]{1,2}|\/s)?)$/;

const TONE_MARKS = { good: '✅', caution: '⚠️', bad: '❌' } as const;
const OWN_MARKS: Readonly<Partial<Record<VerdictKind, string>>> = { done: 'ℹ️', unreachable: '❌' };

/** A run in Markdown, for build servers to show with a job; ends with an empty line, so that several can follow. */
export function stepSummary(summary: Summary): string {
  const { verdict, seed, elapsedMs, environment, thresholds, warnings, validity } = summary;
  const overall = plannedIn(summary.overall);
  const { recoveries = [], misbehavior = [] } = summary;
  const mark = OWN_MARKS[verdict.kind] ?? TONE_MARKS[VERDICTS[verdict.kind].tone];
  const reasons = reasonsBesideThresholds(summary).map(({ text }) => text);
  const unjudged = unjudgedText(summary);
  const facts = [`seed ${seed}`, formatDuration(Math.round(elapsedMs / 100) * 100), `Muster ${environment.muster}`];
  return [
    `### ${plainMarkdown(runTitle(summary))}: ${mark} ${VERDICT_WORDS[verdict.kind]}`,
    facts.join(' · '),
    listed([...reasons, ...warnings, ...validity.warnings]),
    overall.length === 0
      ? 'Nothing was planned in a counted phase.'
      : markdownTable(
          ['operation', ...OPERATION_HEADINGS],
          overall.map((entry) => [entry.operation, ...operationCells(entry)]),
        ),
    ...cohortFigures(summary).map(cohortTable),
    loggedTable(summary),
    verdict.kind === 'done' && unjudged === undefined ? 'The scenario has no thresholds to pass.' : '',
    thresholds.length === 0 ? '' : markdownTable(['', 'threshold', 'observed'], thresholds.map(thresholdRow)),
    listed(recoveries.map((recovery) => `recovery of ${recoveryText(recovery)}`)),
    misbehavior.length === 0 ? '' : markdownTable(MISBEHAVIOR_HEADINGS, misbehavior.map(misbehaviorRow)),
    unjudged === undefined ? '' : `Thresholds ${unjudged}.`,
    listed(evidenceNotes(summary, ' ')),
    '',
  ]
    .filter((block, index, blocks) => block !== '' || index === blocks.length - 1)
    .join('\n\n');
}

function cohortTable({ operation, rows }: CohortFigures): string {
  const cells = rows.map(({ name, agents, entry }) => [plainMarkdown(name), String(agents), ...operationCells(entry)]);
  return markdownTable([`${operation} by cohort`, 'agents', ...OPERATION_HEADINGS], cells);
}

function loggedTable(summary: Summary): string {
  const rows = loggedRows(summary).map(({ name, cells }) => [plainMarkdown(name), ...cells]);
  if (rows.length === 0) return '';
  return `${markdownTable(['then and now', ...LOGGED_HEADINGS], rows)}\n\n${plainMarkdown(LOGGED_NOTE)}`;
}

const THRESHOLD_MARKS = { holds: '✅', crossed: '❌', unjudged: '❔' } as const;

function thresholdRow(threshold: Summary['thresholds'][number]): string[] {
  const { outcome, claim, whole } = thresholdTexts(threshold);
  return [THRESHOLD_MARKS[outcome], plainMarkdown(claim), plainMarkdown(whole)];
}

function listed(texts: readonly string[]): string {
  return texts.map((text) => `- ${plainMarkdown(text)}`).join('\n');
}

/** A comparison in Markdown; ends with an empty line, so that several can follow. */
export function comparisonMarkdown(comparison: Comparison, facts: ComparisonFacts): string {
  const { verdict } = comparison;
  const notes = explanations(facts).map(([name, text]) => `${name}: ${text}`);
  return [
    `### ${plainMarkdown(facts.scenarioName)}: ${COMPARISON_TONES[verdict.kind].mark} ${comparisonVerdictText(verdict)}`,
    markdownTable(
      COMPARED_RUN_HEADINGS,
      comparedRunRows(facts).map((row) => row.map(plainMarkdown)),
    ),
    listed([...notes, ...facts.warnings.map((text) => `⚠️ ${text}`)]),
    markdownTable(
      COMPARISON_HEADINGS,
      comparison.figures.map((figure) => comparisonRow(figure).map(plainMarkdown)),
    ),
    '',
  ].join('\n\n');
}
