import { JetStreamApiError, type jetstream, type jetstreamManager } from '@nats-io/jetstream';
import { InvalidArgumentError, type NatsConnection } from '@nats-io/transport-node';
import { messageOf, UserError } from '../base/kernel/errors.ts';

/** A connection with its serialization. `location`: where a message is stored or sent. */
export type Link = {
  /** Address of the server, for messages. */
  readonly url: string;
  readonly nats: NatsConnection;
  readonly js: ReturnType<typeof jetstream>;
  readonly manager: Awaited<ReturnType<typeof jetstreamManager>>;
  /** Of all names. */
  readonly prefix: string;
  readonly pack: (message: unknown, location: string) => Uint8Array;
  readonly unpack: (bytes: Uint8Array, location: string) => unknown;
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

export const STORE_TIMEOUT_MS = 3000;

/** Longer than any message is retried. */
export const DUPLICATES_MS = 300_000;

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

function isFinal(error: unknown): boolean {
  const isOurs = error instanceof UserError || error instanceof StoreGone;
  return isOurs || error instanceof InvalidArgumentError || codeOf(error) === NO_STREAM;
}

/** A message could not be stored because the run was deleted. */
export class StoreGone extends Error {
  override readonly name = 'StoreGone';
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
