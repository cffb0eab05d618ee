import { z } from 'zod';
import {
  countSourceAddresses,
  MOST_SOURCE_ADDRESSES,
  SOURCE_ADDRESSES,
  sourceAddressesOf,
} from '../source-addresses.ts';

const ADDRESSES = 'an address of this machine such as 192.0.2.7, or a range such as 127.0.0.2-127.0.0.9';
const LIST = `a list with up to ${MOST_SOURCE_ADDRESSES} addresses in all, each once`;

const addresses = z
  .string(ADDRESSES)
  .regex(SOURCE_ADDRESSES, { error: ADDRESSES, abort: true })
  .refine((entry) => countSourceAddresses(entry) > 0, ADDRESSES)
  .meta({
    title: 'source',
    description: 'An IPv4 or IPv6 address, or an IPv4 range with its first and its last address.',
    examples: ['192.0.2.7', '127.0.0.2-127.0.0.9', 'fd00::2'],
  });

/** Addresses that a fleet's connections leave from, as they are written. */
export const sourceAddresses = z
  .array(addresses, LIST)
  .superRefine((entries, context) => {
    const found = faultOf(entries.filter((entry) => typeof entry === 'string'));
    if (found !== undefined) context.addIssue({ code: 'custom', message: LIST, params: { found } });
  })
  .default([])
  .meta({
    description:
      "This machine's own addresses that the agents' connections leave from, in turn: each has about 28,000 ports to one server. Left out: the system chooses one.",
    examples: [['127.0.0.2-127.0.0.9'], ['192.0.2.7', '192.0.2.8']],
  });

function faultOf(entries: readonly string[]): string | undefined {
  const count = entries.reduce((sum, entry) => sum + countSourceAddresses(entry), 0);
  if (count > MOST_SOURCE_ADDRESSES) return `${count}`;
  const seen = new Set<string>();
  for (const address of sourceAddressesOf(entries.filter((entry) => countSourceAddresses(entry) > 0))) {
    if (seen.has(address)) return `${address} twice`;
    seen.add(address);
  }
  return undefined;
}
