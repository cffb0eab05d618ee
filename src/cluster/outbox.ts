import { joinedFrame } from '../metrics/merging/machine-figures.ts';
import type { PartMessage } from './messages.ts';

/** Two minutes. */
export const MAX_FRAMES = 120;

/**
 * Ordered messages of a machine, which wait here while the servers are away or full. Sends one message at a time, so that retries cannot reorder a machine's frames.
 * @param publish resolves once the message is stored.
 * @param mostFrames limit for waiting frames, one per second; beyond it, the oldest are added up.
 */
export function createOutbox(publish: (id: string, message: PartMessage) => Promise<void>, mostFrames: number) {
  const waiting: PartMessage[] = [];
  let sent = 0;
  let sending: Promise<void> | undefined;
  const sendAll = async (): Promise<void> => {
    for (;;) {
      const next = waiting.shift();
      if (next === undefined) return;
      await publish(String(sent++), next);
    }
  };
  /** Adds the oldest frame to the one after it, so that all is counted. */
  const addUp = (): void => {
    const frames = waiting.flatMap((message, index) => (message.kind === 'frame' ? [{ ...message, index }] : []));
    const [oldest, next] = frames;
    if (frames.length <= mostFrames || oldest === undefined || next === undefined) return;
    waiting[next.index] = { kind: 'frame', frame: joinedFrame(oldest.frame, next.frame) };
    waiting.splice(oldest.index, 1);
  };
  const begin = (): void => {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    // Callers of `flushed` receive the error.
    sending.catch(() => {});
  };
  return {
    send: (message: PartMessage): void => {
      waiting.push(message);
      addUp();
      begin();
    },
    /** Resolves when all messages are sent; rejects if sending has failed permanently. */
    flushed: async (): Promise<void> => {
      while (waiting.length > 0 || sending !== undefined) {
        begin();
        await sending;
      }
    },
  };
}
