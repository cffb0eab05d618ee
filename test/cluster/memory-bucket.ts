import type { Bucket } from '../../src/cluster/bucket.ts';

/** A bucket in memory. */
export function memoryBucket(): Bucket {
  const entries = new Map<string, { readonly value: unknown; readonly revision: number }>();
  let revision = 0;
  const put = (key: string, value: unknown): true => entries.set(key, { value, revision: ++revision }) && true;
  return {
    put: async (key, value) => void put(key, value),
    create: async (key, value) => !entries.has(key) && put(key, value),
    update: async (key, value, known) => entries.get(key)?.revision === known && put(key, value),
    get: async (key) => {
      const entry = entries.get(key);
      return entry && { key, ...entry };
    },
    delete: async (key) => void entries.delete(key),
    entries: async () => [...entries].map(([key, entry]) => ({ key, ...entry })),
  } as Partial<Bucket> as Bucket;
}
