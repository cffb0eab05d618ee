import type { JsMsg } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { nanos, TimeoutError } from '@nats-io/transport-node';
import { z } from 'zod';
import { messageOf } from '../base/kernel/errors.ts';
import {
  DUPLICATES_MS,
  isGone,
  type Link,
  pause,
  persist,
  persistWrite,
  STORE_TIMEOUT_MS,
  StoreGone,
  type StoreOrder,
  stored,
} from './link.ts';
import { createPartJoiner, headersOf, type LabeledPart, labelOf, partsOf } from './message-parts.ts';

/** Stored data of one run: an ordered stream of messages, and objects. */
export type RunStore = ReturnType<typeof runStoreOf>;

export type Stored = {
  /** Without the prefix of the run. */
  readonly subject: string;
  readonly sequence: number;
  readonly message: unknown;
};

export async function createRunStore(link: Link, run: string, { replicas, ttlMs }: StoreOrder): Promise<RunStore> {
  await stored(link, () =>
    link.manager.streams.add({
      name: streamOf(link, run),
      subjects: [`${link.prefix}.${run}.>`],
      num_replicas: replicas,
      ...(ttlMs !== undefined && { max_age: nanos(ttlMs) }),
      duplicate_window: nanos(Math.min(DUPLICATES_MS, ttlMs ?? DUPLICATES_MS)),
    }),
  );
  const order = { replicas, ...(ttlMs !== undefined && { ttl: nanos(ttlMs) }) };
  return runStoreOf(link, run, await stored(link, () => new Objm(link.js).create(objectsOf(link, run), order)));
}

/** `undefined` if nothing is stored for the run. */
export async function openRunStore(link: Link, run: string): Promise<RunStore | undefined> {
  const streams = [streamOf(link, run), `OBJ_${objectsOf(link, run)}`];
  if ((await Promise.all(streams.map((stream) => isGone(link, stream)))).includes(true)) return undefined;
  return runStoreOf(link, run, await new Objm(link.js).open(objectsOf(link, run)));
}

function streamOf({ prefix }: Link, run: string): string {
  return `${prefix.toUpperCase()}_${run}`;
}

function objectsOf({ prefix }: Link, run: string): string {
  return `${prefix}-${run}`;
}

function runStoreOf(link: Link, run: string, objects: Awaited<ReturnType<Objm['create']>>) {
  const prefix = `${link.prefix}.${run}.`;
  return {
    /**
     * Resolves once the message is stored, however long the servers are away. `id` is the sender's name, `-`, and a number that grows with
     * each of its messages; messages of a subject with the same `id` are delivered once. Rejects with `StoreGone` if the run is deleted
     * meanwhile.
     */
    publish: async (subject: string, id: string, message: unknown): Promise<void> => {
      const name = `${subject}-${id}`;
      const packed = link.pack({ id, message } satisfies Numbered, prefix + subject);
      for (const [index, part] of partsOf(link, packed, name).entries()) {
        await publishPart(link, run, { subject: prefix + subject, id: index === 0 ? name : `${name}/${index}`, part });
      }
    },
    /**
     * Delivers every message of a subject pattern (`from.>`) in stream order, starting with the first. Skips what is not a message of the
     * run: it cannot be decrypted or read, or it repeats an earlier one. `skip`, if given, receives the reason.
     */
    read: (subject: string, take: (message: Stored) => void, skip?: (why: string) => void): (() => void) => {
      const isNew = createRepeatFilter();
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
    /** Deletes the messages of a subject pattern before this sequence. */
    deleteBefore: async (subject: string, sequence: number): Promise<void> => {
      await link.manager.streams.purge(streamOf(link, run), { filter: prefix + subject, seq: sequence });
    },
    /** Number of messages ever stored. */
    lastSequence: async (): Promise<number> =>
      (await persist(link, () => link.manager.streams.info(streamOf(link, run)))).state.last_seq,
    putObject: async (name: string, value: unknown): Promise<void> => {
      await stored(link, () => objects.putBlob({ name }, link.pack(value, `${run}/${name}`)));
    },
    /** `undefined` if it does not exist. */
    getObject: async (name: string): Promise<unknown> => {
      const bytes = await persist(link, () => objects.getBlob(name));
      return bytes === null ? undefined : link.unpack(bytes, `${run}/${name}`);
    },
    destroy: async (): Promise<void> => {
      await link.manager.streams.delete(streamOf(link, run)).catch(() => false);
      await objects.destroy().catch(() => false);
    },
  };
}

/** A message as stored. The id is encrypted with it, so that nobody can store it again as another message. */
const numbered = z.object({ id: z.string(), message: z.unknown() });

type Numbered = z.infer<typeof numbered>;

function numberedOf(plain: unknown): Numbered {
  const { data } = numbered.safeParse(plain);
  if (data !== undefined) return data;
  throw new Error('expected a message of a run, found something else');
}

/** Returns a function that says whether a message is later than all earlier ones of its sender. */
function createRepeatFilter(): (subject: string, id: string) => boolean {
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

/** @throws StoreGone if the run no longer exists. */
async function publishPart(link: Link, run: string, { subject, id, part }: Outbound): Promise<void> {
  const order = { msgID: id, timeout: STORE_TIMEOUT_MS, retries: 1 };
  await persistWrite(link, () =>
    link.js.publish(subject, part.bytes, { ...order, headers: headersOf(part) }).catch(async (error: unknown) => {
      // JetStream starts slightly later than its server; until then, it does not respond either.
      if (!link.nats.isClosed() && !(error instanceof TimeoutError) && (await isGone(link, streamOf(link, run))))
        throw new StoreGone(`run ${run} was deleted`);
      throw error;
    }),
  );
}

type StreamReading = {
  readonly subject: string;
  /** Returns what to do with a message; throws if it is none of the run. */
  readonly take: (subject: string, sequence: number, bytes: Uint8Array) => () => void;
  readonly skip: (subject: string, why: string) => void;
};

const HEARTBEAT_MS = 2000;

/**
 * A consumer is on one server, however many copies the stream has. The client would wait for that server to return, so a consumer that is
 * silent for this time is replaced.
 */
const SILENT_MS = 3 * HEARTBEAT_MS;

/** Reads a stream from its first message, across reconnects and lost servers. */
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
  const deliver = (part: JsMsg): void => {
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
  const consume = async (): Promise<void> => {
    const consumer = await link.js.consumers.get(streamOf(link, run), {
      filter_subjects: subject,
      opt_start_seq: next,
    });
    const messages = await consumer.consume({ max_messages: 500, expires: 10_000, idle_heartbeat: HEARTBEAT_MS });
    stop = () => messages.stop();
    if (isStopped) stop();
    const silence = setTimeout(stop, SILENT_MS);
    void (async () => {
      for await (const { type } of messages.status()) if (type === 'heartbeat') silence.refresh();
    })();
    for await (const message of messages) {
      silence.refresh();
      deliver(message);
    }
    clearTimeout(silence);
  };
  void (async () => {
    while (!isStopped && !link.nats.isClosed()) {
      await consume().catch(() => undefined);
      if (fault !== undefined) throw fault;
      if (!isStopped) await pause();
    }
  })();
  return () => {
    isStopped = true;
    stop();
  };
}
