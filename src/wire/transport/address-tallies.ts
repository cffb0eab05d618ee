import type { Address } from '../../ground/kernel/address.ts';
import type { AddressCounts, Ending, ProtocolCounts } from '../../ground/protocol/exchange.ts';

export type Tally = Counting<Omit<AddressCounts, 'protocols'>> & {
  readonly protocols: Counting<ProtocolCounts> | undefined;
};

type Counting<Counts> = { -readonly [Key in keyof Counts]: Counts[Key] };

export type AddressTallies = {
  /** Returns the same tally each time for an address of a base URL. */
  of(base: Address, address: string): Tally;
  read(): readonly AddressCounts[];
};

/** @param hasChoice whether servers can choose between HTTP/1.1 and HTTP/2. */
export function createAddressTallies(hasChoice: boolean): AddressTallies {
  const all = new Map<string, Tally>();
  return {
    of: ({ host, port }, address) => {
      const key = `${host} ${port} ${address}`;
      const known = all.get(key);
      if (known !== undefined) return known;
      const protocols = hasChoice ? { http1: 0, http2: 0 } : undefined;
      const tally = { host, port, address, connections: 0, failedDials: 0, requests: 0, failed: 0, protocols };
      all.set(key, tally);
      return tally;
    },
    read: () =>
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

/** Counts a connection that is ready for requests. */
export function countProtocol(tally: Tally | undefined, protocol: keyof ProtocolCounts): void {
  if (tally?.protocols !== undefined) tally.protocols[protocol]++;
}
