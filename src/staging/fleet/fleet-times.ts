/** When a fleet was started, by the present clock of this machine. */
export type FleetTimes = {
  /** Time 0 of the fleet: its first start. */
  readonly firstStartedAt: Date;
  /** Start by the current process. */
  readonly startedAt: Date;
};

/** Clocks of this machine: one that is set by its operator, and one that only counts. */
export type Clocks = { readonly unixMs: () => number; readonly steadyMs: () => number };

const MACHINE_CLOCKS: Clocks = { unixMs: () => Date.now(), steadyMs: () => performance.now() };

/** Smaller differences are those of the two clocks, which a time service evens out. */
const SET_MS = 1000;

/**
 * Dates follow the clock, durations do not: after the clock was set, the times move with it, so that the fleet is as old as before, and what
 * happens in ten minutes happens in ten minutes.
 * @param atStart the times, when they were read.
 */
export function steadyTimes(atStart: FleetTimes, clocks: Clocks = MACHINE_CLOCKS): () => FleetTimes {
  const offsetMs = (): number => clocks.unixMs() - clocks.steadyMs();
  const before = offsetMs();
  return () => {
    const setMs = offsetMs() - before;
    if (Math.abs(setMs) < SET_MS) return atStart;
    const moved = (date: Date): Date => new Date(date.getTime() + setMs);
    return { firstStartedAt: moved(atStart.firstStartedAt), startedAt: moved(atStart.startedAt) };
  };
}

/**
 * Reports, whenever it is called, how far the clock was set since the last report; 0 if it was not. A machine that was suspended looks
 * like one whose clock was set forward.
 */
export function createClockWatch(times: () => FleetTimes): () => number {
  let known = times().startedAt.getTime();
  return () => {
    const now = times().startedAt.getTime();
    const setMs = now - known;
    if (Math.abs(setMs) < SET_MS) return 0;
    known = now;
    return setMs;
  };
}

/** The times of a fleet from its start, and how far the clock was set meanwhile. */
export function createFleetClock(firstStartedAt: Date | undefined) {
  let times: (() => FleetTimes) | undefined;
  let watch = (): number => 0;
  return {
    start: (startedAt: Date): void => {
      times = steadyTimes({ firstStartedAt: firstStartedAt ?? startedAt, startedAt });
      watch = createClockWatch(times);
    },
    /** `undefined` before the start. */
    times: (): FleetTimes | undefined => times?.(),
    /** As `createClockWatch`. */
    setMs: (): number => watch(),
  };
}
