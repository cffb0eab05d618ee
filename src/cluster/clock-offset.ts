/** What a machine said its clocks showed between a question and its answer; milliseconds. */
export type ClockReading = {
  /** On the asker's monotonic clock. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** On the asker's clock of the world, when it was answered. */
  readonly unixMs: number;
  /** On the machine's own. */
  readonly theirs: { readonly monotonicMs: number; readonly unixMs: number };
};

/** What a machine's clocks show more than the asker's; milliseconds. */
export type ClockOffset = {
  readonly monotonicMs: number;
  readonly unixMs: number;
  /** The most by which both may be wrong: half the round trip that they were measured with. */
  readonly errorMs: number;
};

/**
 * Of several readings that of the least round trip tells most: whenever the machine looked, it was half of that away from the middle
 * at most. Throws a RangeError without readings.
 */
export function clockOffsetOf(readings: readonly ClockReading[]): ClockOffset {
  const tripMs = ({ askedMs, answeredMs }: ClockReading): number => answeredMs - askedMs;
  const [best] = readings.toSorted((a, b) => tripMs(a) - tripMs(b));
  if (best === undefined) throw new RangeError('a clock was never read');
  const errorMs = tripMs(best) / 2;
  return {
    monotonicMs: best.theirs.monotonicMs - (best.askedMs + errorMs),
    unixMs: best.theirs.unixMs - (best.unixMs - errorMs),
    errorMs,
  };
}
