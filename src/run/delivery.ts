import { uuidOf } from '../agent/identity.ts';
import { fleetIndex, type Shard, shardWithin } from '../load/shard.ts';
import { reconcileDelivery } from '../metrics/delivery/reconcile.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { ShardAccount } from '../workers/shards.ts';
import type { RunTarget } from './target.ts';

/** What a fleet sent. */
export type SentByFleet = {
  readonly seed: number;
  readonly shard: Shard;
  readonly workers: number;
  /** By shard; lost workers leave none. */
  readonly accounts: ReadonlyMap<number, Pick<ShardAccount, 'delivery'>>;
};

/** Holds what the fleet sent against what the target can say of it, once the run is over. */
export async function deliveryOf(
  { seed, shard, workers, accounts }: SentByFleet,
  target: Pick<RunTarget, 'observe'>,
): Promise<Delivery> {
  if (target.observe === undefined) return unobserved('the target is not the embedded server');
  if (accounts.size < workers) return unobserved('a worker was lost, and with it what its agents sent');
  const account = await target.observe();
  if (account === undefined) return unobserved('the embedded server ended, or hung, before the run did');
  const named = [...accounts].map(([index, { delivery }]) => ({
    ...delivery,
    uuidOf: (agent: number) => uuidOf(seed, fleetIndex(shardWithin(shard, { index, count: workers }), agent)),
  }));
  return reconcileDelivery(named, account);
}

function unobserved(reason: string): Delivery {
  return { observed: false, reason };
}
