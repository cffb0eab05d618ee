import { isIP } from 'node:net';
import type { PortRange } from '../kernel/address.ts';

/** Where the connections of a shard leave from: connection n from address n modulo their count. */
export type Sources = {
  /** This machine's own; none: the system chooses address and port. */
  readonly addresses: readonly string[];
  /** Undefined: the system chooses a port. */
  readonly ports: PortRange | undefined;
  /** Where in the range to begin, 0 up to 1: shards that share addresses begin at different places. */
  readonly beginAt: number;
};

/** What a dial leaves from, as `net.connect` takes it. */
export type Source = { readonly localAddress: string; readonly localPort: number; readonly family: number };

/** The ports of one source address. */
export type SourcePorts = {
  /** The addresses of the range in turn. */
  next(): Source;
  /** Whether a dial that failed so did for its port alone, and the next port is worth a try. */
  isTaken(error: Error & { code?: unknown }): boolean;
  /** A port was free. */
  readonly found: () => void;
};

// Of bind and of connect: the system does not tell apart who has the port.
const TAKEN = new Set<unknown>(['EADDRINUSE', 'EADDRNOTAVAIL']);

/**
 * Names a port for each dial. Left to it, the kernel looks for one when the address is bound, before it knows where the dial
 * goes to: it goes through those that are taken, and that takes milliseconds once there are some thousands.
 */
export function createSourcePorts(localAddress: string, { ports, beginAt }: Sources): SourcePorts {
  const first = ports?.first ?? 0;
  const count = ports === undefined ? 1 : ports.last - ports.first + 1;
  const family = isIP(localAddress);
  let offset = Math.floor(beginAt * count);
  let takenInARow = 0;
  return {
    next: () => {
      const localPort = first + offset;
      offset = (offset + 1) % count;
      return { localAddress, localPort, family };
    },
    isTaken: ({ code }) => ports !== undefined && TAKEN.has(code) && ++takenInARow < count,
    found: () => {
      takenInARow = 0;
    },
  };
}
