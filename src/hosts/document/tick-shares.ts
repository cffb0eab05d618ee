/**
 * Percentages as a Linux agent computes them: the difference of two CPU times in hundredths of a second, held as doubles, over the
 * window's length. The subtraction leaves noise in the last digits (69.30693069306881), so the table has several start times for
 * each share.
 */
const WINDOW_TICKS = [99, 100, 101] as const;
const STARTS_SECONDS = [0, 1503.67, 20_448.91, 312_907.33] as const;
const ROW = 102;

export const SHARES: readonly number[] = WINDOW_TICKS.flatMap((window) =>
  STARTS_SECONDS.flatMap((start) => Array.from({ length: ROW }, (_, ticks) => shareOf(start, ticks, window))),
);

/** Index of a share of this many ticks. `window` is 0, 1 or 2 for 99, 100 or 101 ticks, `start` is 0 to 3. */
export function shareIndex(window: number, start: number, ticks: number): number {
  return (window * STARTS_SECONDS.length + start) * ROW + ticks;
}

export function windowTicks(window: number): number {
  return 99 + window;
}

function shareOf(start: number, ticks: number, window: number): number {
  if (ticks === 0) return 0;
  if (ticks === window) return 100;
  const seconds = start + ticks / 100 - start;
  return Math.min(100, (seconds / (window / 100)) * 100);
}
