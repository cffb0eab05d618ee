import type { ProvisionPorts } from './ledger-hosts.ts';

/** Returns a function that resolves when the next request may start: `ratePerSecond` at most, without bursts. */
export function createRateLimiter(
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
