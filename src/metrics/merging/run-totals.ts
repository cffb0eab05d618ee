import type { LifecycleState } from '../../protocol/lifecycle-states.ts';
import type { Operation } from '../../protocol/operations.ts';
import { decodeFrame, type Frame } from '../recording/frame.ts';
import { createHistogram, type Histogram, merge } from '../recording/histogram.ts';
import { countsSecond, type PhaseSpan } from './phases.ts';
import { createTimeline, stateOf, type TimelineFrame } from './timeline.ts';
import { addSeries, emptyTotals, type Totals } from './totals.ts';

/** Everything the shards have reported, added up; the order of frames of different shards does not matter. */
export type RunTotals = {
  add(frame: Frame): void;
  /** No more frames come from this shard. */
  end(shard: number): void;
  /** Seconds all shards have left behind since the last call. Ask every second: what is not taken is kept. */
  takeTimeline(): TimelineFrame[];
  read(): TotalsReading;
};

/** A view of the totals. The histograms are the totals's own, not copies: do not change them. */
export type TotalsReading = {
  readonly series: readonly SeriesTotals[];
  /** Of the counted seconds, over all shards. */
  readonly schedulingDelay: Histogram;
  /** Mean over the counted seconds, in the order of shards. */
  readonly loopUtilisations: readonly { readonly shard: number; readonly mean: number }[];
  readonly agents: Readonly<Record<LifecycleState, number>>;
  readonly inFlight: number;
};

export type SeriesTotals = { readonly phase: string; readonly operation: Operation; readonly totals: Totals };

type ShardAccount = { latest: Pick<Frame, 'second' | 'agents' | 'inFlight'>; busySeconds: number; seconds: number };

/** @param shards the numbers of the shards whose frames will come. */
export function createRunTotals(phases: readonly PhaseSpan[], shards: readonly number[]): RunTotals {
  const timeline = createTimeline(shards);
  const names = new Set(phases.map((phase) => phase.name));
  const series = new Map<string, SeriesTotals>();
  const accounts = new Map<number, ShardAccount>();
  const schedulingDelay = createHistogram();

  function addToSeries(frame: Frame<Histogram>): void {
    for (const part of frame.series) {
      if (!names.has(part.phase))
        throw new Error(`a frame counts in a phase the scenario does not have: ${part.phase}`);
      const key = `${part.operation} ${part.phase}`;
      const entry = series.get(key) ?? { phase: part.phase, operation: part.operation, totals: emptyTotals() };
      addSeries(entry.totals, part);
      series.set(key, entry);
    }
  }

  function addToAccount(frame: Frame<Histogram>): void {
    const account = accounts.get(frame.shard) ?? { latest: frame, busySeconds: 0, seconds: 0 };
    accounts.set(frame.shard, account);
    if (frame.second >= account.latest.second) account.latest = frame;
    if (!countsSecond(phases, frame.second)) return;
    account.busySeconds += frame.loopUtilisation;
    account.seconds += 1;
    if (frame.schedulingDelay !== undefined) merge(schedulingDelay, frame.schedulingDelay);
  }

  return {
    add(encoded) {
      const frame = decodeFrame(encoded);
      addToSeries(frame);
      addToAccount(frame);
      timeline.add(frame);
    },
    end: (shard) => timeline.end(shard),
    takeTimeline: () => timeline.take(),
    read: () => ({
      series: [...series.values()],
      schedulingDelay,
      loopUtilisations: [...accounts].sort(([a], [b]) => a - b).flatMap(([shard, account]) => meanOf(shard, account)),
      ...stateOf([...accounts.values()].map((account) => account.latest)),
    }),
  };
}

function meanOf(shard: number, account: ShardAccount): { shard: number; mean: number }[] {
  return account.seconds === 0 ? [] : [{ shard, mean: account.busySeconds / account.seconds }];
}
