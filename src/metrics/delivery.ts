import { OPERATIONS, type Operation } from '../protocol/operations.ts';
import type { Delivery, DeliveryFigures, DocumentCounts, OperationDelivery } from './delivery-schema.ts';

/**
 * What the agents of a shard sent, and what they know of it. Plain data that crosses threads; see `deliveryEntry` for
 * the order. What was neither acknowledged nor refused is unknown.
 */
export type DeliveryBook = {
  /** Requests handed to the network whole. */
  readonly sent: Uint32Array;
  /** Answered with success. */
  readonly acknowledged: Uint32Array;
  /** Answered, but not with success. */
  readonly refused: Uint32Array;
};

/** A book whose agents have a name. */
export type NamedBook = DeliveryBook & { readonly uuidOf: (agent: number) => string };

/** What a counting server says; the embedded one's ledger and testimony fit. */
export type WitnessAccount = {
  readonly ledger: {
    readonly uuids: readonly string[];
    /** In the order of `deliveryEntry`, with the positions of `uuids` as agents. */
    readonly received: Uint32Array;
  };
  readonly testimony: {
    readonly operations: Readonly<Record<Operation, Readonly<DocumentCounts>>>;
    /** Requests that name no agent. */
    readonly unattributed: number;
  };
};

/** Where an agent's operation stands in the columns of a book. */
export function deliveryEntry(agent: number, operation: Operation): number {
  return agent * OPERATIONS.length + OPERATIONS.indexOf(operation);
}

/**
 * Holds what a fleet sent against what the witness received, agent by agent and operation by operation: a duplicate of
 * one agent does not make up for a loss of another.
 */
export function reconcileDelivery(books: readonly NamedBook[], { ledger, testimony }: WitnessAccount): Delivery {
  const rows = new Map(ledger.uuids.map((uuid, row) => [uuid, row]));
  const sums = OPERATIONS.map(noFigures);
  for (const book of books) {
    for (let agent = 0; agent < book.sent.length / OPERATIONS.length; agent++) {
      addAgent(sums, { book, agent }, { received: ledger.received, row: rows.get(book.uuidOf(agent)) });
    }
  }
  const total = sumOf(sums);
  const arrivals = ledger.received.reduce((sum, count) => sum + count, 0);
  return {
    witnessed: true,
    ...total,
    unattributed: testimony.unattributed + arrivals - total.received,
    operations: sums
      .map((figures, index) => operationDelivery(OPERATIONS[index] as Operation, figures, testimony))
      .filter(({ sent, received }) => sent > 0 || received > 0),
  };
}

type Row = { readonly received: Uint32Array; readonly row: number | undefined };

function addAgent(
  sums: readonly DeliveryFigures[],
  { book, agent }: { readonly book: DeliveryBook; readonly agent: number },
  { received, row }: Row,
): void {
  const width = OPERATIONS.length;
  for (const [index, sum] of sums.entries()) {
    const entry = agent * width + index;
    const sent = book.sent[entry] ?? 0;
    const arrived = row === undefined ? 0 : (received[row * width + index] ?? 0);
    if (sent === 0 && arrived === 0) continue;
    const acknowledged = book.acknowledged[entry] ?? 0;
    const refused = book.refused[entry] ?? 0;
    add(sum, figuresOf({ sent, acknowledged, refused, received: arrived }));
  }
}

type Counted = Pick<DeliveryFigures, 'sent' | 'acknowledged' | 'refused' | 'received'>;

/** Of one agent and operation. */
function figuresOf({ sent, acknowledged, refused, received }: Counted): DeliveryFigures {
  const unknown = sent - acknowledged - refused;
  // The witness cannot tell requests apart: what arrived belongs to answered ones first.
  const unknownReceived = Math.min(unknown, Math.max(0, received - acknowledged - refused));
  return {
    sent,
    acknowledged,
    refused,
    unknown,
    unknownReceived,
    unknownMissing: unknown - unknownReceived,
    received,
    lost: Math.max(0, acknowledged - received),
    duplicated: Math.max(0, received - sent),
  };
}

function noFigures(): DeliveryFigures {
  return figuresOf({ sent: 0, acknowledged: 0, refused: 0, received: 0 });
}

function add(into: DeliveryFigures, from: DeliveryFigures): void {
  for (const name of Object.keys(into) as (keyof DeliveryFigures)[]) into[name] += from[name];
}

function sumOf(parts: readonly DeliveryFigures[]): DeliveryFigures {
  const sum = noFigures();
  for (const part of parts) add(sum, part);
  return sum;
}

function operationDelivery(
  operation: Operation,
  figures: DeliveryFigures,
  { operations }: WitnessAccount['testimony'],
): OperationDelivery {
  if (operation === 'register' || operation === 'authorize') return { operation, ...figures };
  const { repeated, backward, stale, ahead, undated } = operations[operation];
  return { operation, ...figures, documents: { repeated, backward, stale, ahead, undated } };
}
