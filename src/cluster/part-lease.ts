import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { Bus } from './bus.ts';
import {
  coordinatorSubject,
  LEASE_MS,
  type LeaseAnswer,
  type LeaseRequest,
  leaseSubject,
  type Work,
} from './messages.ts';

/** Until when a machine may start operations of a part. Times are on its monotonic clock. */
export type PartLease = ReturnType<typeof createPartLease>;

export function createPartLease() {
  let untilMs = monotonicClock() + LEASE_MS / 2;
  let hold: (untilMs: number) => void = () => {};
  /** Whether only the coordinator knows if the machine may go on, because its entry has expired. */
  let isExpired = false;
  const renew = (sinceMs: number): void => {
    if (sinceMs + LEASE_MS / 2 <= untilMs) return;
    untilMs = sinceMs + LEASE_MS / 2;
    hold(untilMs);
  };
  return {
    /** Calls the function with the end of the lease, now and whenever that changes. */
    limit: (holdUntil: (untilMs: number) => void): void => {
      hold = holdUntil;
      hold(untilMs);
    },
    /** The coordinator granted a request of this time. */
    granted: (requestedMs: number): void => {
      isExpired = false;
      renew(requestedMs);
    },
    /** The machine's entry was extended after this time; `undefined`: it had expired. */
    extended: (sinceMs: number | undefined): void => {
      isExpired ||= sinceMs === undefined;
      if (sinceMs !== undefined && !isExpired) renew(sinceMs);
    },
  };
}

/** Each request follows the one before after this time. */
export const RENEWED_MS = 1000;
const COORDINATOR_ASKED_MS = 2000;

/** `nobody`: no coordinator of the run serves requests. */
export async function requestLease(bus: Bus, run: string, request: LeaseRequest): Promise<LeaseAnswer | 'nobody'> {
  const reply = await bus.request(leaseSubject(run), request, RENEWED_MS);
  if (reply.kind === 'answer') return reply.answer as LeaseAnswer;
  return reply.kind === 'nobody' ? 'nobody' : 'unknown';
}

/** Whether the process that gave out the part is gone. */
export async function isCoordinatorGone(bus: Bus, { run, coordinator }: Work): Promise<boolean> {
  return (await bus.request(coordinatorSubject(coordinator), run, COORDINATOR_ASKED_MS)).kind === 'nobody';
}
