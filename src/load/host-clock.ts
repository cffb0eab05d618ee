import { DAY_MS, MINUTE_MS } from '../base/kernel/units.ts';
import { unixMsOf } from '../base/notation/date.ts';

/**
 * The hosts' clocks in a run: they can start at another time and go faster than real time. Times in the scenario file (phases, points of
 * curves, events and faults) are then those of the hosts. Reading the file converts them to times of the run.
 */
export type HostClock = {
  /** Speed relative to real time, a whole number. */
  readonly factor: number;
  /** Time on the clocks at the start, as written in the file; absent: real time. */
  readonly start?: string | undefined;
};

/** Time of day, one form of `start`. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

export function clockFactor(clock: HostClock | undefined): number {
  return clock?.factor ?? 1;
}

/** Time on the hosts' clocks `elapsedMs` after the start of a run, in Unix ms. `startMs` is the start of the run in Unix ms. */
export function hostTimeMs(clock: HostClock | undefined, startMs: number, elapsedMs: number): number {
  return hostStartMs(clock, startMs) + clockFactor(clock) * elapsedMs;
}

function hostStartMs(clock: HostClock | undefined, startMs: number): number {
  if (clock?.start === undefined) return startMs;
  const instantMs = unixMsOf(clock.start);
  if (instantMs !== undefined) return instantMs;
  const [hours = 0, minutes = 0] = clock.start.split(':').map(Number);
  return Math.floor(startMs / DAY_MS) * DAY_MS + (60 * hours + minutes) * MINUTE_MS;
}

/** Time on the hosts' clocks at the start of the run, in Unix ms, and their speed relative to the run's clock. */
type HostTime = { readonly epochMs: () => number; readonly clockFactor: number };

/** Converts a time of the run to a time on the hosts' clocks, in Unix ms. */
export function hostTimeOf({ epochMs, clockFactor }: HostTime, runMs: number): number {
  return epochMs() + clockFactor * runMs;
}

/** Converts a time on the hosts' clocks to milliseconds since the start of the run. */
export function runTimeOf({ epochMs, clockFactor }: HostTime, hostMs: number): number {
  return (hostMs - epochMs()) / clockFactor;
}
