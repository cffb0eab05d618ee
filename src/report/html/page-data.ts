import type { Band, ChartLine, Unit } from '../../page/chart-data.ts';

// What the script in the page is given. It knows nothing else of the program, and so this file imports nothing else.

/** Everything that is drawn; times count in seconds from the start of the run. */
export type PageData = {
  /** What a clock showed at that instant, in Unix milliseconds: that of the hosts, where it is another. */
  readonly startedAtMs: number;
  /** So many times as fast as real time does it go. */
  readonly clockFactor: number;
  /** What its times are called. */
  readonly clockName: string;
  readonly secondsPerInterval: number;
  readonly intervals: number;
  /** The end of the last interval. */
  readonly seconds: number;
  /** A heat map's cell _n_ begins at 10^(n / cellsPerDecade) microseconds. */
  readonly cellsPerDecade: number;
  readonly bands: readonly Band[];
  readonly charts: readonly Chart[];
};

/** A chart as plain data for the script in the page. */
export type Chart = TimeChart | HeatMap | SpectrumChart | RateChart;

/** Lines over the intervals of the run. */
export type TimeChart = {
  readonly kind: 'time';
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** A limit, drawn as a line. */
  readonly limit?: number;
  readonly lines: readonly ChartLine[];
};

/** How many answers took how long: how many response times were in which latency cell (`cellOf` of the history), interval by interval. */
export type HeatMap = {
  readonly kind: 'heat';
  readonly id: string;
  readonly title: string;
  /** For each interval: cell, count, cell, count, and so on. */
  readonly cells: readonly (readonly number[])[];
  /** To how many no answer came, interval by interval; empty: to none in the whole run. */
  readonly unanswered: readonly number[];
};

/** Latencies in milliseconds over 1 / (1 - percentile / 100). */
export type SpectrumChart = {
  readonly kind: 'spectrum';
  readonly id: string;
  readonly title: string;
  readonly inverses: readonly number[];
  readonly lines: readonly ChartLine[];
};

/** Response times over the rate that was asked for, a point an interval, drawn from two other charts of the page. */
export type RateChart = {
  readonly kind: 'rate';
  readonly id: string;
  readonly title: string;
  readonly operation: string;
};
