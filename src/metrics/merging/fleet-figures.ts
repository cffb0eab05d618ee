import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import {
  createHistogram,
  decode,
  encode,
  type Histogram,
  maxMs,
  merge,
  percentileMs,
  valueCount,
} from '../recording/histogram.ts';
import type { Latency } from '../recording/schema.ts';
import { plainTally } from '../recording/tally.ts';
import { type FleetState, stateOf, type TimelineFrame } from './timeline.ts';
import { addTotals, emptyTotals, failedCount, succeededCount, type Totals } from './totals.ts';

/** Activity of a fleet in one or more consecutive seconds, and its state at their end. Plain data. */
export type FleetFigures = Pick<FleetState, 'agents' | 'inFlight' | 'listening' | 'down'> & {
  readonly seconds: number;
  /** Operations with activity, in the order of tables. */
  readonly operations: readonly FiguresOfOperation[];
  readonly generator: GeneratorFigures;
};

/** Figures of an interval that starts at `atMs`, in Unix ms. */
export type FiguresAt = { readonly atMs: number; readonly figures: FleetFigures };

/** Lengths of such intervals. */
export const RESOLUTIONS = ['second', 'minute', 'hour'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** Intervals that start in [fromMs, toMs), in Unix ms, or with `whole` this span as one interval. */
export type FiguresRange = {
  readonly resolution: Resolution | 'whole';
  readonly fromMs: number;
  readonly toMs: number;
};

export type FiguresOfOperation = {
  readonly operation: MeasuredOperation;
  readonly planned: number;
  readonly started: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** By reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** `undefined` if no operation ended. */
  readonly responseMs: ResponseFigures | undefined;
};

type ResponseFigures = Pick<Latency, 'p50' | 'p95' | 'p99' | 'max'>;

export type GeneratorFigures = {
  readonly workers: number;
  /** Share of the time in which the busiest worker's event loop was busy, 0 to 1. */
  readonly busiestLoopUtilization: number;
  /** Sum over all workers. */
  readonly cpuMs: number;
  readonly gcMs: number;
  readonly stalls: number;
  /** From due time to pickup; `undefined` without operations. */
  readonly delayP99Ms: number | undefined;
};

/** Sums over any seconds of a fleet, in any order and grouping, such as a minute or an hour. */
export type FigureSum = {
  seconds: number;
  readonly operations: Map<MeasuredOperation, Totals>;
  /** By shard. */
  readonly loads: Map<number, LoadSum>;
  /** Latest known second, in Unix time, and the state of the fleet at its end. */
  latest: { readonly second: number; readonly state: FleetState } | undefined;
};

type LoadSum = { seconds: number; busySeconds: number; cpuMs: number; gcMs: number; stalls: number };

export function noFigures(): FigureSum {
  return { seconds: 0, operations: new Map(), loads: new Map(), latest: undefined };
}

/** One second of the timeline; `second` in Unix time. */
export function figuresOfSecond(frame: TimelineFrame, second: number): FigureSum {
  const sum = noFigures();
  addSecond(sum, frame, second);
  return sum;
}

export function figuresOf(frame: TimelineFrame): FleetFigures {
  return figuresFrom(figuresOfSecond(frame, frame.second));
}

export function addSecond(into: FigureSum, { series, workers, ...frame }: TimelineFrame, second: number): void {
  into.seconds++;
  for (const part of series) addTotals(totalsOf(into, part.operation), part);
  for (const { shard, loopUtilization, cpuMs, gcMs, stalls } of workers)
    addLoad(into, shard, { seconds: 1, busySeconds: loopUtilization, cpuMs, gcMs, stalls: stalls.length });
  const { agents, inFlight, listening, down } = frame;
  setLatest(into, { second, state: { agents, inFlight, listening, down } });
}

export function addFigures(into: FigureSum, from: FigureSum): void {
  into.seconds += from.seconds;
  for (const [operation, totals] of from.operations) addTotals(totalsOf(into, operation), totals);
  for (const [shard, load] of from.loads) addLoad(into, shard, load);
  if (from.latest !== undefined) setLatest(into, from.latest);
}

function setLatest(into: FigureSum, latest: NonNullable<FigureSum['latest']>): void {
  if (latest.second >= (into.latest?.second ?? 0)) into.latest = latest;
}

function totalsOf({ operations }: FigureSum, operation: MeasuredOperation): Totals {
  const totals = operations.get(operation) ?? emptyTotals();
  operations.set(operation, totals);
  return totals;
}

function addLoad({ loads }: FigureSum, shard: number, load: LoadSum): void {
  const sum = loads.get(shard) ?? { seconds: 0, busySeconds: 0, cpuMs: 0, gcMs: 0, stalls: 0 };
  for (const key of Object.keys(sum) as (keyof LoadSum)[]) sum[key] += load[key];
  loads.set(shard, sum);
}

/** Figures of a sum. Percentiles are of all values together, never means of percentiles. */
export function figuresFrom(sum: FigureSum): FleetFigures {
  const { agents, inFlight, listening, down } = sum.latest?.state ?? stateOf([]);
  const loads = [...sum.loads.values()];
  const delay = createHistogram();
  for (const { histograms } of sum.operations.values()) merge(delay, histograms.delay);
  return {
    agents,
    inFlight,
    listening,
    down,
    seconds: sum.seconds,
    operations: operationsIn(sum).map(([operation, totals]) => operationFigures(operation, totals)),
    generator: {
      workers: loads.length,
      busiestLoopUtilization: busiestLoopOf(sum) ?? 0,
      cpuMs: loads.reduce((all, { cpuMs }) => all + cpuMs, 0),
      gcMs: loads.reduce((all, { gcMs }) => all + gcMs, 0),
      stalls: loads.reduce((all, { stalls }) => all + stalls, 0),
      delayP99Ms: percentileMs(delay, 99),
    },
  };
}

/** Operations with activity, in the order of tables. */
export function operationsIn({ operations }: FigureSum): readonly (readonly [MeasuredOperation, Totals])[] {
  const rank = (operation: MeasuredOperation) => MEASURED_OPERATIONS.indexOf(operation);
  return [...operations].sort(([a], [b]) => rank(a) - rank(b));
}

/** Share of the time in which the busiest worker's event loop was busy, 0 to 1; `undefined` if no worker reported. */
export function busiestLoopOf({ loads }: FigureSum): number | undefined {
  if (loads.size === 0) return undefined;
  return Math.max(...[...loads.values()].map(({ busySeconds, seconds }) => busySeconds / seconds));
}

function operationFigures(operation: MeasuredOperation, totals: Totals): FiguresOfOperation {
  const { planned, started, outcomes, dropped, sentBytes, receivedBytes, histograms } = totals;
  return {
    operation,
    planned,
    started,
    sentBytes,
    receivedBytes,
    succeeded: succeededCount(totals),
    failed: failedCount(totals),
    outcomes: plainTally(outcomes),
    dropped: plainTally(dropped),
    responseMs: responseFigures(histograms.response),
  };
}

function responseFigures(histogram: Histogram): ResponseFigures | undefined {
  if (valueCount(histogram) === 0) return undefined;
  const at = (percentile: number) => percentileMs(histogram, percentile) ?? 0;
  return { p50: at(50), p95: at(95), p99: at(99), max: maxMs(histogram) ?? 0 };
}

/** Intervals of one length that follow each other, in Unix seconds. */
type Tile = { readonly lastsSeconds: number; readonly from: number; readonly to: number };

/** Covers a span of whole seconds with as few intervals as possible. @param lengths in seconds, from the longest to 1. */
export function tilesOf(from: number, to: number, [lastsSeconds = 1, ...shorter]: readonly number[]): readonly Tile[] {
  if (from >= to) return [];
  const [first, end] = [Math.ceil(from / lastsSeconds) * lastsSeconds, Math.floor(to / lastsSeconds) * lastsSeconds];
  if (first >= end) return tilesOf(from, to, shorter);
  return [...tilesOf(from, first, shorter), { lastsSeconds, from: first, to: end }, ...tilesOf(end, to, shorter)];
}

// All figures derive from these two.
const KEPT_CLOCKS = ['response', 'delay'] as const;

/** Encodes a sum for storage: histograms as compressed HdrHistogram text. What only verdicts need is left out. */
export function encodeFigures({ seconds, operations, loads, latest }: FigureSum): string {
  const parts = [...operations].map(([operation, { histograms, leftOut: _, ...counts }]) => {
    const kept = KEPT_CLOCKS.filter((clock) => valueCount(histograms[clock]) > 0);
    return [operation, { ...counts, histograms: kept.map((clock) => [clock, encode(histograms[clock])]) }];
  });
  return JSON.stringify({ seconds, operations: parts, loads: [...loads], latest });
}

type Encoded = Pick<FigureSum, 'seconds'> & {
  readonly operations: readonly [
    MeasuredOperation,
    Omit<Totals, 'histograms'> & { readonly histograms: readonly [(typeof KEPT_CLOCKS)[number], string][] },
  ][];
  readonly loads: readonly [number, LoadSum][];
  readonly latest?: FigureSum['latest'];
};

export function decodeFigures(text: string): FigureSum {
  const { seconds, operations, loads, latest } = JSON.parse(text) as Encoded;
  const totals = operations.map(([operation, { histograms, leftOut: _, ...counts }]) => {
    const decoded = Object.fromEntries(histograms.map(([clock, encoded]) => [clock, decode(encoded)]));
    return [operation, { ...counts, histograms: { ...emptyTotals().histograms, ...decoded } }] as const;
  });
  return { seconds, operations: new Map(totals), loads: new Map(loads), latest };
}
