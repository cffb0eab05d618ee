import type { Frame } from '../metrics/recording/frame.ts';

/** Ordered messages of a machine, which wait here while the servers are away. */
export type Outbox<Message> = {
  send(message: Message): void;
  /** Resolves when all messages are sent; rejects if sending has failed permanently. */
  readonly flushed: () => Promise<void>;
};

type Outbound<Message> = {
  /** Resolves once the message is stored. */
  readonly publish: (id: string, message: Message) => Promise<void>;
  /** Returns the frame of a message that may be dropped if too many wait; `undefined` for other messages. */
  readonly frameOf: (message: Message) => Frame | undefined;
  /** Creates the message that reports skipped seconds. */
  readonly skipped: (seconds: number) => Message;
  /** Limit for waiting frames, one per second; beyond it, the oldest are dropped. */
  readonly mostFrames: number;
};

/** Two minutes. */
export const MOST_FRAMES = 120;

/** Sends one message at a time, so that retries cannot reorder a machine's frames. */
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
    // Callers of `flushed` receive the error.
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
