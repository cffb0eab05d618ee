import { uniform } from '../kernel/random.ts';
import {
  type Cadence,
  cadenceDueAtMs,
  constantRate,
  firstArrivalFrom,
  type RatePacer,
  rampRate,
  type StartedAgent,
  usualStarts,
} from './pacers.ts';
import { fleetIndex, type Shard, shareOf, WHOLE_FLEET } from './shard.ts';
import type { Load, LoadModel, Phase } from './timeline.ts';

/** The part of a fleet whose arrivals are wanted. `agents` counts the whole fleet. */
export type FleetPart = {
  readonly seed: number;
  readonly agents: number;
  readonly shard: Shard;
  /** From the start of an agent's process to the end of its first check run, by its index in the fleet. */
  readonly firstResultAfterMs: (agent: number) => number;
  /** Agents, numbered within the shard, that were started anew. */
  readonly restarts: ReadonlyMap<number, Restart>;
};

/** When an agent started anew, and when its first check run was over. */
export type Restart = {
  readonly agentStartMs: number;
  readonly resultMs: number;
  /** Intervals in place of those of the loads. */
  readonly everyMs?: Readonly<Partial<Record<Load['operation'], number | undefined>>> | undefined;
};

export type Emit = (dueMs: number, agent: number) => void;

/** The arrivals of one load in one phase for one shard; agents are numbered within the shard. */
export type Arrivals = {
  /** Emits the first arrivals of the agents from `from` on, without `to`: one each for a cadence, one of all agents for a rate. */
  start(from: number, to: number, emit: Emit): void;
  /** Emits the arrival that follows the one of `agent` that just fell due, if there is one. */
  follow(agent: number, emit: Emit): void;
  /** Emits the first arrival of an agent that has been started anew; those emitted before do not count any more. */
  restart(agent: number, emit: Emit): void;
  /** False for an arrival from before the agent was started anew. */
  isCurrent(agent: number, dueMs: number): boolean;
};

/** The arrivals of an open load; a closed one (`concurrency`) has none in time. */
export function arrivalsOf(load: Load, part: FleetPart, phase: Phase): Arrivals | undefined {
  const { model } = load;
  switch (model.kind) {
    case 'cadence':
      return cadenceArrivals({ ...load, model }, part, phase);
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

const CHUNK = 1024;

/** Whether the load makes anything due in the phase at all: the first of a cadence may come after its end. */
export function comesUp(load: Load, fleet: Omit<FleetPart, 'shard' | 'restarts'>, phase: Phase): boolean {
  const { model } = load;
  if (model.kind !== 'cadence') return true;
  if (!model.standing && model.originMs + model.firstMs >= phase.startMs + phase.durationMs) return false;
  const arrivals = cadenceArrivals({ ...load, model }, { ...fleet, shard: WHOLE_FLEET, restarts: new Map() }, phase);
  const { agents } = fleet;
  let isDue = false;
  for (let from = 0; from < agents && !isDue; from += CHUNK)
    arrivals.start(from, Math.min(agents, from + CHUNK), () => {
      isDue = true;
    });
  return isDue;
}

/** Each agent on its own grid. */
function cadenceArrivals(
  { operation, model }: { operation: Load['operation']; model: Cadence & { kind: 'cadence' } },
  part: FleetPart,
  phase: Phase,
): Arrivals {
  const counters = new Uint32Array(shareOf(part.shard, part.agents));
  const endMs = phase.startMs + phase.durationMs;
  const usualStartMs = usualStarts(model, part.seed);
  const restartOf = (local: number) => (part.restarts.size === 0 ? undefined : part.restarts.get(local));
  const cadenceOf = (local: number): typeof model => {
    const restart = restartOf(local);
    if (restart === undefined) return operation === 'packages' ? collecting(model, firstRunMs(local)) : model;
    const everyMs = restart.everyMs?.[operation] ?? model.everyMs;
    // Check data are there as soon as the first run is over.
    return { ...model, everyMs, standing: false, firstMs: operation === 'checkdata' ? 0 : model.firstMs };
  };
  const firstRunMs = (local: number): number => part.firstResultAfterMs(fleetIndex(part.shard, local));
  const started = (local: number): StartedAgent => {
    const agent = fleetIndex(part.shard, local);
    const restart = restartOf(local);
    if (operation !== 'packages') return { seed: part.seed, agent, startMs: restart?.resultMs ?? usualStartMs(agent) };
    const startMs =
      (restart?.agentStartMs ?? usualStartMs(agent) - firstRunMs(local)) + collectingMs(model, part.seed, agent);
    return { seed: part.seed, agent, startMs };
  };
  const emitArrival = (local: number, emit: Emit): void => {
    const dueMs = cadenceDueAtMs(cadenceOf(local), started(local), counters[local] as number);
    if (dueMs < endMs) emit(dueMs, local);
  };
  return {
    start: (from, to, emit) => {
      for (let local = from; local < to; local++) {
        counters[local] = firstArrivalFrom(cadenceOf(local), started(local), phase.startMs);
        emitArrival(local, emit);
      }
    },
    follow: (local, emit) => {
      counters[local] = (counters[local] as number) + 1;
      emitArrival(local, emit);
    },
    restart: (local, emit) => {
      counters[local] = firstArrivalFrom(cadenceOf(local), started(local), phase.startMs);
      emitArrival(local, emit);
    },
    isCurrent: (local, dueMs) =>
      !part.restarts.has(local) ||
      dueMs === cadenceDueAtMs(cadenceOf(local), started(local), counters[local] as number),
  };
}

/**
 * Packages are collected on a grid from the start of the agent's process, all else is sent on one from its first result. Where
 * packages are wanted sooner than that, they come with it.
 */
function collecting<Model extends Cadence>(model: Model, firstRunMs: number): Model {
  return model.standing || model.firstMs >= firstRunMs ? model : { ...model, firstMs: firstRunMs };
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
    start: (from, to, emit) => {
      if (from === 0 && to > 0) emitArrival(emit);
    },
    follow: (_agent, emit) => {
      agent++;
      if (agent === agents) {
        agent = 0;
        round++;
      }
      emitArrival(emit);
    },
    // A rate is the whole fleet's and goes on.
    restart: () => {},
    isCurrent: () => true,
  };
}

const SHORTEST_COLLECTION_MS = 2000;
const LONGEST_COLLECTION_MS = 6000;
// Collections are at least a minute apart in a real agent. Closer ones take as much less.
const USUAL_INTERVAL_MS = 60_000;

/** How long an agent's collection of package information takes, in milliseconds: from its beginning to the push. */
export function collectingMs(model: LoadModel, seed: number, agent: number): number {
  const usualMs =
    SHORTEST_COLLECTION_MS + (LONGEST_COLLECTION_MS - SHORTEST_COLLECTION_MS) * uniform(seed, 'collecting', agent);
  if (model.kind !== 'cadence') return usualMs;
  return usualMs * Math.min(1, model.everyMs / USUAL_INTERVAL_MS, model.firstMs / USUAL_INTERVAL_MS);
}

/**
 * When the collection began, in milliseconds from the run's start, that an agent has before the first of the run: the last on its grid
 * if it started long ago; Infinity: there is none.
 */
export function collectedBeforeRun(
  model: LoadModel,
  fleet: Omit<FleetPart, 'shard' | 'restarts'>,
): (agent: number) => number {
  if (model.kind !== 'cadence' || !model.standing) return () => Number.POSITIVE_INFINITY;
  const startMs = usualStarts(model, fleet.seed);
  return (agent) => {
    const sinceMs = startMs(agent) - fleet.firstResultAfterMs(agent);
    return sinceMs + Math.floor(-sinceMs / model.everyMs) * model.everyMs;
  };
}
