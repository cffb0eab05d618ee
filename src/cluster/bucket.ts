import { type KV, type KvEntry, Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import { UserError } from '../base/kernel/errors.ts';
import {
  codeOf,
  DUPLICATES_MS,
  type Link,
  persist,
  persistWrite,
  STORE_TIMEOUT_MS,
  type StoreOrder,
  stored,
  unlessJunk,
} from './link.ts';
import { mostBytesOf } from './message-parts.ts';

/** A key-value bucket. All operations wait until a server is available; what another program wrote reads as `undefined`. */
export type Bucket = ReturnType<typeof bucketOf>;

type BucketEntry = { readonly key: string; readonly value: unknown; readonly revision: number };

const WRONG_REVISION = [10_071, 10_164];

/** @throws UserError if the servers cannot create it. */
export async function openBucket(link: Link, name: string, { replicas, ttlMs }: StoreOrder): Promise<Bucket> {
  const order = { history: 1, replicas, ...(ttlMs !== undefined && { ttl: ttlMs }) };
  const create = () => new Kvm(link.js).create(name, order);
  // Of machines that create a bucket at the same moment, NATS refuses all but one; the others find it a moment later.
  const kv = await stored(link, () => create().catch(create));
  // An older version may have created it without an age.
  if (ttlMs !== undefined && (await kv.status()).streamInfo.config.max_age !== nanos(ttlMs)) {
    const age = { max_age: nanos(ttlMs), duplicate_window: nanos(Math.min(DUPLICATES_MS, ttlMs)) };
    await stored(link, () => link.manager.streams.update(`KV_${name}`, age));
  }
  return bucketOf(link, name, kv);
}

function bucketOf(link: Link, name: string, kv: KV) {
  const locationOf = (key: string): string => `${name}/${key}`;
  const packed = (key: string, value: unknown): Uint8Array => {
    const bytes = link.pack(value, locationOf(key));
    const most = mostBytesOf(link);
    if (bytes.length <= most) return bytes;
    throw new UserError(
      `${locationOf(key)}: expected at most ${most} bytes in one entry, found ${bytes.length}; raise max_payload in the configuration of NATS.`,
    );
  };
  const entryOf = ({ key, value, revision, operation }: KvEntry): BucketEntry | undefined =>
    operation === 'PUT' ? { key, revision, value: unlessJunk(() => link.unpack(value, locationOf(key))) } : undefined;
  return {
    put: async (key: string, value: unknown): Promise<void> => {
      const bytes = packed(key, value);
      await persistWrite(link, () => kv.put(key, bytes, { timeout: STORE_TIMEOUT_MS }));
    },
    /** Returns false if the key exists. */
    create: (key: string, value: unknown): Promise<boolean> =>
      persistWrite(link, () => unlessChanged(kv.create(key, packed(key, value)))),
    /** Returns false if the entry no longer has this revision. */
    update: (key: string, value: unknown, revision: number): Promise<boolean> =>
      persistWrite(link, () => unlessChanged(kv.update(key, packed(key, value), revision))),
    get: async (key: string): Promise<BucketEntry | undefined> => {
      const entry = await persist(link, () => kv.get(key));
      return entry === null ? undefined : entryOf(entry);
    },
    // A purge could hide entries from watchers on NATS 2.9. With a history of one, a delete marker takes no more space.
    delete: (key: string): Promise<void> => persist(link, () => kv.delete(key)),
    entries: async (): Promise<readonly BucketEntry[]> =>
      (await lastEntries(link, kv)).flatMap((entry) => entryOf(entry) ?? []),
    /** Calls `take` with all current and future entries until the returned function is called; `undefined`: it is gone. */
    watch: async (take: (key: string, entry: BucketEntry | undefined) => void): Promise<() => void> => {
      const watched = await persist(link, () => kv.watch());
      void (async () => {
        for await (const entry of watched) take(entry.key, entryOf(entry));
      })();
      return () => watched.stop();
    },
  };
}

/** A watch that is silent for this time restarts. */
const QUIET_MS = 2000;

/**
 * Returns the last entry of each key, including delete markers: at least as many as existed at the start. A watch also
 * reports entries that are rewritten meanwhile; a history whose last entry has disappeared would never end.
 */
async function lastEntries(link: Link, kv: KV): Promise<readonly KvEntry[]> {
  for (;;) {
    const { values } = await persist(link, () => kv.status());
    const read = new Map<string, KvEntry>();
    if (values === 0) return [];
    const entries = await persist(link, () => kv.watch());
    const stop = (): void => entries.stop();
    let quiet = setTimeout(stop, QUIET_MS);
    for await (const entry of entries) {
      clearTimeout(quiet);
      quiet = setTimeout(stop, QUIET_MS);
      read.set(entry.key, entry);
      if (read.size >= values) break;
    }
    clearTimeout(quiet);
    stop();
    if (read.size >= values) return [...read.values()];
  }
}

/** Returns whether the entry was written; false if another process wrote it first. */
async function unlessChanged(written: Promise<number>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (WRONG_REVISION.includes(codeOf(error))) return false;
    throw error;
  }
}
