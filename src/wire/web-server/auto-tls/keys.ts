import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { messageOf, UserError } from '../../../base/kernel/errors.ts';
import type { KeyType } from '../../../base/protocol/pull.ts';

const RSA_BITS = { 'rsa-4096': 4096, 'rsa-3072': 3072, 'rsa-2048': 2048 } as const;

/** Creates a private key in PEM (PKCS#8) in a separate thread, without blocking the event loop. */
export async function makeKey(type: KeyType): Promise<string> {
  const key = await new Promise<KeyObject>((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, privateKey: KeyObject) =>
      error === null ? resolve(privateKey) : reject(error);
    if (type === 'ecdsa-p256') generateKeyPair('ec', { namedCurve: 'P-256' }, done);
    else generateKeyPair('rsa', { modulusLength: RSA_BITS[type] }, done);
  });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Explains why a text is not a private key of this type; `undefined` if it is one. */
export function keyFault(pem: string, type: KeyType): string | undefined {
  try {
    const found = typeOf(createPrivateKey(pem));
    return found === type ? undefined : `expected a private key of type ${type}, found ${found}`;
  } catch (error) {
    return `expected a private key in PEM, found an error: ${messageOf(error)}`;
  }
}

function typeOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return `rsa-${asymmetricKeyDetails?.modulusLength}`;
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ecdsa-p256';
  return asymmetricKeyType ?? 'another kind';
}

/** Storage of a pool's keys across runs. Keys are in PEM, numbered from 0. */
export type KeyStore = {
  readonly load: (type: KeyType) => ReadonlyMap<number, string>;
  readonly save: (type: KeyType, keys: ReadonlyMap<number, string>) => Promise<void>;
  /** The location of a key, for messages. */
  readonly where: (type: KeyType, number: number) => string;
};

export type PoolOrder = {
  readonly type: KeyType;
  readonly size: number;
  /** How many keys to create concurrently: the number of spare cores. */
  readonly atOnce: number;
};

/**
 * Returns the keys that a fleet shares: agent _n_ has key _n_ modulo the pool's size. Reuses keys of earlier runs;
 * creates and saves only missing ones.
 * @throws UserError if a stored key is unusable.
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
      // Saved immediately, so that an interrupted start loses only the current key.
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
    `The key ${where} of the agents' pool cannot be used: ${fault}; delete it, and Muster creates a new one (agents with a certificate keep their copy of the key).`,
  );
}

/** Provides a key for an agent that has none yet, by its number in the shard. */
export type KeySource = (agent: number) => Promise<string>;

/** Assigns keys from a pool; `fleetIndexOf` keeps the choice independent of the number of workers. */
export function pooledKeys(pool: readonly string[], fleetIndexOf: (agent: number) => number): KeySource {
  return async (agent) => {
    const key = pool[fleetIndexOf(agent) % pool.length];
    if (key === undefined) throw new Error('The pool of keys is empty.');
    return key;
  };
}

/** Assigns keys from a pool that is filled on demand: `make` is called once for each index of the pool. */
export function keysOnDemand(size: number, fleetIndexOf: (agent: number) => number, make: KeySource): KeySource {
  const keys = new Map<number, Promise<string>>();
  return (agent) => {
    const index = fleetIndexOf(agent) % size;
    const key = keys.get(index) ?? make(index);
    keys.set(index, key);
    key.catch(() => keys.delete(index));
    return key;
  };
}

/**
 * Creates a separate key at each call, at most `atOnce` of them concurrently, because the same threads also resolve names and write files.
 */
export function uniqueKeys(type: KeyType, atOnce: number): KeySource {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await makeKey(type);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
