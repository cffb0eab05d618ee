import { recordOf } from '../../base/kernel/records.ts';
import type { AddressCounts } from '../../base/protocol/exchange.ts';
import type { LifecycleState, MeasuredOperation } from '../../base/protocol/operations.ts';
import type { EventSummary } from '../summary/events.ts';
import type { AttackCounts } from './attacks.ts';
import { createHistogram, type Histogram, type PackedHistogram, pack, unpacked } from './histogram.ts';
import type { LateSpan } from './lateness.ts';
import type { AnswerDoubt, DropReason, Outcome } from './outcomes.ts';
import type { Evidence, ListenerCounts } from './schema.ts';

/**
 * The clocks of an operation, in microseconds:
 * - response: intended start to answer
 * - unanswered: the values of `response` that belong to operations without an answer
 * - service: actual send to answer
 * - lag: intended start to actual send
 * - delay, the scheduling delay: intended start to pickup, which is the generator's own part of the lag
 */
export const CLOCKS = ['response', 'unanswered', 'service', 'lag', 'delay'] as const;

export type ClockName = (typeof CLOCKS)[number];

export function emptyClocks(): Record<ClockName, Histogram> {
  return recordOf(CLOCKS, createHistogram);
}

/** Operations that thresholds leave out, because the generator was late between their due time and their end. Other figures contain them. */
export type LeftOut<Values = PackedHistogram> = LeftOutCounts & {
  /** Response times; absent without values. */
  readonly response?: Values | undefined;
  /** The same without the delay that the generator may have added. */
  readonly floor?: Values | undefined;
};

export const LEFT_OUT_HISTOGRAMS = ['response', 'floor'] as const;

type LeftOutCounts = Readonly<Record<(typeof LEFT_OUT_COUNTS)[number], number>>;

export const LEFT_OUT_COUNTS = ['finished', 'failed', 'dropped', 'succeededWithin'] as const;

/** Counts of an operation in a phase and interval. `planned` = `started` + all `dropped` + waiting. Histograms are packed between threads. */
export type SeriesFrame<Values = PackedHistogram> = {
  readonly phase: string;
  readonly operation: MeasuredOperation;
  readonly planned: number;
  readonly started: number;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  /** Answers with outcome `ok` that a person would not take; absent if there were none. */
  readonly doubts?: Readonly<Partial<Record<AnswerDoubt, number>>> | undefined;
  /** Successes that arrived during this phase, whichever phase they were due in; the basis of throughput. */
  readonly succeededWithin: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Absent if nothing was left out. */
  readonly leftOut?: LeftOut<Values> | undefined;
  /** Values in microseconds; a clock without values is absent. */
  readonly histograms: Readonly<Partial<Record<ClockName, Values>>>;
};

/** Counts of the agents that are in exactly these cohorts; its only clocks are `SEGMENT_CLOCKS`. */
export type SegmentFrame = SeriesFrame & { readonly cohorts: readonly string[] };

export const SEGMENT_CLOCKS = ['response', 'unanswered'] as const satisfies readonly ClockName[];

/** How unevenly operations were due and answered during a frame. */
export type Pace = {
  /** The lowest number in flight: 0 if everything was answered at some time. */
  readonly leastInFlight: number;
  /** How many were due in each tenth of the second. */
  readonly due: readonly number[];
};

/** Adds up lists of the same length. */
export function sumsByIndex(lists: readonly (readonly number[])[]): readonly number[] {
  return (lists[0] ?? []).map((_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0));
}

/** Milliseconds since the start of the run. */
export type Stall = { readonly fromMs: number; readonly toMs: number };

/**
 * One second of one shard. Frames hold what happened since the previous frame, so any set of them can be added up
 * in any order; `agents`, `inFlight`, `longestWaitMs`, `listening`, `down` and `addresses` are the state at the frame's end.
 */
export type Frame<Values = PackedHistogram> = {
  readonly shard: number;
  /** Whole seconds since the start of the run; frame n covers [n, n + 1). */
  readonly second: number;
  readonly series: readonly SeriesFrame<Values>[];
  /** The same counts, divided by cohorts; absent if the scenario has none. */
  readonly segments?: readonly SegmentFrame[] | undefined;
  readonly agents: Readonly<Record<LifecycleState, number>>;
  readonly inFlight: number;
  /** How long the oldest of them has waited; absent if there is none. */
  readonly longestWaitMs?: number | undefined;
  /** Absent if the shard only polls agents. */
  readonly pace?: Pace | undefined;
  /** Events so far; absent if nothing changed since the previous frame. */
  readonly happened?: readonly EventSummary[] | undefined;
  /** Agents whose web server listens. */
  readonly listening: number;
  /** Agents whose process has ended. */
  readonly down: number;
  /** Connections and requests at the ports of the shard's agents. */
  readonly listeners: ListenerCounts;
  /** Share of the second in which the worker's event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  /** User and system CPU time of the worker's thread in this interval. */
  readonly cpuMs: number;
  /** Time that the worker's thread spent on garbage collection in this interval. */
  readonly gcMs: number;
  /** Stalls of the worker that lasted more than a tenth of a second. */
  readonly stalls: readonly Stall[];
  /** Absent if the worker was not late. */
  readonly late?: readonly LateSpan[] | undefined;
  /** Workers whose frames are merged in this one; absent in a worker's own frame, which has its load in the fields above. */
  readonly workers?: readonly WorkerLoad[];
  /** Counts since the start for each address of the target that agents could dial. */
  readonly addresses?: readonly AddressCounts[] | undefined;
  /** Evidence of the first failures of each kind. */
  readonly evidence?: readonly Evidence[] | undefined;
  readonly attacks?: readonly AttackCounts<Values>[] | undefined;
};

/** A worker's report on itself; `listening` counts its own agents. */
export type WorkerLoad = Pick<Frame, 'shard' | 'loopUtilization' | 'cpuMs' | 'gcMs' | 'listening' | 'stalls' | 'late'>;

/** Load of the worker that sent the frame, or of each worker whose frame is merged in it. */
export function loadsOf(frame: Frame<unknown>): readonly WorkerLoad[] {
  if (frame.workers !== undefined) return frame.workers;
  const { shard, loopUtilization, cpuMs, gcMs, listening, stalls, late } = frame;
  return [{ shard, loopUtilization, cpuMs, gcMs, listening, stalls, ...(late && { late }) }];
}

export function unpackSeries(series: SeriesFrame<Histogram | PackedHistogram>): SeriesFrame<Histogram> {
  return withHistograms(series, unpacked);
}

/** Packs the histograms again after `unpackSeries`. */
export function packSeries(series: SeriesFrame<Histogram>): SeriesFrame {
  return withHistograms(series, pack);
}

/** Converts all values of a series. */
export function withHistograms<From, To>(series: SeriesFrame<From>, made: (value: From) => To): SeriesFrame<To> {
  const { leftOut, histograms, ...counts } = series;
  return {
    ...counts,
    ...(leftOut && { leftOut: { ...leftOut, ...each(LEFT_OUT_HISTOGRAMS, leftOut, made) } as LeftOut<To> }),
    histograms: each(CLOCKS, histograms, made),
  };
}

function each<Name extends string, From, To>(
  names: readonly Name[],
  values: { readonly [Each in Name]?: From | undefined },
  made: (value: From) => To,
): Partial<Record<Name, To>> {
  const results: Partial<Record<Name, To>> = {};
  for (const name of names) {
    const value = values[name];
    if (value !== undefined) results[name] = made(value);
  }
  return results;
}
