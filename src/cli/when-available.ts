import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, NotYetError } from '../ground/kernel/errors.ts';

const EVERY_MS = 1000;
const NOTED_EVERY = 60;

/** Ends the wait for something that may come later. */
export class WaitEndedError extends Error {}

/**
 * Repeats an attempt every second while what it needs may come later, and notes why: immediately, and then every minute.
 * @throws WaitEndedError after the signal.
 */
export async function whenAvailable<T>(
  attempt: () => Promise<T>,
  { note, signal }: { readonly note: (sentence: string) => void; readonly signal: AbortSignal },
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms) => pause(ms, undefined, { signal }),
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NotYetError)) throw error;
      if (tries % NOTED_EVERY === 0) note(`${messageOf(error)} Muster waits and tries again every second.`);
    }
    await wait(EVERY_MS, signal).catch(() => {});
    if (signal.aborted) throw new WaitEndedError('interrupted');
  }
}
