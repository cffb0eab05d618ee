import { type DeliveryBook, reconcileDelivery, type WitnessAccount } from '../../src/metrics/delivery.ts';
import type { WitnessedDelivery } from '../../src/metrics/delivery-schema.ts';
import { OPERATIONS, type Operation } from '../../src/protocol/operations.ts';

/** What became of one agent's requests of one operation; what is left out is nought. */
export type Dealings = {
  readonly sent?: number;
  readonly acknowledged?: number;
  readonly refused?: number;
  readonly received?: number;
  readonly backward?: number;
};

export const IN_ORDER = { repeated: 0, backward: 0, stale: 0, ahead: 0, undated: 0 };

export const NOTHING_STRANGE: WitnessAccount['testimony'] = {
  operations: { register: IN_ORDER, authorize: IN_ORDER, submit_checkdata: IN_ORDER, submit_package_info: IN_ORDER },
  unattributed: 0,
};

/** The delivery of a fleet of one agent. */
export function deliveryOf(dealings: Partial<Record<Operation, Dealings>>): WitnessedDelivery {
  const column = (figure: keyof Dealings) => Uint32Array.from(OPERATIONS, (name) => dealings[name]?.[figure] ?? 0);
  const book: DeliveryBook = {
    sent: column('sent'),
    acknowledged: column('acknowledged'),
    refused: column('refused'),
  };
  const operations = Object.fromEntries(
    OPERATIONS.map((name) => [name, { ...IN_ORDER, backward: dealings[name]?.backward ?? 0 }]),
  ) as WitnessAccount['testimony']['operations'];
  const delivery = reconcileDelivery([{ ...book, uuidOf: () => 'a' }], {
    ledger: { uuids: ['a'], received: column('received') },
    testimony: { operations, unattributed: 0 },
  });
  if (!delivery.witnessed) throw new Error('what was witnessed is told');
  return delivery;
}
