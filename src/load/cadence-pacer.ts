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

/** Instant of arrival `k` (from 0) of an agent. */
export function cadenceDueAtMs(cadence: Cadence, seed: number, agent: number, k: number): number {
  const start = cadence.originMs + spread(agent) * cadence.spreadMs;
  const offsetMs = gridOffsetMs(cadence, k);
  if (cadence.jitter === 0) return start + offsetMs;
  const roomMs = gridOffsetMs(cadence, k + 1) - offsetMs;
  return start + offsetMs + cadence.jitter * roomMs * uniform(seed, 'jitter', agent, k);
}

/** The first k whose arrival is due at or after `instantMs`. */
export function firstArrivalFrom(cadence: Cadence, seed: number, agent: number, instantMs: number): number {
  const start = cadence.originMs + spread(agent) * cadence.spreadMs;
  const passed = Math.floor((instantMs - start - cadence.firstMs) / cadence.everyMs);
  let k = Math.max(0, passed - 1);
  while (cadenceDueAtMs(cadence, seed, agent, k) < instantMs) k++;
  return k;
}

// The real agent's package collector: first after its delay, then at whole multiples of the interval from its start.
function gridOffsetMs(cadence: Cadence, k: number): number {
  if (k === 0) return cadence.firstMs;
  return (Math.floor(cadence.firstMs / cadence.everyMs) + k) * cadence.everyMs;
}
