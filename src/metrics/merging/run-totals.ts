import type { LifecycleState } from '../../protocol/lifecycle-states.ts';
import type { MeasuredOperation } from '../../protocol/operations.ts';
import { decodeFrame, type Frame, type Stall } from '../recording/frame.ts';
import type { Histogram } from '../recording/histogram.ts';
import { countsSecond, type PhaseSpan } from './phases.ts';
import { createTimeline, type FleetState, stateOf, type TimelineFrame } from './timeline.ts';
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

export type SeriesTotals = { readonly phase: string; readonly operation: MeasuredOperation; readonly totals: Totals };

/** What became of a worker in the counted seconds. */
export type WorkerTotals = {
  readonly shard: number;
  readonly seconds: number;
  /** Mean share of a second in which its event loop was busy, 0 to 1. */
  readonly loopUtilisation: number;
  readonly cpuMs: number;
  readonly gcMs: number;
  /** When it was held up, by phase. */
  readonly stalls: readonly { readonly phase: string; readonly durationMs: number }[];
};

type WorkerAccount = {
  latest: Pick<Frame, 'second' | keyof FleetState>;
  mostListening: number;
  seconds: number;
  busySeconds: number;
  cpuMs: number;
  gcMs: number;
  readonly stalls: { phase: string; durationMs: number }[];
};

/** @param shards the numbers of the shards whose frames will come. */
export function createRunTotals(phases: readonly PhaseSpan[], shards: readonly number[]): RunTotals {
  const timeline = createTimeline(shards);
  const names = new Set(phases.map((phase) => phase.name));
  const series = new Map<string, SeriesTotals>();
  const accounts = new Map<number, WorkerAccount>();

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
    const account = accounts.get(frame.shard) ?? newAccount(frame);
    accounts.set(frame.shard, account);
    if (frame.second >= account.latest.second) account.latest = frame;
    account.mostListening = Math.max(account.mostListening, frame.listening);
    account.stalls.push(...frame.stalls.flatMap((stall) => stallsByPhase(stall, phases)));
    if (!countsSecond(phases, frame.second)) return;
    account.seconds += 1;
    account.busySeconds += frame.loopUtilisation;
    account.cpuMs += frame.cpuMs;
    account.gcMs += frame.gcMs;
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
      workers: [...accounts].sort(([a], [b]) => a - b).map(([shard, account]) => workerTotals(shard, account)),
      ...stateOf([...accounts.values()].map((account) => account.latest)),
      mostListening: [...accounts.values()].reduce((sum, account) => sum + account.mostListening, 0),
    }),
  };
}

function newAccount(latest: WorkerAccount['latest']): WorkerAccount {
  return { latest, mostListening: 0, seconds: 0, busySeconds: 0, cpuMs: 0, gcMs: 0, stalls: [] };
}

function workerTotals(shard: number, { seconds, busySeconds, cpuMs, gcMs, stalls }: WorkerAccount): WorkerTotals {
  return { shard, seconds, loopUtilisation: seconds === 0 ? 0 : busySeconds / seconds, cpuMs, gcMs, stalls };
}

/** The parts of a stall, phase by phase: one that began in a warm-up may reach into what is counted. */
function stallsByPhase({ fromMs, toMs }: Stall, phases: readonly PhaseSpan[]): { phase: string; durationMs: number }[] {
  return phases.flatMap(({ name, startMs, durationMs }) => {
    const overlapMs = Math.min(toMs, startMs + durationMs) - Math.max(fromMs, startMs);
    return overlapMs > 0 ? [{ phase: name, durationMs: overlapMs }] : [];
  });
}
