import { OPERATIONS, type Operation } from '../../protocol/operations.ts';
import type { Delivery, DeliveryFigures, DocumentCounts, OperationDelivery } from './schema.ts';

/**
 * What the agents of a shard sent, and what they know of it. Plain data that crosses threads; see `deliveryEntry` for
 * the order. What was neither acknowledged nor refused is unknown.
 */
export type DeliveryCounts = {
  /** Requests handed to the network whole. */
  readonly sent: Uint32Array;
  /** Answered with success. */
  readonly acknowledged: Uint32Array;
  /** Answered, but not with success. */
  readonly refused: Uint32Array;
};

/** Counts whose agents have a name. */
export type NamedCounts = DeliveryCounts & { readonly uuidOf: (agent: number) => string };

/** What a counting server says; the embedded one's arrivals and observations fit. */
export type ReceivedAccount = {
  readonly arrivals: {
    readonly uuids: readonly string[];
    /** For each of `uuids`, its operations in their usual order. */
    readonly received: Uint32Array;
  };
  readonly observations: {
    readonly operations: Readonly<Record<Operation, Readonly<DocumentCounts>>>;
    /** Requests that name no agent. */
    readonly unattributed: number;
  };
};

/**
 * Where an agent's operation stands in the columns of the counts, which are for so many agents. Agents stand beside each other:
 * memory that nothing was written to is not taken, and few fleets do everything.
 */
export function deliveryEntry(agent: number, operation: Operation, agents: number): number {
  return OPERATIONS.indexOf(operation) * agents + agent;
}

/**
 * Holds what a fleet sent against what the observer received, agent by agent and operation by operation: a duplicate of
 * one agent does not make up for a loss of another.
 */
export function reconcileDelivery(
  shards: readonly NamedCounts[],
  { arrivals, observations }: ReceivedAccount,
): Delivery {
  const rows = new Map(arrivals.uuids.map((uuid, row) => [uuid, row]));
  const sums = OPERATIONS.map(noFigures);
  for (const counts of shards) {
    for (let agent = 0; agent < agentsIn(counts); agent++) {
      addAgent(sums, { counts, agent }, { received: arrivals.received, row: rows.get(counts.uuidOf(agent)) });
    }
  }
  const total = sumOf(sums);
  const arrived = arrivals.received.reduce((sum, count) => sum + count, 0);
  return {
    observed: true,
    ...total,
    unattributed: observations.unattributed + arrived - total.received,
    operations: sums
      .map((figures, index) => operationDelivery(OPERATIONS[index] as Operation, figures, observations))
      .filter(({ sent, received }) => sent > 0 || received > 0),
  };
}

function agentsIn({ sent }: DeliveryCounts): number {
  return sent.length / OPERATIONS.length;
}

type Row = { readonly received: Uint32Array; readonly row: number | undefined };

function addAgent(
  sums: readonly DeliveryFigures[],
  { counts, agent }: { readonly counts: DeliveryCounts; readonly agent: number },
  { received, row }: Row,
): void {
  for (const [index, sum] of sums.entries()) {
    const entry = index * agentsIn(counts) + agent;
    const sent = counts.sent[entry] ?? 0;
    const arrived = row === undefined ? 0 : (received[row * OPERATIONS.length + index] ?? 0);
    if (sent === 0 && arrived === 0) continue;
    const acknowledged = counts.acknowledged[entry] ?? 0;
    const refused = counts.refused[entry] ?? 0;
    add(sum, figuresOf({ sent, acknowledged, refused, received: arrived }));
  }
}

type Counted = Pick<DeliveryFigures, 'sent' | 'acknowledged' | 'refused' | 'received'>;

/** Of one agent and operation. */
function figuresOf({ sent, acknowledged, refused, received }: Counted): DeliveryFigures {
  const unknown = sent - acknowledged - refused;
  // The observer cannot tell requests apart: what arrived belongs to answered ones first.
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
  { operations }: ReceivedAccount['observations'],
): OperationDelivery {
  if (operation === 'register' || operation === 'authorize') return { operation, ...figures };
  const { repeated, backward, stale, ahead, undated } = operations[operation];
  return { operation, ...figures, documents: { repeated, backward, stale, ahead, undated } };
}
