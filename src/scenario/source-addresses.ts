import { ipv4Of, numberOfIpv4 } from '../kernel/address.ts';

const IPV4 = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;

/** The forms of an entry of `fleet.sourceAddresses`, for a JSON Schema; what they let pass need not be one. */
export const SOURCE_ADDRESSES = new RegExp(`^(?:${IPV4}(?:-${IPV4})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$`);

/** More than any fleet needs; a bound, so that a typing error does not fill the memory. */
export const MOST_SOURCE_ADDRESSES = 65_536;

/** How many addresses `127.0.0.2`, `127.0.0.2-127.0.0.9` or `fd00::2` stand for; 0 for anything else. */
export function countSourceAddresses(entry: string): number {
  if (entry.includes(':')) return URL.canParse(`http://[${entry}]`) ? 1 : 0;
  const { first, last } = rangeOf(entry);
  return first === undefined || last === undefined ? 0 : Math.max(0, last - first + 1);
}

/** The addresses that entries stand for, in their order. The checks let none pass that stands for none. */
export function sourceAddressesOf(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => {
    // The shortest form, so that equal addresses are equal texts.
    if (entry.includes(':')) return new URL(`http://[${entry}]`).hostname.slice(1, -1);
    const { first = 0 } = rangeOf(entry);
    return Array.from({ length: countSourceAddresses(entry) }, (_, index) => ipv4Of(first + index));
  });
}

function rangeOf(entry: string): { readonly first: number | undefined; readonly last: number | undefined } {
  const [first = '', last = first] = entry.split('-');
  return { first: numberOfIpv4(first), last: numberOfIpv4(last) };
}
