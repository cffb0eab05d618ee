import { CLOCKS } from '../../metrics/recording/frame.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import type { OperationSummary, Summary } from '../../metrics/summary/summary-schema.ts';
import { latencyText, rateText, shareText } from '../figures.ts';
import { type Cell, figure, html, type Markup, NOTHING, table } from './markup.ts';

/** `12,345`: a page has room for every digit. */
export function exactCount(count: number): string {
  return count.toLocaleString('en-US');
}

const COUNTS = ['planned', 'succeeded', 'failed', 'dropped'] as const;
const PERCENTILES = ['p50', 'p95', 'p99', 'p999', 'max'] as const;
const HEADINGS = ['operation', 'planned', 'ok', 'failed', 'dropped', 'ok/s', 'p50', 'p95', 'p99', 'p99.9', 'max'];

/** A row per operation with its counts and response times. */
export function operationsTable(caption: string, operations: readonly OperationSummary[]): Markup {
  if (operations.length === 0) return html`<p>Nothing was planned.</p>`;
  return table(caption, HEADINGS, operations.map(operationRow));
}

function operationRow(entry: OperationSummary): Cell[] {
  const { response } = entry.latencyMs;
  return [
    html`<code>${entry.operation}</code>`,
    ...COUNTS.map((count) => countCell(count, entry[count])),
    figure(entry.succeededPerSecond, rateText),
    ...PERCENTILES.map((percentile) => figure(response?.[percentile], latencyText)),
  ];
}

function countCell(name: (typeof COUNTS)[number], count: number): Markup {
  const value = figure(count, exactCount);
  return count > 0 && (name === 'failed' || name === 'dropped') ? html`<strong class="bad">${value}</strong>` : value;
}

/** What became of every operation that was planned in a counted phase. */
export function outcomesTable({ overall }: Summary): Markup {
  const rows = overall.flatMap((entry) => [
    ...Object.entries(entry.outcomes).map(([outcome, count]) => outcomeRow(entry, outcome, count)),
    ...Object.entries(entry.dropReasons).map(([reason, count]) => outcomeRow(entry, `dropped: ${reason}`, count)),
    ...(entry.unaccounted > 0 ? [outcomeRow(entry, 'unaccounted for', entry.unaccounted)] : []),
  ]);
  return rows.length === 0 ? NOTHING : table('Outcomes', ['operation', 'outcome', 'count', 'of planned'], rows);
}

function outcomeRow({ operation, planned }: OperationSummary, outcome: string, count: number): Cell[] {
  const share = planned === 0 ? 0 : count / planned;
  const kind = isSuccess(outcome as Outcome) ? 'good' : 'bad';
  return [
    html`<code>${operation}</code>`,
    html`<code class="${kind}">${outcome}</code>`,
    figure(count, exactCount),
    html`<span class="bar ${kind}" style="--share:${share.toFixed(4)}">${figure(share, shareText)}</span>`,
  ];
}

/** All four clocks of all operations. */
export function clocksTable({ overall }: Summary): Markup {
  const rows = overall.flatMap(({ operation, latencyMs }) =>
    CLOCKS.filter((clock) => latencyMs[clock] !== undefined).map((clock) => [
      html`<code>${operation}</code>`,
      clock,
      figure(latencyMs[clock]?.count, exactCount),
      ...(['min', 'mean', ...PERCENTILES] as const).map((key) => figure(latencyMs[clock]?.[key], latencyText)),
    ]),
  );
  const headings = ['operation', 'clock', 'count', 'min', 'mean', 'p50', 'p95', 'p99', 'p99.9', 'max'];
  return rows.length === 0 ? NOTHING : table('All clocks', headings, rows);
}
