import type { MessagePort } from 'node:worker_threads';
import { UserError } from '../kernel/errors.ts';

/**
 * A two-way connection to a shard or a server: messages arrive whole, once and in order. Between threads a
 * `MessagePort` carries them; between machines a socket would.
 */
export type Channel<Received, Sent> = {
  /** `handedOver`: memory that need not be copied; the sender cannot use it any more. */
  send(message: Sent, handedOver?: readonly ArrayBuffer[]): void;
  /** Messages that came before the first listener wait for it. */
  listen(onMessage: (message: Received) => void): void;
  /** Resolves when the connection has ended and every message that came over it was delivered. */
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

/** How a thread's job ended; an error's class does not survive the way between threads, so a user's error is data. */
export type JobEnd = { readonly userError: string | undefined };

/** Runs a job inside its thread. */
export async function runJob(job: () => Promise<void>): Promise<JobEnd> {
  try {
    await job();
    return { userError: undefined };
  } catch (error) {
    if (error instanceof UserError) return { userError: error.message };
    throw error;
  }
}

/** On the other side: throws what `runJob` caught. */
export function assertEndedWell({ userError }: JobEnd): void {
  if (userError !== undefined) throw new UserError(userError);
}
