import { uuidOf } from '../fleet/identity.ts';
import { fleetIndex } from '../fleet/shard.ts';
import { type DeliveryBook, reconcileDelivery } from '../metrics/delivery.ts';
import type { Delivery } from '../metrics/delivery-schema.ts';
import type { RunTarget } from './run-target.ts';

export type FleetBooks = {
  readonly seed: number;
  readonly workers: number;
  /** By shard; lost workers leave none. */
  readonly books: ReadonlyMap<number, DeliveryBook>;
};

/** Holds what the fleet sent against what the target can say of it, once the run is over. */
export async function deliveryOf({ seed, workers, books }: FleetBooks, target: RunTarget): Promise<Delivery> {
  if (target.testify === undefined) return unwitnessed('the target is not the embedded server');
  if (books.size < workers) return unwitnessed('a worker was lost, and with it what its agents sent');
  const account = await target.testify();
  if (account === undefined) return unwitnessed('the embedded server ended before the run did');
  const named = [...books].map(([index, book]) => ({
    ...book,
    uuidOf: (agent: number) => uuidOf(seed, fleetIndex({ index, count: workers }, agent)),
  }));
  return reconcileDelivery(named, account);
}

function unwitnessed(reason: string): Delivery {
  return { witnessed: false, reason };
}
