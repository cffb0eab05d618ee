import { isSuccess, type Outcome } from '../../../metrics/recording/outcomes.ts';
import type { ChartLine } from '../../../report/page/chart-data.ts';
import type { FiguresRow } from '../../control-api/schemas.ts';
import type { Line, LiveChart } from './charts.ts';

/** Chart data of one point in time; rates are per second. */
export type Point = Pick<FiguresRow, 'listening' | 'down'> & {
  /** Unix time. */
  readonly seconds: number;
  readonly agents: Readonly<Record<string, number>>;
  readonly planned: number;
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Of the selected operation. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  readonly busyPercent: number;
  readonly delayMs: number | null;
};

/** Above these limits, the figures of a run would describe Muster; see docs/explanation/measuring.md. */
const LIMITS = { delayMs: 100, busyPercent: 95 };

/** @param chosen operation; empty for all operations, with the latencies of the slowest */
export function pointOf(
  { at, seconds, operations, agents, listening, down, generator }: FiguresRow,
  chosen: string,
): Point {
  const own = operations.filter(({ operation }) => chosen === '' || operation === chosen);
  const rate = (count: number) => Math.round((count / seconds) * 100) / 100;
  const outcomes = own.flatMap((figures) => Object.entries(figures.outcomes));
  const sum = (counts: readonly number[]) => rate(counts.reduce((all, count) => all + count, 0));
  const failures = Map.groupBy(
    outcomes.filter(([outcome]) => !isSuccess(outcome as Outcome)),
    ([outcome]) => outcome,
  );
  const slowest = (which: 'p50' | 'p99' | 'max') => {
    const values = own.flatMap(({ responseMs }) => (responseMs === undefined ? [] : responseMs[which]));
    return values.length === 0 ? null : Math.max(...values);
  };
  return {
    seconds: Date.parse(at) / 1000,
    planned: sum(own.map(({ planned }) => planned)),
    dropped: sum(own.flatMap(({ dropped }) => Object.values(dropped))),
    ok: sum(outcomes.filter(([outcome]) => isSuccess(outcome as Outcome)).map(([, count]) => count)),
    failed: sum([...failures.values()].flat().map(([, count]) => count)),
    failures: Object.fromEntries([...failures].map(([outcome, all]) => [outcome, sum(all.map(([, count]) => count))])),
    p50Ms: slowest('p50'),
    p99Ms: slowest('p99'),
    maxMs: slowest('max'),
    agents,
    listening,
    down,
    busyPercent: Math.round(generator.busiestLoopUtilization * 1000) / 10,
    delayMs: generator.delayP99Ms ?? null,
  };
}

const STYLES: readonly Pick<ChartLine, 'color' | 'dash'>[] = [
  { color: 'red', dash: [8, 4] },
  { color: 'purple', dash: [8, 3, 2, 3] },
  { color: 'orange', dash: [2, 3] },
  { color: 'gray', dash: [4, 4] },
  { color: 'blue', dash: [8, 3] },
];

/** Same colors as on the map.  */
const STATE_STYLES: Readonly<Record<string, Pick<ChartLine, 'color' | 'dash'>>> = {
  authorized: { color: 'green', dash: [] },
  registered: { color: 'blue', dash: [8, 4] },
  waiting: { color: 'orange', dash: [2, 3] },
  refused: { color: 'red', dash: [8, 3, 2, 3] },
  unregistered: { color: 'gray', dash: [4, 4] },
};

export const CHARTS: readonly LiveChart<Point>[] = [
  {
    id: 'arrivals',
    title: 'Arrivals',
    unit: 'per second',
    lines: () => [
      { label: 'due', color: 'gray', dash: [4, 4], read: ({ planned }) => planned },
      { label: 'ok', color: 'blue', dash: [], read: ({ ok }) => ok },
      { label: 'failed', color: 'red', dash: [8, 3], read: ({ failed }) => failed },
      { label: 'dropped', color: 'purple', dash: [2, 3], read: ({ dropped }) => dropped },
    ],
  },
  {
    id: 'latency',
    title: 'Response time',
    unit: 'milliseconds',
    lines: () => [
      { label: 'p50', color: 'blue', dash: [], read: ({ p50Ms }) => p50Ms },
      { label: 'p99', color: 'orange', dash: [8, 3], read: ({ p99Ms }) => p99Ms },
      { label: 'max', color: 'purple', dash: [2, 3], read: ({ maxMs }) => maxMs },
    ],
  },
  {
    id: 'errors',
    title: 'Failures by outcome',
    unit: 'per second',
    lines: (points) =>
      [...new Set(points.flatMap(({ failures }) => Object.keys(failures)))].sort().map((label, index) => ({
        label,
        color: 'red',
        dash: [],
        ...STYLES[index % STYLES.length],
        read: ({ failures }) => failures[label] ?? 0,
      })),
  },
  {
    id: 'agents',
    title: 'Agents by state',
    unit: 'agents',
    lines: (points) => {
      const states: readonly Line<Point>[] = Object.entries(STATE_STYLES).map(([label, style]) => ({
        label,
        ...style,
        read: ({ agents }) => agents[label] ?? 0,
      }));
      const all: readonly Line<Point>[] = [
        ...states,
        { label: 'down', color: 'purple', dash: [2, 3], read: ({ down }) => down },
      ];
      return all.filter(({ read }) => points.some((point) => (read(point) ?? 0) > 0));
    },
  },
  {
    id: 'busy',
    title: 'Generator: busiest event loop',
    unit: 'percent',
    limit: LIMITS.busyPercent,
    lines: () => [{ label: 'busiest worker', color: 'blue', dash: [], read: ({ busyPercent }) => busyPercent }],
  },
  {
    id: 'delay',
    title: 'Generator: scheduling delay, p99',
    unit: 'milliseconds',
    limit: LIMITS.delayMs,
    lines: () => [{ label: 'p99', color: 'orange', dash: [8, 3], read: ({ delayMs }) => delayMs }],
  },
];
