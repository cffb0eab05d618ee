import { UserError } from '../kernel/errors.ts';
import type { Bucket, Bus } from './bus.ts';
import { coordinatorSubject } from './messages.ts';

/** What one coordinator alone has at a time. */
export type Lease = { readonly release: () => Promise<void> };

const ASKED_MS = 2000;

/**
 * Takes something for a coordinator. Who has it is asked whether it is still there: one that was killed holds up nobody, and one
 * that lives is not pushed aside. Throws `UserError` with `refusal` then.
 */
export async function claim(
  { bus, bucket, coordinator }: { readonly bus: Bus; readonly bucket: Bucket; readonly coordinator: string },
  key: string,
  refusal: string,
): Promise<Lease> {
  const release = async (): Promise<void> => {
    if ((await bucket.get(key))?.value === coordinator) await bucket.delete(key);
  };
  if (await bucket.create(key, coordinator)) return { release };
  const held = await bucket.get(key);
  const reply = held && (await bus.request(coordinatorSubject(String(held.value)), key, ASKED_MS));
  // A late answer counts. If two processes find the former one gone, the revision decides.
  const isFree = reply === undefined || reply.kind === 'nobody';
  if (isFree && (held === undefined || (await bucket.update(key, coordinator, held.revision)))) return { release };
  throw new UserError(refusal);
}
