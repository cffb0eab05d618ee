import { type Durations, shareOfCollecting } from './durations.ts';
import {
  type Cadence,
  cadenceDueAtMs,
  constantRate,
  curveRate,
  firstArrivalFrom,
  type RatePacer,
  usualStarts,
} from './pacers.ts';
import { fleetIndex, type Shard, shareOf, WHOLE_FLEET } from './shard.ts';
import type { Load, LoadModel, Phase } from './timeline.ts';
import type { OpenTrace } from './traces/reader.ts';

/** The agents whose arrivals are computed. `agents` is the size of the whole fleet. */
export type FleetPart = {
  readonly seed: number;
  readonly agents: number;
  readonly shard: Shard;
  /** Time from the start of an agent's process to the end of its first check run, by its index in the fleet. */
  readonly firstResultAfterMs: (agent: number) => number;
  readonly durations: Durations;
  /** Restarted agents, numbered within the shard. */
  readonly restarts: ReadonlyMap<number, Restart>;
  /** Opens the trace of a load. Absent if no load has one. */
  readonly openTrace?: ((file: string) => OpenTrace) | undefined;
};

/** When an agent restarted, and when its first check run after that ended. */
export type Restart = {
  readonly agentStartMs: number;
  readonly resultMs: number;
  /** Intervals that replace those of the loads. */
  readonly everyMs?: Readonly<Partial<Record<Load['operation'], number | undefined>>> | undefined;
  /** If `false`, collections contain only what is installed, without a check for updates. */
  readonly looksForUpdates?: boolean;
};

export type Emit = (dueMs: number, agent: number) => void;

/** The arrivals of one load in one phase for one shard; agents are numbered within the shard. */
export type Arrivals = {
  /**
   * Emits first arrivals for the agents from `from` (inclusive) to `to` (exclusive): one per agent for a cadence, one in total for a rate.
   */
  start(from: number, to: number, emit: Emit): void;
  /** Emits the arrival after the one of `agent` that just became due, if there is one. */
  follow(agent: number, emit: Emit): void;
  /** Emits the first arrival of a restarted agent; its earlier arrivals are no longer valid. */
  restart(agent: number, emit: Emit): void;
  /** Whether the arrival is the agent's next one; arrivals from before its restart are not. Only for agents that restarted. */
  isCurrent(agent: number, dueMs: number): boolean;
  /**
   * Time that the document of the due arrival describes; call before `follow`. For a check run, the end that it would have had with the
   * shortest duration of its host. For a collection, its start.
   */
  resultMs(agent: number, dueMs: number): number;
};

/** The arrivals of an open load; `undefined` for a closed one (`concurrency`), which has no due times, and for a trace, which has a feed. */
export function arrivalsOf(load: Load, part: FleetPart, phase: Phase): Arrivals | undefined {
  const { model } = load;
  switch (model.kind) {
    case 'cadence':
      return cadenceArrivals({ ...load, model }, part, phase);
    case 'rate':
      return rateArrivals(constantRate(model.ratePerSecond), model.limit, { load, part, phase });
    case 'curve':
      return rateArrivals(curveRate(model.curve), model.limit, { load, part, phase });
    case 'concurrency':
    case 'trace':
      return undefined;
  }
}

type CadenceLoad = { readonly operation: Load['operation']; readonly model: Extract<LoadModel, { kind: 'cadence' }> };

const CHUNK = 1024;

/** Maximum delay of an arrival after its grid point, as a share of the interval. */
const MAX_LATE_SHARE = 0.1;

/** Whether any arrival of the load is due in the phase. The first one of a cadence may come after its end. */
export function hasArrivals(load: Load, fleet: Omit<FleetPart, 'shard' | 'restarts'>, phase: Phase): boolean {
  const { model } = load;
  if (model.kind === 'trace') return model.counts?.arrivals !== 0;
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

/**
 * Arrivals of agents on their own grids of check runs and collections. A result is due when its run or collection ends, and this delay
 * varies. With `jitter`, the jitter of a check run replaces the delay.
 */
function cadenceArrivals({ operation, model }: CadenceLoad, part: FleetPart, phase: Phase): Arrivals {
  // With an interval of microseconds, the numbers since a day before the run exceed 32 bits.
  const counters = new Float64Array(shareOf(part.shard, part.agents));
  const endMs = phase.startMs + phase.durationMs;
  const { durations } = part;
  const gridOf = gridsOf({ operation, model }, part);
  const gridMs = (local: number): number => {
    const { cadence, agent } = gridOf(local);
    return cadenceDueAtMs(cadence, agent, counters[local] as number);
  };
  const dueMs = (local: number): number => {
    const { cadence, agent, share } = gridOf(local);
    const onGridMs = cadenceDueAtMs(cadence, agent, counters[local] as number);
    if (operation === 'packages') return onGridMs + durations.collectingMs(agent.agent, onGridMs, share);
    if (operation !== 'checkdata' || model.jitter > 0) return onGridMs;
    return onGridMs + durations.lateMs(agent.agent, onGridMs, cadence.everyMs);
  };
  const emitFirst = (local: number, emit: Emit): void => {
    const { cadence, agent } = gridOf(local);
    // A grid point shortly before the phase may be due in it.
    counters[local] = firstArrivalFrom(cadence, agent, phase.startMs - cadence.everyMs * MAX_LATE_SHARE);
    let instantMs = dueMs(local);
    for (; instantMs < phase.startMs; instantMs = dueMs(local)) counters[local] = (counters[local] as number) + 1;
    if (instantMs < endMs) emit(instantMs, local);
  };
  return {
    start: (from, to, emit) => {
      for (let local = from; local < to; local++) emitFirst(local, emit);
    },
    follow: (local, emit) => {
      counters[local] = (counters[local] as number) + 1;
      const instantMs = dueMs(local);
      if (instantMs < endMs) emit(instantMs, local);
    },
    restart: emitFirst,
    isCurrent: (local, instantMs) => instantMs === dueMs(local),
    resultMs: gridMs,
  };
}

/** An agent's grid of arrivals; `share` scales the duration of its collections. */
type Grid = { cadence: Cadence; share: number; readonly agent: { seed: number; agent: number; startMs: number } };

/**
 * The grids of a cadence, by the agent's number within the shard. Collections count from the start of the process, all other operations
 * from the first result. The object is reused for the next agent, so that an arrival creates no garbage.
 */
function gridsOf(
  { operation, model }: CadenceLoad,
  { seed, shard, restarts, firstResultAfterMs }: FleetPart,
): (local: number) => Readonly<Grid> {
  const usualStartMs = usualStarts(model, seed);
  const collects = operation === 'packages';
  const usualShare = shareOfCollecting(model);
  const grid: Grid = { cadence: model, share: usualShare, agent: { seed, agent: 0, startMs: 0 } };
  const restarted = (restart: Restart): void => {
    const everyMs = restart.everyMs?.[operation] ?? model.everyMs;
    // Check data are available as soon as the first run ends.
    const firstMs = operation === 'checkdata' ? 0 : model.firstMs;
    grid.cadence = { ...model, everyMs, standing: false, firstMs };
    grid.share = restart.looksForUpdates === false ? usualShare * WITHOUT_UPDATES : usualShare;
    grid.agent.startMs = collects ? restart.agentStartMs : restart.resultMs;
  };
  return (local) => {
    const { agent } = grid;
    agent.agent = fleetIndex(shard, local);
    const restart = restarts.size === 0 ? undefined : restarts.get(local);
    if (restart !== undefined) {
      restarted(restart);
      return grid;
    }
    const firstRunMs = collects ? firstResultAfterMs(agent.agent) : 0;
    agent.startMs = usualStartMs(agent.agent) - firstRunMs;
    grid.cadence = collects ? collecting(model, firstRunMs) : model;
    grid.share = usualShare;
    return grid;
  };
}

/**
 * Packages are collected on a grid from the start of the agent's process; all other operations use a grid from its first result. A first
 * collection that would precede the first result coincides with it.
 */
function collecting(model: Cadence, firstRunMs: number): Cadence {
  return model.standing || model.firstMs >= firstRunMs ? model : { ...model, firstMs: firstRunMs };
}

/**
 * A fleet-wide rate. Arrival n belongs to agent n modulo the fleet's size, and so to that agent's shard. Together the shards produce
 * exactly the fleet's arrivals, however many there are.
 */
function rateArrivals(
  pacer: RatePacer,
  limit: number | undefined,
  scope: { load: Load; part: FleetPart; phase: Phase },
): Arrivals {
  const { load, part, phase } = scope;
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
    // A rate applies to the whole fleet and continues.
    restart: () => {},
    isCurrent: () => true,
    resultMs: (local, dueMs) => resultBehindMs(load, part.durations, { agent: fleetIndex(part.shard, local), dueMs }),
  };
}

/** Without a check for updates, collections take 0.2 to 0.5 s. */
const WITHOUT_UPDATES = 0.09;

/**
 * End of the check run, or start of the collection, that a load sends at a time outside the agent's grids. Both are in milliseconds since
 * the start of the run. `NaN` for a registration of a trace, which has the check data that follow it as an arrival of their own.
 */
export function resultBehindMs(
  { operation, model }: Load,
  { collectingMs }: Durations,
  { agent, dueMs }: { readonly agent: number; readonly dueMs: number },
): number {
  if (operation === 'register' && model.kind === 'trace') return Number.NaN;
  if (operation !== 'packages') return dueMs;
  // A trace may have two collections of an agent within a second. With the same duration, the later one begins later.
  return dueMs - collectingMs(agent, model.kind === 'trace' ? 0 : dueMs, shareOfCollecting(model));
}

/**
 * Start of the last collection before the run, in milliseconds since the start of the run. For an agent that started long ago this is the
 * last one on its grid; `Infinity` if there is none.
 */
export function collectedBeforeRun(
  model: LoadModel,
  fleet: Omit<FleetPart, 'shard' | 'restarts'>,
): (agent: number) => number {
  if (model.kind !== 'cadence' || !model.standing) return () => Number.POSITIVE_INFINITY;
  const startMs = usualStarts(model, fleet.seed);
  const { collectingMs } = fleet.durations;
  const share = shareOfCollecting(model);
  return (agent) => {
    const sinceMs = startMs(agent) - fleet.firstResultAfterMs(agent);
    const beganMs = sinceMs + Math.floor(-sinceMs / model.everyMs) * model.everyMs;
    return beganMs + collectingMs(agent, beganMs, share) <= 0 ? beganMs : beganMs - model.everyMs;
  };
}
