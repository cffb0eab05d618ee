import type { Operation } from '../protocol/operations.ts';

/** An operation that has fallen due for an agent. Instants count from the start of the run. */
export type Arrival = {
  readonly operation: Operation;
  readonly phase: number;
  readonly dueMs: number;
  /** When the check run ended, or the collection began, whose result is to be sent. */
  readonly resultMs: number;
  /** When the collection began that a check run tells of; Infinity: none yet, NaN: this run has no collections. */
  readonly collectionMs: number;
};

/** Arrivals of occupied agents, per agent in the order in which they fell due. */
export type WaitingArrivals = {
  put(agent: number, arrival: Arrival): void;
  /** Takes the agent's earliest arrival out. */
  take(agent: number): Arrival | undefined;
  /** Takes the agent's earliest arrival out if it fell due before `instantMs`. */
  takeDueBefore(agent: number, instantMs: number): Arrival | undefined;
  /** Agents that have something waiting. */
  agents(): readonly number[];
};

export function createWaitingArrivals(): WaitingArrivals {
  const byAgent = new Map<number, Arrival[]>();
  const take = (agent: number): Arrival | undefined => {
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
