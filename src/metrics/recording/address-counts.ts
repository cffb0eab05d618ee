import type { AddressCounts } from '../../base/protocol/exchange.ts';

/** Adds up the counts of several shards; sorted by host, port and address. */
export function sumAddresses(counts: readonly AddressCounts[]): readonly AddressCounts[] {
  const groups = Map.groupBy(counts, ({ host, port, address }) => `${host} ${port} ${address}`);
  return [...groups.values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : others.reduce(plus, first)))
    .sort(byPlace);
}

function plus(one: AddressCounts, other: AddressCounts): AddressCounts {
  return {
    ...one,
    connections: one.connections + other.connections,
    failedDials: one.failedDials + other.failedDials,
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    ...(one.protocols && {
      protocols: {
        http1: one.protocols.http1 + (other.protocols?.http1 ?? 0),
        http2: one.protocols.http2 + (other.protocols?.http2 ?? 0),
      },
    }),
  };
}

/** Whether some connections speak HTTP/2 and others do not. */
export function speakBothProtocols(counts: readonly AddressCounts[]): boolean {
  return counts.some(({ protocols }) => protocols?.http1) && counts.some(({ protocols }) => protocols?.http2);
}

function byPlace(one: AddressCounts, other: AddressCounts): number {
  return (
    one.host.localeCompare(other.host, 'en') ||
    one.port - other.port ||
    one.address.localeCompare(other.address, 'en', { numeric: true })
  );
}
