import { isIP, isIPv4 } from 'node:net';
import { ipv6Groups } from '../../base/kernel/address.ts';
import { hash32, randomStream } from '../../base/kernel/random.ts';
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
  const ordered = byPreference(drawn.map((address) => ({ address, source: reachedFrom?.get(address) })));
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

/** A destination and the address of this machine from which it is reached; without a source, it is unreachable. */
export type DialAddress = { readonly address: string; readonly source: string | undefined };

/**
 * Orders destinations as Go does, by RFC 6724, section 6: usable ones first, then by matching scope, matching label, precedence, smaller
 * scope and, within IPv6, the longest prefix in common with the source. Otherwise their order does not change.
 */
export function byPreference(destinations: readonly DialAddress[]): readonly DialAddress[] {
  return destinations
    .map((destination) => ({ destination, ...traitsOf(destination) }))
    .sort((one, other) => preference(one, other))
    .map(({ destination }) => destination);
}

type Traits = {
  readonly isUsable: boolean;
  readonly hasScope: boolean;
  readonly hasLabel: boolean;
  readonly precedence: number;
  readonly scope: number;
  /** Bits in common with the source; `undefined` for IPv4, where they mean nothing. */
  readonly commonBits: number | undefined;
};

function traitsOf({ address, source }: DialAddress): Traits {
  const bytes = bytesOf(address);
  const { precedence, label } = policyOf(bytes);
  const own = source === undefined ? undefined : bytesOf(source);
  const scope = scopeOf(bytes);
  return {
    precedence,
    scope,
    isUsable: own !== undefined,
    hasScope: own !== undefined && scopeOf(own) === scope,
    hasLabel: own !== undefined && policyOf(own).label === label,
    commonBits: own === undefined || isMapped(bytes) ? undefined : commonBits(bytes, own),
  };
}

function preference(one: Traits, other: Traits): number {
  if (!one.isUsable || !other.isUsable) return Number(other.isUsable) - Number(one.isUsable);
  const differences = [
    Number(other.hasScope) - Number(one.hasScope),
    Number(other.hasLabel) - Number(one.hasLabel),
    other.precedence - one.precedence,
    one.scope - other.scope,
    one.commonBits === undefined || other.commonBits === undefined ? 0 : other.commonBits - one.commonBits,
  ];
  return differences.find((difference) => difference !== 0) ?? 0;
}

/** The 16 bytes of an address; IPv4 is mapped into IPv6. */
function bytesOf(address: string): readonly number[] {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return [...MAPPED, ...plain.split('.').map(Number)];
  return (ipv6Groups(plain) ?? []).flatMap((group) => [group >> 8, group & 0xff]);
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

function isMapped(bytes: readonly number[]): boolean {
  return MAPPED.every((byte, index) => bytes[index] === byte);
}

type Policy = { readonly prefix: readonly number[]; readonly bits: number; precedence: number; label: number };

/** RFC 6724, section 2.1, longest prefixes first. */
const POLICIES: readonly Policy[] = (
  [
    ['::1', 128, 50, 0],
    ['::ffff:0.0.0.0', 96, 35, 4],
    ['::', 96, 1, 3],
    ['2001::', 32, 5, 5],
    ['2002::', 16, 30, 2],
    ['3ffe::', 16, 1, 12],
    ['fec0::', 10, 1, 11],
    ['fc00::', 7, 3, 13],
  ] as const
).map(([prefix, bits, precedence, label]) => ({ prefix: bytesOf(prefix), bits, precedence, label }));

const ANY_OTHER = { precedence: 40, label: 1 };

function policyOf(bytes: readonly number[]): Pick<Policy, 'precedence' | 'label'> {
  return POLICIES.find(({ prefix, bits }) => commonBits(bytes, prefix, 128) >= bits) ?? ANY_OTHER;
}

const LINK_LOCAL = 2;
const SITE_LOCAL = 5;
const GLOBAL = 14;

/** RFC 6724, section 3.1. */
function scopeOf(bytes: readonly number[]): number {
  const [first = 0, second = 0] = bytes;
  if (isMapped(bytes)) {
    const [one, two] = bytes.slice(MAPPED.length);
    return one === 127 || (one === 169 && two === 254) ? LINK_LOCAL : GLOBAL;
  }
  if (commonBits(bytes, LOOPBACK, 128) === 128) return LINK_LOCAL;
  if (first === 0xff) return second & 0xf;
  if (first === 0xfe && second >> 6 === 0b10) return LINK_LOCAL;
  return first === 0xfe && second >> 6 === 0b11 ? SITE_LOCAL : GLOBAL;
}

const LOOPBACK = bytesOf('::1');

/** Leading bits in common, of the network's part unless more are wanted. */
function commonBits(one: readonly number[], other: readonly number[], most = 64): number {
  for (let index = 0; index < most / 8; index++) {
    const difference = (one[index] ?? 0) ^ (other[index] ?? 0);
    if (difference !== 0) return 8 * index + Math.clz32(difference) - 24;
  }
  return most;
}
