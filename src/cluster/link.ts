import { JetStreamApiError, type jetstream, type jetstreamManager } from '@nats-io/jetstream';
import { headers, InvalidArgumentError, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { MIB } from '../base/kernel/units.ts';

/** A connection with its serialization. `place`: where a message is stored or sent. */
export type Link = {
  /** Address of the server, for messages. */
  readonly url: string;
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

export type StoreOrder = {
  /** Number of replicas; needs a NATS cluster with at least as many servers. */
  readonly replicas: number;
  /** Maximum age of entries and messages; `undefined`: unlimited. */
  readonly ttlMs: number | undefined;
};

const RETRY_MS = 200;

/** Time for one attempt to store a message. */
export const STORE_TIMEOUT_MS = 3000;

/** Longer than any message is retried. */
export const DUPLICATES_MS = 300_000;

/** Error code of JetStream. */
const NO_STREAM = 10_059;

/** Retries until the operation succeeds, or fails permanently. */
export async function persist<T>({ nats }: Link, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (nats.isClosed() || isFinal(error)) throw error;
      await pause();
    }
  }
}

/** Like `persist`, for what needs room in the store. */
export function persistWrite<T>(link: Link, write: () => Promise<T>): Promise<T> {
  return persist(link, async () => {
    try {
      const result = await write();
      link.refusal = undefined;
      return result;
    } catch (error) {
      if (error instanceof JetStreamApiError && !isFinal(error)) link.refusal = error.message;
      throw error;
    }
  });
}

/** Returns `undefined` instead of an error: another program wrote what cannot be read. */
export function unlessJunk<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export function codeOf(error: unknown): number {
  return error instanceof Error && 'code' in error ? Number(error.code) : 0;
}

/** Whether a retry cannot succeed. */
function isFinal(error: unknown): boolean {
  return error instanceof UserError || error instanceof InvalidArgumentError || codeOf(error) === NO_STREAM;
}

/** Whether the server says that there is no such stream. */
export async function isGone({ manager }: Link, stream: string): Promise<boolean> {
  return manager.streams.info(stream).then(
    () => false,
    (error: unknown) => codeOf(error) === NO_STREAM,
  );
}

export function pause(): Promise<void> {
  return new Promise((next) => setTimeout(next, RETRY_MS));
}

/** @throws UserError if the servers cannot create the storage. */
export async function stored<T>({ url }: Link, make: () => Promise<T>): Promise<T> {
  return make().catch((error: unknown) => {
    throw new UserError(
      `${url}: expected JetStream to store a run, found an error (${messageOf(error)}); lower --replicas, or raise its storage limits.`,
    );
  });
}

/** Header with the label of a message's part. */
const PART_HEADER = 'Muster-Part';

/** Bytes reserved for the headers of a message. */
const HEADER_BYTES = 1024;

export function mostBytesOf({ nats }: Pick<Link, 'nats'>): number {
  return (nats.info?.max_payload ?? 2 ** 20) - HEADER_BYTES;
}

export function headersOf({ label }: LabeledPart): MsgHdrs {
  const ofPart = headers();
  if (label !== '') ofPart.set(PART_HEADER, label);
  return ofPart;
}

export function labelOf({ headers: received }: { readonly headers?: MsgHdrs | undefined }): string {
  return received?.get(PART_HEADER) ?? '';
}

/** A message as sent; the label is empty if there is only one part. */
export type LabeledPart = { readonly bytes: Uint8Array; readonly label: string };

/** Limits for incomplete messages; beyond them, the oldest is dropped, because its sender was killed. */
const MAX_UNFINISHED = 1000;
const MAX_WAITING_BYTES = 64 * MIB;

/**
 * Splits a message that exceeds the servers' size limit. The label of a part identifies its message and position.
 * @param id must be unique.
 */
export function partsOf(link: Link, bytes: Uint8Array, id: string): readonly LabeledPart[] {
  const mostBytes = mostBytesOf(link);
  const count = Math.ceil(bytes.length / mostBytes);
  if (count <= 1) return [{ bytes, label: '' }];
  return Array.from({ length: count }, (_, index) => ({
    bytes: bytes.subarray(index * mostBytes, (index + 1) * mostBytes),
    label: `${index}/${count}/${id}`,
  }));
}

/** Joins the parts of messages, which may arrive in any order and interleaved with others. */
export function createPartJoiner() {
  const unfinished = new Map<string, Map<number, Uint8Array>>();
  let waitingBytes = 0;
  const forget = (key: string): readonly (readonly [place: number, part: Uint8Array])[] => {
    const parts = [...(unfinished.get(key) ?? [])];
    unfinished.delete(key);
    for (const [, part] of parts) waitingBytes -= part.length;
    return parts;
  };
  const limit = (): void => {
    for (const oldest of unfinished.keys()) {
      if (unfinished.size <= MAX_UNFINISHED && waitingBytes <= MAX_WAITING_BYTES) return;
      forget(oldest);
    }
  };
  return {
    /**
     * Returns the whole message when its last part arrives, otherwise `undefined`. A message without a label is whole.
     * @throws Error if the label is not that of a part.
     */
    take: (bytes: Uint8Array, label: string): Uint8Array | undefined => {
      if (label === '') return bytes;
      const [, place, count, id = ''] = LABEL.exec(label) ?? [];
      if (place === undefined || Number(place) >= Number(count))
        throw new Error(`expected the label of a part, found ${JSON.stringify(label.slice(0, 80))}`);
      const key = `${count}/${id}`;
      const parts = unfinished.get(key) ?? new Map<number, Uint8Array>();
      waitingBytes += bytes.length - (parts.get(Number(place))?.length ?? 0);
      unfinished.set(key, parts.set(Number(place), bytes));
      if (parts.size === Number(count)) {
        return Buffer.concat(
          forget(key)
            .toSorted(([a], [b]) => a - b)
            .map(([, part]) => part),
        );
      }
      limit();
      return undefined;
    },
  };
}

const LABEL = /^(\d{1,9})\/(\d{1,9})\/(.*)$/s;
