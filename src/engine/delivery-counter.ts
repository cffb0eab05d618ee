import { type DeliveryCounts, deliveryEntry } from '../metrics/delivery/reconcile.ts';
import { isSuccess, type Outcome } from '../metrics/recording/outcomes.ts';
import { OPERATIONS, type Operation } from '../protocol/operations.ts';

/**
 * Counts what became of the requests of a shard's agents. A request that fails or is given up needs no entry: whatever
 * was sent and has no answer is unknown.
 */
export type DeliveryCounter = {
  /** The whole request of the agent was handed to its socket. */
  sent(agent: number, operation: Operation): void;
  /** An answer to it arrived whole. */
  answered(agent: number, operation: Operation, outcome: Outcome): void;
  /** The counts themselves, not a copy. */
  readonly counts: DeliveryCounts;
};

export function createDeliveryCounter(agents: number): DeliveryCounter {
  const column = (): Uint32Array => new Uint32Array(agents * OPERATIONS.length);
  const counts = { sent: column(), acknowledged: column(), refused: column() };
  return {
    sent: (agent, operation) => increment(counts.sent, deliveryEntry(agent, operation, agents)),
    answered: (agent, operation, outcome) =>
      increment(isSuccess(outcome) ? counts.acknowledged : counts.refused, deliveryEntry(agent, operation, agents)),
    counts,
  };
}

function increment(column: Uint32Array, entry: number): void {
  column[entry] = (column[entry] as number) + 1;
}
