import type { MessagePort } from 'node:worker_threads';
import { NotYetError, UserError } from '../base/kernel/errors.ts';

/** A two-way connection to a shard or a server, a `MessagePort` between threads. Messages arrive whole, once and in order. */
export type Channel<Received, Sent> = {
  /** `handedOver` is memory to transfer instead of copy; the sender can no longer use it. */
  send(message: Sent, handedOver?: readonly ArrayBuffer[]): void;
  /** Messages are queued until the first listener is added. */
  listen(onMessage: (message: Received) => void): void;
  /** Resolves when the connection has closed and all its messages were delivered. */
  readonly closed: Promise<void>;
  close(): void;
};

export function channelOver<Received, Sent>(port: MessagePort): Channel<Received, Sent> {
  return {
    send: (message, handedOver = []) => port.postMessage(message, [...handedOver]),
    listen: (onMessage) => port.on('message', onMessage),
    closed: new Promise((resolve) => port.once('close', resolve)),
    close: () => port.close(),
  };
}

/** How a thread's job ended. Errors lose their class between threads, so a `UserError` is sent as data. */
export type JobEnd = {
  readonly userError: string | undefined;
  /** Whether the error is a `NotYetError`. */
  readonly comesLater?: boolean;
};

export async function runJob(job: () => Promise<void>): Promise<JobEnd> {
  try {
    await job();
    return { userError: undefined };
  } catch (error) {
    if (error instanceof UserError) return { userError: error.message, comesLater: error instanceof NotYetError };
    throw error;
  }
}

/** Throws, in the other thread, the error that `runJob` caught. */
export function assertEndedWell({ userError, comesLater }: JobEnd): void {
  if (userError !== undefined) throw comesLater ? new NotYetError(userError) : new UserError(userError);
}
