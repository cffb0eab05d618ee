import { UserError } from '../base/kernel/errors.ts';
import type { Bucket } from './bucket.ts';
import type { Bus } from './bus.ts';
import { coordinatorSubject, isSubjectToken } from './messages.ts';

/** A lease, which one coordinator holds at a time. */
export type Lease = Awaited<ReturnType<typeof claim>>;

const ASKED_MS = 2000;

/**
 * Takes a lease for a coordinator, unless the current holder answers that it is alive: a killed one blocks no one.
 * @throws UserError with `refusal` if the holder is alive.
 */
export async function claim(
  { bus, bucket, coordinator }: { readonly bus: Bus; readonly bucket: Bucket; readonly coordinator: string },
  key: string,
  refusal: string,
) {
  const own = async () => {
    const entry = await bucket.get(key);
    return entry?.value === coordinator ? entry : undefined;
  };
  const lease = {
    /** Writes its entry again before that expires. */
    renew: async (): Promise<void> => {
      const entry = await own();
      if (entry !== undefined) await bucket.update(key, coordinator, entry.revision);
    },
    release: async (): Promise<void> => {
      if ((await own()) !== undefined) await bucket.delete(key);
    },
  };
  if (await bucket.create(key, coordinator)) return lease;
  const held = await bucket.get(key);
  const holder = held?.value;
  const reply = isSubjectToken(holder) ? await bus.request(coordinatorSubject(holder), key, ASKED_MS) : undefined;
  // A late answer counts as alive. If two processes find the former holder gone, the revision decides.
  const isFree = reply === undefined || reply.kind === 'nobody';
  if (isFree && (held === undefined || (await bucket.update(key, coordinator, held.revision)))) return lease;
  throw new UserError(refusal);
}
