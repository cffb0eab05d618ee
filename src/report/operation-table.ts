import { failuresOf } from '../metrics/merging/totals.ts';
import type { OperationSummary, PhaseSummary } from '../metrics/summary/summary-schema.ts';
import { countText, latencyText, rateText, tallyText } from './figures.ts';
import { type Cell, fittedTable, type Line } from './fitted-table.ts';
import { hanging, type Page } from './layout.ts';
import type { Paint } from './palette.ts';

const HEADINGS = ['planned', 'ok', 'failed', 'dropped', 'ok/s', 'p50', 'p95', 'p99', 'max'];
// What is planned is the sum of the three counts behind it.
const DISPENSABLE = ['p95', 'planned', 'ok/s', 'p50', 'dropped', 'max'];
const DETAIL_INDENT = '    ';
const PHASE_INDENT = '  ';
const MOST_NAME_COLUMNS = 20;

/**
 * One row per operation with its response time, and below it what a row has no room for. An operation of several
 * phases has a row for each of them.
 */
export function operationTable(
  operations: readonly OperationSummary[],
  phases: readonly PhaseSummary[],
  page: Page,
): string[] {
  const headings = HEADINGS.map((text) => ({ text, paint: page.faint }));
  const lines: readonly Line[] = [
    { name: { text: 'operation', paint: page.faint }, cells: headings },
    ...operations.flatMap((entry): Line[] => [
      { name: { text: entry.operation, paint: page.strong }, cells: figures(entry, page) },
      ...details(entry, page).map((note) => ({ note })),
      ...phaseRows(entry, phases, page),
    ]),
  ];
  return fittedTable({ headings, dispensable: DISPENSABLE }, lines, page);
}

function phaseRows({ operation }: OperationSummary, phases: readonly PhaseSummary[], page: Page): readonly Line[] {
  const rows = phases.flatMap(({ name, excluded, operations }): Line[] => {
    const entry = operations.find((candidate) => candidate.operation === operation);
    if (excluded || entry === undefined || entry.planned === 0) return [];
    const text = shortened(`${PHASE_INDENT}${name}`);
    return [{ name: { text, paint: page.faint }, cells: figures(entry, page) }];
  });
  return rows.length > 1 ? rows : [];
}

function shortened(name: string): string {
  return name.length <= MOST_NAME_COLUMNS ? name : `${name.slice(0, MOST_NAME_COLUMNS - 1)}…`;
}

function figures(entry: OperationSummary, page: Page): readonly Cell[] {
  const { response } = entry.latencyMs;
  const plain = (text: string): Cell => ({ text, paint: (painted) => painted });
  const latencies = [response?.p50, response?.p95, response?.p99, response?.max];
  return [
    plain(countText(entry.planned)),
    { text: countText(entry.succeeded), paint: entry.succeeded > 0 ? page.good : page.faint },
    { text: countText(entry.failed), paint: entry.failed > 0 ? page.bad : page.faint },
    { text: countText(entry.dropped), paint: entry.dropped > 0 ? page.caution : page.faint },
    plain(rateText(entry.succeededPerSecond)),
    ...latencies.map((latency) => plain(latency === undefined ? '-' : latencyText(latency))),
  ];
}

function details(entry: OperationSummary, page: Page): string[] {
  const lines: [string, Paint][] = [];
  if (entry.failed > 0) lines.push([`failed: ${tallyText(failuresOf(entry.outcomes))}`, page.bad]);
  if (entry.failed > 0 && entry.succeeded === 0) lines.push(['all times are of failures alone', page.caution]);
  if (entry.dropped > 0) lines.push([`dropped: ${tallyText(entry.dropReasons)}`, page.caution]);
  if (entry.unaccounted > 0) lines.push([`unaccounted for: ${countText(entry.unaccounted)}`, page.bad]);
  const clocks = clocksText(entry);
  if (clocks !== undefined) lines.push([clocks, page.faint]);
  return lines.flatMap(([text, paint]) => hanging(text, DETAIL_INDENT, page).map(paint));
}

/** The other two clocks, where lag is worth a look: 5 % of the median response time, and a millisecond at least. */
function clocksText({ latencyMs: { response, service, lag } }: OperationSummary): string | undefined {
  if (response === undefined || service === undefined || lag === undefined) return undefined;
  if (lag.p99 < Math.max(1, response.p50 * 0.05)) return undefined;
  return `service p99 ${latencyText(service.p99)}, lag p99 ${latencyText(lag.p99)}`;
}
