import { type KeyType, makeKey } from './keys.ts';

/** The key of an agent, by its number in the shard, that has none yet. */
export type KeySource = (agent: number) => Promise<string>;

/** Every agent its key of the pool; `fleetIndexOf` keeps the choice the same for any number of workers. */
export function pooledKeys(pool: readonly string[], fleetIndexOf: (agent: number) => number): KeySource {
  return async (agent) => {
    const key = pool[fleetIndexOf(agent) % pool.length];
    if (key === undefined) throw new Error('The pool of keys is empty.');
    return key;
  };
}

/** A pool that is filled when an agent needs its key: `make` is asked once for each place of the pool. */
export function keysOnDemand(size: number, fleetIndexOf: (agent: number) => number, make: KeySource): KeySource {
  const keys = new Map<number, Promise<string>>();
  return (agent) => {
    const place = fleetIndexOf(agent) % size;
    const key = keys.get(place) ?? make(place);
    keys.set(place, key);
    key.catch(() => keys.delete(place));
    return key;
  };
}

/**
 * Every agent a key of its own, made when it is asked for. Requests for one agent's key share one making, and no more
 * than `atOnce` are made at a time: the threads that make them also look up names and write files.
 */
export function uniqueKeys(type: KeyType, atOnce: number): KeySource {
  const underWay = new Map<number, Promise<string>>();
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const makeInTurn = async (): Promise<string> => {
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
  return (agent) => {
    const known = underWay.get(agent);
    if (known !== undefined) return known;
    const making = makeInTurn().finally(() => underWay.delete(agent));
    underWay.set(agent, making);
    return making;
  };
}
