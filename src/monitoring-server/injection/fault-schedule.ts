import type { Fault } from '../../faults/fault.ts';

/** A fault with its place among all that were set. */
export type PlacedFault = { readonly index: number; readonly fault: Fault };

export type ScheduleListener = {
  readonly begun: (fault: PlacedFault) => void;
  /** The faults that hold from now on, in the order in which they were set. */
  readonly changed: (holding: readonly PlacedFault[]) => void;
};

/** Lets faults begin and end at their times. */
export type FaultSchedule = {
  /** Replaces all faults; their times count from now. */
  readonly set: (faults: readonly Fault[]) => void;
  /** Lets no further fault begin or end. */
  readonly stop: () => void;
};

// A longer time would pass at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createFaultSchedule({ begun, changed }: ScheduleListener): FaultSchedule {
  const timers = new Set<NodeJS.Timeout>();
  let holding: readonly PlacedFault[] = [];
  const begin = (placed: PlacedFault) => {
    holding = [...holding, placed].sort((a, b) => a.index - b.index);
    changed(holding);
    begun(placed);
  };
  const end = (placed: PlacedFault) => {
    holding = holding.filter((other) => other !== placed);
    changed(holding);
  };
  const at = (delayMs: number, act: () => void) => {
    const restMs = delayMs - LONGEST_TIMER_MS;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        if (restMs > 0) at(restMs, act);
        else act();
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    );
    timers.add(timer);
  };
  const stop = () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
  return {
    set: (faults) => {
      stop();
      holding = [];
      changed(holding);
      for (const [index, fault] of faults.entries()) {
        const placed = { index, fault };
        if (fault.atMs === 0) begin(placed);
        else at(fault.atMs, () => begin(placed));
        if ('forMs' in fault && fault.forMs !== undefined) at(fault.atMs + fault.forMs, () => end(placed));
      }
    },
    stop,
  };
}
