type HostListener = { readonly hostDown: (agent: number) => void; readonly hostUp: (agent: number) => void };

/**
 * What happened to agents before the run, such as in a fleet that is raised again, is done once more at its start: it leaves agents as
 * they were. Their listeners, which are already open, see only the result.
 */
export type Past<Listener extends HostListener = HostListener> = {
  /** Whether what is done now was before the run. */
  isUnderWay: boolean;
  readonly listening: Listener | undefined;
  /** All that was before the run is done. */
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
