import type { Operation } from '../protocol/operations.ts';

/** An arrival whose agent is still occupied with an earlier one. */
export type WaitingArrival = { readonly operation: Operation; readonly phase: number; readonly dueMs: number };

/**
 * Arrivals of occupied agents: at most one per agent and operation, as the real agent hands at most one finished
 * result of each kind to its sender.
 */
export type WaitingArrivals = {
  /** False if one of the same operation already waits: the new one is not kept. */
  put(agent: number, arrival: WaitingArrival): boolean;
  /** Takes the agent's earliest arrival out. */
  take(agent: number): WaitingArrival | undefined;
  /** Takes everything out. */
  clear(visit: (agent: number, arrival: WaitingArrival) => void): void;
};

export function createWaitingArrivals(): WaitingArrivals {
  const byAgent = new Map<number, WaitingArrival[]>();
  return {
    put: (agent, arrival) => {
      const waiting = byAgent.get(agent);
      if (waiting === undefined) {
        byAgent.set(agent, [arrival]);
        return true;
      }
      if (waiting.some(({ operation }) => operation === arrival.operation)) return false;
      waiting.push(arrival);
      return true;
    },
    take: (agent) => {
      const waiting = byAgent.get(agent);
      const arrival = waiting?.shift();
      if (waiting?.length === 0) byAgent.delete(agent);
      return arrival;
    },
    clear: (visit) => {
      for (const [agent, waiting] of byAgent) for (const arrival of waiting) visit(agent, arrival);
      byAgent.clear();
    },
  };
}
