import { deserialize, serialize } from 'node:v8';
import { JetStreamApiError, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type KV, type KvEntry, Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import {
  createInbox,
  headers,
  InvalidArgumentError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  nanos,
  nuid,
  TimeoutError,
} from '@nats-io/transport-node';
import { messageOf, UserError } from '../ground/kernel/errors.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import type { BusAddress } from './address.ts';
import { connectNats } from './nats-connection.ts';
import { createPartJoiner, inParts, type LabeledPart } from './parts.ts';
import type { Sealing } from './sealing.ts';

/**
 * NATS as the cluster uses it; only this file and `nats-connection.ts` know NATS. Messages are plain data, serialized
 * as between threads and encrypted with the key of the cluster. All names contain a hash of the key instead of `muster` alone, so that
 * clusters with different keys share a server and do not see each other. Across network failures, stored messages stay stored,
 * writes are retried until they succeed, and readers receive each message exactly once.
 */
export type Bus = {
  /** Why the servers do not store messages, such as a full disk; `undefined` if they do. */
  problem(): string | undefined;
  /** How long the connection has lasted; `undefined` while disconnected. */
  connectedMs(): number | undefined;
  /** Time for a message to NATS and back; `undefined` if it does not answer. */
  roundTripMs(): Promise<number | undefined>;
  /** Sends a request to any responder; nothing is stored. */
  request(subject: string, message: unknown, timeoutMs: number): Promise<Reply>;
  /** Answers requests until the returned function is called. If `answer` throws, the caller receives the message. */
  serve(subject: string, answer: (message: unknown) => unknown): () => void;
  bucket(name: string, order: StoreOrder): Promise<Bucket>;
  /** Number of entries in the buckets that programs with another key call by this name. */
  strangers(name: string): Promise<number>;
  /** Creates the stream of a run. */
  createRun(run: string, order: StoreOrder): Promise<RunStore>;
  /** `undefined` if nothing is stored for the run. */
  openRun(run: string): Promise<RunStore | undefined>;
  close(): Promise<void>;
};

type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown }
  /** The responder refused, with a reason. */
  | { readonly kind: 'refusal'; readonly text: string }
  /** The subject has no responder. */
  | { readonly kind: 'nobody' }
  /** The answer did not arrive in time. */
  | { readonly kind: 'late' };

type StoreOrder = {
  /** Number of replicas; needs a NATS cluster with at least as many servers. */
  readonly replicas: number;
  /** Maximum age of entries and messages; `undefined`: unlimited. */
  readonly ttlMs: number | undefined;
};

/** A key-value bucket that survives restarts of the servers. All operations wait until a server is available. */
export type Bucket = {
  put(key: string, value: unknown): Promise<void>;
  /** Returns false if the key exists. */
  create(key: string, value: unknown): Promise<boolean>;
  /** Returns false if the entry no longer has this revision. */
  update(key: string, value: unknown, revision: number): Promise<boolean>;
  get(key: string): Promise<BucketEntry | undefined>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly EntryChange[]>;
  /** Calls `take` with all current and future entries until the returned function is called. */
  watch(take: (change: EntryChange) => void): Promise<() => void>;
};

type BucketEntry = { readonly key: string; readonly value: unknown; readonly revision: number };

export type EntryChange = { readonly key: string } & (
  | { readonly kind: 'written'; readonly value: unknown }
  | { readonly kind: 'gone' }
  /** The entry was encrypted with another key. */
  | { readonly kind: 'unreadable'; readonly problem: string }
);

/** Stored data of one run: an ordered stream of messages, and objects. */
export type RunStore = {
  /**
   * Resolves once the message is stored, however long the servers are away. `id` is the sender's name, `-`, and a number that grows with
   * each of its messages; messages of a subject with the same `id` are delivered once. Rejects with `StoreGone` if the run is deleted
   * meanwhile.
   */
  publish(subject: string, id: string, message: unknown): Promise<void>;
  /**
   * Delivers every message of a subject pattern (`from.>`) in stream order, starting with the first. Skips what is not a message of the
   * run: it cannot be decrypted or read, or it repeats an earlier one. `skip`, if given, receives the reason.
   */
  read(subject: string, take: (message: Stored) => void, skip?: (why: string) => void): () => void;
  /** Deletes the messages of a subject pattern before this sequence. */
  deleteBefore(subject: string, sequence: number): Promise<void>;
  /** Number of messages ever stored. */
  lastSequence(): Promise<number>;
  putObject(name: string, value: unknown): Promise<void>;
  /** `undefined` if it does not exist. */
  getObject(name: string): Promise<unknown>;
  /** Deletes the stream and all objects. */
  destroy(): Promise<void>;
};

export type Stored = {
  /** Without the prefix of the run. */
  readonly subject: string;
  readonly sequence: number;
  readonly message: unknown;
};

/** A message could not be stored because the run was deleted. */
export class StoreGone extends Error {
  override readonly name = 'StoreGone';
}

const RETRY_MS = 200;
const STORE_TIMEOUT_MS = 3000;

/** Longer than any message is retried. */
const DUPLICATES_MS = 300_000;

/** Error codes of JetStream. */
const WRONG_REVISION = [10_071, 10_164];
const NO_STREAM = 10_059;

/** @throws UserError if the server is unreachable, rejects the connection, or has no JetStream. */
export async function openBus(address: BusAddress, name: string, sealing: Sealing): Promise<Bus> {
  const { nats, close } = await connectNats(address, name);
  const manager = await jetstreamManager(nats).catch(async (error: unknown) => {
    await close();
    throw new UserError(
      `${address.url}: expected a NATS server with JetStream, found one without (${messageOf(error)}); start it with -js, or enable it in its configuration.`,
    );
  });
  const js = jetstream(nats);
  let connectedAtMs: number | undefined = monotonicClock();
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === 'reconnect') connectedAtMs = monotonicClock();
      else if (type === 'disconnect') connectedAtMs = undefined;
    }
  })();

  const prefix = sealing.fingerprint === '' ? 'muster' : `muster-${sealing.fingerprint.slice(0, 8)}`;
  const named = (name: string): string => name.replace(/^muster/, prefix);
  const link: Link = {
    ...{ nats, js, manager, prefix, refusal: undefined },
    pack: (message, place) => sealing.seal(serialize(message), place),
    unpack: (bytes, place) => plainOf(sealing.open(bytes, place), place),
  };
  return {
    problem: () => link.refusal,
    connectedMs: () => (connectedAtMs === undefined ? undefined : monotonicClock() - connectedAtMs),
    roundTripMs: async () => {
      const sentMs = monotonicClock();
      // A call of `rtt` takes whole milliseconds.
      return nats.flush().then(
        () => monotonicClock() - sentMs,
        () => undefined,
      );
    },
    request: async (to, message, timeoutMs) => {
      const subject = named(to);
      try {
        const data = await asked(link, { subject, bytes: link.pack(message, subject), timeoutMs });
        return data === undefined ? { kind: 'nobody' } : (link.unpack(data, subject) as Reply);
      } catch (error) {
        if (error instanceof UserError) throw error;
        return { kind: 'late' };
      }
    },
    serve: (subject, answer) => serve(link, named(subject), answer),
    bucket: async (of, { replicas, ttlMs }) => {
      const name = named(of);
      const create = () =>
        new Kvm(js).create(name, { history: 1, replicas, ...(ttlMs !== undefined && { ttl: ttlMs }) });
      // Of machines that create a bucket at the same moment, NATS refuses all but one; the others find it a moment later.
      const kv = await stored(address, () => create().catch(create));
      // An older version may have created it without an age.
      if (ttlMs !== undefined && (await kv.status()).streamInfo.config.max_age !== nanos(ttlMs)) {
        const age = { max_age: nanos(ttlMs), duplicate_window: nanos(Math.min(DUPLICATES_MS, ttlMs)) };
        await stored(address, () => manager.streams.update(`KV_${name}`, age));
      }
      return bucketOf(link, name, kv);
    },
    strangers: async (name) => {
      const others = new RegExp(`^KV_${name.replace(/^muster/, 'muster(-[0-9a-f]{8})?')}$`);
      let entries = 0;
      for await (const { config, state } of manager.streams.list())
        if (others.test(config.name) && config.name !== `KV_${named(name)}`) entries += state.messages;
      return entries;
    },
    createRun: async (run, { replicas, ttlMs }) => {
      const age = ttlMs !== undefined && { max_age: nanos(ttlMs) };
      const order = { num_replicas: replicas, ...age };
      const subjects = [`${prefix}.${run}.>`];
      await stored(address, () =>
        manager.streams.add({
          ...{ name: streamOf(link, run), subjects, ...order },
          duplicate_window: nanos(Math.min(DUPLICATES_MS, ttlMs ?? DUPLICATES_MS)),
        }),
      );
      const objects = { replicas, ...(ttlMs !== undefined && { ttl: nanos(ttlMs) }) };
      return runStoreOf(link, run, await stored(address, () => new Objm(js).create(objectsOf(link, run), objects)));
    },
    openRun: async (run) => {
      if (await isGone(link, run)) return undefined;
      return runStoreOf(link, run, await new Objm(js).open(objectsOf(link, run)));
    },
    close,
  };
}

/** Answers requests until the returned function is called. */
function serve(link: Link, subject: string, answer: Parameters<Bus['serve']>[1]): () => void {
  const joiner = createPartJoiner();
  const answered = async (bytes: Uint8Array): Promise<Reply> => {
    try {
      return { kind: 'answer', answer: await answer(link.unpack(bytes, subject)) };
    } catch (error) {
      return { kind: 'refusal', text: messageOf(error) };
    }
  };
  const whole = (message: Msg): Uint8Array | undefined => {
    try {
      return joiner.take(message.data, labelOf(message));
    } catch {
      return undefined;
    }
  };
  const reply = async (message: Msg): Promise<void> => {
    const bytes = whole(message);
    if (bytes === undefined) return;
    const answer = await answered(bytes);
    if (link.nats.isClosed()) return;
    for (const part of partsOf(link, link.pack(answer, subject), nuid.next()))
      message.respond(part.bytes, { headers: headersOf(part) });
  };
  const subscription = link.nats.subscribe(subject, { callback: (_error, message) => void reply(message) });
  return () => subscription.unsubscribe();
}

/** @throws UserError if the servers cannot create the storage. */
async function stored<T>({ url }: BusAddress, make: () => Promise<T>): Promise<T> {
  return make().catch((error: unknown) => {
    throw new UserError(
      `${url}: expected JetStream to store a run, found an error (${messageOf(error)}); lower --replicas, or raise its storage limits.`,
    );
  });
}

/** @throws UserError if the message is encrypted. */
function plainOf(bytes: Uint8Array, place: string): unknown {
  try {
    return deserialize(bytes);
  } catch {
    throw new UserError(
      `MUSTER_CLUSTER_KEY: expected the key that sealed ${place}, found none; set the same key on all machines of a cluster.`,
    );
  }
}

type Question = { readonly subject: string; readonly bytes: Uint8Array; readonly timeoutMs: number };

/** Resolves to the answer, or to `undefined` without a responder. Rejects on a timeout. */
async function asked(
  { nats, ...link }: Link,
  { subject, bytes, timeoutMs }: Question,
): Promise<Uint8Array | undefined> {
  const inbox = createInbox();
  const joiner = createPartJoiner();
  const answers = nats.subscribe(inbox);
  const limit = setTimeout(() => answers.unsubscribe(), timeoutMs);
  try {
    for (const part of partsOf({ nats, ...link }, bytes, inbox))
      nats.publish(subject, part.bytes, { reply: inbox, headers: headersOf(part) });
    for await (const message of answers) {
      if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) return undefined;
      const whole = joiner.take(message.data, labelOf(message));
      if (whole !== undefined) return whole;
    }
    throw new Error('the request timed out');
  } finally {
    clearTimeout(limit);
    answers.unsubscribe();
  }
}

const NO_RESPONDERS = 503;

/** Header with the label of a message's part. */
const PART_HEADER = 'Muster-Part';

/** Bytes reserved for the headers of a message. */
const HEADER_BYTES = 1024;

function mostBytesOf({ nats }: Pick<Link, 'nats'>): number {
  return (nats.info?.max_payload ?? 2 ** 20) - HEADER_BYTES;
}

function partsOf(link: Link, bytes: Uint8Array, id: string): readonly LabeledPart[] {
  return inParts(bytes, mostBytesOf(link), id);
}

function headersOf({ label }: LabeledPart): MsgHdrs {
  const ofPart = headers();
  if (label !== '') ofPart.set(PART_HEADER, label);
  return ofPart;
}

function labelOf({ headers: received }: { readonly headers?: MsgHdrs | undefined }): string {
  return received?.get(PART_HEADER) ?? '';
}

function streamOf({ prefix }: Pick<Link, 'prefix'>, run: string): string {
  return `${prefix.toUpperCase()}_${run}`;
}

function objectsOf({ prefix }: Pick<Link, 'prefix'>, run: string): string {
  return `${prefix}-${run}`;
}

function codeOf(error: unknown): number {
  return error instanceof Error && 'code' in error ? Number(error.code) : 0;
}

/** Whether a retry cannot succeed. */
function isFinal(error: unknown): boolean {
  return error instanceof UserError || error instanceof InvalidArgumentError || codeOf(error) === NO_STREAM;
}

/** A connection with its serialization. `place`: where a message is stored or sent. */
type Link = {
  readonly nats: NatsConnection;
  readonly js: ReturnType<typeof jetstream>;
  readonly manager: Awaited<ReturnType<typeof jetstreamManager>>;
  /** Of all names. */
  readonly prefix: string;
  readonly pack: (message: unknown, place: string) => Uint8Array;
  readonly unpack: (bytes: Uint8Array, place: string) => unknown;
  /** Why the servers last refused to store a message, until they store one again. */
  refusal: string | undefined;
};

/** Retries until the operation succeeds, or fails permanently. */
async function persist<T>({ nats }: Link, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (nats.isClosed() || isFinal(error)) throw error;
      await pause();
    }
  }
}

function bucketOf(link: Link, name: string, kv: KV): Bucket {
  const placeOf = (key: string): string => `${name}/${key}`;
  const packed = (key: string, value: unknown): Uint8Array => {
    const bytes = link.pack(value, placeOf(key));
    const most = mostBytesOf(link);
    if (bytes.length <= most) return bytes;
    throw new UserError(
      `${placeOf(key)}: expected at most ${most} bytes in one entry, found ${bytes.length}; raise max_payload in the configuration of NATS.`,
    );
  };
  const entryOf = ({ key, value, revision }: KvEntry): BucketEntry => ({
    ...{ key, revision },
    value: link.unpack(value, placeOf(key)),
  });
  const changeOf = (entry: KvEntry): EntryChange => {
    const { key } = entry;
    if (!isThere(entry)) return { key, kind: 'gone' };
    try {
      return { key, kind: 'written', value: entryOf(entry).value };
    } catch (error) {
      return { key, kind: 'unreadable', problem: messageOf(error) };
    }
  };
  return {
    put: async (key, value) => {
      const bytes = packed(key, value);
      await persist(link, () => kv.put(key, bytes, { timeout: STORE_TIMEOUT_MS }));
    },
    create: (key, value) => persist(link, () => unlessChanged(kv.create(key, packed(key, value)))),
    update: (key, value, revision) => persist(link, () => unlessChanged(kv.update(key, packed(key, value), revision))),
    get: async (key) => {
      const entry = await persist(link, () => kv.get(key));
      return entry === null || !isThere(entry) ? undefined : entryOf(entry);
    },
    // A purge could hide entries from watchers on NATS 2.9. With a history of one, a delete marker takes no more space.
    delete: (key) => persist(link, () => kv.delete(key)),
    entries: async () => (await lastEntries(link, kv)).filter(isThere).map(changeOf),
    watch: async (take) => {
      const watched = await persist(link, () => kv.watch());
      void (async () => {
        for await (const entry of watched) take(changeOf(entry));
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

function isThere({ operation }: KvEntry): boolean {
  return operation === 'PUT';
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

function runStoreOf(link: Link, run: string, objects: Awaited<ReturnType<Objm['create']>>): RunStore {
  const prefix = `${link.prefix}.${run}.`;
  return {
    publish: async (subject, id, message) => {
      const name = `${subject}-${id}`;
      const packed = link.pack({ id, message } satisfies Numbered, prefix + subject);
      for (const [place, part] of partsOf(link, packed, name).entries()) {
        const outbound = { subject: prefix + subject, id: place === 0 ? name : `${name}/${place}`, part };
        while (!(await isPublished(link, run, outbound))) await pause();
      }
    },
    read: (subject, take, skip) => {
      const isNew = createOrder();
      return readStream(link, run, {
        subject: prefix + subject,
        take: (full, sequence, bytes) => {
          const { id, message } = numberedOf(link.unpack(bytes, full));
          const own = full.slice(prefix.length);
          if (!isNew(own, id)) throw new Error(`message ${id} was repeated`);
          return () => take({ subject: own, sequence, message });
        },
        skip: (full, why) => skip?.(`${full.slice(prefix.length)}: ${why}`),
      });
    },
    deleteBefore: async (subject, sequence) => {
      await link.manager.streams.purge(streamOf(link, run), { filter: prefix + subject, seq: sequence });
    },
    lastSequence: async () =>
      (await persist(link, () => link.manager.streams.info(streamOf(link, run)))).state.last_seq,
    putObject: async (name, value) => {
      await objects.putBlob({ name }, link.pack(value, `${run}/${name}`));
    },
    getObject: async (name) => {
      const bytes = await persist(link, () => objects.getBlob(name));
      return bytes === null ? undefined : link.unpack(bytes, `${run}/${name}`);
    },
    destroy: async () => {
      await link.manager.streams.delete(streamOf(link, run)).catch(() => false);
      await objects.destroy().catch(() => false);
    },
  };
}

/** A message as stored. The id is encrypted with it, so that nobody can store it again as another message. */
type Numbered = { readonly id: string; readonly message: unknown };

function numberedOf(plain: unknown): Numbered {
  if (
    typeof plain === 'object' &&
    plain !== null &&
    'id' in plain &&
    typeof plain.id === 'string' &&
    'message' in plain
  )
    return { id: plain.id, message: plain.message };
  throw new Error('expected a message of a run, found something else');
}

/** Whether a message is later than all earlier ones of its sender. */
function createOrder(): (subject: string, id: string) => boolean {
  const last = new Map<string, number>();
  return (subject, id) => {
    const [, sender = '', number] = /^(?:(.*)-)?(\d{1,15})$/s.exec(id) ?? [];
    const key = `${subject} ${sender}`;
    if (number === undefined || Number(number) <= (last.get(key) ?? -1)) return false;
    last.set(key, Number(number));
    return true;
  };
}

type Outbound = { readonly subject: string; readonly id: string; readonly part: LabeledPart };

/**
 * Returns false if the message must be sent again.
 * @throws StoreGone if the run no longer exists.
 */
async function isPublished(link: Link, run: string, { subject, id, part }: Outbound): Promise<boolean> {
  try {
    const order = { msgID: id, timeout: STORE_TIMEOUT_MS, retries: 1 };
    await link.js.publish(subject, part.bytes, { ...order, headers: headersOf(part) });
    link.refusal = undefined;
    return true;
  } catch (error) {
    if (link.nats.isClosed() || error instanceof InvalidArgumentError) throw error;
    // JetStream starts slightly later than its server; until then, it does not respond either.
    if (!(error instanceof TimeoutError) && (await isGone(link, run))) throw new StoreGone(`run ${run} was deleted`);
    if (error instanceof JetStreamApiError) link.refusal = error.message;
    return false;
  }
}

type StreamReading = {
  readonly subject: string;
  /** Returns what to do with a message; throws if it is none of the run. */
  readonly take: (subject: string, sequence: number, bytes: Uint8Array) => () => void;
  readonly skip: (subject: string, why: string) => void;
};

/** Reads a stream from its first message, across reconnects. */
function readStream(link: Link, run: string, { subject, take, skip }: StreamReading): () => void {
  let isStopped = false;
  let stop: () => void = () => {};
  let next = 1;
  const joiner = createPartJoiner();
  let fault: unknown;
  const read = (part: JsMsg): (() => void) => {
    try {
      const bytes = joiner.take(part.data, labelOf(part));
      return bytes === undefined ? () => {} : take(part.subject, part.seq, bytes);
    } catch (error) {
      return () => skip(part.subject, messageOf(error));
    }
  };
  const hand = (part: JsMsg): void => {
    if (isStopped || part.seq < next) return;
    next = part.seq + 1;
    const act = read(part);
    try {
      act();
    } catch (error) {
      fault = error;
      stop();
    }
  };
  const readOn = async (): Promise<void> => {
    const consumer = await link.js.consumers.get(streamOf(link, run), {
      filter_subjects: subject,
      opt_start_seq: next,
    });
    const messages = await consumer.consume({ max_messages: 500, expires: 10_000, idle_heartbeat: 2000 });
    stop = () => messages.stop();
    if (isStopped) stop();
    for await (const message of messages) hand(message);
  };
  void (async () => {
    while (!isStopped && !link.nats.isClosed()) {
      await readOn().catch(() => undefined);
      if (fault !== undefined) throw fault;
      if (!isStopped) await pause();
    }
  })();
  return () => {
    isStopped = true;
    stop();
  };
}

async function isGone(link: Link, run: string): Promise<boolean> {
  return link.manager.streams.info(streamOf(link, run)).then(
    () => false,
    (error: unknown) => codeOf(error) === NO_STREAM,
  );
}

function pause(): Promise<void> {
  return new Promise((next) => setTimeout(next, RETRY_MS));
}
