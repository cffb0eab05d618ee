/**
 * The part of a fleet that a worker or a machine runs: agents whose index modulo `count` is `index`, or, for agents that join a running
 * fleet, a list.
 */
export type Shard = {
  readonly index: number;
  readonly count: number;
  /** Indices in the fleet, ascending: exactly the agents of the shard. If absent, `index` and `count` define them. */
  readonly only?: Uint32Array;
};

export const WHOLE_FLEET: Shard = { index: 0, count: 1 };

/** The shard with these agents, by index in the fleet. */
export function shardOf(agents: Iterable<number>): Shard {
  return { ...WHOLE_FLEET, only: Uint32Array.from(agents).sort() };
}

/** A shard of a shard: the agents that `inner` would have if those of `outer` were a fleet. */
export function shardWithin(outer: Shard, inner: Shard): Shard {
  const shard = { index: outer.index + inner.index * outer.count, count: outer.count * inner.count };
  const { only } = outer;
  return only === undefined ? shard : { ...shard, only: only.filter((_, local) => isInShard(inner, local)) };
}

/** Whether an agent, by its index in the fleet, belongs to the shard. */
export function isInShard(shard: Shard, agent: number): boolean {
  if (shard.only === undefined) return agent % shard.count === shard.index;
  return shard.only[lowerBound(shard.only, agent)] === agent;
}

/** Number of agents, slots or arrivals among the first `total` that belong to the shard. */
export function shareOf({ index, count, only }: Shard, total: number): number {
  return only === undefined ? Math.max(0, Math.ceil((total - index) / count)) : lowerBound(only, total);
}

/** Fleet-wide index of the shard's n-th agent. */
export function fleetIndex({ index, count, only }: Shard, local: number): number {
  return only === undefined ? index + local * count : (only[local] as number);
}

/** Fleet-wide indices of the shard's agents, in a fleet of so many. */
export function agentsInShard(shard: Shard, total: number): Set<number> {
  return new Set(Array.from({ length: shareOf(shard, total) }, (_, local) => fleetIndex(shard, local)));
}

/** Number within the shard of one of its agents, from its index in the fleet. */
export function localIn({ index, count, only }: Shard, agent: number): number {
  return only === undefined ? (agent - index) / count : lowerBound(only, agent);
}

/** Position of the first element of an ascending list that is not less than `number`. */
function lowerBound(list: Uint32Array, number: number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((list[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}
