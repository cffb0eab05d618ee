import type { History, Interval } from '../metrics/summary/history.ts';
import { type OperationSummary, plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import { fittedTable, tableRow } from './fitted-table.ts';
import { hanging, type Page } from './layout.ts';
import { latencyText, rateText, shareText } from './page/figures.ts';

/** What the figures of a log leave open; shown once beside them. */
export const LOGGED_NOTE =
  'Then: from the log, whose response times count from the first byte of the request that the server read, mostly in whole milliseconds. Now: of this run, from the due time. Rates are arrivals per second.';

/** After the name of a row. */
export const LOGGED_HEADINGS = ['rate', 'errors', 'p50', 'p95', 'p99'] as const;

/** Two rows for every operation of each phase that replays a log: its figures in the log, and in the run. */
export function loggedRows({ logged, phases }: Summary) {
  if (logged === undefined) return [];
  return logged.phases.flatMap(({ name, operations }) => {
    const run = phases.find((phase) => phase.name === name)?.operations ?? [];
    const names = new Set([...plannedIn(run), ...plannedIn(operations)].map(({ operation }) => operation));
    return [...names].flatMap((operation) => {
      const [then, now] = [operations, run].map((side) => side.find((one) => one.operation === operation));
      return [
        { name: `${operation} in ${name}, then`, cells: cellsOf(then, logged.statuses) },
        { name: `${operation} in ${name}, now`, cells: cellsOf(now, true) },
      ];
    });
  });
}

function cellsOf(figures: OperationSummary | undefined, hasStatuses: boolean): readonly string[] {
  if (figures === undefined || figures.planned === 0) return [rateText(0), '-', '-', '-', '-'];
  const { planned, durationMs, succeeded, failed, latencyMs } = figures;
  const { p50, p95, p99 } = latencyMs.response ?? {};
  return [
    rateText(durationMs === 0 ? 0 : (planned * 1000) / durationMs),
    hasStatuses && succeeded + failed > 0 ? shareText(failed / (succeeded + failed)) : '-',
    ...[p50, p95, p99].map((time) => (time === undefined ? '-' : latencyText(time))),
  ];
}

/** For the terminal; empty without a log. */
export function loggedLines(summary: Summary, page: Page): string[] {
  const rows = loggedRows(summary);
  if (rows.length === 0) return [];
  const columns = { name: 'then and now', headings: LOGGED_HEADINGS, dispensable: ['p95', 'p50', 'errors'] };
  const lines = rows.map(({ name, cells }) => tableRow(name, cells));
  const table = fittedTable(columns, lines, page);
  return [...table, ...hanging(LOGGED_NOTE, '    ', page).map(page.faint)];
}

/** Arrivals per second in each interval of a run: those of the log, and those of the run; nothing without a log. */
export function loggedRates({ logged }: Summary, { intervals, secondsPerInterval }: History) {
  if (logged === undefined) return [];
  // The log may have ended in another interval than the run.
  const indexOf = (interval: number): number => Math.floor((interval * secondsPerInterval) / logged.secondsPerInterval);
  const plannedOf = ({ activity }: Interval): number =>
    [...activity.values()].reduce((sum, { planned }) => sum + planned, 0);
  return [
    { label: 'then', values: intervals.map((_, n) => (logged.arrivals[indexOf(n)] ?? 0) / logged.secondsPerInterval) },
    { label: 'now', values: intervals.map((interval) => plannedOf(interval) / secondsPerInterval) },
  ];
}
