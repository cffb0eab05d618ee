import type { Writable } from '../../base/kernel/records.ts';
import type { Stall, WorkerLoad } from '../recording/frame.ts';
import { overlapMs, type PhaseSpan } from './phases.ts';

/** Load of a worker in the counted seconds, and in those of each phase. */
export type WorkerTotals = LoadTotals & {
  readonly shard: number;
  /** Phases in which it reported a second; time after the last phase counts as part of it. */
  readonly phases: readonly PhaseLoad[];
};

export type LoadTotals = {
  readonly seconds: number;
  /** Seconds in which it used more than `SATURATED` of a core. */
  readonly saturatedSeconds: number;
  /** Mean share of a second in which its event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  readonly cpuMs: number;
  readonly gcMs: number;
};

type PhaseLoad = LoadTotals & { readonly phase: string; readonly stalls: PhaseStalls };

/** The parts of a worker's stalls within a phase. */
export type PhaseStalls = {
  readonly totalMs: number;
  readonly longestMs: number;
  /** The longest whole stall for at least half of which the worker used no CPU time; 0 if there is none. */
  readonly idleMs: number;
};

/** A worker that uses a larger share of a core, 0 to 1, has hardly any reserve. */
export const SATURATED = 0.9;

type LoadSums = { seconds: number; saturatedSeconds: number; busySeconds: number; cpuMs: number; gcMs: number };

type WorkerSums = {
  mostListening: number;
  readonly counted: LoadSums;
  readonly phases: Map<string, { readonly load: LoadSums; readonly stalls: Writable<PhaseStalls> }>;
};

export function createWorkerSums(phases: readonly PhaseSpan[]) {
  const workers = new Map<number, WorkerSums>();
  return {
    /** @param touched the phases that share the second of the loads */
    add(loads: readonly WorkerLoad[], touched: readonly PhaseSpan[]): void {
      for (const load of loads) {
        const sums = workers.get(load.shard) ?? { mostListening: 0, counted: noLoad(), phases: new Map() };
        workers.set(load.shard, sums);
        sums.mostListening = Math.max(sums.mostListening, load.listening);
        for (const { name } of touched) addLoad(phaseSums(sums, name).load, load);
        if (touched.some(({ excluded }) => !excluded)) addLoad(sums.counted, load);
        for (const stall of load.stalls) addStall(sums, stall, { phases, cpuMs: load.cpuMs });
      }
    },
    /** Sorted by shard. */
    read: (): readonly WorkerTotals[] =>
      [...workers].sort(([a], [b]) => a - b).map(([shard, sums]) => workerTotals(shard, sums)),
    /** Highest number of listening agents of each worker, added up. */
    mostListening: (): number => [...workers.values()].reduce((sum, { mostListening }) => sum + mostListening, 0),
  };
}

function noLoad(): LoadSums {
  return { seconds: 0, saturatedSeconds: 0, busySeconds: 0, cpuMs: 0, gcMs: 0 };
}

function addLoad(sums: LoadSums, { loopUtilization, cpuMs, gcMs }: WorkerLoad): void {
  sums.seconds += 1;
  if (cpuMs > SATURATED * 1000) sums.saturatedSeconds += 1;
  sums.busySeconds += loopUtilization;
  sums.cpuMs += cpuMs;
  sums.gcMs += gcMs;
}

function phaseSums({ phases }: WorkerSums, phase: string) {
  const sums = phases.get(phase) ?? { load: noLoad(), stalls: { totalMs: 0, longestMs: 0, idleMs: 0 } };
  phases.set(phase, sums);
  return sums;
}

/** Splits a stall by phase: one that starts in a warm-up may extend into a counted phase. */
function addStall(
  sums: WorkerSums,
  stall: Stall,
  { phases, cpuMs }: { readonly phases: readonly PhaseSpan[]; readonly cpuMs: number },
): void {
  const wholeMs = stall.toMs - stall.fromMs;
  for (const phase of phases) {
    const durationMs = overlapMs(phase, phases, stall);
    if (durationMs === 0) continue;
    const { stalls } = phaseSums(sums, phase.name);
    stalls.totalMs += durationMs;
    stalls.longestMs = Math.max(stalls.longestMs, durationMs);
    if (cpuMs < wholeMs / 2) stalls.idleMs = Math.max(stalls.idleMs, wholeMs);
  }
}

function workerTotals(shard: number, { counted, phases }: WorkerSums): WorkerTotals {
  const byPhase = [...phases].map(([phase, { load, stalls }]) => {
    return { phase, stalls: { ...stalls }, ...loadTotals(load) };
  });
  return { shard, ...loadTotals(counted), phases: byPhase };
}

function loadTotals({ busySeconds, ...sums }: LoadSums): LoadTotals {
  return { ...sums, loopUtilization: sums.seconds === 0 ? 0 : busySeconds / sums.seconds };
}
