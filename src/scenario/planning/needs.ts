import { isLoopback, type PortRange } from '../../base/kernel/address.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { Scenario } from '../scenario.ts';
import { baseUrlsOf } from '../server-urls.ts';
import { sourceAddressesOf } from '../source-addresses.ts';
import type { CompiledDocuments, FleetSize } from './fleet-size.ts';

/** Where the server is: for an embedded one, both ends of each connection are in the same process. */
export type ServerLocation = 'external' | 'embedded';

/** Need of a fleet for a resource: a base, and an amount per agent or connection. */
export type Cost = { readonly base: number; readonly each: number };

const RESOURCES = ['fileDescriptors', 'localPorts', 'memoryBytes'] as const;
export type Resource = (typeof RESOURCES)[number];

/** How to get as much of a resource as is needed. */
export function remedyFor(resource: Resource, needed: number): string {
  const remedies: Readonly<Record<Resource, string>> = {
    fileDescriptors: `raise it with ulimit -n ${needed}, LimitNOFILE=${needed} in a systemd unit, or --ulimit nofile=${needed} for a container`,
    localPorts:
      'list more addresses in fleet.sourceAddresses, widen the range with sysctl -w net.ipv4.ip_local_port_range="1024 65535", or share connections',
    memoryBytes: 'use a machine or container with more memory, or fewer agents',
  };
  return remedies[resource];
}

/**
 * Descriptors and ports are per connection, memory is per agent. The base of descriptors covers files, threads and the runtime. Memory was
 * measured with fleets of 10 to 10,000 agents on Node 26, without kernel buffers.
 */
export const COSTS: Readonly<Record<ServerLocation, Readonly<Record<Resource, Cost>>>> = {
  external: {
    fileDescriptors: { base: 64, each: 1 },
    localPorts: { base: 0, each: 1 },
    memoryBytes: { base: 170e6, each: 8e3 },
  },
  embedded: {
    fileDescriptors: { base: 64, each: 2 },
    localPorts: { base: 0, each: 1 },
    memoryBytes: { base: 170e6, each: 40e3 },
  },
};

/**
 * Additional memory of a TLS connection: OpenSSL's state, and the last encrypted and received data. An embedded server has the other end.
 * 5,000 and 10,000 connections took 568 and 919 MB in total to another server; 1,000 and 3,000 took 402 and 761 to an embedded one.
 */
const TLS_CONNECTION_BYTES: Readonly<Record<ServerLocation, number>> = { external: 45e3, embedded: 140e3 };

/** More memory of HTTP/2: nghttp2's frames, header tables, Node's streams. 10,000 connections took 1,588 MB in total, 1,500 took 423. */
const HTTP2_CONNECTION_BYTES = 53e3;

/** An agent that shares connections and does not listen: its password, and its entries in tables. An embedded server has its own. */
const IDLE_AGENT_BYTES: Readonly<Record<ServerLocation, number>> = { external: 500, embedded: 3100 };
/** An agent that is only polled, without its port, and what the embedded server stores for it: 9,000 took 463 MB in total. */
const POLLED_AGENT_BYTES = 14e3;
const LISTENER_BYTES = 10e3;
/** An agent that pushes and listens: it also serves what it pushed last. */
const PUSHING_LISTENER_BYTES = 40e3;

/** A thread, with its heap and buffers. */
const WORKER_BYTES = 40e6;

type CompiledCost = {
  readonly mostBytes: number;
  readonly packagesBytes: number;
  /** Agents of one worker of which half of that is compiled. */
  readonly halfAgents: number;
};

/** Documents that a worker compiles for a group of hosts. They have variants, natural ones most, and each is compiled for its first agent. */
const COMPILED: Readonly<Record<CompiledDocuments['payload'], CompiledCost>> = {
  lean: { mostBytes: 0, packagesBytes: 0, halfAgents: 1 },
  typical: { mostBytes: 10e6, packagesBytes: 6e6, halfAgents: 11 },
  full: { mostBytes: 38e6, packagesBytes: 7e6, halfAgents: 11 },
  natural: { mostBytes: 140e6, packagesBytes: 126e6, halfAgents: 170 },
};
/** A certificate, its key and the client authority, ready for handshakes, and what handshakes leave behind. */
const TLS_CONTEXT_BYTES = 50e3;

/** The poller's heap and handshakes when it polls over TLS: 1,500 agents took 463 MB in total, 5,000 took 612. */
const TLS_POLLER_BYTES = 60e6;

/** Maximum need of a fleet for sockets. */
export function socketNeeds(
  resource: Socket,
  { connections, connectionsPerSource, listeners, polls, attackSockets, attackSocketsPerSource }: FleetSize,
  server: ServerLocation,
): number {
  const cost = COSTS[server][resource];
  if (resource === 'localPorts') return needed(cost, connectionsPerSource + attackSocketsPerSource);
  return needed(cost, connections + attackSockets) + listeners + 2 * polls;
}

/** Resident memory of a fleet with this many workers, after an hour. */
export function memoryNeeds(fleet: FleetSize, server: ServerLocation, workers: number): number {
  const cost = COSTS[server].memoryBytes;
  const { agents, connections, tlsConnections, listeners, tlsContexts, polls } = fleet;
  const whole = Math.max(connections, listeners);
  const agentBytes = needed(connections === 0 ? { ...cost, each: POLLED_AGENT_BYTES } : cost, whole);
  return (
    agentBytes +
    workers * (WORKER_BYTES + compiledBytes(fleet, workers)) +
    readingBytes(fleet) +
    (agents - whole) * IDLE_AGENT_BYTES[server] +
    listeners * (connections === 0 ? LISTENER_BYTES : PUSHING_LISTENER_BYTES) +
    tlsConnections * TLS_CONNECTION_BYTES[server] +
    tlsContexts * TLS_CONTEXT_BYTES +
    fleet.http2Connections * HTTP2_CONNECTION_BYTES +
    (polls > 0 && tlsContexts > 0 ? TLS_POLLER_BYTES : 0) +
    attackBytesOf(fleet, server)
  );
}

/**
 * Reading many recorded documents, and a compiled one for each byte of its texts, and of the packages that it also pushes. Recordings of 100, 300
 * and 1,000 hosts with 58 KB of texts took 307, 385 and 468 MB in total for 1,000 agents of one worker; the last with packages 597.
 */
const RECORDED = { reading: 45e6, halfDocuments: 100, eachByte: 5, eachPackagesByte: 13 };

function readingBytes({ documents }: FleetSize): number {
  const read = documents.reduce((sum, { recorded }) => sum + (recorded?.documents ?? 0), 0);
  return (RECORDED.reading * read) / (read + RECORDED.halfDocuments);
}

/** For one of the workers. */
function compiledBytes(fleet: FleetSize, workers: number): number {
  return fleet.documents.reduce(
    (sum, { payload, agents, withPackages, recorded }) => {
      if (recorded !== undefined) return sum;
      const { mostBytes, packagesBytes, halfAgents } = COMPILED[payload];
      const own = agents / workers;
      return sum + ((mostBytes + (withPackages ? packagesBytes : 0)) * own) / (own + halfAgents);
    },
    recordedBytes(fleet, workers),
  );
}

/** What one of the workers compiles of recordings, of which agents draw their documents. */
export function recordedBytes({ documents }: FleetSize, workers: number): number {
  return documents.reduce((sum, { agents, withPackages, recorded }) => {
    if (recorded === undefined) return sum;
    const bytes = RECORDED.eachByte * (recorded.checkdata + recorded.packages);
    const more = withPackages ? RECORDED.eachPackagesByte * recorded.packages : 0;
    return sum + recorded.documents * (1 - Math.exp(-agents / workers / recorded.documents)) * (bytes + more);
  }, 0);
}

/** Sockets of attacks count like others; the sender and the embedded server each keep a whole body. */
function attackBytesOf({ attackSockets, attackBytes, tlsConnections }: FleetSize, server: ServerLocation): number {
  const each = COSTS[server].memoryBytes.each + (tlsConnections > 0 ? TLS_CONNECTION_BYTES[server] : 0);
  return attackSockets * each + attackBytes * (server === 'embedded' ? 2 : 1);
}

/** Disk space of the results of a run, as measured: report and summary, a line of the timeline per second, and each operation's histograms. */
export function resultsBytes(
  phases: readonly { readonly durationMs: number; readonly loads: readonly unknown[] }[],
): number {
  const bytesOf = (loads: number): number => 1600 + 1700 * loads;
  return phases.reduce((sum, { durationMs, loads }) => sum + (durationMs / 1000) * bytesOf(loads.length), 180e3);
}

/** Disk space of a kept fleet: the figures of a year, and what it knows of each agent. */
export const FLEET_DISK: Cost = { base: 200e6, each: 1e3 };
/** The same with the figures of a week. */
export const FLEET_WEEK_DISK: Cost = { base: 40e6, each: 1e3 };

export type Need = ReturnType<typeof needsOf>[number];

/** The needs of a fleet for all resources. `workers`: their number, if it is not chosen for the machine. Unknown limits are enough. */
export function needsOf(
  fleet: FleetSize,
  server: ServerLocation,
  limits: Readonly<Record<Resource, number | undefined>> & {
    readonly cores: number;
    readonly workers?: number | undefined;
  },
) {
  const workers = Math.max(1, Math.min(fleet.agents, limits.workers ?? workersOn(limits.cores, server)));
  return RESOURCES.map((resource) => {
    const available = limits[resource];
    const needed =
      resource === 'memoryBytes' ? memoryNeeds(fleet, server, workers) : socketNeeds(resource, fleet, server);
    return { resource, needed, available, isEnough: available === undefined || needed <= available };
  });
}

type Socket = Exclude<Resource, 'memoryBytes'>;

/**
 * Number of dials for which there is room beyond one connection per agent: like those of a real agent, they continue after their requests
 * were abandoned. If agents listen, half of the remaining descriptors are reserved for their clients. `Infinity` if there is no limit, or
 * it is unknown.
 */
export function spareDials(
  fleet: FleetSize,
  server: ServerLocation,
  available: Readonly<Record<Socket, number | undefined>>,
): number {
  const left = (resource: Socket) =>
    (available[resource] ?? Number.POSITIVE_INFINITY) - socketNeeds(resource, fleet, server);
  const descriptors = left('fileDescriptors') / (fleet.listeners > 0 ? 2 : 1) / COSTS[server].fileDescriptors.each;
  return fleet.connections === 0 ? 0 : Math.max(0, Math.floor(Math.min(descriptors, left('localPorts'))));
}

/** Need of `count` agents or connections. */
export function needed({ base, each }: Cost, count: number): number {
  return base + each * count;
}

/** Number of agents or connections that fit. */
export function roomIn(available: number, { base, each }: Cost): number {
  return Math.max(0, Math.floor((available - base) / each));
}

/** One worker per core; the embedded server gets a core of its own. */
export function workersOn(cores: number, server: ServerLocation): number {
  return Math.max(1, Math.floor(server === 'embedded' ? cores - 1 : cores));
}

export function placeOf({ url }: { readonly url: string }): ServerLocation {
  return url === 'embedded' ? 'embedded' : 'external';
}

/** Of a machine and second; measured in docs/developers/performance.md, "cluster". */
const FRAME_BYTES = 6000;
/** Frames are kept while no coordinator adds them up, for instance until a person resumes a run. */
const KEPT_SECONDS = 3600;
/** Of the sum of a second: per operation, and per machine. */
const OPERATION_BYTES = 6000;
const MACHINE_BYTES = 150;
const PASSWORD_BYTES = 300;
/** Of the seven files of an agent that listens, with keys and certificates. */
const FILES_BYTES = 16_000;

/** Upper bound for what NATS stores of a run, if its coordinator is never away for longer than an hour. */
export function storeBytes({ fleet, phases, webServer }: Scenario, machines: number): number {
  const lastsMs = timelineEndMs(phases);
  const seconds = lastsMs === Number.POSITIVE_INFINITY ? 0 : lastsMs / 1000;
  const frames = machines * KEPT_SECONDS * FRAME_BYTES;
  const sums = seconds * (OPERATIONS.length * OPERATION_BYTES + machines * MACHINE_BYTES);
  const areKept = webServer !== undefined && (fleet.identities.kind === 'file' || lastsMs === Number.POSITIVE_INFINITY);
  return frames + sums + fleet.agents * (PASSWORD_BYTES + (areKept ? FILES_BYTES : 0));
}

/** A sentence if agents listen on ephemeral ports: the kernel may give a connection one on which an agent is about to listen. */
export function ephemeralListeners(
  { webServer, fleet, target, phases }: Scenario,
  range: PortRange | undefined,
): string | undefined {
  if (webServer?.listen.kind !== 'ports' || range === undefined) return undefined;
  const { host, firstPort } = webServer.listen;
  const isPushing = phases.some(({ loads }) => loads.length > 0);
  const connectsFrom =
    target.pull !== undefined || (isPushing && baseUrlsOf(target).some((url) => isSourceOf(host, fleet, url)));
  const lastPort = firstPort + fleet.agents - 1;
  if (!connectsFrom || lastPort < range.first || firstPort > range.last) return undefined;
  return (
    `ports ${firstPort} to ${lastPort} overlap the ephemeral ports for connections from ${host}, ` +
    `${range.first} to ${range.last}: an agent may find its port in use; end below ${range.first} if you can`
  );
}

/** Whether connections to a URL may use this source address; for a remote target, any address except loopback. */
function isSourceOf(host: string, { sourceAddresses }: Scenario['fleet'], url: string): boolean {
  if (sourceAddresses.length > 0 && sourceAddressesOf(sourceAddresses).includes(host)) return true;
  const name = url === 'embedded' ? '127.0.0.1' : new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  const isAny = host === '0.0.0.0' || host === '::';
  return isAny || isLoopback(host) === isLoopback(name);
}
