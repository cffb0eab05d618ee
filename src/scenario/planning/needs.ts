import type { FleetSize } from './fleet-size.ts';
/** Where the server is: for an embedded one, both ends of each connection are in the same process. */
export type ServerPlace = 'external' | 'embedded';

/** Need of a fleet for a resource: a base, and an amount per agent or connection. */
export type Cost = { readonly base: number; readonly each: number };

export type Resource = 'fileDescriptors' | 'localPorts' | 'memoryBytes';

/** How to get as much of a resource as is needed. */
export function remedyFor(resource: Resource, needed: number): string {
  switch (resource) {
    case 'fileDescriptors':
      return `raise it with ulimit -n ${needed}, LimitNOFILE=${needed} in a systemd unit, or --ulimit nofile=${needed} for a container`;
    case 'localPorts':
      return 'list more addresses in fleet.sourceAddresses, widen the range with sysctl -w net.ipv4.ip_local_port_range="1024 65535", or share connections';
    case 'memoryBytes':
      return 'use a machine or container with more memory, or fewer agents';
  }
}

/**
 * Descriptors and ports are per connection, memory is per agent. The base of descriptors covers files, threads and the runtime. Memory was
 * measured with fleets of 10 to 10,000 agents of full size on Node 26 with two workers, without kernel buffers.
 */
export const COSTS: Readonly<Record<ServerPlace, Readonly<Record<Resource, Cost>>>> = {
  external: {
    fileDescriptors: { base: 64, each: 1 },
    localPorts: { base: 0, each: 1 },
    memoryBytes: { base: 290e6, each: 6e3 },
  },
  embedded: {
    fileDescriptors: { base: 64, each: 2 },
    localPorts: { base: 0, each: 1 },
    memoryBytes: { base: 250e6, each: 40e3 },
  },
};

/**
 * Additional memory of a TLS connection: OpenSSL's state, and the last encrypted and received data. An embedded server has the other end.
 * 5,000 and 10,000 connections took 568 and 919 MB in total to another server; 1,000 and 3,000 took 402 and 761 to an embedded one.
 */
const TLS_CONNECTION_BYTES: Readonly<Record<ServerPlace, number>> = { external: 60e3, embedded: 140e3 };

/**
 * Additional memory of HTTP/2: nghttp2's frames, header tables, and Node's streams. 10,000 connections took 1,588 MB in total, 1,500 took
 * 423.
 */
const HTTP2_CONNECTION_BYTES = 60e3;

/** An agent that shares connections and does not listen: its password, and its entries in tables. */
const IDLE_AGENT_BYTES = 500;
/** An agent that is only polled, without its port, and what the embedded server stores for it: 9,000 took 463 MB in total. */
const ASKED_AGENT_BYTES = 14e3;
const LISTENER_BYTES = 10e3;
/** A certificate, its key and the client authority, ready for handshakes, and what handshakes leave behind. */
const TLS_CONTEXT_BYTES = 50e3;

/** The poller's heap and handshakes when it polls over TLS: 1,500 agents took 463 MB in total, 5,000 took 612. */
const TLS_POLLER_BYTES = 60e6;

/** Maximum need of a fleet for a resource. */
export function fleetNeeds(resource: Resource, fleet: FleetSize, server: ServerPlace): number {
  const cost = COSTS[server][resource];
  const { agents, connections, connectionsPerSource, tlsConnections, listeners, tlsContexts, polls } = fleet;
  switch (resource) {
    case 'fileDescriptors':
      return needed(cost, connections + fleet.attackSockets) + listeners + 2 * polls;
    case 'localPorts':
      return needed(cost, connectionsPerSource + fleet.attackSocketsPerSource);
    case 'memoryBytes': {
      // The embedded server knows each agent, even if connections are shared.
      const whole = server === 'embedded' ? agents : Math.max(connections, listeners);
      const idleBytes = (agents - whole) * IDLE_AGENT_BYTES;
      const tlsBytes = tlsConnections * TLS_CONNECTION_BYTES[server] + tlsContexts * TLS_CONTEXT_BYTES;
      const http2Bytes = fleet.http2Connections * HTTP2_CONNECTION_BYTES;
      const pollerBytes = polls > 0 && tlsContexts > 0 ? TLS_POLLER_BYTES : 0;
      const agentBytes = needed(connections === 0 ? { ...cost, each: ASKED_AGENT_BYTES } : cost, whole);
      return (
        agentBytes +
        idleBytes +
        listeners * LISTENER_BYTES +
        tlsBytes +
        http2Bytes +
        pollerBytes +
        attackBytesOf(fleet, server)
      );
    }
  }
}

/** Sockets of attacks count like others; the sender and the embedded server each keep a whole body. */
function attackBytesOf({ attackSockets, attackBytes, tlsConnections }: FleetSize, server: ServerPlace): number {
  const each = COSTS[server].memoryBytes.each + (tlsConnections > 0 ? TLS_CONNECTION_BYTES[server] : 0);
  return attackSockets * each + attackBytes * (server === 'embedded' ? 2 : 1);
}

/** What a fleet needs of a resource, and what a machine has. */
export type Need = {
  readonly resource: Resource;
  readonly needed: number;
  /** `undefined` if unknown. */
  readonly available: number | undefined;
  /** Unknown limits count as sufficient. */
  readonly isEnough: boolean;
};

const RESOURCES = ['fileDescriptors', 'localPorts', 'memoryBytes'] as const;

/** The needs of a fleet for all resources. */
export function needsOf(
  fleet: FleetSize,
  server: ServerPlace,
  limits: Readonly<Record<Resource, number | undefined>>,
): readonly Need[] {
  return RESOURCES.map((resource) => {
    const [needed, available] = [fleetNeeds(resource, fleet, server), limits[resource]];
    return { resource, needed, available, isEnough: available === undefined || needed <= available };
  });
}

/** Known limits of a machine. */
type Available = { readonly fileDescriptors: number | undefined; readonly localPorts: number | undefined };

/**
 * Number of dials for which there is room beyond one connection per agent: like those of a real agent, they continue after their requests
 * were abandoned. If agents listen, half of the remaining descriptors are reserved for their clients. `Infinity` if there is no limit, or
 * it is unknown.
 */
export function spareDials(fleet: FleetSize, server: ServerPlace, available: Available): number {
  const left = (resource: 'fileDescriptors' | 'localPorts') =>
    (available[resource] ?? Number.POSITIVE_INFINITY) - fleetNeeds(resource, fleet, server);
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
export function workersOn(cores: number, server: ServerPlace): number {
  return Math.max(1, server === 'embedded' ? cores - 1 : cores);
}

export function placeOf({ url }: { readonly url: string }): ServerPlace {
  return url === 'embedded' ? 'embedded' : 'external';
}
