import type { Load } from '../load/timeline.ts';

/** The free slots of one closed load in the phase under way. */
export type SlotPool = {
  readonly load: Load;
  readonly phase: number;
  /** End of the phase: nothing starts at or after it. */
  readonly endMs: number;
  free: number;
  /** Agent that is asked next. */
  cursor: number;
  /** Agents still to be asked; Infinity for a load without limit. */
  remaining: number;
};

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
