import { isIP } from 'node:net';
import { hash32, randomStream } from '../kernel/random.ts';

/** The addresses of one dial in the order of its tries: those of one family, and of the other one, which may be none. */
export type DialOrder = { readonly primaries: readonly string[]; readonly fallbacks: readonly string[] };

/** Whose dial it is: a connection's, by its number in the whole run, and which of its dials, from 0. */
export type DialNumber = { readonly seed: number; readonly connection: number; readonly dial: number };

/**
 * The family that the resolver names first is tried first. Within a family each dial has an order of its own, drawn from its
 * number: every agent asks the resolver at every dial, and it turns or shuffles its answers. The order in which this machine
 * was told them does not matter.
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
