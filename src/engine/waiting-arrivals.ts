import type { Operation } from '../protocol/operations.ts';

/** An arrival whose agent is still occupied with an earlier one. */
export type WaitingArrival = { readonly operation: Operation; readonly phase: number; readonly dueMs: number };

/** Arrivals of occupied agents, per agent in the order in which they fell due. */
export type WaitingArrivals = {
  put(agent: number, arrival: WaitingArrival): void;
  /** Takes the agent's earliest arrival out. */
  take(agent: number): WaitingArrival | undefined;
  /** Takes the agent's earliest arrival out if it fell due before `instantMs`. */
  takeDueBefore(agent: number, instantMs: number): WaitingArrival | undefined;
  /** Agents that have something waiting. */
  agents(): readonly number[];
};

export function createWaitingArrivals(): WaitingArrivals {
  const byAgent = new Map<number, WaitingArrival[]>();
  const take = (agent: number): WaitingArrival | undefined => {
    const waiting = byAgent.get(agent);
    const arrival = waiting?.shift();
    if (waiting?.length === 0) byAgent.delete(agent);
    return arrival;
  };
  return {
    put: (agent, arrival) => {
      const waiting = byAgent.get(agent);
      if (waiting === undefined) byAgent.set(agent, [arrival]);
      else waiting.push(arrival);
    },
    take,
    takeDueBefore: (agent, instantMs) => {
      const earliest = byAgent.get(agent)?.[0];
      return earliest !== undefined && earliest.dueMs < instantMs ? take(agent) : undefined;
    },
    agents: () => [...byAgent.keys()],
  };
}
