import type { AgentState, Core } from './core.ts';

/** What becomes due for an agent at an instant that is known before. */
const EVENTS = ['exchange', 'ready', 'polling', 'configure', 'poll', 'poll-packages'] as const;

export type Event = (typeof EVENTS)[number];

/** Has an event happen at an instant, if that is before the end of the timeline. */
export function at(core: Core, dueMs: number, { state, event }: { state: AgentState; event: Event }): void {
  if (dueMs < core.endMs) core.queue.push(dueMs, EVENTS.indexOf(event) * core.agents.length + state.number);
}

/** Takes the earliest event out. */
export function takeEvent({ queue, agents }: Core): { event: Event; state: AgentState } {
  const entry = queue.pop();
  return {
    event: EVENTS[Math.floor(entry / agents.length)] as Event,
    state: agents[entry % agents.length] as AgentState,
  };
}
