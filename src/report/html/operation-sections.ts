import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import { type OperationSummary, plannedIn, type Summary } from '../../metrics/summary/summary-schema.ts';
import { type CohortFigures, cohortFigures } from '../cohort-figures.ts';
import { LOGGED_HEADINGS, LOGGED_NOTE, loggedRows } from '../logged-figures.ts';
import { exactCount, latencyText, rateText, shareText } from '../page/figures.ts';
import {
  figure,
  type HtmlCell,
  html,
  leftOut,
  MAX_TABLE_ROWS,
  type Markup,
  NOTHING,
  pageSection,
  table,
} from './markup.ts';

/** Figures of the summary: over all counted phases, then by phase. */
export function figuresSection(summary: Summary): Markup {
  const excluded = summary.phases.filter((phase) => phase.excluded).map(({ name }) => name);
  const phases = summary.phases.filter(({ operations }) => plannedIn(operations).length > 0);
  // Each has a table.
  const most = MAX_TABLE_ROWS / 10;
  return pageSection(
    'figures',
    'Operations',
    html`${operationsTable('Operations over all counted phases', summary.overall, summary.succeededPerSecond)}
<p class="note">Response times of all answers, including errors, from the due time of the operation.${unansweredNote(summary)}${excluded.length === 0 ? '' : ` Not counted: ${excluded.join(', ')}.`}</p>
<details class="printed"><summary>Phase by phase</summary>
${leftOut(phases.length, most, 'phases')}${phases.slice(0, most).map((phase) => html`<h3>${phase.name}${phase.excluded ? ' (not counted)' : ''}</h3>${operationsTable(`Operations in phase ${phase.name}`, phase.operations)}`)}</details>
<details class="printed"><summary>All clocks</summary>
${clocksTable(summary)}<p class="note">Response: from due to answered or failed. Service: from sent to answered. Lag: from due to sent. Delay: from due to picked up by the generator.</p></details>
`,
  );
}

/** Notes operations that the percentiles exclude, because they would pass for fast or slow answers. */
function unansweredNote({ overall }: Summary): string {
  const count = overall.reduce((sum, entry) => sum + unansweredCount(entry), 0);
  if (count === 0) return '';
  const ended = overall.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
  return ` ${exactCount(count)} of ${exactCount(ended)} operations got no answer: “All clocks” shows their times, and response in summary.json includes them.`;
}

function unansweredCount({ latencyMs }: OperationSummary): number {
  return latencyMs.unanswered?.count ?? 0;
}

/** The figures of the log that the run replays beside its own; nothing without one. */
export function loggedSection(summary: Summary, charts: Markup): Markup {
  const rows = loggedRows(summary).map(({ name, cells }) => [name, ...cells]);
  if (rows.length === 0) return NOTHING;
  const figures = table('Then and now', ['operation', ...LOGGED_HEADINGS], rows);
  return pageSection('logged', 'Then and now', html`${charts}${figures}<p class="note">${LOGGED_NOTE}</p>`);
}

/** Figures of each cohort; nothing without cohorts. */
export function cohortsSection(summary: Summary): Markup {
  const all = cohortFigures(summary);
  if (all.length === 0) return NOTHING;
  const part = (operation: string, caption: string, column: 'agents' | 'phase', of: CohortFigures['rows']) => {
    const rows = of.map(({ name, agents, phase, entry }): HtmlCell[] => {
      const second = column === 'agents' ? figure(agents, exactCount) : phase;
      return [html`<code>${name}</code>`, second, ...operationRow(entry).slice(1)];
    });
    return html`<h3><code>${operation}</code></h3>${table(`${caption}: ${operation}`, ['cohort', column, ...HEADINGS.slice(1)], rows)}`;
  };
  const counted = all.map(({ operation, rows }) => part(operation, 'Cohorts', 'agents', rows));
  const phases = all
    .filter((one) => one.phases.length > 0)
    .map((one) => part(one.operation, 'Cohorts by phase', 'phase', one.phases));
  const named = (summary.cohorts ?? []).filter(({ name, cohort }) => name !== cohort);
  const meanings = named.map(({ name, cohort }) => html` ${name} is <code>${cohort}</code>.`);
  const note = html`<p class="note">Agents can be in several cohorts, or in none.${meanings}</p>`;
  const byPhase = html`<details class="printed"><summary>Cohorts phase by phase</summary>${phases}</details>\n`;
  return pageSection('cohorts', 'Cohorts', html`${counted}${note}${phases.length === 0 ? NOTHING : byPhase}`);
}

export function failuresCell(count: number): Markup {
  const value = figure(count, exactCount);
  return count > 0 ? html`<strong class="bad">${value}</strong>` : value;
}

const COUNTS = ['planned', 'succeeded', 'failed', 'unanswered', 'dropped'] as const;
const PERCENTILES = ['p50', 'p95', 'p99', 'p999', 'max'] as const;
const PERCENTILE_HEADINGS = ['p50', 'p95', 'p99', 'p99.9', 'max'];
const HEADINGS = ['operation', 'planned', 'ok', 'failed', 'no answer', 'dropped', 'ok/s', ...PERCENTILE_HEADINGS];

/** One row per operation with its counts and response times. In one phase, whose duration they share, their rates add up. */
function operationsTable(caption: string, measured: readonly OperationSummary[], rate?: number): Markup {
  const operations = plannedIn(measured);
  if (operations.length === 0) return html`<p>Nothing was planned.</p>`;
  const sum = operations.reduce((all, { succeededPerSecond }) => all + succeededPerSecond, 0);
  const rows = operations.map(operationRow);
  return table(caption, HEADINGS, operations.length < 2 ? rows : [...rows, totalRow(operations, rate ?? sum)]);
}

export function totalOf(operations: readonly OperationSummary[]) {
  const sum = (of: (entry: OperationSummary) => number) => operations.reduce((all, entry) => all + of(entry), 0);
  return {
    planned: sum(({ planned }) => planned),
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    dropped: sum(({ dropped }) => dropped),
    unanswered: sum(unansweredCount),
  };
}

/** Percentiles of several operations do not add up. */
function totalRow(operations: readonly OperationSummary[], rate: number): HtmlCell[] {
  const total = totalOf(operations);
  const longestMs = Math.max(...operations.map((entry) => answersOf(entry)?.max ?? 0));
  return [
    html`<strong>all</strong>`,
    ...COUNTS.map((name) => countCell(name, total[name])),
    figure(rate, rateText),
    ...PERCENTILES.map((percentile) => (percentile === 'max' ? figure(longestMs, latencyText) : '')),
  ];
}

/** Response times of operations with an answer. */
export function answersOf({ latencyMs, answeredMs }: OperationSummary) {
  return latencyMs.unanswered === undefined ? latencyMs.response : answeredMs;
}

function operationRow(entry: OperationSummary): HtmlCell[] {
  const answers = answersOf(entry);
  const counts = { ...entry, unanswered: unansweredCount(entry) };
  return [
    html`<code>${entry.operation}</code>`,
    ...COUNTS.map((count) => countCell(count, counts[count])),
    figure(entry.succeededPerSecond, rateText),
    ...PERCENTILES.map((percentile) => figure(answers?.[percentile], latencyText)),
  ];
}

function countCell(name: (typeof COUNTS)[number], count: number): Markup {
  return name === 'planned' || name === 'succeeded' ? figure(count, exactCount) : failuresCell(count);
}

/** Outcome of every operation that was planned in a counted phase. */
export function outcomesSection({ overall }: Summary): Markup {
  const rows = overall.flatMap((entry) => [
    ...Object.entries(entry.outcomes).map(([outcome, count]) => outcomeRow(entry, outcome, count)),
    ...Object.entries(entry.dropReasons).map(([reason, count]) => outcomeRow(entry, `dropped: ${reason}`, count)),
    ...(entry.unaccounted > 0 ? [outcomeRow(entry, 'unaccounted for', entry.unaccounted)] : []),
  ]);
  if (rows.length === 0) return NOTHING;
  return pageSection('outcomes', 'Outcomes', table('Outcomes', ['operation', 'outcome', 'count', 'of planned'], rows));
}

function outcomeRow({ operation, planned }: OperationSummary, outcome: string, count: number): HtmlCell[] {
  const share = planned === 0 ? 0 : count / planned;
  const kind = isSuccess(outcome as Outcome) ? 'good' : 'bad';
  return [
    html`<code>${operation}</code>`,
    html`<code class="${kind}">${outcome}</code>`,
    figure(count, exactCount),
    html`<span class="bar ${kind}" style="--share:${share.toFixed(4)}">${figure(share, shareText)}</span>`,
  ];
}

const ALL_CLOCKS = ['response', 'answered', 'unanswered', 'service', 'lag', 'delay'] as const;

/** All clocks of all operations; the response time also split by whether there was an answer. */
function clocksTable({ overall }: Summary): Markup {
  const rows = overall.flatMap(({ operation, latencyMs, answeredMs }) => {
    const latencies = { ...latencyMs, answered: answeredMs };
    return ALL_CLOCKS.filter((clock) => latencies[clock] !== undefined).map((clock) => [
      html`<code>${operation}</code>`,
      clock,
      figure(latencies[clock]?.count, exactCount),
      ...(['min', 'mean', ...PERCENTILES] as const).map((key) => figure(latencies[clock]?.[key], latencyText)),
    ]);
  });
  const headings = ['operation', 'clock', 'count', 'min', 'mean', ...PERCENTILE_HEADINGS];
  return rows.length === 0 ? NOTHING : table('All clocks', headings, rows);
}
