import type { FleetEvent } from '../load/events/event.ts';
import { isInShard, type Shard } from '../load/shard.ts';

/**
 * Passwords that clones share with their originals, which may be agents of other workers. Agents are identified by their index in the
 * fleet.
 */
export type CopiedPasswords = {
  /** Empty if there is none yet, or it is unknown. */
  readonly of: (index: number) => string;
  /** If the event clones an agent of this shard, the other shards will receive its password. */
  readonly watch: (event: FleetEvent) => void;
  /** Call when the password of an agent of this shard has changed. */
  readonly changed: (index: number) => void;
  /** Call when another shard reports a password. */
  readonly received: (index: number, password: string) => void;
};

type Fleet = {
  readonly shard: Shard;
  /** Index in the fleet of the agent that an event clones; `undefined` if there is none. */
  readonly originalOf: (event: FleetEvent) => number | undefined;
};

/**
 * @param own returns the password of an agent of this shard.
 * @param send sends a password to the other shards.
 */
export function createCopiedPasswords(
  { shard, originalOf }: Fleet,
  own: (index: number) => string,
  send: (index: number, password: string) => void,
): CopiedPasswords {
  const known = new Map<number, string>();
  const originals = new Set<number>();
  const changed = (index: number): void => {
    if (originals.has(index)) send(index, own(index));
  };
  return {
    of: (index) => (isInShard(shard, index) ? own(index) : (known.get(index) ?? '')),
    watch: (event) => {
      const original = originalOf(event);
      if (original === undefined || !isInShard(shard, original)) return;
      originals.add(original);
      if (own(original) !== '') changed(original);
    },
    changed,
    received: (index, password) => void known.set(index, password),
  };
}
