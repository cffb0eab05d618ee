import type { Frame } from '../metrics/recording/frame.ts';

/** What a machine has to say, in order; it waits here while the servers are away. */
export type Outbox<Message> = {
  send(message: Message): void;
  /** Resolves when nothing waits any more; rejects if nothing can be sent any more. */
  readonly flushed: () => Promise<void>;
};

type Outbound<Message> = {
  /** Resolves once it is stored. */
  readonly publish: (id: string, message: Message) => Promise<void>;
  /** A second that may be left out if too much waits; undefined: this has to be said. */
  readonly frameOf: (message: Message) => Frame | undefined;
  /** Reports skipped seconds. */
  readonly skipped: (seconds: number) => Message;
  /** Most seconds that wait; beyond that the oldest are dropped. */
  readonly mostFrames: number;
};

/** Two minutes of seconds. */
export const MOST_FRAMES = 120;

/** Sends one message after the other, so that a machine's seconds stay in their order whatever is tried how often. */
export function createOutbox<Message>({ publish, frameOf, skipped, mostFrames }: Outbound<Message>): Outbox<Message> {
  const waiting: Message[] = [];
  let sent = 0;
  let left = 0;
  let sending: Promise<void> | undefined;
  const sendAll = async (): Promise<void> => {
    for (;;) {
      const next = left > 0 ? skipped(left) : waiting.shift();
      if (next === undefined) return;
      left = 0;
      await publish(String(sent++), next);
    }
  };
  const leaveOut = (): void => {
    const frames = waiting.flatMap((message, place) => (frameOf(message) === undefined ? [] : [place]));
    const [oldest] = frames;
    if (frames.length <= mostFrames || oldest === undefined) return;
    waiting.splice(oldest, 1);
    left++;
  };
  const begin = (): void => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    // Notifies waiters for the end.
    sending.catch(() => {});
  };
  return {
    send: (message) => {
      waiting.push(message);
      leaveOut();
      begin();
    },
    flushed: async () => {
      while (waiting.length + left > 0 || sending !== undefined) {
        begin();
        await sending;
      }
    },
  };
}
