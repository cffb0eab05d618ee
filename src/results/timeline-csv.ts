import { LIFECYCLE_STATES } from '../base/protocol/operations.ts';
import { droppedCount, failedCount, succeededCount } from '../metrics/merging/totals.ts';
import { CLOCKS } from '../metrics/recording/frame.ts';
import { refusedCount } from '../metrics/recording/listener-counts.ts';
import type { RowSeries, TimelineRow } from './timeline.ts';

type Column = readonly [
  name: string,
  /** `series` is `undefined` in a second without activity; an undefined cell is empty. */
  cell: (row: TimelineRow, series: RowSeries | undefined) => number | string | undefined,
];

const counted = (name: string, figure: (series: RowSeries) => number): Column => [
  name,
  (_, series) => (series === undefined ? 0 : figure(series)),
];

const ACTIVITY: readonly Column[] = [
  ['second', ({ second }) => second],
  ['phase', (_, series) => series?.phase],
  ['operation', (_, series) => series?.operation],
  counted('planned', ({ planned }) => planned),
  counted('started', ({ started }) => started),
  counted('dropped', droppedCount),
  counted('succeeded', succeededCount),
  counted('failed', failedCount),
  counted('succeeded_within', ({ succeededWithin }) => succeededWithin),
  counted('sent_bytes', ({ sentBytes }) => sentBytes),
  counted('received_bytes', ({ receivedBytes }) => receivedBytes),
];

const LATENCIES = CLOCKS.flatMap((clock) =>
  (['p50', 'p99', 'max'] as const).map(
    (figure): Column => [`${clock}_${figure}_ms`, (_, series) => series?.latencyMs[clock]?.[figure]],
  ),
);

const FLEET: readonly Column[] = [
  ['in_flight', ({ inFlight }) => inFlight],
  ...LIFECYCLE_STATES.map((state): Column => [`agents_${state}`, ({ agents }) => agents[state]]),
  ['listening', ({ listening }) => listening],
  ['down', ({ down }) => down],
  ['accepted', ({ listeners }) => listeners.accepted],
  ['late', ({ listeners }) => listeners.late],
  ['handshakes', ({ listeners }) => listeners.handshakes],
  ['refused', ({ listeners }) => refusedCount(listeners)],
  ['unanswered', ({ listeners }) => listeners.unanswered],
];

const COLUMNS = [...ACTIVITY, ...LATENCIES, ...FLEET];

/** First line of `timeline.csv`, without its line break. */
export const CSV_HEADER = ['timestamp', ...COLUMNS.map(([name]) => name)].join(',');

/**
 * One second of the timeline as CSV: one line per operation and phase, or a single line if there were none. Cells need no quotes:
 * they contain figures, and names in which the scenario schema allows no commas, quotes or line breaks.
 */
export function csvLines(row: TimelineRow, startedAtMs: number): string {
  const timestamp = new Date(startedAtMs + row.second * 1000).toISOString();
  const rows: readonly (RowSeries | undefined)[] = row.series.length === 0 ? [undefined] : row.series;
  return rows
    .map((series) => `${[timestamp, ...COLUMNS.map(([, cell]) => cell(row, series) ?? '')].join(',')}\n`)
    .join('');
}
