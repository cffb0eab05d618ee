import { ipv4Of, numberOfIpv4 } from '../base/kernel/address.ts';
import { IPV4_PATTERN } from './listen-range.ts';

/** The notation of an entry of `fleet.sourceAddresses` for a JSON Schema; it also matches some invalid entries. */
export const SOURCE_ADDRESSES = new RegExp(`^(?:${IPV4_PATTERN}(?:-${IPV4_PATTERN})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$`);

/** More than any fleet needs; bounded, so that a typo does not exhaust memory. */
export const MAX_SOURCE_ADDRESSES = 65_536;

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
