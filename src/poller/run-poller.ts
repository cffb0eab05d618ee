import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Poller } from './poller.ts';

// What follows from an answer may become due before the poller wished to be called.
const LONGEST_WAIT_MS = 1000;

/** Drives a poller until the signal, and then ends it at once. */
export async function runPoller(poller: Poller, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waitMs = Math.ceil(poller.advance() - clock());
    await wait(Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs)), undefined, { signal }).catch(() => {});
  }
  poller.cancel();
  await poller.close();
}
