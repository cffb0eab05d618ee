import type { LifecycleState } from '../../protocol/operations.ts';
import { decodeFrame, type Frame } from '../recording/frame.ts';
import type { PhaseSpan } from './phases.ts';
import { createSeriesSums, type SeriesTotals } from './series-totals.ts';
import { createTimeline, type FleetState, secondOf, stateOf, type TimelineFrame } from './timeline.ts';
import { createWorkerAccounts, type WorkerTotals } from './worker-accounts.ts';

/** Everything the shards have reported, added up; the order of frames of different shards does not matter. */
export type RunTotals = {
  add(frame: Frame): void;
  /** No more frames come from this shard. */
  end(shard: number): void;
  /** Seconds all shards have left behind since the last call. Ask every second: what is not taken is kept. */
  takeTimeline(): TimelineFrame[];
  read(): TotalsReading;
};

/** A view of the totals. Its histograms are not copies: do not change them. */
export type TotalsReading = {
  readonly series: readonly SeriesTotals[];
  /** By shard, in their order. */
  readonly workers: readonly WorkerTotals[];
  readonly agents: Readonly<Record<LifecycleState, number>>;
  readonly inFlight: number;
  readonly listening: number;
  /** The most agents that listened, added up over the shards. */
  readonly mostListening: number;
  readonly down: number;
};

/** @param shards the numbers of the shards whose frames will come. */
export function createRunTotals(phases: readonly PhaseSpan[], shards: readonly number[]): RunTotals {
  const timeline = createTimeline(shards);
  const series = createSeriesSums(phases);
  const workers = createWorkerAccounts(phases);
  const latest = new Map<number, FleetState & { readonly second: number }>();
  return {
    add(encoded) {
      const frame = decodeFrame(encoded);
      series.add(frame.series);
      workers.add(frame.second, frame);
      if (frame.second >= (latest.get(frame.shard)?.second ?? 0)) latest.set(frame.shard, frame);
      timeline.add(secondOf(frame));
    },
    end: (shard) => timeline.end(shard),
    takeTimeline: () => timeline.take(),
    read: () => ({
      series: series.read(),
      workers: workers.read(),
      ...stateOf(latest.values()),
      mostListening: workers.mostListening(),
    }),
  };
}
