import { isIP } from 'node:net';
import { hash32, randomStream } from '../../ground/kernel/random.ts';
import { byPreference } from './address-selection.ts';
import type { KnownAddresses } from './target-addresses.ts';

/** The addresses of a dial in the order in which they are tried: one family, then the other, which may be empty. */
export type DialOrder = { readonly primaries: readonly string[]; readonly fallbacks: readonly string[] };

/** Identifies a dial: the run-wide number of its connection, and the number of the dial on that connection, from 0. */
export type DialNumber = { readonly seed: number; readonly connection: number; readonly dial: number };

/**
 * Orders the addresses of a dial by preference (`byPreference`); the family of the first comes first. Addresses of a family that are
 * equally preferred have a random order, drawn from the dial's number: every agent asks its resolver at every dial, and resolvers
 * rotate or shuffle answers. The order in which this machine received the addresses does not matter.
 */
export function dialOrder(
  { addresses, reachedFrom }: Pick<KnownAddresses, 'addresses' | 'reachedFrom'>,
  { seed, connection, dial }: DialNumber,
): DialOrder {
  if (addresses.length === 1) return { primaries: addresses, fallbacks: [] };
  const draw = randomStream(hash32(seed, 'dial order', connection, dial));
  // Go asks for addresses of IPv4 first.
  const drawn = [4, 6].flatMap((family) =>
    shuffledBy(draw, addresses.filter((address) => isIP(address) === family).toSorted()),
  );
  const ordered = byPreference(drawn.map((address) => ({ address, source: reachedFrom.get(address) })));
  const families = Object.groupBy(ordered, ({ address }) =>
    isIP(address) === isIP(ordered[0]?.address ?? '') ? 'primaries' : 'fallbacks',
  );
  const { primaries = [], fallbacks = [] } = families;
  return { primaries: primaries.map(({ address }) => address), fallbacks: fallbacks.map(({ address }) => address) };
}

function shuffledBy(draw: () => number, items: readonly string[]): readonly string[] {
  return items
    .map((item) => [draw(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}
