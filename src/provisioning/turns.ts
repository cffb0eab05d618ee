import type { Ledger } from './ledger.ts';
import type { HostServer } from './server.ts';

/** What provisioning and cleaning up need from outside. */
export type ProvisionPorts = {
  readonly server: HostServer;
  readonly ledger: Ledger;
  readonly nowMs: () => number;
  readonly pause: (durationMs: number) => Promise<void>;
  readonly onProgress: (finished: number, all: number) => void;
  /** Ends the work after the request in flight. */
  readonly signal: AbortSignal;
};

/** Returns a function that resolves when the next request may start, `ratePerSecond` at most, without bursts. */
export function createTurns(
  ratePerSecond: number,
  { nowMs, pause }: Pick<ProvisionPorts, 'nowMs' | 'pause'>,
): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const startMs = Math.max(nowMs(), nextMs);
    nextMs = startMs + 1000 / ratePerSecond;
    if (startMs > nowMs()) await pause(startMs - nowMs());
  };
}
