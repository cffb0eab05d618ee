import { isSuccess, type Outcome } from '../metrics/recording/outcomes.ts';
import type { OperationSummary } from '../metrics/results/summary-schema.ts';
import { countText, latencyText, rateText, tallyText } from './figures.ts';
import { hanging } from './layout.ts';
import type { Paint, Palette } from './palette.ts';

/** The longest name that widens no table. */
const NAME_COLUMNS = 12;
const HEADINGS = ['planned', 'ok', 'failed', 'dropped', 'ok/s', 'p50', 'p95', 'p99', 'max'];
const COLUMNS = [8, 8, 8, 8, 8, 9, 9, 9, 9];
const DETAIL_INDENT = '    ';

type Cell = { readonly text: string; readonly paint: Paint };

/** One row per operation with its response time, and below it what a row has no room for. */
export function operationTable(operations: readonly OperationSummary[], palette: Palette): string[] {
  const nameColumns = Math.max(NAME_COLUMNS, ...operations.map(({ operation }) => operation.length));
  const named = (text: string, paint: Paint): string => `  ${paint(text)}${' '.repeat(nameColumns - text.length)}`;
  const headings = HEADINGS.map((text) => ({ text, paint: palette.faint }));
  return [
    named('operation', palette.faint) + rowOf(headings),
    ...operations.flatMap((entry) => [
      named(entry.operation, palette.strong) + operationRow(entry, palette),
      ...details(entry, palette),
    ]),
  ];
}

function operationRow(entry: OperationSummary, palette: Palette): string {
  const { response } = entry.latencyMs;
  const plain = (text: string): Cell => ({ text, paint: (painted) => painted });
  const latencies = [response?.p50, response?.p95, response?.p99, response?.max];
  return rowOf([
    plain(countText(entry.planned)),
    { text: countText(entry.succeeded), paint: entry.succeeded > 0 ? palette.good : palette.faint },
    { text: countText(entry.failed), paint: entry.failed > 0 ? palette.bad : palette.faint },
    { text: countText(entry.dropped), paint: entry.dropped > 0 ? palette.caution : palette.faint },
    plain(rateText(entry.succeededPerSecond)),
    ...latencies.map((latency) => plain(latency === undefined ? '-' : latencyText(latency))),
  ]);
}

function rowOf(cells: readonly Cell[]): string {
  const padded = cells.map(({ text, paint }, index) => {
    const blanks = ' '.repeat(Math.max(1, (COLUMNS[index] ?? 0) - text.length));
    return `${blanks}${paint(text)}`;
  });
  return padded.join('');
}

function details(entry: OperationSummary, palette: Palette): string[] {
  const failures = Object.entries(entry.outcomes).filter(([outcome]) => !isSuccess(outcome as Outcome));
  const lines: [string, Paint][] = [];
  if (entry.failed > 0) lines.push([`failed: ${tallyText(Object.fromEntries(failures))}`, palette.bad]);
  if (entry.failed > 0 && entry.succeeded === 0) lines.push(['all times are of failures alone', palette.caution]);
  if (entry.dropped > 0) lines.push([`dropped: ${tallyText(entry.dropReasons)}`, palette.caution]);
  if (entry.unaccounted > 0) lines.push([`unaccounted for: ${countText(entry.unaccounted)}`, palette.bad]);
  const clocks = clocksText(entry);
  if (clocks !== undefined) lines.push([clocks, palette.faint]);
  return lines.flatMap(([text, paint]) => hanging(text, DETAIL_INDENT).map(paint));
}

/** The other two clocks, where lag is worth a look: 5 % of the median response time, and a millisecond at least. */
function clocksText({ latencyMs: { response, service, lag } }: OperationSummary): string | undefined {
  if (response === undefined || service === undefined || lag === undefined) return undefined;
  if (lag.p99 < Math.max(1, response.p50 * 0.05)) return undefined;
  return `service p99 ${latencyText(service.p99)}, lag p99 ${latencyText(lag.p99)}`;
}
