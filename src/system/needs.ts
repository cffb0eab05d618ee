/** Where a fleet's server is: the embedded one holds the other end of every connection in the same process. */
export type ServerPlace = 'elsewhere' | 'embedded';

/** Need of a fleet for a resource: a base, and an amount per agent or connection. */
export type Cost = { readonly base: number; readonly each: number };

export type Resource = 'fileDescriptors' | 'localPorts' | 'memoryBytes';

/**
 * Descriptors and ports count per connection, memory per agent. The base of descriptors is for files, threads and the
 * runtime; memory is what fleets of 10 to 10,000 agents of full size on Node 26 were seen to take with two workers, buffers of the
 * kernel left out.
 */
export const COSTS: Readonly<Record<ServerPlace, Readonly<Record<Resource, Cost>>>> = {
  elsewhere: {
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

/** How much of a fleet there can be at once. */
type FleetSize = {
  readonly agents: number;
  /** Of agents to the server. */
  readonly connections: number;
  /** That leave from one and the same local address, at most. */
  readonly connectionsPerSource: number;
  /** Of the connections, those over TLS. */
  readonly tlsConnections: number;
  /** Of these, those over HTTP/2 at most. */
  readonly http2Connections: number;
  readonly listeners: number;
  readonly tlsContexts: number;
  /** Of the embedded server to agents, both ends of which are here. */
  readonly polls: number;
  /** Of agents that attack, and what the bodies of their attacks come to. */
  readonly attackSockets: number;
  readonly attackSocketsPerSource: number;
  readonly attackBytes: number;
};

/**
 * What TLS takes of a connection besides: OpenSSL's own, and what was encrypted and received last. The embedded server has
 * the other end. 5,000 and 10,000 took 568 and 919 MB in all to a server elsewhere, 1,000 and 3,000 to the embedded one 402 and 761.
 */
const TLS_CONNECTION_BYTES: Readonly<Record<ServerPlace, number>> = { elsewhere: 60e3, embedded: 140e3 };

/** And HTTP/2 besides that: frames of nghttp2, tables of heads, and Node's streams. 10,000 took 1,588 MB in all, 1,500 423. */
const HTTP2_CONNECTION_BYTES = 60e3;

/** An agent that shares connections and does not listen: its password, and its places in tables. */
const IDLE_AGENT_BYTES = 500;
/** One that is only asked, its port left out, and what the embedded server has of it: 9,000 took 463 MB in all. */
const ASKED_AGENT_BYTES = 14e3;
const LISTENER_BYTES = 10e3;
/** A certificate, its key and the authority of clients, ready for handshakes, and what these leave. */
const TLS_CONTEXT_BYTES = 50e3;

/** The poller's heap and handshakes, where it asks over TLS: 1,500 agents took 463 MB in all, 5,000 took 612. */
const TLS_POLLER_BYTES = 60e6;

/** What a fleet takes of a resource at most. */
export function fleetNeeds(resource: Resource, fleet: FleetSize, server: ServerPlace): number {
  const cost = COSTS[server][resource];
  const { agents, connections, connectionsPerSource, tlsConnections, listeners, tlsContexts, polls } = fleet;
  switch (resource) {
    case 'fileDescriptors':
      return needed(cost, connections + fleet.attackSockets) + listeners + 2 * polls;
    case 'localPorts':
      return needed(cost, connectionsPerSource + fleet.attackSocketsPerSource);
    case 'memoryBytes': {
      // The embedded server knows each agent, whatever it shares.
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

/** What a machine has, as far as that is known. */
type Available = { readonly fileDescriptors: number | undefined; readonly localPorts: number | undefined };

/**
 * Dials beside a connection for each agent that there is room for: a real agent's go on when their requests have been given
 * up. Half the descriptors that are left stay with clients where agents listen. Infinity: there is no limit, or unknown.
 */
export function spareDials(fleet: FleetSize, server: ServerPlace, available: Available): number {
  const left = (resource: 'fileDescriptors' | 'localPorts') =>
    (available[resource] ?? Number.POSITIVE_INFINITY) - fleetNeeds(resource, fleet, server);
  const descriptors = left('fileDescriptors') / (fleet.listeners > 0 ? 2 : 1) / COSTS[server].fileDescriptors.each;
  return fleet.connections === 0 ? 0 : Math.max(0, Math.floor(Math.min(descriptors, left('localPorts'))));
}

/** What `count` agents or connections take. */
export function needed({ base, each }: Cost, count: number): number {
  return base + each * count;
}

/** How many agents or connections fit into what is there. */
export function roomIn(available: number, { base, each }: Cost): number {
  return Math.max(0, Math.floor((available - base) / each));
}

/** One worker per core, with a core left for the server if it is the embedded one. */
export function workersOn(cores: number, server: ServerPlace): number {
  return Math.max(1, server === 'embedded' ? cores - 1 : cores);
}

export function placeOf({ url }: { readonly url: string }): ServerPlace {
  return url === 'embedded' ? 'embedded' : 'elsewhere';
}
