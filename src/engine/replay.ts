type HostListener = { readonly hostDown: (agent: number) => void; readonly hostUp: (agent: number) => void };

/**
 * Replays events before the start of a run, such as in a restarted fleet, to restore the agents' state. Their listeners, which are already
 * open, see only the result.
 */
export type Replay<Listener extends HostListener = HostListener> = {
  isInProgress: boolean;
  readonly listening: Listener | undefined;
  /** Call when the replay is complete. */
  settle(): void;
};

export function createReplay<Listener extends HostListener>(listening: Listener | undefined): Replay<Listener> {
  const last = new Map<number, 'hostDown' | 'hostUp'>();
  const recorded = (change: 'hostDown' | 'hostUp') => (agent: number) => {
    if (replay.isInProgress) last.set(agent, change);
    else listening?.[change](agent);
  };
  const replay: Replay<Listener> = {
    isInProgress: false,
    listening: listening && { ...listening, hostDown: recorded('hostDown'), hostUp: recorded('hostUp') },
    settle: () => {
      replay.isInProgress = false;
      for (const [agent, change] of last) if (change === 'hostDown') listening?.hostDown(agent);
      last.clear();
    },
  };
  return replay;
}
