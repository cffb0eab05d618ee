import { failuresOf } from '../metrics/merging/totals.ts';
import {
  type OperationSummary,
  type PhaseSummary,
  plannedIn,
  type Summary,
} from '../metrics/summary/summary-schema.ts';
import { OPERATION_HEADINGS, operationCells, tallyText } from './figures.ts';
import { fittedTable, shortened, type TableLine, type TextCell } from './fitted-table.ts';
import { hanging, type Page } from './layout.ts';
import { countText, latencyText } from './page/figures.ts';
import { type Paint, unpainted } from './palette.ts';

/** What each operation of the counted phases came to. */
export function operationLines({ overall, phases }: Summary, page: Page): string[] {
  const operations = plannedIn(overall);
  const excluded = phases.filter((phase) => phase.excluded).map((phase) => phase.name);
  const note = excluded.length === 0 ? [] : hanging(`not counted: ${excluded.join(', ')}`, '  ', page).map(page.faint);
  if (operations.length === 0) return ['  nothing was planned in a counted phase', ...note];
  return [...operationTable(operations, phases, page), ...note];
}

// Planned is the sum of the next three counts.
const DISPENSABLE = ['p95', 'planned', 'ok/s', 'p50', 'dropped', 'max'];
const DETAIL_INDENT = '    ';
const PHASE_INDENT = '  ';
const MAX_NAME_COLUMNS = 20;

/** One row per operation with its response time, followed by details that do not fit. An operation in several phases has one row for each. */
function operationTable(
  operations: readonly OperationSummary[],
  phases: readonly PhaseSummary[],
  page: Page,
): string[] {
  const lines = operations.flatMap((entry): TableLine[] => [
    { name: { text: entry.operation, paint: page.strong }, cells: figures(entry, page) },
    ...details(entry, page).map((note) => ({ note })),
    ...phaseRows(entry, phases, page),
  ]);
  return fittedTable({ name: 'operation', headings: OPERATION_HEADINGS, dispensable: DISPENSABLE }, lines, page);
}

function phaseRows({ operation }: OperationSummary, phases: readonly PhaseSummary[], page: Page): readonly TableLine[] {
  const rows = phases.flatMap(({ name, excluded, operations }): TableLine[] => {
    const entry = operations.find((candidate) => candidate.operation === operation);
    if (excluded || entry === undefined || entry.planned === 0) return [];
    const text = shortened(`${PHASE_INDENT}${name}`, MAX_NAME_COLUMNS);
    return [{ name: { text, paint: page.faint }, cells: figures(entry, page) }];
  });
  return rows.length > 1 ? rows : [];
}

function figures(entry: OperationSummary, page: Page): readonly TextCell[] {
  const paints: Readonly<Record<string, Paint>> = {
    ok: entry.succeeded > 0 ? page.good : page.faint,
    failed: entry.failed > 0 ? page.bad : page.faint,
    dropped: entry.dropped > 0 ? page.caution : page.faint,
  };
  return operationCells(entry).map((text, column) => ({
    text,
    paint: paints[OPERATION_HEADINGS[column] ?? ''] ?? unpainted,
  }));
}

function details(entry: OperationSummary, page: Page): string[] {
  const lines: [string, Paint][] = [];
  if (entry.failed > 0) lines.push([`failed: ${tallyText(failuresOf(entry.outcomes))}`, page.bad]);
  if (entry.failed > 0 && entry.succeeded === 0) lines.push(['all times are of failures', page.caution]);
  if (entry.dropped > 0) lines.push([`dropped: ${tallyText(entry.dropReasons)}`, page.caution]);
  if (entry.unaccounted > 0) lines.push([`unaccounted for: ${countText(entry.unaccounted)}`, page.bad]);
  const clocks = clocksText(entry);
  if (clocks !== undefined) lines.push([clocks, page.faint]);
  return lines.flatMap(([text, paint]) => hanging(text, DETAIL_INDENT, page).map(paint));
}

/** The other two clocks, if lag is at least 5% of the median response time and at least one millisecond. */
function clocksText({ latencyMs: { response, service, lag } }: OperationSummary): string | undefined {
  if (response === undefined || service === undefined || lag === undefined) return undefined;
  if (lag.p99 < Math.max(1, response.p50 * 0.05)) return undefined;
  return `service p99 ${latencyText(service.p99)}, lag p99 ${latencyText(lag.p99)}`;
}
