import { OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import type { Delivery, DeliveryFigures, DocumentCounts, OperationDelivery } from './schema.ts';

/**
 * Requests of a shard's agents, and the answers they received. Plain data that crosses threads; `deliveryEntry` defines
 * the order. Requests that were neither acknowledged nor refused are unknown.
 */
export type DeliveryCounts = {
  /** Requests written to the network completely. */
  readonly sent: Uint32Array;
  /** Answered with success. */
  readonly acknowledged: Uint32Array;
  /** Answered, but not with success. */
  readonly refused: Uint32Array;
  /** Uuids of agents that attacked; their requests are excluded. Absent if there are none. */
  readonly misbehaved?: readonly string[];
  /** Requests that agents sent under another uuid. */
  readonly assumed: readonly AssumedCounts[];
};

/** Counts for one assumed uuid, with the operations in their usual order. Several agents may have had it. */
export type AssumedCounts = { readonly uuid: string } & Readonly<Record<keyof Sent, readonly number[]>>;

export type NamedCounts = DeliveryCounts & { readonly uuidOf: (agent: number) => string };

/** What a counting server reports; the embedded server's arrivals and observations fit. */
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

/** Index of an agent's operation in the columns. Those of one operation are adjacent: few fleets use all, and unused memory is not committed. */
export function deliveryEntry(agent: number, operation: Operation, agents: number): number {
  return OPERATIONS.indexOf(operation) * agents + agent;
}

/** Compares sent with received, by uuid and operation. A duplicate of one agent does not offset a loss of another, unless they share a uuid. */
export function reconcileDelivery(
  shards: readonly NamedCounts[],
  { arrivals, observations }: ReceivedAccount,
): Delivery {
  const rows = new Map(arrivals.uuids.map((uuid, row) => [uuid, row]));
  const receivedBy = (uuid: string, index: number): number => {
    const row = rows.get(uuid);
    return row === undefined ? 0 : (arrivals.received[row * OPERATIONS.length + index] ?? 0);
  };
  const sums = OPERATIONS.map(noFigures);
  const misbehaved = new Set(shards.flatMap((counts) => counts.misbehaved ?? []));
  // The receiver cannot distinguish several agents with one uuid.
  const assumed = sumsOfAssumed(shards);
  for (const counts of shards) {
    for (let agent = 0; agent < agentsIn(counts); agent++) {
      const uuid = counts.uuidOf(agent);
      const others = assumed.size === 0 ? undefined : assumed.get(uuid);
      assumed.delete(uuid);
      if (misbehaved.has(uuid)) continue;
      addIdentity(sums, (index) => {
        const own = countedOf(counts, index * agentsIn(counts) + agent);
        const { sent, acknowledged, refused } = countedOf(others ?? NOTHING_SENT, index);
        return {
          sent: own.sent + sent,
          acknowledged: own.acknowledged + acknowledged,
          refused: own.refused + refused,
          received: receivedBy(uuid, index),
        };
      });
    }
  }
  for (const [uuid, counts] of assumed) {
    if (misbehaved.has(uuid)) continue;
    addIdentity(sums, (index) => ({ ...countedOf(counts, index), received: receivedBy(uuid, index) }));
  }
  const total = noFigures();
  for (const sum of sums) add(total, sum);
  const ofAttackers = [...misbehaved].reduce(
    (sum, uuid) => OPERATIONS.reduce((own, _, index) => own + receivedBy(uuid, index), sum),
    0,
  );
  const arrived = arrivals.received.reduce((sum, count) => sum + count, 0) - ofAttackers;
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

function sumsOfAssumed(shards: readonly DeliveryCounts[]): Map<string, AssumedCounts> {
  const sums = new Map<string, AssumedCounts>();
  for (const counts of shards.flatMap(({ assumed }) => assumed)) {
    const before = sums.get(counts.uuid);
    const plus = (name: keyof Sent) => counts[name].map((count, index) => count + (before?.[name][index] ?? 0));
    const { uuid } = counts;
    sums.set(uuid, { uuid, sent: plus('sent'), acknowledged: plus('acknowledged'), refused: plus('refused') });
  }
  return sums;
}

type Sent = Omit<Counted, 'received'>;

type Columns = { readonly [Name in keyof Sent]: ArrayLike<number> };

function countedOf({ sent, acknowledged, refused }: Columns, entry: number): Sent {
  return { sent: sent[entry] ?? 0, acknowledged: acknowledged[entry] ?? 0, refused: refused[entry] ?? 0 };
}

const NOTHING_SENT: Columns = { sent: [], acknowledged: [], refused: [] };

/** Adds the requests of one uuid. `countedAt` returns the counts of an operation. */
function addIdentity(sums: readonly DeliveryFigures[], countedAt: (index: number) => Counted): void {
  for (const [index, sum] of sums.entries()) {
    const counted = countedAt(index);
    if (counted.sent > 0 || counted.received > 0) add(sum, figuresOf(counted));
  }
}

type Counted = Pick<DeliveryFigures, 'sent' | 'acknowledged' | 'refused' | 'received'>;

function figuresOf({ sent, acknowledged, refused, received }: Counted): DeliveryFigures {
  const unknown = sent - acknowledged - refused;
  // The observer cannot tell requests apart, so arrivals count toward answered requests first.
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

function operationDelivery(
  operation: Operation,
  figures: DeliveryFigures,
  { operations }: ReceivedAccount['observations'],
): OperationDelivery {
  if (operation === 'register' || operation === 'authorize') return { operation, ...figures };
  const { repeated, backward, stale, ahead, undated } = operations[operation];
  return { operation, ...figures, documents: { repeated, backward, stale, ahead, undated } };
}
