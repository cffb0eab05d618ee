import { canonicalHost } from '../base/kernel/address.ts';
import { TargetNotAllowedError, UserError } from '../base/kernel/errors.ts';
import { counted, formatBytes } from '../base/kernel/units.ts';
import type { MachineLimits } from '../base/system/limits.ts';
import type { Shard } from '../load/shard.ts';
import { type FleetSize, fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import { needsOf, placeOf, recordedBytes, remedyFor, socketNeeds, workersOn } from '../scenario/planning/needs.ts';
import { proxyTo } from '../scenario/proxy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { baseUrlsOf, displayUrl } from '../scenario/server-urls.ts';
import { sourceAddressesOf } from '../scenario/source-addresses.ts';
import type { Target } from '../scenario/target.ts';
import type { AgentProxy } from '../wire/agent/proxy.ts';
import { trySource } from '../wire/transport/source-addresses.ts';
import { areLoopback } from '../wire/transport/target-addresses.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost|.*\.localhost)$/;

type Guarded = Pick<Target, 'url' | 'furtherUrls' | 'allow'>;

type GuardedUrl = Pick<Target, 'url' | 'allow'>;

/** The host that is dialed for a target: the target itself, or its proxy. */
type Dialed = { readonly name: string; readonly host: string };

/**
 * Refuses a target or proxy that is neither loopback nor allowed by name, before anything is resolved or sent.
 * @throws TargetNotAllowedError
 */
export function assertTargetAllowed(target: Guarded & Pick<Target, 'proxy'>): void {
  const refused = baseUrlsOf(target)
    .flatMap((url) => dialedFor(url, target.proxy))
    .find(({ host }) => !LOOPBACK.test(host) && !isNamed(host, target.allow));
  if (refused !== undefined) throw notAllowed(refused, 'is not on this machine');
}

/**
 * Refuses a host whose name looks like this machine but resolves to another one. A name without an address passes, because it cannot be
 * reached anyway.
 * @throws TargetNotAllowedError
 */
export function assertAddressesAllowed(target: GuardedUrl, addresses: readonly string[], proxy?: AgentProxy): void {
  if (addresses.length === 0 || areLoopback(addresses) || isAllowedByName(target, proxy)) return;
  if (proxy === undefined && target.url === 'embedded') return;
  const dialed = proxy === undefined ? targetAt(target.url) : proxyAt(proxy);
  throw notAllowed(dialed, `resolves to ${addresses.join(', ')}, which is not this machine`);
}

/** Whether the dialed host, the proxy's or else the target's, may be another machine. */
export function isAllowedByName({ url, allow }: GuardedUrl, proxy?: AgentProxy): boolean {
  if (proxy !== undefined) return isNamed(proxyAt(proxy).host, allow);
  return url !== 'embedded' && isNamed(targetAt(url).host, allow);
}

/** Behind a proxy, the target is loaded too, so both are checked. */
function dialedFor(url: string, choice: Target['proxy']): readonly Dialed[] {
  const isEmbedded = url === 'embedded';
  const proxy = proxyTo(isEmbedded ? 'http://127.0.0.1' : url, choice);
  return [...(isEmbedded ? [] : [targetAt(url)]), ...(proxy === undefined ? [] : [proxyAt(proxy)])];
}

function targetAt(url: string): Dialed {
  return { name: `The target ${displayUrl(url)}`, host: new URL(url).hostname };
}

/** A proxy without a host is never dialed. */
function proxyAt({ host }: AgentProxy): Dialed {
  const written = host.includes(':') ? `[${host}]` : host.toLowerCase();
  return { name: `The proxy ${written}`, host: written === '' ? 'localhost' : written };
}

function isNamed(host: string, allow: readonly string[]): boolean {
  return allow.some((name) => canonicalHost(name) === canonicalHost(host));
}

function notAllowed({ name, host }: Dialed, why: string): TargetNotAllowedError {
  return new TargetNotAllowedError(
    `${name} ${why}: Muster sends load to other hosts only with permission. ` +
      `If you are permitted to load ${host}, add it to target.allow in the scenario or pass --allow ${host}.`,
  );
}

/** Refuses a shard without agents, or an embedded target that other shards cannot reach, before anything is sent. @throws UserError */
export function assertShardsPossible(
  { target, fleet }: Pick<Scenario, 'target' | 'fleet'>,
  { count }: Pick<Shard, 'count'>,
): void {
  if (count > fleet.agents) {
    throw new UserError(
      `fleet.agents: expected at least ${count}, one for each shard or machine, found ${fleet.agents}; use fewer shards or machines.`,
    );
  }
  if (count === 1 || target.url !== 'embedded') return;
  throw new UserError(
    'target.url: expected a server that all shards can reach, found embedded, which each process runs for itself; ' +
      'start a server with muster serve and pass --target.',
  );
}

const NAMES = { fileDescriptors: 'file descriptors', localPorts: 'local ports of one address' } as const;

/** Two threads started with 32 GB and with no less than 28; Node ends the process if it cannot reserve it. */
const MIN_ADDRESS_BYTES = 32e9;

/** Of recorded hosts in a thread, whose heap Node limits to 4 GB; half of what they take is outside of it. */
const MAX_RECORDED_BYTES = 4e9;

/**
 * Refuses a fleet that needs more connections and listeners than this machine can open, before anything is sent. A run that reaches the
 * limit would measure this machine. Also refuses an address space in which Node's threads do not start, and recorded hosts that they
 * cannot hold.
 * @throws UserError with the numbers and a remedy.
 */
export function assertRoomFor(scenario: Parameters<typeof fleetSizeOf>[0], shard: Shard, limits: MachineLimits): void {
  const { addressBytes = Number.POSITIVE_INFINITY } = limits;
  if (addressBytes < MIN_ADDRESS_BYTES)
    throw new UserError(
      `ulimit -v: expected at least ${formatBytes(MIN_ADDRESS_BYTES)} of addresses, which threads of Node reserve without using them, found ${formatBytes(addressBytes)}; ` +
        'lift it with ulimit -v unlimited, and limit memory with a container or a cgroup.',
    );
  const size = fleetSizeOf(scenario, shard);
  const server = placeOf(scenario.target);
  const recorded = recordedBytes(size, workersOn(limits.cores, server));
  if (recorded > MAX_RECORDED_BYTES)
    throw new UserError(
      `fleet.profiles: expected recorded hosts that take at most ${formatBytes(MAX_RECORDED_BYTES)} in each worker, found some that take ${formatBytes(recorded)}; ` +
        'use more machines, or recordings of fewer hosts.',
    );
  for (const { resource, needed, available, isEnough } of needsOf(size, server, limits)) {
    // Too little memory refuses no connection.
    if (isEnough || resource === 'memoryBytes') continue;
    const per = resource === 'fileDescriptors' ? ' per process' : '';
    throw new UserError(
      `${takersOf(size)} need ${needed} ${NAMES[resource]}, but this machine allows ${available}${per}: ${remedyFor(resource, needed)}.`,
    );
  }
}

/** One sentence if file descriptors do not suffice for a client of each listening agent; `undefined` if they do, or are unknown. */
export function littleRoomForClients(
  target: Pick<Target, 'url' | 'pull'>,
  size: FleetSize,
  { fileDescriptors }: Pick<MachineLimits, 'fileDescriptors'>,
): string | undefined {
  if (target.pull !== undefined || fileDescriptors === undefined) return undefined;
  const needed = socketNeeds('fileDescriptors', size, placeOf(target));
  const room = Math.max(0, fileDescriptors - needed);
  if (room >= size.listeners) return undefined;
  return (
    `${counted(size.listeners, 'listening agent')} leave file descriptors for ${counted(room, 'concurrent client connection')}: ` +
    `agents close any beyond that, and the run becomes INVALID; ${remedyFor('fileDescriptors', needed + size.listeners)}`
  );
}

/** Users of descriptors and ports as text, such as `1000 listeners, 64 concurrent polls`. */
function takersOf({ connections, listeners, polls, attackSockets }: FleetSize): string {
  const takers = [
    [connections, 'connection'],
    [listeners, 'listener'],
    [polls, 'concurrent poll'],
    [attackSockets, 'attack socket'],
  ] as const;
  return takers.flatMap(([count, name]) => (count > 0 ? [counted(count, name)] : [])).join(', ');
}

/**
 * Refuses source addresses that connections cannot use, before anything is sent: each would cause thousands of failed dials. Addresses that
 * the number of connections does not require are not checked.
 *
 * @param targets addresses of the target's host; empty if it does not resolve.
 * @throws UserError
 */
export async function assertSourcesUsable(scenario: Scenario, shard: Shard, targets: readonly string[]): Promise<void> {
  const { connections } = fleetSizeOf(scenario, shard);
  for (const source of sourceAddressesOf(scenario.fleet.sourceAddresses).slice(0, connections)) {
    const problem = await trySource(source, targets);
    if (problem === 'not_local')
      throw new UserError(
        `fleet.sourceAddresses: expected addresses of this machine, found ${source}: ` +
          `add it with ip address add ${source} dev INTERFACE, or remove it from the list.`,
      );
    if (problem === 'no_route')
      throw new UserError(
        `fleet.sourceAddresses: expected addresses that can reach the target, found ${source}, which has no route to ` +
          `${targets.join(', ')}: list addresses of a network with a route to it.`,
      );
  }
}
