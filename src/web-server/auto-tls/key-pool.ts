import { UserError } from '../../kernel/errors.ts';
import { type KeyType, keyFault, makeKey } from './keys.ts';

/** Where the keys of a pool outlive a run; keys by their number from 0, in PEM. */
export type KeyStore = {
  readonly load: (type: KeyType) => ReadonlyMap<number, string>;
  readonly save: (type: KeyType, keys: ReadonlyMap<number, string>) => Promise<void>;
  /** Where a key is, for a message to a person. */
  readonly where: (type: KeyType, number: number) => string;
};

export type PoolOrder = {
  readonly type: KeyType;
  readonly size: number;
  /** Keys made at the same time: as many as there are cores to spare. */
  readonly atOnce: number;
};

/**
 * The keys that a fleet shares: agent _n_ has key _n_ modulo the pool's size. Keys of an earlier run are used again; only
 * those that are missing are made, and saved. Throws `UserError` if a stored key cannot be used.
 */
export async function openKeyPool(
  { type, size, atOnce }: PoolOrder,
  store: KeyStore,
  onProgress: (made: number, of: number) => void,
): Promise<readonly string[]> {
  const stored = store.load(type);
  const missing: number[] = [];
  for (let number = 0; number < size; number++) {
    const pem = stored.get(number);
    if (pem === undefined) missing.push(number);
    else assertUsable(pem, type, store.where(type, number));
  }
  const count = missing.length;
  const made = new Map<number, string>();
  const makeNext = async (): Promise<void> => {
    for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
      const key = await makeKey(type);
      // At once: a start that is broken off has lost one key and not all.
      await store.save(type, new Map([[number, key]]));
      made.set(number, key);
      onProgress(made.size, count);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, makeNext));
  return Array.from({ length: size }, (_, number) => stored.get(number) ?? made.get(number) ?? '');
}

function assertUsable(pem: string, type: KeyType, where: string): void {
  const fault = keyFault(pem, type);
  if (fault === undefined) return;
  throw new UserError(
    `The key ${where} of the agents' pool cannot be used: ${fault}; delete it, and a new one is made (agents that have a certificate keep their own copy of its key).`,
  );
}
