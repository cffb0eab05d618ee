import {
  isPullOperation,
  isServedOperation,
  MEASURED_OPERATIONS,
  type MeasuredOperation,
} from '../../protocol/operations.ts';
import type { FleetState, TimelineFrame } from './timeline.ts';
import { addSeries, emptyTotals, sumTotals, type Totals } from './totals.ts';

/** What a fleet did in a few seconds, and how it stood at their end. */
export type Activity = FleetState & {
  /** How many seconds these are. */
  readonly seconds: number;
  /** All operations and phases together. */
  readonly totals: Totals;
  /** Those that did something, in the order of tables. */
  readonly operations: readonly OperationActivity[];
  /** Share of the time in which the busiest worker's event loop was busy, 0 to 1; undefined if none reported. */
  readonly busiestLoopUtilisation: number | undefined;
};

export type OperationActivity = { readonly operation: MeasuredOperation; readonly totals: Totals };

/** @param frames the last few seconds of the timeline, in order; undefined if there are none. */
export function recentActivity(frames: readonly TimelineFrame[]): Activity | undefined {
  const last = frames.at(-1);
  if (last === undefined) return undefined;
  const operations = operationsOf(frames);
  const counted = operations.filter(countsOnce(operations));
  const { agents, inFlight, listening, down } = last;
  return {
    ...{ agents, inFlight, listening, down },
    // A second that a worker reports late comes again, after later ones.
    seconds: new Set(frames.map(({ second }) => second)).size,
    totals: sumTotals(counted.map(({ totals }) => totals)),
    operations,
    busiestLoopUtilisation: busiestOf(frames),
  };
}

/** A poll of the embedded server is seen at both its ends, and counts by the one that knows when it was due. */
export function countsOnce(
  all: readonly { readonly operation: MeasuredOperation }[],
): (part: { readonly operation: MeasuredOperation }) => boolean {
  const isPulled = all.some(({ operation }) => isPullOperation(operation));
  return ({ operation }) => !isPulled || !isServedOperation(operation);
}

function operationsOf(frames: readonly TimelineFrame[]): readonly OperationActivity[] {
  const parts = Map.groupBy(
    frames.flatMap(({ series }) => series),
    ({ operation }) => operation,
  );
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const series = parts.get(operation);
    if (series === undefined) return [];
    const totals = emptyTotals();
    for (const part of series) addSeries(totals, part);
    return [{ operation, totals }];
  });
}

function busiestOf(frames: readonly TimelineFrame[]): number | undefined {
  const loads = Map.groupBy(
    frames.flatMap(({ workers }) => workers),
    ({ shard }) => shard,
  );
  if (loads.size === 0) return undefined;
  return Math.max(
    ...[...loads.values()].map(
      (load) => load.reduce((sum, { loopUtilisation }) => sum + loopUtilisation, 0) / load.length,
    ),
  );
}
