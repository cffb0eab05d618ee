import { isPullOperation, isServedOperation } from '../../protocol/operations.ts';
import { percentileMs } from '../recording/histogram.ts';
import type { FleetState, TimelineFrame } from './timeline.ts';
import { addSeries, droppedCount, emptyTotals, failedCount, finishedCount } from './totals.ts';

/** What a fleet is doing just now, all operations and phases together. */
export type Activity = FleetState & {
  readonly plannedPerSecond: number;
  readonly startedPerSecond: number;
  readonly droppedPerSecond: number;
  /** Undefined if nothing finished. */
  readonly responseP99Ms: number | undefined;
  /** Failed among the finished operations, 0 to 1; undefined if nothing finished. */
  readonly errorShare: number | undefined;
};

/** @param frames the last few seconds of the timeline, in order; undefined if there are none. */
export function recentActivity(frames: readonly TimelineFrame[]): Activity | undefined {
  const first = frames[0];
  const last = frames.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const totals = emptyTotals();
  for (const series of countedOnce(frames.flatMap((frame) => frame.series))) addSeries(totals, series);
  const finished = finishedCount(totals);
  const { agents, inFlight, listening, down } = last;
  const seconds = last.second - first.second + 1;
  return {
    ...{ agents, inFlight, listening, down },
    plannedPerSecond: totals.planned / seconds,
    startedPerSecond: totals.started / seconds,
    droppedPerSecond: droppedCount(totals) / seconds,
    responseP99Ms: percentileMs(totals.histograms.response, 99),
    errorShare: finished === 0 ? undefined : failedCount(totals) / finished,
  };
}

/** A poll of the embedded server is seen at both its ends, and counts by the one that knows when it was due. */
function countedOnce(series: TimelineFrame['series']): TimelineFrame['series'] {
  const isPulled = series.some(({ operation }) => isPullOperation(operation));
  return isPulled ? series.filter(({ operation }) => !isServedOperation(operation)) : series;
}
