import type { AgentAction } from '../events/event.ts';

/**
 * What lasting events make of agents at present. Events overlap: of several of a kind the one that began last counts, and an agent
 * is up, or has a network, when none is left that takes it away. While there are none, asking costs nothing.
 */
export type Circumstances = {
  begin(agent: number, event: number, action: AgentAction): void;
  /** False: it is over for this agent already. */
  end(agent: number, event: number): boolean;
  /** Whatever was done to the agent is done to it no more. */
  forget(agent: number): void;
  /** Agents that an event has begun for and not ended, each as often as it has begun. */
  agentsOf(event: number): readonly number[];
  /** The action of a kind that counts for an agent; undefined: there is none. */
  present<Kind extends AgentAction['kind']>(agent: number, kind: Kind): ActionOf<Kind> | undefined;
  /** It has no network: nothing that it would start gets anywhere. */
  isOffline(agent: number): boolean;
  /** Its process has been ended, and is not to be started. */
  isStopped(agent: number): boolean;
  /** Current effects on an agent in order of their start; `event` identifies the event. */
  of(agent: number): readonly { readonly event: number; readonly action: AgentAction }[];
};

export type ActionOf<Kind extends AgentAction['kind']> = Extract<AgentAction, { readonly kind: Kind }>;

type Begun = { readonly event: number; readonly action: AgentAction };

/** @param changed called when something has begun or ended for an agent. */
export function createCircumstances(changed: (agent: number) => void): Circumstances {
  /** Of each agent, in the order in which they began. */
  const begun = new Map<number, Begun[]>();
  const of = (agent: number): readonly Begun[] | undefined => (begun.size === 0 ? undefined : begun.get(agent));
  const has = (agent: number, ...kinds: readonly AgentAction['kind'][]): boolean =>
    of(agent)?.some(({ action }) => kinds.includes(action.kind)) ?? false;
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
    present: (agent, kind) =>
      of(agent)?.findLast(({ action }) => action.kind === kind)?.action as ActionOf<typeof kind> | undefined,
    isOffline: (agent) => begun.size !== 0 && has(agent, 'disconnect'),
    isStopped: (agent) => begun.size !== 0 && has(agent, 'stop', 'scale'),
    of: (agent) => of(agent) ?? [],
  };
}
