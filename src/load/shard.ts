/** One worker's part of the fleet: the agents whose index leaves `index` when divided by `count`. */
export type Shard = { readonly index: number; readonly count: number };

/** How many of `total` agents, slots or numbers belong to the shard. */
export function shareOf(shard: Shard, total: number): number {
  return Math.max(0, Math.ceil((total - shard.index) / shard.count));
}

/** Fleet-wide index of the shard's n-th agent. */
export function fleetIndex(shard: Shard, local: number): number {
  return shard.index + local * shard.count;
}
