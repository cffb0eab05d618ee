import { DAY_MS, MINUTE_MS } from '../kernel/units.ts';

/**
 * What the clocks of the hosts show in a run: at its start another time than there is, and they may go faster. Then the times of the
 * file are the hosts': phases, points of curves, events and faults. In a scenario that was read all times are those of the run.
 */
export type HostClock = {
  /** So many times as fast as real time, a whole number. */
  readonly factor: number;
  /** What they show at the start, as it is written; undefined: the real time. */
  readonly start: string | undefined;
};

/** As `start` has it. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

export function clockFactor(clock: HostClock | undefined): number {
  return clock?.factor ?? 1;
}

/** What the hosts' clocks show so long after the start of a run, in Unix ms. `startMs`: the start of the run, in Unix ms. */
export function hostTimeMs(clock: HostClock | undefined, startMs: number, elapsedMs: number): number {
  return hostStartMs(clock, startMs) + clockFactor(clock) * elapsedMs;
}

function hostStartMs(clock: HostClock | undefined, startMs: number): number {
  if (clock?.start === undefined) return startMs;
  if (!TIME_OF_DAY.test(clock.start)) return Date.parse(clock.start);
  const [hours = 0, minutes = 0] = clock.start.split(':').map(Number);
  return Math.floor(startMs / DAY_MS) * DAY_MS + (60 * hours + minutes) * MINUTE_MS;
}

/** How the hosts' clocks go: what they show at the start of the run, in Unix ms, and how many times as fast as the run's clock they are. */
type HostTime = { readonly epochMs: () => number; readonly clockFactor: number };

/** What the hosts' clocks show so long after the start of the run, in Unix ms. */
export function hostTimeOf({ epochMs, clockFactor }: HostTime, runMs: number): number {
  return epochMs() + clockFactor * runMs;
}

/** How long after the start of the run that is. */
export function runTimeOf({ epochMs, clockFactor }: HostTime, hostMs: number): number {
  return (hostMs - epochMs()) / clockFactor;
}
