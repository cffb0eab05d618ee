/** When the n-th arrival of a fleet-wide rate is due, as arithmetic on a timeline that starts at 0. */
export type RatePacer = {
  /** Milliseconds from the start of the load to arrival `n` (from 0); Infinity if the load never reaches it. */
  dueAtMs(n: number): number;
};

/** Evenly spaced arrivals; the first is due at once. */
export function constantRate(ratePerSecond: number): RatePacer {
  return { dueAtMs: (n) => wholeNanoseconds((n * 1000) / ratePerSecond) };
}

/** A rate that changes evenly from one value to another over `durationMs`, and ends there. Due instants never fall. */
export function rampRate(fromPerSecond: number, toPerSecond: number, durationMs: number): RatePacer {
  const slope = (toPerSecond - fromPerSecond) / (durationMs / 1000);
  const dueAtMs = (n: number): number => {
    if (n === 0) return 0;
    const square = fromPerSecond * fromPerSecond + 2 * n * slope;
    if (square < 0) return Number.POSITIVE_INFINITY;
    // The usual root formula loses all digits when the slope is small; this form of it does not.
    const dueMs = wholeNanoseconds((2000 * n) / (fromPerSecond + Math.sqrt(square)));
    return dueMs < durationMs ? dueMs : Number.POSITIVE_INFINITY;
  };
  return { dueAtMs };
}

// 23 in a minute are no whole number a second: without this, the 24th would come a hair before the minute is over.
function wholeNanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6) / 1e6;
}
