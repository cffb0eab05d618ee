/** Holds what is to be done while it is closed. */
export type Gate = {
  /** Runs `act` now, or when the gate opens, in the order of calls. */
  readonly pass: (act: () => void) => void;
  readonly set: (state: 'open' | 'closed') => void;
};

export function createGate(): Gate {
  let waiting: (() => void)[] = [];
  let closed = false;
  return {
    pass: (act) => {
      if (closed) waiting.push(act);
      else act();
    },
    set: (state) => {
      closed = state === 'closed';
      if (closed) return;
      const released = waiting;
      waiting = [];
      for (const act of released) act();
    },
  };
}
