import type { AddressCounts } from '../../protocol/exchange.ts';
import type { LifecycleState, MeasuredOperation } from '../../protocol/operations.ts';
import type { AttackCounts } from './attacks.ts';
import type { Evidence } from './evidence.ts';
import { type Histogram, type PackedHistogram, pack, unpack } from './histogram.ts';
import type { ListenerCounts } from './listener-counts.ts';
import type { DropReason, Outcome } from './outcomes.ts';

/**
 * The clocks of an operation, in microseconds: response = answer minus intended start, service = answer minus actual
 * send, lag = actual send minus intended start, delay = pick-up by the generator minus intended start (the scheduling
 * delay: the generator's own part of the lag). `unanswered` is the part of `response` to which no answer came.
 */
export const CLOCKS = ['response', 'unanswered', 'service', 'lag', 'delay'] as const;

export type ClockName = (typeof CLOCKS)[number];

/**
 * Counts of one operation in one phase during one interval. `planned` = `started` + all `dropped` + those still waiting.
 * On its way between threads or machines a histogram is packed.
 */
export type SeriesFrame<Values = PackedHistogram> = {
  readonly phase: string;
  readonly operation: MeasuredOperation;
  readonly planned: number;
  readonly started: number;
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  /** Successes that came while this phase took place, whichever phase they were due in: what throughput is made of. */
  readonly succeededWithin: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Values in microseconds; a clock without values is absent. */
  readonly histograms: Readonly<Partial<Record<ClockName, Values>>>;
};

/** Milliseconds since the start of the run. */
export type Stall = { readonly fromMs: number; readonly toMs: number };

/**
 * One second of one shard. Frames hold what happened since the frame before, so any set of them can be added up
 * in any order; `agents`, `inFlight`, `listening`, `down` and `addresses` are the state at the frame's end.
 */
export type Frame<Values = PackedHistogram> = {
  readonly shard: number;
  /** Whole seconds since the start of the run; frame n covers [n, n + 1). */
  readonly second: number;
  readonly series: readonly SeriesFrame<Values>[];
  readonly agents: Readonly<Record<LifecycleState, number>>;
  readonly inFlight: number;
  /** Agents whose web server listens. */
  readonly listening: number;
  /** Agents whose process has ended. */
  readonly down: number;
  /** What became of clients at the ports of its agents. */
  readonly listeners: ListenerCounts;
  /** Share of the second in which the worker's event loop was busy, 0 to 1. */
  readonly loopUtilisation: number;
  /** User and system CPU time of the worker's thread in this interval. */
  readonly cpuMs: number;
  /** Time that garbage collection took of the worker's thread in this interval. */
  readonly gcMs: number;
  /** When the worker was held up for more than a tenth of a second at a stretch. */
  readonly stalls: readonly Stall[];
  /** Of the workers whose frames are merged in this one; left out: it is of one worker, whose own load stands above. */
  readonly workers?: readonly WorkerLoad[];
  /** Counts per address of the target since the start, for all addresses that agents could dial. */
  readonly addresses?: readonly AddressCounts[];
  /** What was seen of the first failures of each kind. */
  readonly evidence?: readonly Evidence[];
  /** What misbehaving agents did. */
  readonly attacks?: readonly AttackCounts<Values>[];
};

/** What a worker reported of itself; `listening` are its own agents. */
export type WorkerLoad = Pick<Frame, 'shard' | 'loopUtilisation' | 'cpuMs' | 'gcMs' | 'listening' | 'stalls'>;

/** Of the worker that reported it, or of all whose frames are merged in it. */
export function loadsOf(frame: Frame<unknown>): readonly WorkerLoad[] {
  if (frame.workers !== undefined) return frame.workers;
  const { shard, loopUtilisation, cpuMs, gcMs, listening, stalls } = frame;
  return [{ shard, loopUtilisation, cpuMs, gcMs, listening, stalls }];
}

export function unpackSeries(series: SeriesFrame<Histogram | PackedHistogram>): SeriesFrame<Histogram> {
  const unpacked = (values: Histogram | PackedHistogram) => (values instanceof Uint8Array ? unpack(values) : values);
  return { ...series, histograms: eachClock(series.histograms, unpacked) };
}

/** On its way again, as it came. */
export function packSeries(series: SeriesFrame<Histogram>): SeriesFrame {
  return { ...series, histograms: eachClock(series.histograms, pack) };
}

function eachClock<From, To>(
  values: Readonly<Partial<Record<ClockName, From>>>,
  made: (value: From) => To,
): Partial<Record<ClockName, To>> {
  const histograms: Partial<Record<ClockName, To>> = {};
  for (const clock of CLOCKS) {
    const value = values[clock];
    if (value !== undefined) histograms[clock] = made(value);
  }
  return histograms;
}
