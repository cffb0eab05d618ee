import { formatDuration } from '../../base/kernel/units.ts';
import { latePartsOf, leftOutMs } from '../merging/late-spans.ts';
import type { Measurement, Recording } from '../merging/measurement.ts';
import { doubtCount, droppedCount, failedCount, finishedCount, leftOutCounts } from '../merging/totals.ts';
import { createHistogram, type Histogram, merge, without } from '../recording/histogram.ts';

/** Figures of an operation in a window, for a threshold. */
export type Figures = {
  /** Operations that were due. */
  readonly planned: number;
  readonly started: number;
  readonly finished: number;
  readonly failed: number;
  readonly dropped: number;
  /** Successes whose answer only an agent would take; late or not, because lateness does not change an answer. */
  readonly unexpected: number;
  readonly response: Histogram;
  readonly durationMs: number;
  readonly succeededPerSecond: number;
};

/** All operations. */
export function judgedFiguresOf({ totals, durationMs, succeededPerSecond }: Measurement): Figures {
  return {
    planned: totals.planned,
    started: totals.started,
    durationMs,
    succeededPerSecond,
    finished: finishedCount(totals),
    failed: failedCount(totals),
    dropped: droppedCount(totals),
    unexpected: doubtCount(totals),
    response: totals.histograms.response,
  };
}

/** The operations that the generator did not delay. */
export function countedFigures(measurement: Measurement, leftOutMs: number): Figures {
  const all = judgedFiguresOf(measurement);
  const { finished, failed, dropped, succeededWithin, response } = leftOutCounts(measurement.totals);
  const durationMs = Math.max(0, all.durationMs - leftOutMs);
  const within = (all.succeededPerSecond * all.durationMs) / 1000 - succeededWithin;
  const kept = { finished: all.finished - finished, failed: all.failed - failed, dropped: all.dropped - dropped };
  return {
    ...kept,
    unexpected: all.unexpected,
    durationMs,
    planned: kept.finished + kept.dropped,
    started: kept.finished,
    response: without(all.response, response),
    succeededPerSecond: durationMs === 0 ? 0 : (within * 1000) / durationMs,
  };
}

/** All operations, those that the generator delayed with the least time that the target itself took. */
export function floorFigures(measurement: Measurement): Figures {
  const { leftOut } = measurement.totals;
  const response = createHistogram();
  merge(response, without(measurement.totals.histograms.response, leftOut?.response));
  if (leftOut?.floor !== undefined) merge(response, leftOut.floor);
  return { ...judgedFiguresOf(measurement), response };
}

export type LeftOutPart = {
  /** Of its duration or of its operations, whichever is larger; 0 to 1. */
  readonly share: number;
  /** Mean of all workers. */
  readonly ms: number;
  /** The longest lateness in it. */
  readonly because: string;
};

/** Returns `undefined` if nothing was left out. */
export function leftOutPart({ run }: Recording, measurement: Measurement): LeftOutPart | undefined {
  const { totals, stretches, durationMs } = measurement;
  const { late, workers } = run;
  const ms = leftOutMs(late, stretches, workers.length);
  const { finished, dropped } = leftOutCounts(totals);
  const all = finishedCount(totals) + droppedCount(totals);
  if (ms === 0 && finished + dropped === 0) return undefined;
  const byTime = durationMs === 0 ? 0 : ms / durationMs;
  const share = Math.min(1, Math.max(byTime, all === 0 ? 0 : (finished + dropped) / all));
  const touching = late.filter((span) => stretches.some((stretch) => latePartsOf([span], stretch).length > 0));
  const longest = (touching.length > 0 ? touching : late).toSorted((a, b) => b.heldMs - a.heldMs)[0];
  const because =
    longest === undefined
      ? 'the generator dropped operations'
      : `worker ${longest.shard} was late by ${Math.round(longest.heldMs)} ms at ${(longest.fromMs / 1000).toFixed(1)} s`;
  return { share, ms, because };
}

/** `judged on 96.5% of steady; 0.7 s left out: worker 1 was late by 650 ms at 14.2 s`. */
export function leftOutText({ share, ms, because }: LeftOutPart, window: string): string {
  // Never 100% of a window that lacks something.
  const kept = Math.min(99.9, Math.round((1 - share) * 1000) / 10);
  return `judged on ${kept}% of ${window}; ${ms === 0 ? 'the rest' : secondsText(ms)} left out: ${because}`;
}

/** `late for 1.2 s (34%) of steady: worker 1 was late by 650 ms at 14.2 s`. */
export function lateText({ share, ms, because }: LeftOutPart, window: string): string {
  if (ms === 0) return `${percentText(share)} of ${window} left out: ${because}`;
  return `late for ${secondsText(ms)} (${percentText(share)}) of ${window}: ${because}`;
}

export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}

function secondsText(ms: number): string {
  return ms < 100 ? formatDuration(Math.max(1, Math.round(ms))) : `${(ms / 1000).toFixed(1)} s`;
}
