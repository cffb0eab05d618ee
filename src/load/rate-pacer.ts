/**
 * When the n-th arrival of a fleet-wide rate is due, as arithmetic on a timeline that starts at 0.
 * `dueAtMs` never falls as n grows; `dueCount(t)` is the number of arrivals due at or before t.
 */
export type RatePacer = {
  /** Milliseconds from the start of the load to arrival `n` (from 0); Infinity if the load never reaches it. */
  dueAtMs(n: number): number;
  dueCount(elapsedMs: number): number;
};

/** Evenly spaced arrivals; the first is due at once. */
export function constantRate(ratePerSecond: number): RatePacer {
  const dueAtMs = (n: number): number => (n * 1000) / ratePerSecond;
  return { dueAtMs, dueCount: (elapsedMs) => countUpTo(dueAtMs, elapsedMs, (elapsedMs * ratePerSecond) / 1000) };
}

/** A rate that changes evenly from one value to another over `durationMs`, and ends there. */
export function rampRate(fromPerSecond: number, toPerSecond: number, durationMs: number): RatePacer {
  const slope = (toPerSecond - fromPerSecond) / (durationMs / 1000);
  const dueAtMs = (n: number): number => {
    if (n === 0) return 0;
    const square = fromPerSecond * fromPerSecond + 2 * n * slope;
    // The usual root formula loses all digits when the slope is small; this form of it does not.
    const dueMs = square < 0 ? Number.POSITIVE_INFINITY : (2000 * n) / (fromPerSecond + Math.sqrt(square));
    return dueMs < durationMs ? dueMs : Number.POSITIVE_INFINITY;
  };
  const reached = (elapsedMs: number): number => {
    const seconds = Math.min(elapsedMs, durationMs) / 1000;
    return fromPerSecond * seconds + (slope * seconds * seconds) / 2;
  };
  return { dueAtMs, dueCount: (elapsedMs) => countUpTo(dueAtMs, elapsedMs, reached(elapsedMs)) };
}

/** Corrects an estimate that may be off by rounding, so that count and due instants always agree. */
function countUpTo(dueAtMs: (n: number) => number, elapsedMs: number, estimate: number): number {
  if (elapsedMs < 0) return 0;
  let count = Math.max(0, Math.floor(estimate));
  while (count > 0 && dueAtMs(count - 1) > elapsedMs) count--;
  while (dueAtMs(count) <= elapsedMs) count++;
  return count;
}
