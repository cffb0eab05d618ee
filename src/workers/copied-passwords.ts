import type { FleetEvent } from '../events/event.ts';
import { isInShard, type Shard } from '../load/shard.ts';

/** Passwords that copies share with their originals, which may be agents of other workers. Agents by their index in the fleet. */
export type CopiedPasswords = {
  /** Empty: none yet, or unknown. */
  readonly of: (index: number) => string;
  /** If an event makes copies of an agent of this shard, the others are told its password. */
  readonly watch: (event: FleetEvent) => void;
  /** An agent of this shard has another password than before. */
  readonly changed: (index: number) => void;
  /** Another shard tells. */
  readonly told: (index: number, password: string) => void;
};

type Fleet = {
  readonly shard: Shard;
  /** Of whom an event makes copies, by the index in the fleet; undefined: none. */
  readonly originalOf: (event: FleetEvent) => number | undefined;
};

/** `own`: of an agent of this shard. `tell`: the other shards. */
export function createCopiedPasswords(
  { shard, originalOf }: Fleet,
  own: (index: number) => string,
  tell: (index: number, password: string) => void,
): CopiedPasswords {
  const known = new Map<number, string>();
  const originals = new Set<number>();
  const changed = (index: number): void => {
    if (originals.has(index)) tell(index, own(index));
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
    told: (index, password) => void known.set(index, password),
  };
}
