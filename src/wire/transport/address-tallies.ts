import type { Address } from '../../base/kernel/address.ts';
import type { AddressCounts, Ending } from '../../base/protocol/exchange.ts';
import type { Tally } from './dial.ts';

export type AddressTallies = ReturnType<typeof createAddressTallies>;

/** @param hasChoice whether servers can choose between HTTP/1.1 and HTTP/2. */
export function createAddressTallies(hasChoice: boolean) {
  const all = new Map<string, Tally>();
  return {
    /** Returns the same tally each time for an address of a base URL. */
    of: ({ host, port }: Address, address: string): Tally => {
      const key = `${host} ${port} ${address}`;
      const known = all.get(key);
      if (known !== undefined) return known;
      const protocols = hasChoice ? { http1: 0, http2: 0 } : undefined;
      const tally = { host, port, address, connections: 0, failedDials: 0, requests: 0, failed: 0, protocols };
      all.set(key, tally);
      return tally;
    },
    read: (): readonly AddressCounts[] =>
      [...all.values()].map(({ protocols, ...tally }) => ({
        ...tally,
        ...(protocols && { protocols: { ...protocols } }),
      })),
  };
}

/** Counts a request sent to the address that has ended; `ending` is `undefined` if it was abandoned. */
export function countRequest(tally: Tally, ending: Ending | undefined): void {
  tally.requests++;
  if (ending?.kind !== 'answer' || (ending.status !== 200 && ending.status !== 201)) tally.failed++;
}
