type HostListener = { readonly hostDown: (agent: number) => void; readonly hostUp: (agent: number) => void };

/**
 * Replays events before the start of a run, such as in a restarted fleet, to restore the agents' state. Their listeners, which are already
 * open, see only the result.
 */
export type Past<Listener extends HostListener = HostListener> = {
  /** Whether events before the run are being replayed. */
  isReplaying: boolean;
  readonly listening: Listener | undefined;
  /** Call when the replay is complete. */
  settle(): void;
};

export function createPast<Listener extends HostListener>(listening: Listener | undefined): Past<Listener> {
  const last = new Map<number, 'hostDown' | 'hostUp'>();
  const recorded = (change: 'hostDown' | 'hostUp') => (agent: number) => {
    if (past.isReplaying) last.set(agent, change);
    else listening?.[change](agent);
  };
  const past: Past<Listener> = {
    isReplaying: false,
    listening: listening && { ...listening, hostDown: recorded('hostDown'), hostUp: recorded('hostUp') },
    settle: () => {
      past.isReplaying = false;
      for (const [agent, change] of last) if (change === 'hostDown') listening?.hostDown(agent);
      last.clear();
    },
  };
  return past;
}
