type HostListener = { readonly hostDown: (agent: number) => void; readonly hostUp: (agent: number) => void };

/**
 * Replays events before the start of a run, such as in a restarted fleet, to restore the agents' state. Their listeners, which are already
 * open, see only the result.
 */
export type Past<Listener extends HostListener = HostListener> = {
  /** Whether events before the run are being replayed. */
  isUnderWay: boolean;
  readonly listening: Listener | undefined;
  /** Call when the replay is complete. */
  settle(): void;
};

export function createPast<Listener extends HostListener>(listening: Listener | undefined): Past<Listener> {
  const last = new Map<number, 'hostDown' | 'hostUp'>();
  const heard = (change: 'hostDown' | 'hostUp') => (agent: number) => {
    if (past.isUnderWay) last.set(agent, change);
    else listening?.[change](agent);
  };
  const past: Past<Listener> = {
    isUnderWay: false,
    listening: listening && { ...listening, hostDown: heard('hostDown'), hostUp: heard('hostUp') },
    settle: () => {
      past.isUnderWay = false;
      for (const [agent, change] of last) if (change === 'hostDown') listening?.hostDown(agent);
      last.clear();
    },
  };
  return past;
}
