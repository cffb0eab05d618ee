import type { MessagePort } from 'node:worker_threads';
import type { Fault } from '../faults/fault.ts';
import type { Shard } from '../load/shard.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { ArrivalCounts } from '../monitoring-server/observations/arrival-counts.ts';
import type { Observations } from '../monitoring-server/observations/observer.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { IssuedCredential } from './shards.ts';

/** A password that an agent, by its number in the shard, was issued. */
export type ShardCredential = IssuedCredential & { readonly agent: number };

/** What a worker is given to run its part of the fleet. */
export type ShardTask = {
  readonly scenario: Scenario;
  /** Base URL of the push server; the embedded one has its address by now. */
  readonly targetUrl: string;
  readonly shard: Shard;
  /** Passwords from earlier runs, by the agent's number in the shard. */
  readonly credentials: readonly (readonly [agent: number, password: string])[];
  /** True: a new password waits for `stored` before it is used. */
  readonly durableCredentials: boolean;
  readonly port: MessagePort;
};

export type ToShard =
  /** Instants are of the process-wide monotonic clock and of Unix time, both in milliseconds. */
  | { readonly kind: 'start'; readonly atMs: number; readonly epochMs: number }
  /** Take up nothing new, wait for what is under way. */
  | { readonly kind: 'stop' }
  /** End now; what is under way is cancelled. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'stored'; readonly agents: readonly number[] };

export type FromShard =
  | { readonly kind: 'ready' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'credentials'; readonly credentials: readonly ShardCredential[] }
  /** The last one of a shard that ran to its end. */
  | { readonly kind: 'delivery'; readonly counts: DeliveryCounts };

export type ToServer =
  /** Say what arrived; answered once nothing more does. */
  | { readonly kind: 'observe' }
  /** Replace the faults; their times count from the message's arrival. */
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'stop' };

/** What the embedded server received. */
export type ServerAccount = { readonly arrivals: ArrivalCounts; readonly observations: Observations };

export type FromServer =
  | { readonly kind: 'listening'; readonly url: string }
  | ({ readonly kind: 'account' } & ServerAccount);
