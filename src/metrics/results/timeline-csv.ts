import { LIFECYCLE_STATES } from '../../protocol/operations.ts';
import { droppedCount, failedCount, succeededCount } from '../merging/totals.ts';
import { CLOCKS } from '../recording/clocks.ts';
import type { TimelineRow } from './timeline-row.ts';

type Series = TimelineRow['series'][number];
type Column = readonly [
  name: string,
  /** `series` is undefined in a second in which nothing happened; an undefined cell is empty. */
  cell: (row: TimelineRow, series: Series | undefined) => number | string | undefined,
];

const count = (name: string, figure: (series: Series) => number): Column => [
  name,
  (_, series) => (series === undefined ? 0 : figure(series)),
];

const ACTIVITY: readonly Column[] = [
  ['second', ({ second }) => second],
  ['phase', (_, series) => series?.phase],
  ['operation', (_, series) => series?.operation],
  count('planned', ({ planned }) => planned),
  count('started', ({ started }) => started),
  count('dropped', droppedCount),
  count('succeeded', succeededCount),
  count('failed', failedCount),
  count('sent_bytes', ({ sentBytes }) => sentBytes),
  count('received_bytes', ({ receivedBytes }) => receivedBytes),
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
];

const COLUMNS = [...ACTIVITY, ...LATENCIES, ...FLEET];

/** The first line of `timeline.csv`, without its end. */
export const CSV_HEADER = ['timestamp', ...COLUMNS.map(([name]) => name)].join(',');

/**
 * A second of the timeline as lines of CSV: one for each operation and phase, or one for nothing. No cell needs quotes:
 * they are figures, and names that the schema of scenarios keeps free of commas, quotes and line breaks.
 */
export function csvLines(row: TimelineRow, startedAtMs: number): string {
  const timestamp = new Date(startedAtMs + row.second * 1000).toISOString();
  const rows: readonly (Series | undefined)[] = row.series.length === 0 ? [undefined] : row.series;
  return rows
    .map((series) => `${[timestamp, ...COLUMNS.map(([, cell]) => cell(row, series) ?? '')].join(',')}\n`)
    .join('');
}
