import type { Band, ChartLine, Unit } from '../page/chart-data.ts';

// Data for the script in the page. The script knows nothing else of the program, so this file imports nothing else.

/** Everything that is drawn; times are in seconds from the start of the run. */
export type PageData = {
  /** Time of the displayed clock at the start, in Unix milliseconds; the hosts' clock if it differs from the real time. */
  readonly startedAtMs: number;
  /** Speed of this clock as a multiple of real time. */
  readonly clockFactor: number;
  /** Label of its times. */
  readonly clockName: string;
  readonly secondsPerInterval: number;
  readonly intervals: number;
  /** End of the last interval. */
  readonly seconds: number;
  /** Cell _n_ of a heat map starts at 10^(n / cellsPerDecade) microseconds. */
  readonly cellsPerDecade: number;
  readonly bands: readonly Band[];
  readonly charts: readonly Chart[];
};

/** A chart as plain data for the script in the page. */
export type Chart = TimeChart | HeatMap | SpectrumChart | RateChart;

type ChartHead<Kind> = { readonly kind: Kind; readonly id: string; readonly title: string };

/** Lines over the intervals of the run. */
export type TimeChart = ChartHead<'time'> & {
  readonly unit: Unit;
  /** A limit, drawn as a line. */
  readonly limit?: number;
  readonly lines: readonly ChartLine[];
};

/** Number of response times in each latency cell (`cellOf` of the history), by interval. */
export type HeatMap = ChartHead<'heat'> & {
  /** For each interval: cell, count, cell, count, and so on. */
  readonly cells: readonly (readonly number[])[];
  /** Operations without an answer, by interval; empty if the whole run had none. */
  readonly unanswered: readonly number[];
};

/** Latencies in milliseconds over 1 / (1 - percentile / 100). */
export type SpectrumChart = ChartHead<'spectrum'> & {
  readonly inverses: readonly number[];
  readonly lines: readonly ChartLine[];
};

/** Response times over the planned rate, one point per interval, drawn from the data of two other charts of the page. */
export type RateChart = ChartHead<'rate'> & { readonly operation: string };
