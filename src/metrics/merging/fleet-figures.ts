import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../ground/protocol/operations.ts';
import { createHistogram, type Histogram, maxMs, merge, percentileMs, valueCount } from '../recording/histogram.ts';
import type { FleetState, TimelineFrame } from './timeline.ts';
import { addSeries, emptyTotals, failedCount, plainTally, succeededCount, type Totals } from './totals.ts';

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

export type ResponseFigures = {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
};

/** How well the generator kept up. */
export type GeneratorFigures = {
  readonly workers: number;
  /** Share of the time in which the busiest worker's event loop was busy, 0 to 1. */
  readonly busiestLoopUtilization: number;
  /** Sum over all workers. */
  readonly cpuMs: number;
  readonly gcMs: number;
  /** Number of stalls of all workers. */
  readonly stalls: number;
  /** From due time to pickup; `undefined` without operations. */
  readonly delayP99Ms: number | undefined;
};

/** Returns `undefined` without frames. */
export function figuresOf(frames: readonly TimelineFrame[]): FleetFigures | undefined {
  const last = frames.at(-1);
  if (last === undefined) return undefined;
  const { agents, inFlight, listening, down } = last;
  const totals = totalsByOperation(frames);
  return {
    ...{ agents, inFlight, listening, down },
    // A second appears again if a worker reports it late.
    seconds: new Set(frames.map(({ second }) => second)).size,
    operations: [...totals].map(([operation, of]) => operationFigures(operation, of)),
    generator: generatorFigures(frames, [...totals.values()]),
  };
}

function totalsByOperation(frames: readonly TimelineFrame[]): ReadonlyMap<MeasuredOperation, Totals> {
  const totals = new Map<MeasuredOperation, Totals>();
  for (const series of frames.flatMap((frame) => frame.series)) {
    const of = totals.get(series.operation) ?? emptyTotals();
    totals.set(series.operation, of);
    addSeries(of, series);
  }
  const rank = (operation: MeasuredOperation) => MEASURED_OPERATIONS.indexOf(operation);
  return new Map([...totals].sort(([a], [b]) => rank(a) - rank(b)));
}

export function operationFigures(operation: MeasuredOperation, totals: Totals): FiguresOfOperation {
  const { planned, started, outcomes, dropped, sentBytes, receivedBytes, histograms } = totals;
  return {
    ...{ operation, planned, started, sentBytes, receivedBytes },
    ...{ succeeded: succeededCount(totals), failed: failedCount(totals) },
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

function generatorFigures(frames: readonly TimelineFrame[], totals: readonly Totals[]): GeneratorFigures {
  const loads = frames.flatMap(({ workers }) => workers);
  const byShard = Map.groupBy(loads, ({ shard }) => shard);
  const sum = (of: (load: (typeof loads)[number]) => number) => loads.reduce((all, load) => all + of(load), 0);
  const delay = createHistogram();
  for (const { histograms } of totals) merge(delay, histograms.delay);
  return {
    workers: byShard.size,
    busiestLoopUtilization: Math.max(
      0,
      ...[...byShard.values()].map((own) => own.reduce((all, load) => all + load.loopUtilization, 0) / own.length),
    ),
    cpuMs: sum(({ cpuMs }) => cpuMs),
    gcMs: sum(({ gcMs }) => gcMs),
    stalls: sum(({ stalls }) => stalls.length),
    delayP99Ms: percentileMs(delay, 99),
  };
}
