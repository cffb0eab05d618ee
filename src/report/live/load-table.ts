import type { OperationActivity, RecentActivity } from '../../metrics/merging/run-watch.ts';
import { droppedCount, failedCount, succeededCount, type Totals } from '../../metrics/merging/totals.ts';
import { maxMs, percentileMs } from '../../metrics/recording/histogram.ts';
import type { MeasuredOperation } from '../../protocol/operations.ts';
import { latencyText, rateText } from '../figures.ts';
import { type Cell, fittedTable, INDENT } from '../fitted-table.ts';
import type { Paint } from '../palette.ts';
import { marginOf, type Screen } from './screen.ts';

const HEADINGS = ['planned/s', 'achieved/s', 'failed/s', 'dropped/s', 'p50', 'p99', 'max'];
const DISPENSABLE = ['max', 'p50', 'dropped/s', 'failed/s', 'p99', 'planned/s'];
// The widest there is, so that columns hold still from second to second.
const LATENCY_COLUMNS = 8;
// Below this, what is under way just now looks like a shortfall.
const SHORTFALL = { share: 0.05, perSecond: 1 };

/** A row for each of these operations: what was planned in the last seconds, and what became of it. */
export function loadTable(operations: readonly MeasuredOperation[], recent: RecentActivity, screen: Screen): string[] {
  const active = new Map(recent.operations.map((entry) => [entry.operation, entry]));
  const headings = HEADINGS.map((text) => ({ text, paint: screen.faint }));
  const lines = [
    { name: { text: 'operation', paint: screen.faint }, cells: headings },
    ...operations.map((operation) => {
      const entry = active.get(operation);
      return entry === undefined ? idleRow(operation, screen) : row(entry, recent.seconds, screen);
    }),
  ];
  // Where nothing has a margin, the table has none either.
  const surplus = INDENT - marginOf(screen).length;
  const page = { ...screen, columns: screen.columns + surplus };
  return fittedTable({ headings, dispensable: DISPENSABLE }, lines, page).map((line) => line.slice(surplus));
}

/** All operations in one line. */
export function loadText({ totals, seconds }: RecentActivity, screen: Screen): string {
  const [planned, achieved] = [totals.planned / seconds, succeededCount(totals) / seconds];
  const text = `${rateText(achieved)}/s achieved of ${rateText(planned)}/s planned`;
  return isShort(planned, achieved) ? screen.caution(text) : text;
}

function row({ operation, totals }: OperationActivity, seconds: number, screen: Screen) {
  const planned = totals.planned / seconds;
  const achieved = succeededCount(totals) / seconds;
  const failed = failedCount(totals) / seconds;
  const dropped = droppedCount(totals) / seconds;
  const cells: Cell[] = [
    { text: rateText(planned), paint: unpainted },
    { text: rateText(achieved), paint: isShort(planned, achieved) ? screen.caution : unpainted },
    { text: rateText(failed), paint: failed > 0 ? screen.bad : screen.faint },
    { text: rateText(dropped), paint: dropped > 0 ? screen.caution : screen.faint },
    ...latencies(totals).map((text) => ({ text, paint: unpainted })),
  ];
  return { name: { text: operation, paint: screen.strong }, cells };
}

function idleRow(operation: MeasuredOperation, { faint }: Screen) {
  return { name: { text: operation, paint: faint }, cells: HEADINGS.map(() => ({ text: '-', paint: faint })) };
}

function latencies({ histograms: { response } }: Totals): string[] {
  const figures = [percentileMs(response, 50), percentileMs(response, 99), maxMs(response)];
  return figures.map((figure) => (figure === undefined ? '-' : latencyText(figure).padStart(LATENCY_COLUMNS)));
}

function isShort(planned: number, achieved: number): boolean {
  const missing = planned - achieved;
  return missing > SHORTFALL.perSecond && missing > planned * SHORTFALL.share;
}

const unpainted: Paint = (text) => text;
