import type { Fault } from '../../faults/fault.ts';
import { realTimer } from '../../kernel/clock.ts';

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

export function createFaultSchedule({ begun, changed }: ScheduleListener): FaultSchedule {
  const timers = new Set<() => void>();
  let holding: readonly PlacedFault[] = [];
  const at = (delayMs: number, act: () => void) => {
    const callOff = realTimer(delayMs, () => {
      timers.delete(callOff);
      act();
    });
    timers.add(callOff);
  };
  const begin = (placed: PlacedFault) => {
    const { fault } = placed;
    // From its real beginning: where that was held up, it lasts no less.
    if ('forMs' in fault && fault.forMs !== undefined) at(fault.forMs, () => end(placed));
    holding = [...holding, placed].sort((a, b) => a.index - b.index);
    changed(holding);
    begun(placed);
  };
  const end = (placed: PlacedFault) => {
    holding = holding.filter((other) => other !== placed);
    changed(holding);
  };
  const stop = () => {
    for (const callOff of timers) callOff();
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
      }
    },
    stop,
  };
}
