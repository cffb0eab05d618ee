import { agentRuns, type UpInput } from './time/moment.ts';

/** A time without a host's agent, in Unix ms: the host goes down, and boots. */
export type Outage = {
  readonly downMs: number;
  /** When the agent starts again; Infinity if that is later than anyone asked for. */
  readonly agentStartMs: number;
};

// Shorter than any host stays up between two boots.
const STEP_MS = 10_000;

/** The first outage of an agent's host that is not over by `fromMs` and begins before `untilMs`; undefined: there is none. */
export type NextOutage = (agent: number, fromMs: number, untilMs: number) => Outage | undefined;

/** Searches by asking which life of the agent an instant belongs to, so it holds for boots of any cause. */
export function outagesOf(fleet: UpInput): NextOutage {
  const runAt = agentRuns(fleet);
  return (agent, fromMs, untilMs) => {
    const present = runAt(agent, fromMs);
    if (fromMs < present.downMs) {
      const isOver = (unixMs: number): boolean => {
        const run = runAt(agent, unixMs);
        return run.agentStartMs !== present.agentStartMs || run.downMs <= unixMs;
      };
      if (!isOver(untilMs)) return undefined;
      const endMs = firstInstant(isOver, fromMs, untilMs);
      return { downMs: endMs, agentStartMs: nextStart(endMs) };
    }
    return { downMs: present.downMs, agentStartMs: nextStart(fromMs) };

    function nextStart(downMs: number): number {
      for (let unixMs = downMs; unixMs < untilMs + STEP_MS; unixMs += STEP_MS) {
        const run = runAt(agent, unixMs);
        if (unixMs < run.downMs) return run.agentStartMs;
      }
      return Number.POSITIVE_INFINITY;
    }
  };
}

/** The first whole millisecond after `lowMs`, up to `highMs`, at which something holds that holds from then on. */
function firstInstant(holds: (unixMs: number) => boolean, lowMs: number, highMs: number): number {
  let low = Math.floor(lowMs);
  let high = Math.ceil(highMs);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
