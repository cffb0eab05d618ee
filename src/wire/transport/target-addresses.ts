import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { addressOf } from '../../base/kernel/address.ts';
import { systemCode } from '../../base/kernel/errors.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** How long a shard's dials use an answer of the resolver (docs/developers/wire.md, "Names"). */
export const ANSWER_KEPT_MS = 5000;

/** Returns the addresses of a host, in the resolver's order. Rejects with the error of `getaddrinfo`. */
export type Resolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Returns the addresses of a base URL's host, in the resolver's order; empty if it does not resolve. */
export function resolveTarget(baseUrl: string): Promise<readonly string[]> {
  return resolveHost(addressOf(new URL(baseUrl)).host);
}

/** Returns the addresses of a host, in the resolver's order; empty if it does not resolve. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  return isIP(host) > 0 ? [host] : systemResolver(host).catch(() => []);
}

/** Returns whether all addresses of a target are loopback; false without addresses. */
export function areLoopback(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isLoopback);
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The addresses that a dial may use; `problem` explains why there are none. */
export type KnownAddresses = {
  readonly addresses: readonly string[];
  /** The addresses of this machine from which they are reached; without an entry, one is unreachable. Asked only if there are several. */
  readonly reachedFrom: ReadonlyMap<string, string> | undefined;
  readonly problem: NameProblem | undefined;
};

type NameProblem = Error & { readonly code: 'ENOTFOUND' };

function nameProblem(host: string, found: readonly string[]): NameProblem {
  const why = found.length === 0 ? 'no address' : `${found.join(', ')}, which is not this machine, and not allowed`;
  return Object.assign(new Error(`resolve ${host}: ${why}`), { code: 'ENOTFOUND' as const });
}

export type TargetAddresses = {
  /** Calls back immediately, unless the resolver must be asked again; then all dials wait for one answer. */
  ask(callback: (known: KnownAddresses) => void): void;
};

export type TargetName = {
  readonly host: string;
  /** What `resolveTarget` returned; `undefined`: the first dial asks the resolver. */
  readonly addresses: readonly string[] | undefined;
  /** Their sources; `undefined`: the first dial asks the system. */
  readonly reachedFrom: KnownAddresses['reachedFrom'];
  /** The target was not allowed by name: no dial leaves this machine, whatever the resolver returns later. */
  readonly loopbackOnly: boolean;
  readonly resolver: Resolver;
};

/** Checks each answer of the resolver. A name that no longer exists has no address; after other failures, the last answer remains valid. */
export function createTargetAddresses({
  host,
  addresses,
  reachedFrom,
  loopbackOnly,
  resolver,
}: TargetName): TargetAddresses {
  const permitted = (found: readonly string[]): KnownAddresses => {
    const possible = loopbackOnly ? found.filter(isLoopback) : found;
    const problem = possible.length === 0 ? nameProblem(host, found) : undefined;
    return { addresses: possible, reachedFrom: undefined, problem };
  };
  let known: KnownAddresses = { ...permitted(addresses ?? []), reachedFrom };
  let knownSinceMs = addresses === undefined ? Number.NEGATIVE_INFINITY : performance.now();
  let waiting: ((known: KnownAddresses) => void)[] = [];
  const isFresh = (): boolean => isIP(host) > 0 || performance.now() - knownSinceMs < ANSWER_KEPT_MS;
  const hasSources = (): boolean => known.addresses.length < 2 || known.reachedFrom !== undefined;
  const resolveAgain = async (): Promise<void> => {
    try {
      known = permitted(await resolver(host));
    } catch (error) {
      if (systemCode(error) === 'ENOTFOUND') known = permitted([]);
    }
    knownSinceMs = performance.now();
  };
  const answerAll = async (): Promise<void> => {
    if (!isFresh()) await resolveAgain();
    if (known.addresses.length > 1) known = { ...known, reachedFrom: await sourcesOf(known.addresses) };
    const answered = waiting;
    waiting = [];
    for (const callback of answered) callback(known);
  };
  return {
    ask: (callback) => {
      if (isFresh() && hasSources()) return callback(known);
      if (waiting.push(callback) === 1) void answerAll();
    },
  };
}

// Nothing is sent, so any port will do.
const ANY_PORT = 9;

/** The addresses that the system would choose as sources, found like in Go with sockets that send nothing. */
export async function sourcesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(addresses.map(async (address) => [address, await sourceOf(address)] as const));
  return new Map(found.flatMap(([address, source]) => (source === undefined ? [] : [[address, source]])));
}

function sourceOf(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    const end = (source: string | undefined): void => {
      socket.close();
      resolve(source);
    };
    socket.once('error', () => end(undefined));
    socket.connect(ANY_PORT, address, () => end(socket.address().address));
  });
}
