import { randomUUID } from 'node:crypto';
import { UserError } from '../base/kernel/errors.ts';
import type { Bus } from './bus.ts';
import { claim, type Lease } from './lease.ts';
import { watchMembers } from './membership.ts';
import { coordinatorSubject, MACHINES_BUCKET, RUNS_BUCKET, STALE_MS } from './messages.ts';

/** A coordinator's access to the cluster, for any run. */
export type ClusterSession = Awaited<ReturnType<typeof openSession>>;

/** Age at which the entries of a coordinator expire, and the state of a run after its end. A living coordinator renews its entries. */
export const KEPT_MS = 24 * 3_600_000;
const RENEWED_MS = KEPT_MS / 24;
const STORE_CHECKED_MS = 500;
/** How long to wait for NATS at the end. */
const CLEANED_MS = 10_000;

/** Opens a session whose entries are renewed until it is closed. */
export async function openSession(bus: Bus, replicas: number) {
  const coordinator = randomUUID();
  const stopServing = bus.serve(coordinatorSubject(coordinator), () => 'here');
  const runs = await bus.bucket(RUNS_BUCKET, { replicas, ttlMs: KEPT_MS });
  const members = await watchMembers(await bus.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: STALE_MS }));
  const leases: Lease[] = [];
  const cleanups: (() => Promise<void>)[] = [];
  const renewals: (() => Promise<void>)[] = [];
  let isClosed = false;
  const renewal = setInterval(() => {
    for (const renew of renewals) void renew().catch(() => {});
  }, RENEWED_MS).unref();
  const cleanUp = async (): Promise<void> => {
    for (const act of cleanups) await act();
    isClosed = true;
    for (const lease of leases) await lease.release();
  };
  return {
    coordinator,
    runs,
    members,
    /** @throws UserError with `refusal` if another coordinator holds the lease, or if NATS has no room for it. */
    claim: async (key: string, refusal: string): Promise<void> => {
      const claimed = claim({ bus, bucket: runs, coordinator }, key, refusal);
      // One that NATS stores only after it was full is released, too.
      void claimed.then((late) => (isClosed ? late.release() : void leases.push(late))).catch(() => {});
      const full = watchStore(bus);
      const lease = await Promise.race([claimed, full.rejected]).finally(full.stop);
      renewals.push(lease.renew);
    },
    /** Registers what writes an entry again. */
    renewWith: (act: () => Promise<void>) => void renewals.push(act),
    /** Registers cleanup that runs before leases are released. */
    cleanUpWith: (act: () => Promise<void>) => void cleanups.push(act),
    close: async (): Promise<void> => {
      clearInterval(renewal);
      members.stop();
      const cleaned = cleanUp();
      cleaned.catch(() => {});
      // Without NATS, or without its store, it would never end; the entries expire anyway.
      await Promise.race([cleaned, new Promise((resolve) => setTimeout(resolve, CLEANED_MS).unref())]);
      stopServing();
    },
  };
}

/** Rejects with `UserError` as soon as NATS has no room. */
function watchStore(bus: Bus) {
  let timer: NodeJS.Timeout | undefined;
  const rejected = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const problem = bus.problem();
      if (problem !== undefined)
        reject(
          new UserError(
            `--cluster: expected room in NATS to store a run, found an error (${problem}); free some, or raise max_file_store.`,
          ),
        );
    }, STORE_CHECKED_MS);
  });
  return { rejected, stop: () => clearInterval(timer) };
}

export async function closedIfFailing<T>(session: ClusterSession, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await session.close();
    throw error;
  }
}
