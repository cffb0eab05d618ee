import { isIP } from 'node:net';
import { hash32, randomStream } from '../../ground/kernel/random.ts';

/** The addresses of a dial in the order in which they are tried: one family, then the other, which may be empty. */
export type DialOrder = { readonly primaries: readonly string[]; readonly fallbacks: readonly string[] };

/** Identifies a dial: the run-wide number of its connection, and the number of the dial on that connection, from 0. */
export type DialNumber = { readonly seed: number; readonly connection: number; readonly dial: number };

/**
 * Orders the addresses of a dial. The family of the resolver's first address comes first. Within a family, each dial
 * has a random order, drawn from its number: every agent asks its resolver at every dial, and resolvers rotate or
 * shuffle answers. The order in which this machine received the addresses does not matter.
 */
export function dialOrder(addresses: readonly string[], { seed, connection, dial }: DialNumber): DialOrder {
  const [first = ''] = addresses;
  if (addresses.length === 1) return { primaries: addresses, fallbacks: [] };
  const draw = randomStream(hash32(seed, 'dial order', connection, dial));
  const family = isIP(first);
  const shuffledOf = (wanted: boolean) =>
    shuffledBy(draw, addresses.filter((address) => (isIP(address) === family) === wanted).toSorted());
  return { primaries: shuffledOf(true), fallbacks: shuffledOf(false) };
}

function shuffledBy(draw: () => number, items: readonly string[]): readonly string[] {
  return items
    .map((item) => [draw(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}
