import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Poller } from './poller.ts';

// What follows from an answer may become due before the poller wished to be called.
const LONGEST_WAIT_MS = 1000;

// An exchange that is cut off between two answers would leave an agent with certificates that nobody knows of.
const DRAIN_MS = 2000;
const DRAIN_STEP_MS = 20;

/** Drives a poller until the signal; then what is under way has two seconds to end. */
export async function runPoller(poller: Poller, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waitMs = Math.ceil(poller.advance() - clock());
    await wait(Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs)), undefined, { signal }).catch(() => {});
  }
  poller.stop();
  const deadlineMs = clock() + DRAIN_MS;
  while (poller.busyAgents() > 0 && clock() < deadlineMs) await wait(DRAIN_STEP_MS);
  poller.cancel();
  await poller.close();
}
