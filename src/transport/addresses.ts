import { lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { addressOf, type PortRange } from '../kernel/address.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const LOCAL_NAME = /(^|\.)localhost$/i;

// A target that is away makes thousands of dials fail: one question in so long is enough to learn of its new address.
const ASK_AGAIN_MS = 5000;

/** The addresses of a base URL's host, in the resolver's order; none if it does not resolve. */
export async function resolveTarget(baseUrl: string): Promise<readonly string[]> {
  const { host } = addressOf(new URL(baseUrl));
  if (isIP(host) > 0) return [host];
  const found = await resolve(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Whether all of a target's addresses are this machine; a host without any is not. */
export function areLoopback(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every((address) => LOOPBACK.check(address, familyOf(address)));
}

/** The addresses that dials go to. */
export type TargetAddresses = {
  /** Stands in for the resolver: answers at once with what is known. */
  readonly lookup: LookupFunction;
  /** A dial has failed: the name may belong to other addresses by now. */
  failed(): void;
};

/**
 * Starts with what `resolveTarget` found for `host`. What was this machine alone never becomes another one, nor does a name
 * of this machine that had no address: such targets were not allowed by name.
 */
export function createTargetAddresses(host: string, initial: readonly string[]): TargetAddresses {
  let addresses = initial;
  let askedMs = Number.NEGATIVE_INFINITY;
  const accept = (found: readonly string[]): void => {
    const isHere = addresses.length > 0 ? areLoopback(addresses) : LOCAL_NAME.test(host);
    if (found.length > 0 && (!isHere || areLoopback(found))) addresses = found;
  };
  return {
    lookup: (_name, { family, all }, callback) => {
      const known = addresses.map((address) => ({ address, family: isIP(address) }));
      const fitting = known.filter((one) => !family || one.family === family);
      const [first] = fitting;
      if (first === undefined) callback(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), []);
      else if (all) callback(null, fitting);
      else callback(null, first.address, first.family);
    },
    failed: () => {
      const nowMs = performance.now();
      if (isIP(host) > 0 || nowMs - askedMs < ASK_AGAIN_MS) return;
      askedMs = nowMs;
      lookup(host, { all: true }, (error, found) => {
        if (error === null) accept(found.map(({ address }) => address));
      });
    },
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

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
  /** Those of the range in turn, whoever may have them. */
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
