import type { Software } from './software.ts';

/** So many hosts of one shape are remembered at most, in 160 KB. */
const SLOTS = 4096;
const COLUMNS = 4;

/**
 * Remembers what the last collection of a host found, because pushes come every half minute and collections every hour;
 * counting anew would take a twelfth of a push. A host takes the slot of another whose key ends with the same bits. Not
 * for hosts with incidents, which change what a collection finds.
 */
export function rememberingLast(foundAt: Software['foundAt']): Software['foundAt'] {
  /** Per slot: host, collection, boot. Of a slot that is free the boot is 0. */
  const keys = new Float64Array(SLOTS * COLUMNS);
  const counts = new Uint16Array(SLOTS * COLUMNS);
  return (moment, unixMs) => {
    if (moment.incidents.length > 0) return foundAt(moment, unixMs);
    const { hostKey, bootMs } = moment;
    const slot = (hostKey & (SLOTS - 1)) * COLUMNS;
    if (keys[slot] !== hostKey || keys[slot + 1] !== unixMs || keys[slot + 2] !== bootMs) {
      const { installed, upgradable, security, rebootRequired } = foundAt(moment, unixMs);
      keys.set([hostKey, unixMs, bootMs], slot);
      counts.set([installed, upgradable, security, rebootRequired ? 1 : 0], slot);
    }
    return {
      installed: counts[slot] as number,
      upgradable: counts[slot + 1] as number,
      security: counts[slot + 2] as number,
      rebootRequired: counts[slot + 3] === 1,
    };
  };
}
