import { OPERATIONS, type Operation } from '../../src/base/protocol/operations.ts';
import { type DeliveryCounts, type ReceivedAccount, reconcileDelivery } from '../../src/metrics/delivery/reconcile.ts';
import type { ObservedDelivery } from '../../src/metrics/delivery/schema.ts';

/** Counts of one agent's requests of one operation; missing counts are 0. */
export type Dealings = {
  readonly sent?: number;
  readonly acknowledged?: number;
  readonly refused?: number;
  readonly received?: number;
  readonly backward?: number;
};

export const IN_ORDER = { repeated: 0, backward: 0, stale: 0, ahead: 0, undated: 0 };

export const NOTHING_STRANGE: ReceivedAccount['observations'] = {
  operations: { register: IN_ORDER, authorize: IN_ORDER, checkdata: IN_ORDER, packages: IN_ORDER },
  unattributed: 0,
};

/** The delivery of a fleet of one agent. */
export function deliveryOf(dealings: Partial<Record<Operation, Dealings>>): ObservedDelivery {
  const column = (figure: keyof Dealings) => Uint32Array.from(OPERATIONS, (name) => dealings[name]?.[figure] ?? 0);
  const counts: DeliveryCounts = {
    sent: column('sent'),
    acknowledged: column('acknowledged'),
    refused: column('refused'),
    assumed: [],
  };
  const operations = Object.fromEntries(
    OPERATIONS.map((name) => [name, { ...IN_ORDER, backward: dealings[name]?.backward ?? 0 }]),
  ) as ReceivedAccount['observations']['operations'];
  const delivery = reconcileDelivery([{ ...counts, uuidOf: () => 'a' }], {
    arrivals: { uuids: ['a'], received: column('received') },
    observations: { operations, unattributed: 0 },
  });
  if (!delivery.observed) throw new Error('what was observed is told');
  return delivery;
}
