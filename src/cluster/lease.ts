import { UserError } from '../base/kernel/errors.ts';
import type { Bucket } from './bucket.ts';
import type { Bus } from './bus.ts';
import { coordinatorSubject, isSubjectToken } from './messages.ts';

/** An entry of a bucket with the name of the only coordinator that holds it. It expires unless it is renewed. */
export type Lease = Awaited<ReturnType<typeof claim>>;

const TIMEOUT_MS = 2000;

/**
 * Takes the lease `key` for a coordinator, unless the holder may be alive: a killed one blocks no one.
 * @throws UserError with `refusal` if the holder answers or is late, or if another coordinator takes the lease first.
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
    /** Writes the entry again; nothing if another coordinator holds it now. */
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
  const reply = isSubjectToken(holder) ? await bus.request(coordinatorSubject(holder), key, TIMEOUT_MS) : undefined;
  const isFree = reply === undefined || reply.kind === 'nobody';
  const take = () => (held ? bucket.update(key, coordinator, held.revision) : bucket.create(key, coordinator));
  if (isFree && (await take())) return lease;
  throw new UserError(refusal);
}
