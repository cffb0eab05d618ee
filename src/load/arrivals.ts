import { type Cadence, cadenceDueAtMs, firstArrivalFrom } from './cadence-pacer.ts';
import { constantRate, type RatePacer, rampRate } from './rate-pacer.ts';
import { fleetIndex, type Shard, shareOf } from './shard.ts';
import type { LoadModel, Phase } from './timeline.ts';

/** The part of a fleet whose arrivals are wanted. `agents` counts the whole fleet. */
export type FleetPart = { readonly seed: number; readonly agents: number; readonly shard: Shard };

export type Emit = (dueMs: number, agent: number) => void;

/** The arrivals of one load in one phase for one shard; agents are numbered within the shard. */
export type Arrivals = {
  /** Emits the first arrivals: one per agent for a cadence, one in all for a rate. */
  start(emit: Emit): void;
  /** Emits the arrival that follows the one of `agent` that just fell due, if there is one. */
  follow(agent: number, emit: Emit): void;
};

function cadenceArrivals(cadence: Cadence, part: FleetPart, phase: Phase): Arrivals {
  const counters = new Uint32Array(shareOf(part.shard, part.agents));
  const endMs = phase.startMs + phase.durationMs;
  const emitArrival = (agent: number, emit: Emit): void => {
    const dueMs = cadenceDueAtMs(cadence, part.seed, fleetIndex(part.shard, agent), counters[agent] as number);
    if (dueMs < endMs) emit(dueMs, agent);
  };
  return {
    start: (emit) => {
      for (let agent = 0; agent < counters.length; agent++) {
        counters[agent] = firstArrivalFrom(cadence, part.seed, fleetIndex(part.shard, agent), phase.startMs);
        emitArrival(agent, emit);
      }
    },
    follow: (agent, emit) => {
      counters[agent] = (counters[agent] as number) + 1;
      emitArrival(agent, emit);
    },
  };
}

/**
 * A fleet-wide rate. Arrival n belongs to agent n modulo the fleet's size, and so to that agent's shard: the shards
 * together make exactly the fleet's arrivals, however many they are.
 */
function rateArrivals(pacer: RatePacer, limit: number | undefined, scope: { part: FleetPart; phase: Phase }): Arrivals {
  const { part, phase } = scope;
  const agents = shareOf(part.shard, part.agents);
  let round = 0;
  let agent = 0;
  const emitArrival = (emit: Emit): void => {
    const n = round * part.agents + fleetIndex(part.shard, agent);
    if (limit !== undefined && n >= limit) return;
    const offsetMs = pacer(n);
    if (offsetMs < phase.durationMs) emit(phase.startMs + offsetMs, agent);
  };
  return {
    start: (emit) => {
      if (agents > 0) emitArrival(emit);
    },
    follow: (_agent, emit) => {
      agent++;
      if (agent === agents) {
        agent = 0;
        round++;
      }
      emitArrival(emit);
    },
  };
}

/** The arrivals of an open load model; a closed one (`concurrency`) has none in time. */
export function arrivalsOf(model: LoadModel, part: FleetPart, phase: Phase): Arrivals | undefined {
  switch (model.kind) {
    case 'cadence':
      return cadenceArrivals(model, part, phase);
    case 'rate':
      return rateArrivals(constantRate(model.ratePerSecond), model.limit, { part, phase });
    case 'ramp':
      return rateArrivals(rampRate(model.fromPerSecond, model.toPerSecond, phase.durationMs), model.limit, {
        part,
        phase,
      });
    case 'concurrency':
      return undefined;
  }
}
