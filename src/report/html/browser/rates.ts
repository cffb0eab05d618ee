import type { ChartLine } from '../../page/chart-data.ts';
import type { RateChart } from '../page-data.ts';
import { pageData, times } from './data.ts';

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
