import type { Operation } from '../base/protocol/operations.ts';
import { type Shard, shareOf } from '../load/shard.ts';
import type { Load, Phase } from '../load/timeline.ts';

/** The slots of one closed load in the current phase. */
export type SlotPool = {
  readonly load: Load;
  readonly phase: number;
  /** End of the phase: nothing starts at or after it. */
  readonly endMs: number;
  /** Negative while more operations are in flight than the phase has slots: the previous phase had more. */
  free: number;
  /** The next agent to try. */
  cursor: number;
  /** Agents left to try; `Infinity` for a load without a limit. */
  remaining: number;
};

/**
 * Opens the slots of a phase that starts.
 * @param held number of slots that operations of the previous phase still hold.
 */
export function openSlots(
  { phase, index }: { phase: Phase; index: number },
  shard: Shard,
  held: (operation: Operation) => number,
): readonly SlotPool[] {
  const endMs = phase.startMs + phase.durationMs;
  return phase.loads.flatMap((load): readonly SlotPool[] => {
    if (load.model.kind !== 'concurrency') return [];
    const { slots, limit } = load.model;
    const remaining = limit === undefined ? Number.POSITIVE_INFINITY : shareOf(shard, limit);
    const free = shareOf(shard, slots) - held(load.operation);
    return [{ load, phase: index, endMs, free, cursor: 0, remaining }];
  });
}

/**
 * Fills free slots with agents in turn. `tryStart` returns whether the agent took the work; otherwise the next agent is tried. Stops after
 * one full turn without success, so that a fleet that cannot work causes no endless loop.
 */
export function offerSlots(pool: SlotPool, agents: number, tryStart: (agent: number) => boolean): void {
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
