import { spread, uniform } from '../kernel/random.ts';

/** A per-agent rhythm: a fixed grid from the agent's own start, as the real agent's ticker keeps it. */
export type Cadence = {
  readonly everyMs: number;
  /** An arrival is late by up to this share of the time to the next grid point; the grid itself never moves. */
  readonly jitter: number;
  /** From the agent's start to its first arrival; the grid of the further ones still counts from the start. */
  readonly firstMs: number;
  /** Instant from which the agents' starts are spread over `spreadMs`; phases that go on with a cadence share it. */
  readonly originMs: number;
  readonly spreadMs: number;
};

/** An agent of a fleet, and when it starts. */
export type StartedAgent = { readonly seed: number; readonly agent: number; readonly startMs: number };

/** When an agent starts whose host does not go down. */
export function usualStartMs(cadence: Cadence, agent: number): number {
  return cadence.originMs + spread(agent) * cadence.spreadMs;
}

/** Instant of arrival `k` (from 0) of an agent. */
export function cadenceDueAtMs(cadence: Cadence, { seed, agent, startMs }: StartedAgent, k: number): number {
  const offsetMs = gridOffsetMs(cadence, k);
  if (cadence.jitter === 0) return startMs + offsetMs;
  const roomMs = gridOffsetMs(cadence, k + 1) - offsetMs;
  return startMs + offsetMs + cadence.jitter * roomMs * uniform(seed, 'jitter', agent, k);
}

/** The first k whose arrival is due at or after `instantMs`. */
export function firstArrivalFrom(cadence: Cadence, agent: StartedAgent, instantMs: number): number {
  const passed = Math.floor((instantMs - agent.startMs - cadence.firstMs) / cadence.everyMs);
  let k = Math.max(0, passed - 1);
  while (cadenceDueAtMs(cadence, agent, k) < instantMs) k++;
  return k;
}

// The real agent's package collector: first after its delay, then at whole multiples of the interval from its start.
function gridOffsetMs(cadence: Cadence, k: number): number {
  if (k === 0) return cadence.firstMs;
  return (Math.floor(cadence.firstMs / cadence.everyMs) + k) * cadence.everyMs;
}
