import { createDueQueue } from '../load/due-queue.ts';
import type { NextOutage } from '../machine/outages.ts';

/** Which hosts of a shard are down, and when that changes. Instants count from the start of the run. */
export type Outages = {
  /** Learns of the agent's next outage from an instant on; costs nothing once that is known. */
  watch(agent: number, instantMs: number): void;
  /** From the moment its host goes down until its first check run after that is over, an agent has nothing to send. */
  isDown(agent: number, instantMs: number): boolean;
  /** The next instant at which a host goes down or has its first result again. */
  nextMs(): number;
  /** Takes that change out; `back` is present if the host is. */
  take(): { readonly agent: number; readonly back: Return | undefined };
};

export type Return = {
  readonly agentStartMs: number;
  /** When the first check run is over. */
  readonly resultMs: number;
};

export type OutagesInput = {
  /** Agents of the shard, and how to find them in the fleet. */
  readonly agents: number;
  readonly fleetIndex: (agent: number) => number;
  readonly nextOutage: NextOutage;
  readonly checkRunMs: (agent: number) => number;
  readonly epochMs: () => number;
  /** End of the timeline. */
  readonly endMs: number;
};

// A result that is due at a fraction of a millisecond must not be counted to the life before.
const ROUNDING_MS = 1;

export function createOutages(input: OutagesInput): Outages {
  const known = new Uint8Array(input.agents);
  const present = new Map<number, { readonly downMs: number; readonly back: Return }>();
  const changes = createDueQueue(16);
  const watch = (agent: number, instantMs: number): void => {
    if (known[agent] === 1) return;
    known[agent] = 1;
    const epochMs = input.epochMs();
    const index = input.fleetIndex(agent);
    const outage = input.nextOutage(index, epochMs + instantMs, epochMs + input.endMs);
    if (outage === undefined) return;
    const downMs = outage.downMs - epochMs;
    const agentStartMs = outage.agentStartMs - epochMs;
    const back = { agentStartMs, resultMs: agentStartMs + input.checkRunMs(index) + ROUNDING_MS };
    present.set(agent, { downMs, back });
    changes.push(downMs, 2 * agent);
    if (Number.isFinite(agentStartMs)) changes.push(back.resultMs, 2 * agent + 1);
  };
  return {
    watch,
    isDown: (agent, instantMs) => {
      const outage = present.size === 0 ? undefined : present.get(agent);
      return outage !== undefined && outage.downMs <= instantMs && instantMs < outage.back.resultMs;
    },
    nextMs: changes.nextDueMs,
    take: () => {
      const entry = changes.pop();
      const agent = entry >> 1;
      if (entry % 2 === 0) return { agent, back: undefined };
      const back = present.get(agent)?.back;
      present.delete(agent);
      known[agent] = 0;
      return { agent, back };
    },
  };
}
