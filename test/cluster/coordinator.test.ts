import { afterEach, expect, it, vi } from 'vitest';
import type { Bucket } from '../../src/cluster/bucket.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { openSession } from '../../src/cluster/coordinator.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

/** A bus whose buckets are maps; entries are gone when their age has passed. */
function bus() {
  const entries = new Map<string, { readonly value: unknown; readonly revision: number; readonly atMs: number }>();
  const buckets: (number | undefined)[] = [];
  let revision = 0;
  const bucketFor = (ttlMs: number | undefined): Bucket => {
    const get: Bucket['get'] = async (key) => {
      const entry = entries.get(key);
      return entry === undefined || Date.now() - entry.atMs >= (ttlMs ?? Number.POSITIVE_INFINITY)
        ? undefined
        : { key, value: entry.value, revision: entry.revision };
    };
    const put: Bucket['put'] = async (key, value) =>
      void entries.set(key, { value, revision: ++revision, atMs: Date.now() });
    const written = async (key: string, value: unknown, isFree: boolean) => {
      if (isFree) await put(key, value);
      return isFree;
    };
    return {
      ...{ get, put, entries: async () => [], watch: async () => () => {} },
      create: async (key, value) => written(key, value, (await get(key)) === undefined),
      update: async (key, value, known) => written(key, value, (await get(key))?.revision === known),
      delete: async (key) => void entries.delete(key),
    };
  };
  const opened = {
    serve: () => () => {},
    request: async () => ({ kind: 'nobody' }),
    bucket: async (_, { ttlMs }) => {
      buckets.push(ttlMs);
      return bucketFor(ttlMs);
    },
  } as Partial<Bus> as Bus;
  return { opened, buckets };
}

it('the entries of a coordinator last for days while it lives, and a day longer', async () => {
  vi.useFakeTimers();
  const { opened, buckets } = bus();
  const session = await openSession(opened, 1);
  await session.claim('coordinator.soak', 'taken');
  let renewed = 0;
  session.toRenew(async () => void renewed++);
  await vi.advanceTimersByTimeAsync(50 * HOUR_MS);
  expect((await session.runs.get('coordinator.soak'))?.value).toBe(session.coordinator);
  expect(renewed).toBe(50);
  expect(buckets[0]).toBe(24 * HOUR_MS);
});
