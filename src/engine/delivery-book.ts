import { type DeliveryBook, deliveryEntry } from '../metrics/delivery.ts';
import { isSuccess, type Outcome } from '../metrics/outcomes.ts';
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
  readonly book: DeliveryBook;
};

export function createDeliveryCounter(agents: number): DeliveryCounter {
  const column = (): Uint32Array => new Uint32Array(agents * OPERATIONS.length);
  const book = { sent: column(), acknowledged: column(), refused: column() };
  return {
    sent: (agent, operation) => increment(book.sent, deliveryEntry(agent, operation)),
    answered: (agent, operation, outcome) =>
      increment(isSuccess(outcome) ? book.acknowledged : book.refused, deliveryEntry(agent, operation)),
    book,
  };
}

function increment(column: Uint32Array, entry: number): void {
  column[entry] = (column[entry] as number) + 1;
}
