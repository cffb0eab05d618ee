import { deserialize, serialize } from 'node:v8';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createInbox, type Msg, nuid } from '@nats-io/transport-node';
import { z } from 'zod';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { BusAddress } from './address.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { type Link, type StoreOrder, unlessJunk } from './link.ts';
import { createPartJoiner, headersOf, labelOf, partsOf } from './message-parts.ts';
import { connectNats } from './nats-connection.ts';
import { createRunStore, openRunStore, type RunStore } from './run-store.ts';
import type { Sealing } from './sealing.ts';

/**
 * NATS as the cluster uses it; only this file and those that it imports know NATS. Messages are plain data, serialized
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
  entriesOfOtherKeys(name: string): Promise<number>;
  /** Tells machines with another key that a coordinator waits for machines. */
  announceSearch(): void;
  /** Calls `found` when a coordinator with another key waits for machines. */
  onOtherSearch(found: () => void): () => void;
  createRun(run: string, order: StoreOrder): Promise<RunStore>;
  /** `undefined` if nothing is stored for the run. */
  openRun(run: string): Promise<RunStore | undefined>;
  close(): Promise<void>;
};

const reply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), answer: z.unknown() }),
  z.object({ kind: z.literal('refusal'), text: z.string() }),
]);

type Reply =
  | z.infer<typeof reply>
  | { readonly kind: 'nobody' }
  /** The answer did not arrive in time. */
  | { readonly kind: 'late' };

/** @throws UserError if the server is unreachable, rejects the connection, or has no JetStream. */
export async function openBus(address: BusAddress, name: string, sealing: Sealing): Promise<Bus> {
  const { nats, close } = await connectNats(address, name);
  const manager = await jetstreamManager(nats).catch(async (error: unknown) => {
    await close();
    throw new UserError(
      `${address.url}: expected a NATS server with JetStream, found one without (${messageOf(error)}); start it with -js, or enable it in its configuration.`,
    );
  });
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
    url: address.url,
    nats,
    js: jetstream(nats),
    manager,
    prefix,
    refusal: undefined,
    pack: (message, location) => sealing.seal(serialize(message), location),
    unpack: (bytes, location) => plainOf(sealing.open(bytes, location), location),
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
    request: (to, message, timeoutMs) => request(link, { subject: named(to), message, timeoutMs }),
    serve: (subject, answer) => serve(link, named(subject), answer),
    bucket: (name, order) => openBucket(link, named(name), order),
    entriesOfOtherKeys: async (name) => {
      const others = new RegExp(`^KV_${name.replace(/^muster/, 'muster(-[0-9a-f]{8})?')}$`);
      let entries = 0;
      for await (const { config, state } of manager.streams.list())
        if (others.test(config.name) && config.name !== `KV_${named(name)}`) entries += state.messages;
      return entries;
    },
    announceSearch: () => nats.publish(SEEKING, prefix),
    onOtherSearch: (found) => {
      const callback = (_: unknown, message: Msg): void => {
        if (message.string() !== prefix) found();
      };
      const subscription = nats.subscribe(SEEKING, { callback });
      return () => subscription.unsubscribe();
    },
    createRun: (run, order) => createRunStore(link, run, order),
    openRun: (run) => openRunStore(link, run),
    close,
  };
}

/** The only subject that programs with any key share. */
const SEEKING = 'muster.seeking';

/** @throws UserError if another program wrote the message. */
function plainOf(bytes: Uint8Array, location: string): unknown {
  try {
    return deserialize(bytes);
  } catch {
    throw new UserError(
      `${location}: expected data of Muster, found junk; look for another program that uses its names.`,
    );
  }
}

type Question = { readonly subject: string; readonly message: unknown; readonly timeoutMs: number };

const NO_RESPONDERS = 503;

async function request(link: Link, { subject, message, timeoutMs }: Question): Promise<Reply> {
  const { nats } = link;
  if (nats.isClosed()) return { kind: 'late' };
  const bytes = link.pack(message, subject);
  const inbox = createInbox();
  const joiner = createPartJoiner();
  const answers = nats.subscribe(inbox);
  const limit = setTimeout(() => answers.unsubscribe(), timeoutMs);
  try {
    for (const part of partsOf(link, bytes, inbox))
      nats.publish(subject, part.bytes, { reply: inbox, headers: headersOf(part) });
    for await (const part of answers) {
      if (part.data.length === 0 && part.headers?.code === NO_RESPONDERS) return { kind: 'nobody' };
      const whole = wholeOf(joiner, part);
      const answer = whole && reply.safeParse(unlessJunk(() => link.unpack(whole, subject))).data;
      if (answer !== undefined) return answer;
    }
    return { kind: 'late' };
  } catch {
    return { kind: 'late' };
  } finally {
    clearTimeout(limit);
    answers.unsubscribe();
  }
}

/** `undefined`: parts are missing, or it is none of a message. */
function wholeOf({ take }: ReturnType<typeof createPartJoiner>, part: Msg): Uint8Array | undefined {
  return unlessJunk(() => take(part.data, labelOf(part)));
}

function serve(link: Link, subject: string, answer: Parameters<Bus['serve']>[1]): () => void {
  const joiner = createPartJoiner();
  const answered = async (bytes: Uint8Array): Promise<Reply> => {
    try {
      return { kind: 'answer', answer: await answer(link.unpack(bytes, subject)) };
    } catch (error) {
      return { kind: 'refusal', text: messageOf(error) };
    }
  };
  const reply = async (message: Msg): Promise<void> => {
    const bytes = wholeOf(joiner, message);
    if (bytes === undefined) return;
    const answer = await answered(bytes);
    if (link.nats.isClosed()) return;
    for (const part of partsOf(link, link.pack(answer, subject), nuid.next()))
      message.respond(part.bytes, { headers: headersOf(part) });
  };
  const subscription = link.nats.subscribe(subject, { callback: (_error, message) => void reply(message) });
  return () => subscription.unsubscribe();
}
