import type { Address } from '../kernel/address.ts';
import type { AddressCounts, Ending } from '../protocol/exchange.ts';

/** Counts what comes of one address. */
export type Tally = { -readonly [Key in keyof AddressCounts]: AddressCounts[Key] };

export type AddressTallies = {
  /** The same for the same address of a base URL. */
  of(base: Address, address: string): Tally;
  read(): readonly AddressCounts[];
};

export function createAddressTallies(): AddressTallies {
  const all = new Map<string, Tally>();
  return {
    of: ({ host, port }, address) => {
      const key = `${host} ${port} ${address}`;
      const known = all.get(key);
      if (known !== undefined) return known;
      const tally = { host, port, address, connections: 0, failedDials: 0, requests: 0, failed: 0 };
      all.set(key, tally);
      return tally;
    },
    read: () => [...all.values()].map((tally) => ({ ...tally })),
  };
}

/** A request that was sent to the address has ended; `ending` undefined: it was given up. */
export function countRequest(tally: Tally, ending: Ending | undefined): void {
  tally.requests++;
  if (ending?.kind !== 'answer' || (ending.status !== 200 && ending.status !== 201)) tally.failed++;
}
