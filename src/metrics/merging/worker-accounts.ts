import type { Stall } from '../recording/frame.ts';
import { countsSecond, type PhaseSpan } from './phases.ts';
import type { WorkerLoad } from './timeline.ts';

/** What became of a worker in the counted seconds. */
export type WorkerTotals = {
  readonly shard: number;
  readonly seconds: number;
  /** Those of them in which it used more than `SATURATED` of a core. */
  readonly saturatedSeconds: number;
  /** Mean share of a second in which its event loop was busy, 0 to 1. */
  readonly loopUtilisation: number;
  readonly cpuMs: number;
  readonly gcMs: number;
  /** When it was held up, by phase. */
  readonly stalls: readonly { readonly phase: string; readonly durationMs: number }[];
};

/** A worker that uses more of a core, 0 to 1, has hardly any reserve. */
export const SATURATED = 0.9;

/** What becomes of the workers, second by second. */
export type WorkerAccounts = {
  add(second: number, load: WorkerLoad): void;
  /** By shard, in their order. */
  read(): readonly WorkerTotals[];
  /** The most agents that listened, added up over the shards. */
  mostListening(): number;
};

type Account = {
  mostListening: number;
  seconds: number;
  saturatedSeconds: number;
  busySeconds: number;
  cpuMs: number;
  gcMs: number;
  readonly stalls: { phase: string; durationMs: number }[];
};

export function createWorkerAccounts(phases: readonly PhaseSpan[]): WorkerAccounts {
  const accounts = new Map<number, Account>();
  return {
    add(second, { shard, listening, stalls, loopUtilisation, cpuMs, gcMs }) {
      const account = accounts.get(shard) ?? newAccount();
      accounts.set(shard, account);
      account.mostListening = Math.max(account.mostListening, listening);
      account.stalls.push(...stalls.flatMap((stall) => stallsByPhase(stall, phases)));
      if (!countsSecond(phases, second)) return;
      account.seconds += 1;
      if (cpuMs > SATURATED * 1000) account.saturatedSeconds += 1;
      account.busySeconds += loopUtilisation;
      account.cpuMs += cpuMs;
      account.gcMs += gcMs;
    },
    read: () => [...accounts].sort(([a], [b]) => a - b).map(([shard, account]) => workerTotals(shard, account)),
    mostListening: () => [...accounts.values()].reduce((sum, account) => sum + account.mostListening, 0),
  };
}

function newAccount(): Account {
  return { mostListening: 0, seconds: 0, saturatedSeconds: 0, busySeconds: 0, cpuMs: 0, gcMs: 0, stalls: [] };
}

function workerTotals(shard: number, { mostListening, busySeconds, ...account }: Account): WorkerTotals {
  const { seconds } = account;
  return { shard, ...account, loopUtilisation: seconds === 0 ? 0 : busySeconds / seconds };
}

/** The parts of a stall, phase by phase: one that began in a warm-up may reach into what is counted. */
function stallsByPhase({ fromMs, toMs }: Stall, phases: readonly PhaseSpan[]): { phase: string; durationMs: number }[] {
  return phases.flatMap(({ name, startMs, durationMs }) => {
    const overlapMs = Math.min(toMs, startMs + durationMs) - Math.max(fromMs, startMs);
    return overlapMs > 0 ? [{ phase: name, durationMs: overlapMs }] : [];
  });
}
