import { describe, expect, it } from 'vitest';
import { dialOrder } from '../../../src/wire/transport/dial-order.ts';

const FOUR = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
const SIX = ['2001:db8::1', '2001:db8::2'];
const SOURCES = new Map([
  ...FOUR.map((address) => [address, '192.0.2.9'] as const),
  ...SIX.map((address) => [address, '2001:db8::9'] as const),
  ['fd00::2', 'fd00::9'] as const,
]);

const drawn = (count: number, addresses = FOUR) =>
  Array.from({ length: count }, (_, connection) =>
    dialOrder({ addresses, reachedFrom: SOURCES }, { seed: 7, connection, dial: 0 }),
  );

describe('the dial order', () => {
  it('puts each address first equally often, and each of the others second equally often', () => {
    const orders = drawn(4000).map(({ primaries }) => primaries);
    for (const first of FOUR) {
      const led = orders.filter(([one]) => one === first);
      expect(Math.abs(led.length - 1000)).toBeLessThan(150);
      for (const second of FOUR) {
        if (second === first) continue;
        expect(Math.abs(led.filter(([, one]) => one === second).length - led.length / 3)).toBeLessThan(80);
      }
    }
  });

  it('contains each address once', () => {
    for (const { primaries, fallbacks } of drawn(50)) expect([primaries.toSorted(), fallbacks]).toEqual([FOUR, []]);
  });

  it('starts with the family that is preferred, in whatever order the resolver names them', () => {
    for (const addresses of [
      [...SIX, ...FOUR],
      [...FOUR, ...SIX],
    ])
      for (const { primaries, fallbacks } of drawn(20, addresses))
        expect([primaries.toSorted(), fallbacks.toSorted()]).toEqual([SIX, FOUR]);
    for (const { primaries, fallbacks } of drawn(20, ['fd00::2', ...FOUR]))
      expect([primaries.toSorted(), fallbacks]).toEqual([FOUR, ['fd00::2']]);
  });

  it('differs between dials of a connection and between seeds', () => {
    const ordersOf = (seed: number, dial: number) =>
      Array.from({ length: 20 }, (_, connection) =>
        dialOrder({ addresses: FOUR, reachedFrom: SOURCES }, { seed, connection, dial }),
      );
    expect(ordersOf(7, 0)).not.toEqual(ordersOf(7, 1));
    expect(ordersOf(7, 0)).not.toEqual(ordersOf(8, 0));
    expect(ordersOf(7, 0)).toEqual(ordersOf(7, 0));
  });
});
