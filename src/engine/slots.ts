import { type Shard, shareOf } from '../load/shard.ts';
import type { Load, Phase } from '../load/timeline.ts';

/** The slots of one closed load in the phase under way. */
export type SlotPool = {
  readonly load: Load;
  readonly phase: number;
  /** End of the phase: nothing starts at or after it. */
  readonly endMs: number;
  /** Negative while more is under way than the phase has slots for: the phase before had more. */
  free: number;
  /** Agent that is asked next. */
  cursor: number;
  /** Agents still to be asked; Infinity for a load without limit. */
  remaining: number;
};

/**
 * The slots of a phase that begins. `slotOf` says which agent holds a slot of which pool; what is still under way from
 * before holds a slot of the new pool of its operation, if there is one.
 */
export function enterPhase(
  { phase, index }: { phase: Phase; index: number },
  shard: Shard,
  slotOf: Map<number, SlotPool>,
): readonly SlotPool[] {
  const endMs = phase.startMs + phase.durationMs;
  const pools = phase.loads.flatMap((load): readonly SlotPool[] => {
    if (load.model.kind !== 'concurrency') return [];
    const { slots, limit } = load.model;
    const remaining = limit === undefined ? Number.POSITIVE_INFINITY : shareOf(shard, limit);
    return [{ load, phase: index, endMs, free: shareOf(shard, slots), cursor: 0, remaining }];
  });
  for (const [agent, before] of slotOf) {
    const pool = pools.find(({ load }) => load.operation === before.load.operation);
    if (pool === undefined) continue;
    slotOf.set(agent, pool);
    pool.free--;
  }
  return pools;
}

/**
 * Fills free slots with agents in turn. `tryStart` says whether the agent took the work; an agent that cannot is
 * passed over. Stops after one full turn without success, so that a fleet that cannot work costs no endless loop.
 */
export function fillSlots(pool: SlotPool, agents: number, tryStart: (agent: number) => boolean): void {
  let passedOver = 0;
  while (pool.free > 0 && pool.remaining > 0 && passedOver < agents) {
    const agent = pool.cursor;
    pool.cursor = (pool.cursor + 1) % agents;
    pool.remaining--;
    if (tryStart(agent)) {
      pool.free--;
      passedOver = 0;
    } else {
      passedOver++;
    }
  }
}
