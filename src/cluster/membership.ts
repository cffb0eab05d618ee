import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { Bucket } from './bucket.ts';
import { isJoinedMachine, type JoinedMachine, joinedKey } from './messages.ts';

export type Membership = Awaited<ReturnType<typeof watchMembers>>;

/** Machines silent for longer are not offered a part. */
const FRESH_MS = 4000;
const MAX_CHANGE_MS = 500;
/** How long NATS may take to say whether a machine's entry is there. */
const PRESENT_MS = 2000;

export async function watchMembers(machines: Bucket) {
  const known = new Map<string, { readonly machine: JoinedMachine; readonly lastSeenMs: number }>();
  const refusals = new Map<string, string>();
  let change = Promise.withResolvers<void>();
  const stop = await machines.watch((key, entry) => {
    const [id = key] = key.split('.').slice(-1);
    const refuse = (why: string) => refusals.set(key, `${key.slice(0, key.lastIndexOf('.'))}: ${why}`);
    if (entry === undefined) known.delete(id);
    else if (!isJoinedMachine(entry.value) || entry.value.id !== id) refuse('its entry in NATS is none of a machine');
    else known.set(id, { machine: entry.value, lastSeenMs: monotonicClock() });
    change.resolve();
    change = Promise.withResolvers();
  });
  return {
    /** Machines that recently reported that they are waiting for work. */
    waiting: (): readonly JoinedMachine[] =>
      [...known.values()].flatMap(({ machine, lastSeenMs }) =>
        machine.run === undefined && monotonicClock() - lastSeenMs < FRESH_MS ? [machine] : [],
      ),
    /** Machines that already work for a run. */
    atWork: (): readonly JoinedMachine[] =>
      [...known.values()].map(({ machine }) => machine).filter(({ run }) => run !== undefined),
    /** When a machine last sent a heartbeat, on the monotonic clock; `undefined`: never. */
    lastSeenMs: (id: string): number | undefined => known.get(id)?.lastSeenMs,
    /** Whether the machine's entry has not expired; false if NATS does not say. */
    isPresent: (machine: Pick<JoinedMachine, 'name' | 'id'>): Promise<boolean> =>
      Promise.race([
        machines.get(joinedKey(machine)).then((entry) => entry !== undefined),
        new Promise<false>((resolve) => setTimeout(resolve, PRESENT_MS, false).unref()),
      ]),
    /** Resolves at the next change, or after a short time. */
    changed: (): Promise<void> =>
      Promise.race([change.promise, new Promise<void>((resolve) => setTimeout(resolve, MAX_CHANGE_MS))]),
    /** Why machines refused a part: `c: 900 connections need …`. */
    refusals,
    stop,
  };
}
