import type { MachineClocks } from './messages.ts';

/** A machine's answer with its clocks, and the times of the request; milliseconds. */
export type ClockReading = {
  /** On the requester's monotonic clock. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** On the requester's wall clock, when the answer arrived. */
  readonly unixMs: number;
  /** On the machine's clocks. */
  readonly theirs: MachineClocks;
};

/** How far a machine's clocks are ahead of the requester's; milliseconds. */
export type ClockOffset = {
  readonly monotonicMs: number;
  readonly unixMs: number;
  /** Maximum error of both: half the round trip of the measurement. */
  readonly errorMs: number;
};

/**
 * Uses the reading with the shortest round trip, which is the most precise. The machine read its clocks at most half a
 * round trip before or after its midpoint.
 * @throws RangeError without readings.
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
