import { type AgentAction, TRAITS } from '../load/events/event.ts';

/**
 * Current effects of lasting events on agents. Events can overlap. Of several events of a kind the latest counts; an agent is up, or
 * online, when no event prevents it. While no event is active, lookups cost nothing.
 */
export type ActiveEffects = {
  begin(agent: number, event: number, action: AgentAction): void;
  /** Returns false if the event has already ended for this agent. */
  end(agent: number, event: number): boolean;
  forget(agent: number): void;
  /** Agents for which the event has started and not ended; an agent appears once for each start. */
  agentsOf(event: number): readonly number[];
  /** The action of a kind that currently applies to an agent; `undefined` if there is none. */
  present<Kind extends AgentAction['kind']>(agent: number, kind: Kind): ActionOf<Kind> | undefined;
  /** The agent has no network: it reaches no server. */
  isOffline(agent: number): boolean;
  /** The agent's process has ended and must not be started. */
  isStopped(agent: number): boolean;
  /** Current effects on an agent in order of their start; `event` identifies the event. */
  of(agent: number): readonly { readonly event: number; readonly action: AgentAction }[];
};

export type ActionOf<Kind extends AgentAction['kind']> = Extract<AgentAction, { readonly kind: Kind }>;

type Begun = { readonly event: number; readonly action: AgentAction };

/** @param changed called when an effect on an agent has started or ended. */
export function createActiveEffects(changed: (agent: number) => void): ActiveEffects {
  /** Active effects of each agent, in order of their start. */
  const begun = new Map<number, Begun[]>();
  const lacks = (agent: number, what: 'network' | 'process'): boolean =>
    begun.get(agent)?.some(({ action }) => TRAITS[action.kind].takes === what) ?? false;
  return {
    begin: (agent, event, action) => {
      const list = begun.get(agent);
      if (list === undefined) begun.set(agent, [{ event, action }]);
      else list.push({ event, action });
      changed(agent);
    },
    end: (agent, event) => {
      const list = begun.get(agent) ?? [];
      const place = list.findIndex((one) => one.event === event);
      if (place < 0) return false;
      list.splice(place, 1);
      if (list.length === 0) begun.delete(agent);
      changed(agent);
      return true;
    },
    forget: (agent) => void begun.delete(agent),
    agentsOf: (event) =>
      [...begun].flatMap(([agent, list]) => list.filter((one) => one.event === event).map(() => agent)),
    present: (agent, kind) => {
      if (begun.size === 0) return undefined;
      return begun.get(agent)?.findLast(({ action }) => action.kind === kind)?.action as ActionOf<typeof kind>;
    },
    isOffline: (agent) => begun.size !== 0 && lacks(agent, 'network'),
    isStopped: (agent) => begun.size !== 0 && lacks(agent, 'process'),
    of: (agent) => begun.get(agent) ?? [],
  };
}
