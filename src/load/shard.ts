/** A worker's or a machine's part of the fleet: the agents whose index leaves `index` when divided by `count`. */
export type Shard = { readonly index: number; readonly count: number };

export const WHOLE_FLEET: Shard = { index: 0, count: 1 };

/** A part of a part: the agents that the whole would give to `inner` if its agents were a fleet of their own. */
export function shardWithin(outer: Shard, inner: Shard): Shard {
  return { index: fleetIndex(outer, inner.index), count: outer.count * inner.count };
}

/** Whether the agent, by its index in the fleet, belongs to the shard. */
export function isInShard({ index, count }: Shard, agent: number): boolean {
  return agent % count === index;
}

/** How many of `total` agents, slots or numbers belong to the shard. */
export function shareOf(shard: Shard, total: number): number {
  return Math.max(0, Math.ceil((total - shard.index) / shard.count));
}

/** Fleet-wide index of the shard's n-th agent. */
export function fleetIndex(shard: Shard, local: number): number {
  return shard.index + local * shard.count;
}
