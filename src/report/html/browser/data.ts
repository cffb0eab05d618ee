import { DAY_SECONDS, formatDuration } from '../../../base/kernel/units.ts';
import type { ChartLine } from '../../page/chart-data.ts';
import type { PageData, RateChart } from '../page-data.ts';

export const pageData: PageData = JSON.parse(document.getElementById('report-data')?.textContent ?? '');

/** Start of each interval, in seconds. */
export const times = Array.from({ length: pageData.intervals }, (_, index) => index * pageData.secondsPerInterval);

const phases = pageData.bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');

/** Time since the start of the run: `1m5.3s`. */
export function elapsedText(seconds: number): string {
  return formatDuration(Math.round(seconds * 10) * 100);
}

const isLong = pageData.clockFactor * pageData.seconds > DAY_SECONDS;

/** Wall clock time such as `10:16:35`, and `01-31 10:16` in more than a day, in UTC or of the hosts' clocks. */
export function wallText(seconds: number): string {
  const text = new Date(pageData.startedAtMs + pageData.clockFactor * seconds * 1000).toISOString();
  return isLong ? text.slice(5, 16).replace('T', ' ') : text.slice(11, 19);
}

/** The phase that contains this second; empty if there is none. */
export function phaseText(seconds: number): string {
  return phases.find(({ fromSeconds, toSeconds }) => fromSeconds <= seconds && seconds < toSeconds)?.label ?? '';
}

/** The lower bound of a heat map's cell, in milliseconds. */
export function cellStartMs(cell: number): number {
  return 10 ** (cell / pageData.cellsPerDecade) / 1000;
}

/** A heat map's cells of one interval, with their counts. */
export type HeatCells = readonly (readonly [cell: number, count: number])[];

export function cellsOf(cells: readonly number[]): HeatCells {
  return Array.from({ length: cells.length / 2 }, (_, pair) => [cells[2 * pair] ?? 0, cells[2 * pair + 1] ?? 0]);
}

export function sumOf(cells: HeatCells): number {
  return cells.reduce((sum, [, count]) => sum + count, 0);
}

/** Lines of the chart of response times over time that are also drawn over the rate. */
export const RATE_LINES = [
  { label: 'p50', color: 'blue', dash: [] },
  { label: 'p99', color: 'orange', dash: [8, 3] },
] as const;

type RateFigure = { readonly time: number; readonly rate: number; readonly values: readonly (number | null)[] };

/** Intervals with a response time, from the lowest planned rate to the highest. */
export function rateFigures({ operation }: RateChart): readonly RateFigure[] {
  const rates = lineOf(`${operation}-throughput`, 'planned');
  const lines = RATE_LINES.map(({ label }) => lineOf(`${operation}-latency`, label));
  return times
    .map((time, index) => ({ time, rate: rates[index] ?? 0, values: lines.map((values) => values[index] ?? null) }))
    .filter(({ rate, values }) => rate > 0 && values.some((value) => value !== null))
    .sort((a, b) => a.rate - b.rate);
}

function lineOf(id: string, label: string): ChartLine['values'] {
  const chart = pageData.charts.find((candidate) => candidate.id === id);
  const lines = chart?.kind === 'time' ? chart.lines : [];
  return lines.find((line) => line.label === label)?.values ?? [];
}
