import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import type { PortRange } from '../../base/kernel/address.ts';

/** The source addresses of a shard's connections: connection n uses address n modulo their count. */
export type Sources = {
  /** Addresses of this machine; if empty, the system chooses address and port. */
  readonly addresses: readonly string[];
  /** `undefined`: the system chooses a port. */
  readonly ports: PortRange | undefined;
  /** Start position in the range, from 0 up to 1. Shards that share addresses start at different positions. */
  readonly beginAt: number;
};

/** The source of a dial, in the format of `net.connect`. */
export type Source = { readonly localAddress: string; readonly localPort: number; readonly family: number };

// Errors of bind and connect if the port is in use; which of the two calls failed is not known.
const IN_USE = new Set<unknown>(['EADDRINUSE', 'EADDRNOTAVAIL']);

export type SourcePorts = ReturnType<typeof createSourcePorts>;

/**
 * Creates the ports of a source address, one for each dial. Otherwise the kernel would choose a port when the address is bound,
 * before it knows the destination. It would search past all taken ports, which takes milliseconds once thousands are taken.
 */
export function createSourcePorts(localAddress: string, { ports, beginAt }: Sources) {
  const first = ports?.first ?? 0;
  const count = ports === undefined ? 1 : ports.last - ports.first + 1;
  const family = isIP(localAddress);
  let offset = Math.floor(beginAt * count);
  let inUseInARow = 0;
  return {
    /** Returns the next port of the range, in turn. */
    next: (): Source => {
      const localPort = first + offset;
      offset = (offset + 1) % count;
      return { localAddress, localPort, family };
    },
    /** Records that a dial failed. Returns whether only its port was in use, and others are left to try. */
    dialFailed: ({ code }: Error & { code?: unknown }): boolean =>
      ports !== undefined && IN_USE.has(code) && ++inUseInARow < count,
    /** Records that a dial connected. */
    dialConnected: () => {
      inUseInARow = 0;
    },
  };
}

/** Why no connection can use a source address: this machine does not have it, or it has no route to the target. */
type SourceProblem = 'not_local' | 'no_route';

// Nothing is sent, so any port will do.
const ANY_PORT = 9;

/** Tests a source address with a socket that sends nothing. Without `targets`, IP addresses, only tests whether this machine has it. */
export async function trySource(source: string, targets: readonly string[]): Promise<SourceProblem | undefined> {
  const target = targets.find((one) => isIP(one) === isIP(source));
  const socket = createSocket(isIP(source) === 6 ? 'udp6' : 'udp4');
  try {
    if (!(await succeeds((done) => socket.once('error', done).bind({ address: source, exclusive: true }, done))))
      return 'not_local';
    if (targets.length === 0) return undefined;
    const hasRoute = target !== undefined && (await succeeds((done) => socket.connect(ANY_PORT, target, done)));
    return hasRoute ? undefined : 'no_route';
  } finally {
    socket.close();
  }
}

function succeeds(attempt: (done: (error?: Error) => void) => void): Promise<boolean> {
  return new Promise((resolve) => attempt((error) => resolve(error === undefined || error === null)));
}
