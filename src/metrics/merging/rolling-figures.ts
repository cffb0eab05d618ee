import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../ground/protocol/operations.ts';
import { createHistogram, decode, encode, merge, percentileMs, valueCount } from '../recording/histogram.ts';
import { type FleetFigures, operationFigures } from './fleet-figures.ts';
import { type FleetState, stateOf, type TimelineFrame } from './timeline.ts';
import { addSeries, addTotals, emptyTotals, type Totals } from './totals.ts';

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
export function figuresOfSecond({ series, workers, ...frame }: TimelineFrame, second: number): FigureSum {
  const sum = { ...noFigures(), seconds: 1 };
  for (const part of series) addSeries(totalsOf(sum, part.operation), part);
  for (const { shard, loopUtilization, cpuMs, gcMs, stalls } of workers)
    addLoad(sum, shard, { seconds: 1, busySeconds: loopUtilization, cpuMs, gcMs, stalls: stalls.length });
  const { agents, inFlight, listening, down } = frame;
  return { ...sum, latest: { second, state: { agents, inFlight, listening, down } } };
}

export function addFigures(into: FigureSum, from: FigureSum): void {
  into.seconds += from.seconds;
  for (const [operation, totals] of from.operations) addTotals(totalsOf(into, operation), totals);
  for (const [shard, load] of from.loads) addLoad(into, shard, load);
  if ((from.latest?.second ?? -1) >= (into.latest?.second ?? 0)) into.latest = from.latest;
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
export function figuresFrom({ seconds, operations, loads, latest }: FigureSum): FleetFigures {
  const { agents, inFlight, listening, down } = latest?.state ?? stateOf([]);
  const inOrder = MEASURED_OPERATIONS.flatMap((operation) => {
    const totals = operations.get(operation);
    return totals === undefined ? [] : [operationFigures(operation, totals)];
  });
  const all = [...loads.values()];
  const delay = createHistogram();
  for (const { histograms } of operations.values()) merge(delay, histograms.delay);
  return {
    ...{ agents, inFlight, listening, down, seconds },
    operations: inOrder,
    generator: {
      workers: all.length,
      busiestLoopUtilization: Math.max(0, ...all.map((load) => load.busySeconds / load.seconds)),
      cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      gcMs: all.reduce((sum, { gcMs }) => sum + gcMs, 0),
      stalls: all.reduce((sum, { stalls }) => sum + stalls, 0),
      delayP99Ms: percentileMs(delay, 99),
    },
  };
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
