import { afterEach, expect, it, vi } from 'vitest';
import { VERSION } from '../../src/base/kernel/version.ts';
import type { Bucket } from '../../src/cluster/bucket.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { awaitMachines, resumeIfStarted, resumeRun } from '../../src/cluster/coordinator.ts';
import { type JoinedMachine, ORDER_OBJECT } from '../../src/cluster/messages.ts';
import type { RunStore } from '../../src/cluster/run-store.ts';
import { openSession } from '../../src/cluster/session.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;
const MACHINE: JoinedMachine = { id: 'id-a', name: 'a', version: VERSION, build: buildHash() };
const SCENARIO = scenarioOf(`target: { url: "http://127.0.0.1:9" }
fleet: { agents: 6, identities: kept.db }
phases: [{ name: steady, duration: 1m, checkdata: { every: 30s } }]
`);
const RECORD = { parts: [], startedAtMs: 1, compacted: undefined, events: undefined, fleet: undefined };

/** A bus whose buckets are maps; entries are gone when their age has passed. */
function bus() {
  const entries = new Map<string, { readonly value: unknown; readonly revision: number; readonly atMs: number }>();
  const objects = new Map<string, unknown>();
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
      get,
      put,
      entries: async () => [...entries].map(([key, entry]) => ({ key, ...entry })),
      watch: async (take) => {
        const key = `a.${MACHINE.id}`;
        take(key, { key, value: MACHINE, revision: 1 });
        return () => {};
      },
      create: async (key, value) => written(key, value, (await get(key)) === undefined),
      update: async (key, value, known) => written(key, value, (await get(key))?.revision === known),
      delete: async (key) => void entries.delete(key),
    };
  };
  const opened = {
    serve: () => () => {},
    problem: () => undefined,
    request: async () => ({ kind: 'nobody' }),
    bucket: async (_, { ttlMs }) => {
      buckets.push(ttlMs);
      return bucketFor(ttlMs);
    },
    openRun: async () => ({ getObject: async () => objects.get(ORDER_OBJECT) }) as Partial<RunStore> as RunStore,
  } as Partial<Bus> as Bus;
  return { opened, buckets, objects };
}

it('the entries of a coordinator last for days while it lives, and a day longer', async () => {
  vi.useFakeTimers();
  const { opened, buckets } = bus();
  const session = await openSession(opened, 1);
  await session.claim('coordinator.soak', 'taken');
  let renewed = 0;
  session.renewWith(async () => void renewed++);
  await vi.advanceTimersByTimeAsync(50 * HOUR_MS);
  expect((await session.runs.get('coordinator.soak'))?.value).toBe(session.coordinator);
  expect(renewed).toBe(50);
  expect(buckets[0]).toBe(24 * HOUR_MS);
});

it('a session that cannot clean up ends after ten seconds', async () => {
  vi.useFakeTimers();
  const { opened } = bus();
  const session = await openSession(opened, 1);
  session.cleanUpWith(() => new Promise(() => {}));
  let isClosed = false;
  void session.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(9_900);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(isClosed).toBe(true);
});

it('finds no run in what is stored in another form', async () => {
  const { opened, objects } = bus();
  const order = { bus: opened, machines: 1, replace: false, replicas: 1, waitMs: 1000 };
  const runs = await opened.bucket('muster-runs', { replicas: 1, ttlMs: undefined });
  const scenario = SCENARIO;
  const nothing = 'found nothing of storms in NATS';
  objects.set(ORDER_OBJECT, { scenario, ca: undefined, fleet: undefined, replicas: 1 });
  for (const junk of [7, 'x', null, {}, { ...RECORD, parts: [7] }, { ...RECORD, startedAtMs: 'now' }]) {
    await runs.put('storms', junk);
    expect(await resumeIfStarted(order, 'storms', () => {})).toBeUndefined();
    await expect(resumeRun(order, 'storms')).rejects.toThrow(nothing);
  }
  await runs.put('storms', RECORD);
  for (const junk of [7, {}, { scenario: {}, replicas: 1 }, { scenario }]) {
    objects.set(ORDER_OBJECT, junk);
    await expect(resumeRun(order, 'storms')).rejects.toThrow(nothing);
  }
});

it('a fleet that waits for machines deletes nothing but its own runs', async () => {
  const { opened } = bus();
  const order = { bus: opened, machines: 1, replace: false, replicas: 1, waitMs: 1000 };
  const runs = await opened.bucket('muster-runs', { replicas: 1, ttlMs: undefined });
  const others = { junk: 7, none: null, other: { ...RECORD, fleet: 'another' } };
  for (const [key, value] of Object.entries(others)) await runs.put(key, value);
  await awaitMachines(order, SCENARIO, () => {});
  for (const [key, value] of Object.entries(others)) expect((await runs.get(key))?.value).toEqual(value);
});
