import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { Bus } from './bus.ts';
import { isMachineClocks, type MachineClocks, machineSubject } from './messages.ts';

/** A machine's answer with its clocks, and the times of the request; milliseconds. */
export type ClockReading = {
  /** On the requester's monotonic clock. */
  readonly requestedMs: number;
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
  const tripMs = ({ requestedMs, answeredMs }: ClockReading): number => answeredMs - requestedMs;
  const [best] = readings.toSorted((a, b) => tripMs(a) - tripMs(b));
  if (best === undefined) throw new RangeError('a clock was never read');
  const errorMs = tripMs(best) / 2;
  return {
    monotonicMs: best.theirs.monotonicMs - (best.requestedMs + errorMs),
    unixMs: best.theirs.unixMs - (best.unixMs - errorMs),
    errorMs,
  };
}

const READINGS = 10;
const READING_MS = 2000;

/** Reads the clocks of a machine several times; `undefined` if it does not answer. */
export async function measureClockOffset(bus: Bus, id: string): Promise<ClockOffset | undefined> {
  const readings: ClockReading[] = [];
  for (let reading = 0; reading < READINGS; reading++) {
    const requestedMs = monotonicClock();
    const reply = await bus.request(machineSubject(id), { kind: 'clocks' }, READING_MS);
    if (reply.kind !== 'answer' || !isMachineClocks(reply.answer)) return undefined;
    const answeredMs = monotonicClock();
    readings.push({ requestedMs, answeredMs, unixMs: Date.now(), theirs: reply.answer });
  }
  return clockOffsetOf(readings);
}
