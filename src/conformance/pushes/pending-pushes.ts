import { type Timer, within } from '../../base/kernel/clock.ts';
import type { ReceivedPush } from './request.ts';
import type { PendingPush } from './scripted-server.ts';

const MAX_LOGGED = 10_000;
/** Requests to each endpoint whose bodies are kept. */
const KEPT_BODIES = 3;

/** Requests that wait for their answers, in the order of arrival, and a log of all. */
export function createPendingPushes(timer: Timer) {
  const pending: PendingPush[] = [];
  const log: ReceivedPush[] = [];
  let wake = (): void => {};
  return {
    log: log as readonly ReceivedPush[],
    add: (arrival: PendingPush): void => {
      const request = { ...arrival.request, overlaps: pending.length > 0 };
      log.push(hasEnoughBodies(log, request) ? withoutBody(request) : request);
      if (log.length > MAX_LOGGED) log.shift();
      pending.push({ ...arrival, request });
      wake();
    },
    first: (): PendingPush | undefined => pending[0],
    remove: (push: PendingPush): void => void pending.splice(pending.indexOf(push), 1),
    /** Resolves at the next arrival, after this time, or at the signal. */
    nextArrival: async (limitMs: number, signal: AbortSignal): Promise<void> => {
      const arrival = Promise.withResolvers<void>();
      const end = (): void => arrival.resolve();
      wake = end;
      signal.addEventListener('abort', end);
      await within(timer, limitMs, arrival.promise);
      signal.removeEventListener('abort', end);
    },
  };
}

export type PendingPushes = ReturnType<typeof createPendingPushes>;

function hasEnoughBodies(log: readonly ReceivedPush[], { endpoint }: ReceivedPush): boolean {
  return log.filter((request) => request.endpoint === endpoint).length >= KEPT_BODIES;
}

function withoutBody(request: ReceivedPush): ReceivedPush {
  const { agentuuid, password } = request.members;
  return { ...request, body: Buffer.alloc(0), members: { agentuuid, password } };
}
