/**
 * A worker's or a machine's part of the fleet: the agents whose index leaves `index` when divided by `count`; or those of a list, as
 * they come to a fleet that is up.
 */
export type Shard = {
  readonly index: number;
  readonly count: number;
  /** Indices in the fleet, ascending: the part has these agents and no others. Left out: `index` and `count` say which. */
  readonly only?: Uint32Array;
};

export const WHOLE_FLEET: Shard = { index: 0, count: 1 };

/** The part with these agents, by their indices in the fleet, ascending. */
export function shardOf(agents: Iterable<number>): Shard {
  return { ...WHOLE_FLEET, only: Uint32Array.from(agents) };
}

/** A part of a part: the agents that the whole would give to `inner` if its agents were a fleet of their own. */
export function shardWithin(outer: Shard, inner: Shard): Shard {
  const shard = { index: outer.index + inner.index * outer.count, count: outer.count * inner.count };
  const { only } = outer;
  return only === undefined ? shard : { ...shard, only: only.filter((_, place) => isInShard(inner, place)) };
}

/** Whether the agent, by its index in the fleet, belongs to the shard. */
export function isInShard(shard: Shard, agent: number): boolean {
  if (shard.only === undefined) return agent % shard.count === shard.index;
  return shard.only[placeIn(shard.only, agent)] === agent;
}

/** How many of `total` agents, slots or numbers belong to the shard. */
export function shareOf({ index, count, only }: Shard, total: number): number {
  return only === undefined ? Math.max(0, Math.ceil((total - index) / count)) : placeIn(only, total);
}

/** Fleet-wide index of the shard's n-th agent. */
export function fleetIndex({ index, count, only }: Shard, local: number): number {
  return only === undefined ? index + local * count : (only[local] as number);
}

/** The number in the shard of one of its agents, by its index in the fleet. */
export function localIn({ index, count, only }: Shard, agent: number): number {
  return only === undefined ? (agent - index) / count : placeIn(only, agent);
}

/** The place of the first number of an ascending list that is not below this one. */
function placeIn(list: Uint32Array, number: number): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((list[middle] as number) < number) from = middle + 1;
    else to = middle;
  }
  return from;
}
