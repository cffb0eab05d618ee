import type { VerdictKind } from '../metrics/judging/verdict.ts';
import type { PhaseSpan } from '../metrics/merging/phases.ts';
import { createRecordedTotals, type TotalsReading } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame, WorkerLoad } from '../metrics/merging/timeline.ts';

/** A run as scrapers tell it from others. */
export type RunIdentity = { readonly scenario: string; readonly seed: number; readonly phases: readonly PhaseSpan[] };

/** What scrapers are told of one run, second by second. */
export type RunFigures = {
  started(at: Date): void;
  /** Each second of the timeline once. */
  add(seconds: readonly TimelineFrame[]): void;
  ended(verdict: VerdictKind): void;
  read(): RunReading;
};

export type RunState =
  | { readonly kind: 'preparing' }
  /** `phase`: where the last whole second ended; undefined: behind the last phase. */
  | { readonly kind: 'running'; readonly phase: string | undefined }
  | { readonly kind: 'ended'; readonly verdict: VerdictKind };

/** A view of the figures, all from the start of the run; its histograms are not copies. */
export type RunReading = {
  readonly identity: RunIdentity;
  readonly startedAt: Date | undefined;
  readonly state: RunState;
  readonly totals: TotalsReading;
  /** In the order in which they reported first. */
  readonly workers: readonly WorkerSums[];
};

/** Of all seconds, also of those that do not count. */
export type WorkerSums = {
  readonly shard: number;
  readonly cpuMs: number;
  readonly gcMs: number;
  /** Of the last second alone. */
  readonly loopUtilisation: number;
};

export function createRunFigures(identity: RunIdentity): RunFigures {
  const { phases } = identity;
  const totals = createRecordedTotals(phases);
  const workers = new Map<number, WorkerSums>();
  let startedAt: Date | undefined;
  let verdict: VerdictKind | undefined;
  let elapsedMs = 0;
  const state = (): RunState => {
    if (verdict !== undefined) return { kind: 'ended', verdict };
    return startedAt === undefined ? { kind: 'preparing' } : { kind: 'running', phase: phaseAt(phases, elapsedMs) };
  };
  return {
    started: (at) => {
      startedAt = at;
    },
    add: (seconds) => {
      for (const second of seconds) {
        totals.add(second);
        for (const load of second.workers) workers.set(load.shard, plus(workers.get(load.shard), load));
        elapsedMs = Math.max(elapsedMs, (second.second + 1) * 1000);
      }
    },
    ended: (kind) => {
      verdict = kind;
    },
    read: () => ({ identity, startedAt, state: state(), totals: totals.read(), workers: [...workers.values()] }),
  };
}

function plus(sums: WorkerSums | undefined, { shard, cpuMs, gcMs, loopUtilisation }: WorkerLoad): WorkerSums {
  return { shard, cpuMs: (sums?.cpuMs ?? 0) + cpuMs, gcMs: (sums?.gcMs ?? 0) + gcMs, loopUtilisation };
}

function phaseAt(phases: readonly PhaseSpan[], elapsedMs: number): string | undefined {
  return phases.find(({ startMs, durationMs }) => startMs <= elapsedMs && elapsedMs < startMs + durationMs)?.name;
}
