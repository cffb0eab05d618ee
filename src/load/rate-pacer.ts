/**
 * When the n-th arrival (from 0) of a fleet-wide rate is due, in milliseconds from the start of the load; Infinity if the
 * load never reaches it. Never falls as n grows.
 */
export type RatePacer = (n: number) => number;

/** Evenly spaced arrivals; the first is due at once. */
export function constantRate(ratePerSecond: number): RatePacer {
  return (n) => wholeNanoseconds((n * 1000) / ratePerSecond);
}

/** A rate that changes evenly from one value to another over `durationMs`, and ends there. */
export function rampRate(fromPerSecond: number, toPerSecond: number, durationMs: number): RatePacer {
  const slope = (toPerSecond - fromPerSecond) / (durationMs / 1000);
  return (n) => {
    if (n === 0) return 0;
    const square = fromPerSecond * fromPerSecond + 2 * n * slope;
    if (square < 0) return Number.POSITIVE_INFINITY;
    // The usual root formula loses all digits when the slope is small; this form of it does not.
    const dueMs = wholeNanoseconds((2000 * n) / (fromPerSecond + Math.sqrt(square)));
    return dueMs < durationMs ? dueMs : Number.POSITIVE_INFINITY;
  };
}

// 23 in a minute are no whole number a second: without this, the 24th would come a hair before the minute is over.
function wholeNanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6) / 1e6;
}
