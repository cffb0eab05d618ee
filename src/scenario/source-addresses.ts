import { z } from 'zod';
import { ipv4Of, numberOfIpv4 } from '../base/kernel/address.ts';
import { IPV4_PATTERN } from './listen-range.ts';

/** Also matches some invalid entries. */
const NOTATION = new RegExp(`^(?:${IPV4_PATTERN}(?:-${IPV4_PATTERN})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$`);

/** More than any fleet needs; bounded, so that a typo does not exhaust memory. */
const MAX_ADDRESSES = 65_536;

const ENTRY = 'an address of this machine such as 192.0.2.7, or a range such as 127.0.0.2-127.0.0.9';
const LIST = `a list with up to ${MAX_ADDRESSES} addresses in total, each once`;

const entry = z
  .string(ENTRY)
  .regex(NOTATION, { error: ENTRY, abort: true })
  .refine((text) => countSourceAddresses(text) > 0, ENTRY)
  .meta({
    title: 'source',
    description: 'An IPv4 or IPv6 address, or an IPv4 range from the first to the last address.',
    examples: ['192.0.2.7', '127.0.0.2-127.0.0.9', 'fd00::2'],
  });

/** Local addresses of the fleet's connections, as written. */
export const sourceAddresses = z
  .array(entry, LIST)
  .superRefine((entries, context) => {
    const found = repeatedOrTooMany(entries.filter((entry) => typeof entry === 'string'));
    if (found !== undefined) context.addIssue({ code: 'custom', message: LIST, params: { found } });
  })
  .default([])
  .meta({
    description:
      'Addresses of this machine, used in turn for connections; each has about 28,000 ports per server. Left out: the system chooses one.',
    examples: [['127.0.0.2-127.0.0.9'], ['192.0.2.7', '192.0.2.8']],
  });

function repeatedOrTooMany(entries: readonly string[]): string | undefined {
  const count = entries.reduce((sum, entry) => sum + countSourceAddresses(entry), 0);
  if (count > MAX_ADDRESSES) return `${count}`;
  const seen = new Set<string>();
  for (const address of sourceAddressesOf(entries.filter((entry) => countSourceAddresses(entry) > 0))) {
    if (seen.has(address)) return `${address} twice`;
    seen.add(address);
  }
  return undefined;
}

/** Number of addresses in an entry such as `127.0.0.2`, `127.0.0.2-127.0.0.9` or `fd00::2`; 0 if it is invalid. */
export function countSourceAddresses(entry: string): number {
  if (entry.includes(':')) return URL.canParse(`http://[${entry}]`) ? 1 : 0;
  const { first, last } = rangeOf(entry);
  return first === undefined || last === undefined ? 0 : Math.max(0, last - first + 1);
}

/** Expands entries to addresses, in order. Earlier checks rule out invalid entries. */
export function sourceAddressesOf(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => {
    // The canonical form, so that equal addresses are equal strings.
    if (entry.includes(':')) return new URL(`http://[${entry}]`).hostname.slice(1, -1);
    const { first = 0 } = rangeOf(entry);
    return Array.from({ length: countSourceAddresses(entry) }, (_, index) => ipv4Of(first + index));
  });
}

function rangeOf(entry: string): { readonly first: number | undefined; readonly last: number | undefined } {
  const [first = '', last = first] = entry.split('-');
  return { first: numberOfIpv4(first), last: numberOfIpv4(last) };
}
