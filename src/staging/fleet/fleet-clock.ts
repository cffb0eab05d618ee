import { formatDuration } from '../../base/kernel/units.ts';

/** When a fleet was started, by the present clock of this machine. */
export type FleetTimes = {
  /** Time 0 of the fleet: its first start. */
  readonly firstStartedAt: Date;
  /** Start by the current process. */
  readonly startedAt: Date;
};

/** Clocks of this machine: one that is set by its operator, and one that only counts. */
type Clocks = { readonly unixMs: () => number; readonly steadyMs: () => number };

const MACHINE_CLOCKS: Clocks = { unixMs: () => Date.now(), steadyMs: () => performance.now() };

/** Smaller differences are those of the two clocks, which a time service evens out. */
const SET_MS = 1000;

/**
 * The times of a fleet from its start by this process. Dates follow the clock, durations do not: after the clock was set, the times move
 * with it, so that the fleet is as old as before, and what happens in ten minutes happens in ten minutes. A machine that was suspended
 * looks like one whose clock was set forward.
 * @param firstStartedAt `undefined` if it starts for the first time.
 */
export function createFleetClock(firstStartedAt: Date | undefined, clocks: Clocks = MACHINE_CLOCKS) {
  const offsetMs = (): number => clocks.unixMs() - clocks.steadyMs();
  let atStart: (FleetTimes & { readonly offsetMs: number }) | undefined;
  let reportedMs = 0;
  const movedMs = (): number => {
    const ms = atStart === undefined ? 0 : Math.trunc(offsetMs() - atStart.offsetMs);
    return Math.abs(ms) < SET_MS ? 0 : ms;
  };
  return {
    start: (startedAt: Date): void => {
      atStart = { firstStartedAt: firstStartedAt ?? startedAt, startedAt, offsetMs: offsetMs() };
    },
    /** `undefined` before the start. */
    times: (): FleetTimes | undefined => {
      if (atStart === undefined) return undefined;
      const moved = (date: Date): Date => new Date(date.getTime() + movedMs());
      return { firstStartedAt: moved(atStart.firstStartedAt), startedAt: moved(atStart.startedAt) };
    },
    /** How far the clock was set since the last report; 0 if it was not. */
    setMs: (): number => {
      const setMs = movedMs() - reportedMs;
      if (Math.abs(setMs) < SET_MS) return 0;
      reportedMs += setMs;
      return setMs;
    },
  };
}

/** What changes if the clock was set by this much. */
export function clockSetText(setMs: number): string {
  const by = formatDuration(Math.round(Math.abs(setMs) / 1000) * 1000);
  return setMs > 0
    ? `the clock of this machine was set forward by ${by}, or it was suspended: dates follow it, and what lasts or starts later is as far away as before`
    : `the clock of this machine was set back by ${by}: dates follow it, and what lasts or starts later is as far away as before`;
}
