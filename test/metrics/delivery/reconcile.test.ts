import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/base/protocol/operations.ts';
import { type NamedCounts, type ReceivedAccount, reconcileDelivery } from '../../../src/metrics/delivery/reconcile.ts';
import type { DeliveryFigures, ObservedDelivery } from '../../../src/metrics/delivery/schema.ts';
import { deliveryOf, IN_ORDER, NOTHING_STRANGE } from '../deliveries.ts';

type Entry = Pick<DeliveryFigures, 'sent' | 'acknowledged' | 'refused' | 'received'>;

/** Any possible counts of one agent and operation. */
const entry: fc.Arbitrary<Entry> = fc
  .tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(30))
  .map(([acknowledged, refused, unknown, received]) => ({
    sent: acknowledged + refused + unknown,
    acknowledged,
    refused,
    received,
  }));
const fleet = fc.array(fc.tuple(entry, entry, entry, entry), { maxLength: 12 });

const nameOf = (agent: number): string => `agent ${agent}`;

/** The counts of the agents of one shard out of `count`. */
function bookOf(agents: readonly (readonly Entry[])[], index: number, count: number): NamedCounts {
  const own = agents.filter((_, agent) => agent % count === index);
  const column = (figure: keyof Entry) =>
    Uint32Array.from(OPERATIONS.flatMap((_, part) => own.map((entries) => entries[part]?.[figure] ?? 0)));
  return {
    sent: column('sent'),
    acknowledged: column('acknowledged'),
    refused: column('refused'),
    assumed: [],
    uuidOf: (agent) => nameOf(index + agent * count),
  };
}

/** What the observer counted: agents in a different order, without those that sent nothing. */
function accountOf(agents: readonly (readonly Entry[])[], strangers = 0): ReceivedAccount {
  const seen = [...agents.entries()].filter(([, entries]) => entries.some(({ received }) => received > 0)).reverse();
  const received = seen.flatMap(([, entries]) => entries.map((part) => part.received));
  return {
    arrivals: {
      uuids: [...seen.map(([agent]) => nameOf(agent)), 'stranger'],
      received: Uint32Array.from([...received, strangers, 0, 0, 0]),
    },
    observations: NOTHING_STRANGE,
  };
}

function reconciled(counts: readonly NamedCounts[], account: ReceivedAccount): ObservedDelivery {
  const delivery = reconcileDelivery(counts, account);
  if (!delivery.observed) throw new Error('what was observed is told');
  return delivery;
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

describe('the reconciliation', () => {
  it('covers only agents that have not attacked, whatever arrived from the others', () => {
    fc.assert(
      fc.property(fleet, fc.nat(3), fc.nat(20), (agents, first, strangers) => {
        const attacks = (agent: number) => agent % 4 === first;
        const misbehaved = [...agents.keys()].filter(attacks).map(nameOf);
        const idle: Entry = { sent: 0, acknowledged: 0, refused: 0, received: 0 };
        const healthy = agents.map((entries, agent) => (attacks(agent) ? entries.map(() => idle) : entries));
        const all = reconciled(
          [{ ...bookOf(agents, 0, 2), misbehaved }, bookOf(agents, 1, 2)],
          accountOf(agents, strangers),
        );
        expect(all).toEqual(reconciled([bookOf(healthy, 0, 1)], accountOf(healthy, strangers)));
      }),
    );
  });

  it('compares the requests of several agents with the same uuid with what arrived under it', () => {
    // The agent sent 2 pushes, and its clones, on this shard and on another, 3 and 4; one of the 9 did not arrive.
    const column = (count: number) => Uint32Array.of(0, 0, count, 0);
    const own = { sent: column(2), acknowledged: column(2), refused: column(0), uuidOf: () => 'a' };
    const copied = (count: number) => [
      { uuid: 'a', sent: [0, 0, count, 0], acknowledged: [0, 0, count, 0], refused: [0, 0, 0, 0] },
    ];
    const none = { sent: column(0), acknowledged: column(0), refused: column(0), uuidOf: () => 'b' };
    const arrivals = { uuids: ['a'], received: column(8) };
    const shards = [
      { ...own, assumed: copied(3) },
      { ...none, assumed: copied(4) },
    ];
    const delivery = reconciled(shards, { arrivals, observations: NOTHING_STRANGE });
    expect(delivery).toMatchObject({ sent: 9, acknowledged: 9, received: 8, lost: 1, duplicated: 0, unattributed: 0 });
  });

  it('includes identities that agents generated, and requests refused under them', () => {
    const column = (count: number) => Uint32Array.of(0, 0, count, 0);
    const assumed = [{ uuid: 'new', sent: [1, 0, 5, 0], acknowledged: [1, 0, 3, 0], refused: [0, 0, 2, 0] }];
    const own = { sent: column(2), acknowledged: column(2), refused: column(0), uuidOf: () => 'a', assumed };
    const received = Uint32Array.of(0, 0, 2, 0, 1, 0, 6, 0);
    const delivery = reconciled([own], { arrivals: { uuids: ['a', 'new'], received }, observations: NOTHING_STRANGE });
    expect(delivery).toMatchObject({ sent: 8, received: 9, lost: 0, duplicated: 1, unattributed: 0 });
  });

  it('satisfies its equations, in total and per operation', () => {
    fc.assert(
      fc.property(fleet, (agents) => {
        const delivery = reconciled([bookOf(agents, 0, 1)], accountOf(agents));
        for (const figures of [delivery, ...delivery.operations]) {
          expect(figures.sent).toBe(figures.acknowledged + figures.refused + figures.unknown);
          expect(figures.unknown).toBe(figures.unknownReceived + figures.unknownMissing);
          expect(figures.received).toBeLessThanOrEqual(figures.sent + figures.duplicated);
          expect(figures.received).toBeGreaterThanOrEqual(
            figures.acknowledged - figures.lost + figures.unknownReceived,
          );
        }
        expect(delivery.unattributed).toBe(0);
      }),
    );
  });

  it('counts losses and duplicates per agent: they do not cancel out', () => {
    fc.assert(
      fc.property(fleet, (agents) => {
        const { lost, duplicated } = reconciled([bookOf(agents, 0, 1)], accountOf(agents));
        const entries = agents.flat();
        expect(lost).toBe(sum(entries.map((part) => Math.max(0, part.acknowledged - part.received))));
        expect(duplicated).toBe(sum(entries.map((part) => Math.max(0, part.received - part.sent))));
      }),
    );
  });

  it('is the same for any split into shards', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 2, max: 5 }), (agents, count) => {
        const counts = Array.from({ length: count }, (_, index) => bookOf(agents, index, count));
        expect(reconciled(counts, accountOf(agents))).toEqual(reconciled([bookOf(agents, 0, 1)], accountOf(agents)));
      }),
    );
  });

  it('reports no problem if every request arrived exactly once', () => {
    fc.assert(
      fc.property(fleet, (agents) => {
        const whole = agents.map((entries) => entries.map((part) => ({ ...part, received: part.sent })));
        const delivery = reconciled([bookOf(whole, 0, 1)], accountOf(whole));
        expect(delivery).toMatchObject({ lost: 0, duplicated: 0, unknownMissing: 0, received: delivery.sent });
      }),
    );
  });

  it('excludes requests of unknown agents and requests without an agent from the figures', () => {
    const agents = [OPERATIONS.map(() => ({ sent: 1, acknowledged: 1, refused: 0, received: 1 }))];
    const account = accountOf(agents, 7);
    const delivery = reconciled([bookOf(agents, 0, 1)], {
      ...account,
      observations: { ...account.observations, unattributed: 2 },
    });
    expect(delivery).toMatchObject({ sent: 4, received: 4, duplicated: 0, unattributed: 9 });
  });

  it('attributes arrivals to answered requests first, and the rest to unanswered ones', () => {
    const fateOf = (received: number) => {
      const { unknown, unknownReceived, unknownMissing } = deliveryOf({
        checkdata: { sent: 10, acknowledged: 5, refused: 2, received },
      });
      return [unknown, unknownReceived, unknownMissing];
    };
    expect([6, 7, 9, 12].map(fateOf)).toEqual([
      [3, 0, 3],
      [3, 0, 3],
      [3, 2, 1],
      [3, 3, 0],
    ]);
  });

  it('includes irregular dates of documents, and omits operations that did not occur', () => {
    const { operations } = deliveryOf({
      register: { sent: 1, acknowledged: 1, received: 1 },
      checkdata: { sent: 2, acknowledged: 2, received: 2, backward: 1 },
    });
    expect(operations.map(({ operation, documents }) => [operation, documents])).toEqual([
      ['register', undefined],
      ['checkdata', { ...IN_ORDER, backward: 1 }],
    ]);
  });
});
