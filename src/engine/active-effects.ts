import { type AgentAction, TRAITS } from '../load/events/event.ts';

export type ActionOf<Kind extends AgentAction['kind']> = Extract<AgentAction, { readonly kind: Kind }>;

/** `event` identifies the event. */
type Effect = { readonly event: number; readonly action: AgentAction };

/**
 * Current effects of lasting events on agents. Events can overlap. Of several events of a kind the latest counts; an agent is up, or
 * online, when no event prevents it. While no event is active, lookups cost nothing.
 */
export type ActiveEffects = ReturnType<typeof createActiveEffects>;

/** @param changed called when an effect on an agent has started or ended. */
export function createActiveEffects(changed: (agent: number) => void) {
  /** Active effects of each agent, in order of their start. */
  const effects = new Map<number, Effect[]>();
  const lacks = (agent: number, what: 'network' | 'process'): boolean =>
    effects.get(agent)?.some(({ action }) => TRAITS[action.kind].takes === what) ?? false;
  return {
    begin: (agent: number, event: number, action: AgentAction) => {
      const list = effects.get(agent);
      if (list === undefined) effects.set(agent, [{ event, action }]);
      else list.push({ event, action });
      changed(agent);
    },
    /** Returns false if the event has already ended for this agent. */
    end: (agent: number, event: number): boolean => {
      const list = effects.get(agent) ?? [];
      const index = list.findIndex((one) => one.event === event);
      if (index < 0) return false;
      list.splice(index, 1);
      if (list.length === 0) effects.delete(agent);
      changed(agent);
      return true;
    },
    forget: (agent: number): void => void effects.delete(agent),
    /** Agents for which the event has started and not ended; an agent appears once for each start. */
    agentsOf: (event: number): readonly number[] =>
      [...effects].flatMap(([agent, list]) => list.filter((one) => one.event === event).map(() => agent)),
    /** The action of a kind that currently applies to an agent; `undefined` if there is none. */
    present: <Kind extends AgentAction['kind']>(agent: number, kind: Kind): ActionOf<Kind> | undefined => {
      if (effects.size === 0) return undefined;
      return effects.get(agent)?.findLast(({ action }) => action.kind === kind)?.action as ActionOf<typeof kind>;
    },
    /** The agent has no network: it reaches no server. */
    isOffline: (agent: number): boolean => effects.size !== 0 && lacks(agent, 'network'),
    /** The agent's process has ended and must not be started. */
    isStopped: (agent: number): boolean => effects.size !== 0 && lacks(agent, 'process'),
    /** Current effects on an agent in order of their start. */
    of: (agent: number): readonly Effect[] => effects.get(agent) ?? [],
  };
}
