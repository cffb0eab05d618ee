import type { Address } from '../kernel/address.ts';
import type { AddressCounts, Ending, ProtocolCounts } from '../protocol/exchange.ts';

/** Counts for one address. */
export type Tally = Counting<Omit<AddressCounts, 'protocols'>> & {
  readonly protocols: Counting<ProtocolCounts> | undefined;
};

type Counting<Counts> = { -readonly [Key in keyof Counts]: Counts[Key] };

export type AddressTallies = {
  /** The same for the same address of a base URL. */
  of(base: Address, address: string): Tally;
  read(): readonly AddressCounts[];
};

/** @param hasChoice whether servers choose between protocols. */
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

/** A request that was sent to the address has ended; `ending` undefined: it was given up. */
export function countRequest(tally: Tally, ending: Ending | undefined): void {
  tally.requests++;
  if (ending?.kind !== 'answer' || (ending.status !== 200 && ending.status !== 201)) tally.failed++;
}

/** A connection is ready for requests. */
export function countProtocol(tally: Tally | undefined, protocol: keyof ProtocolCounts): void {
  if (tally?.protocols !== undefined) tally.protocols[protocol]++;
}
