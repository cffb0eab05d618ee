import { isIP } from 'node:net';
import { type Address, addressOf } from '../../base/kernel/address.ts';
import { memoized } from '../../base/kernel/memoize.ts';
import { recordOf } from '../../base/kernel/records.ts';
import {
  type AddressCounts,
  type AgentPush,
  type Ending,
  NO_TRAFFIC,
  type Traffic,
  type Transport,
  type TransportSink,
} from '../../base/protocol/exchange.ts';
import { ENDPOINTS, type Endpoint } from '../../base/protocol/push.ts';
import { createSendBuffers } from '../../base/runtime/send-buffers.ts';
import { type AgentProxy, proxyMode, proxyOf } from '../agent/proxy.ts';
import { firstHop, type Hop } from '../agent/redirects.ts';
import { compileHeads, forwarderTo, type Heads, hostHeaderOf } from '../agent/request.ts';
import { abandonExchange, createConnection, dropSockets, onOpened, onRead, startExchange } from './connection.ts';
import { countFailedDial, type Tally } from './dial.ts';
import { createDialers, type Dialer, type DialSettings, isEncrypted } from './dialer.ts';
import { lastEvidence, NO_BYTES } from './evidence.ts';
import type { Connection, Exchange, TransportContext } from './exchange.ts';
import { createAnswerParsers } from './http-parser.ts';
import { openHttp2Session } from './http2-exchange.ts';
import { createNetworkCuts } from './network-cuts.ts';
import type { DialBudget } from './outlasting-dials.ts';
import { createTargetAddresses, type TargetAddresses, type TargetName } from './target-addresses.ts';

export type TransportSettings = DialSettings &
  Omit<TargetName, 'host'> & {
    /** Base URL of the push server, with any path prefix. */
    readonly baseUrl: string;
    /** The fleet's proxy; `undefined`: requests go directly to the server. `addresses` are those of the dialed machine. */
    readonly proxy: AgentProxy | undefined;
    /** The proxy of agents whose own configuration names none. */
    readonly defaultProxy: AgentProxy | undefined;
    /** Hosts other than loopback that an agent's own configuration may name. */
    readonly allow: readonly string[];
    readonly apiKey: string;
    readonly userAgent: string;
    /** With several base URLs, each has a separate transport with its own counts. */
    readonly isOneOfSeveral: boolean;
    /** Number of connections that all agents of the shard share; `undefined`: one per agent. */
    readonly sharedConnections: number | undefined;
    /**
     * Limit for concurrent dials of all agents in addition to those that requests wait for. They dial the other address
     * family or, unless connections are shared, outlast an abandoned request.
     */
    readonly spareDials: number;
  };

export type CountingTransport = Transport & {
  /** Counts for all addresses that dials could use; empty if the base URL names the only address. */
  addresses(): readonly AddressCounts[];
};

const PROTOCOLS = ['h2', 'http/1.1'];
const READ_BYTES = 64 << 10;
// Writes of at least this size report their flush, so that their buffers are free long before the answer.
const REPORTED_WRITE_BYTES = 16 << 10;
// Over TLS, each piece reports its flush, so that the next can follow.
const REPORTED_PIECE_BYTES = 1;
// A TLS connection keeps memory for the largest piece it has encrypted. With pieces of one record, agents that push 40
// KB take 80 KB each instead of 101, for a third more CPU time per push. Shared connections are exempt.
const TLS_PIECE_BYTES = 13_500;
// Limit for cached proxies from agents' configurations; others are parsed again.
const MAX_PROXIES = 1000;

/**
 * Opens a shard's outbound side: HTTP/1.1 directly over sockets, or HTTP/2 if a verified server chooses it. Requests,
 * answers, redirects and connection reuse follow the agent's Go client. Opens no connection before the first request.
 */
export function createTransport(settings: TransportSettings, sink: TransportSink): CountingTransport {
  const { baseUrl, sharedConnections } = settings;
  const firstHops = recordOf(ENDPOINTS, (endpoint) => firstHop(baseUrl, endpoint));
  const tallies = createAddressTallies(hasChoice(settings));
  const { dialersTo, budget } = createRoutes(settings, tallies);
  const clients = createClients(settings, dialersTo);
  const redirected = createRedirectConnections((to, proxy) => {
    const dialerOf = dialersTo(to, proxy);
    return (agent) => createConnection(agent, dialerOf(agent), context);
  });
  const context: TransportContext = {
    baseUrl,
    sink,
    budget,
    firstHops,
    headsOf: clients.headsOf,
    openSession: openHttp2Session,
    parsers: createAnswerParsers(),
    buffers: createSendBuffers(sink.buffer),
    tlsPieceBytes: sharedConnections === undefined ? TLS_PIECE_BYTES : Number.POSITIVE_INFINITY,
    last: { exchange: undefined, ending: undefined, bytes: NO_BYTES },
    connectionTo: connectionsFrom(firstHops.submit_checkdata, clients.headsOf, redirected),
    done: ({ home, sentBytes }) => {
      home.inFlight = undefined;
      if (home.tally !== undefined && sentBytes > 0) countRequest(home.tally, context.last.ending);
      pool.release(home);
    },
  };
  const open = (number: number): Connection => createConnection(number, clients.dialerOf(number), context);
  const pool = sharedConnections === undefined ? createDedicated(open) : createShared(sharedConnections, open);
  const cuts = createNetworkCuts();
  const connectionsOf = (agent: number): readonly Connection[] => [pool.own(agent) ?? [], redirected.own(agent)].flat();
  const disconnect = (agent: number): void => {
    cuts.disown(agent);
    for (const own of connectionsOf(agent)) dropSockets(own);
  };
  return {
    send: pool.acquire,
    abort: (agent) => abort(pool, agent),
    lastEvidence: () => lastEvidence(context.last),
    reconfigure: (agent, push) => {
      disconnect(agent);
      const dialer = clients.set(agent, push);
      const connection = pool.own(agent);
      if (connection !== undefined) connection.dialer = dialer;
    },
    addresses: tallies.read,
    disconnect,
    unplug: (agent) => {
      if (sharedConnections !== undefined) return false;
      cuts.unplug(agent, connectionsOf(agent));
      return true;
    },
    plug: cuts.plug,
    close: async () => {
      cuts.close();
      for (const connection of [...pool.all(), ...redirected.all()]) dropSockets(connection);
    },
  };
}

/** Abandons the agent's request, whether it waits for a connection or is in flight. */
function abort(pool: ConnectionPool, agent: number): Traffic {
  const exchange = pool.inFlight(agent);
  if (pool.cancel(agent) || exchange === undefined) return NO_TRAFFIC;
  const { socket, isReady, tally } = exchange.home;
  if (exchange.connection === exchange.home && socket !== undefined && !isReady) countFailedDial(socket);
  const traffic = abandonExchange(exchange);
  if (tally !== undefined && traffic.sentBytes > 0) countRequest(tally, undefined);
  // Deferred, so that other waiters for the connection are notified after the caller is done with this agent.
  queueMicrotask(() => pool.release(exchange.home));
  return traffic;
}

type AddressTallies = ReturnType<typeof createAddressTallies>;

/** @param hasChoice whether servers can choose between HTTP/1.1 and HTTP/2. */
function createAddressTallies(hasChoice: boolean) {
  const all = new Map<string, Tally>();
  return {
    /** Returns the same tally each time for an address of a base URL. */
    of: ({ host, port }: Address, address: string): Tally => {
      const key = `${host} ${port} ${address}`;
      const known = all.get(key);
      if (known !== undefined) return known;
      const protocols = hasChoice ? { http1: 0, http2: 0 } : undefined;
      const tally = { host, port, address, connections: 0, failedDials: 0, requests: 0, failed: 0, protocols };
      all.set(key, tally);
      return tally;
    },
    read: (): readonly AddressCounts[] =>
      [...all.values()].map(({ protocols, ...tally }) => ({
        ...tally,
        ...(protocols && { protocols: { ...protocols } }),
      })),
  };
}

/** Counts a request sent to the address that has ended; `ending` is `undefined` if it was abandoned. */
function countRequest(tally: Tally, ending: Ending | undefined): void {
  tally.requests++;
  if (ending?.kind !== 'answer' || (ending.status !== 200 && ending.status !== 201)) tally.failed++;
}

/** Returns the connection that an exchange's next request goes over. */
function connectionsFrom(
  base: Hop,
  headsOf: (agent: number) => Heads,
  redirected: RedirectConnections,
): TransportContext['connectionTo'] {
  return ({ agent, home }, hop) => {
    const { url, origin } = hop;
    if (origin === base.origin) return home;
    const { proxy } = headsOf(agent);
    const isForwarded = forwarderTo(base.url, proxy) !== undefined && url.protocol === 'http:';
    return isForwarded ? home : redirected.connection(agent, hop, proxy);
  };
}

// ---- Pools of connections ----

/** Gives each request exclusive use of a connection until the request ends. */
type ConnectionPool = {
  /** Passes a free connection to the request, immediately or once one becomes free. */
  acquire(agent: number, endpoint: Endpoint): void;
  release(connection: Connection): void;
  /** Withdraws an agent's request that still waits for a connection; returns false if it is not waiting. */
  cancel(agent: number): boolean;
  /**
   * The agent's request in flight. Searched for in the rare case that a request is abandoned, instead of kept in a Map. With that many
   * insertions and deletions, a Map would reallocate 115 bytes per push, which only a full, stop-the-world collection frees.
   */
  inFlight(agent: number): Exchange | undefined;
  /** The agent's own connection; `undefined` if it has none yet or uses shared connections. */
  own(agent: number): Connection | undefined;
  all(): readonly Connection[];
};

/** One connection per agent, as in a real fleet. */
function createDedicated(open: (number: number) => Connection): ConnectionPool {
  const connections: (Connection | undefined)[] = [];
  return {
    acquire: (agent, endpoint) => {
      const connection = connections[agent] ?? open(agent);
      connections[agent] = connection;
      startExchange(connection, agent, endpoint);
    },
    release: () => {},
    cancel: () => false,
    inFlight: (agent) => connections[agent]?.inFlight,
    own: (agent) => connections[agent],
    all: () => connections.filter((connection) => connection !== undefined),
  };
}

/** A fixed number of connections for all agents, as behind a proxy. Requests wait in FIFO order. */
function createShared(size: number, open: (number: number) => Connection): ConnectionPool {
  const all = Array.from({ length: size }, (_, number) => open(number));
  const free = [...all];
  // A Map keeps insertion order and removes a canceled agent in constant time.
  const waiting = new Map<number, Endpoint>();
  return {
    acquire: (agent, endpoint) => {
      const connection = free.pop();
      if (connection === undefined) waiting.set(agent, endpoint);
      else startExchange(connection, agent, endpoint);
    },
    release: (connection) => {
      const next = waiting.entries().next();
      if (next.done === true) {
        free.push(connection);
        return;
      }
      const [agent, endpoint] = next.value;
      waiting.delete(agent);
      startExchange(connection, agent, endpoint);
    },
    cancel: (agent) => waiting.delete(agent),
    inFlight: (agent) => all.find(({ inFlight }) => inFlight?.agent === agent)?.inFlight,
    own: () => undefined,
    all: () => all,
  };
}

type Origin = { readonly open: (agent: number) => Connection; readonly connections: Map<number, Connection> };

/** Connections to ports other than the target's, for redirects. Agents keep them like their first connection. */
type RedirectConnections = ReturnType<typeof createRedirectConnections>;

function createRedirectConnections(
  connectionsTo: (base: URL, proxy: AgentProxy | undefined) => (agent: number) => Connection,
) {
  const origins = new Map<string, Origin>();
  const originOf = ({ url, origin: name }: Hop, proxy: AgentProxy | undefined): Origin => {
    // A forward proxy carries requests to any server over one connection.
    const key = JSON.stringify([proxy, proxyMode(url, proxy).kind === 'forward' ? '' : name]);
    const known = origins.get(key);
    if (known !== undefined) return known;
    const origin = { open: connectionsTo(url, proxy), connections: new Map<number, Connection>() };
    origins.set(key, origin);
    return origin;
  };
  return {
    connection: (agent: number, hop: Hop, proxy: AgentProxy | undefined): Connection => {
      const { open, connections } = originOf(hop, proxy);
      const connection = connections.get(agent) ?? open(agent);
      connections.set(agent, connection);
      return connection;
    },
    own: (agent: number): readonly Connection[] =>
      [...origins.values()].flatMap(({ connections }) => connections.get(agent) ?? []),
    all: (): readonly Connection[] => [...origins.values()].flatMap(({ connections }) => [...connections.values()]),
  };
}

// ---- Dialers ----

type Dialers = ReturnType<typeof createDialers>;

type Routes = {
  readonly dialersTo: (to: URL, proxy: AgentProxy | undefined) => Dialers;
  readonly budget: DialBudget;
};

/** Creates dialers to a URL, through a proxy or directly. Dialers of the fleet's own proxy share the resolver's answers. */
function createRoutes(settings: TransportSettings, tallies: AddressTallies): Routes {
  const base = new URL(settings.baseUrl);
  const home = addressOf(base);
  const { host } = home;
  const budget = { spareDials: settings.spareDials, outlasts: settings.sharedConnections === undefined };
  const socketOptions = { onread: { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: onRead }, opened: onOpened };
  const nameInUrl = hostHeaderOf(settings.baseUrl)?.replace(/:\d*$/, '').replace(/[[\]]/g, '');
  // Redirects never leave the host.
  const fleetAddresses = createTargetAddresses({ ...settings, host: settings.proxy?.host ?? host });
  const addressesOf = (proxy: AgentProxy | undefined): TargetAddresses => {
    if (proxy === settings.proxy) return fleetAddresses;
    const name = proxy?.host ?? host;
    const loopbackOnly = !settings.allow.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
    return createTargetAddresses({
      ...settings,
      host: name,
      addresses: undefined,
      reachedFrom: undefined,
      loopbackOnly,
    });
  };
  const known = new Map<string, Dialers>();
  const dialersTo = (to: URL, proxy: AgentProxy | undefined): Dialers => {
    const key = JSON.stringify([to.origin, proxy]);
    const dialers = known.get(key);
    if (dialers !== undefined) return dialers;
    const highWaterMark = isEncrypted(to, proxyMode(to, proxy)) ? REPORTED_PIECE_BYTES : REPORTED_WRITE_BYTES;
    const name = to.hostname === base.hostname ? (nameInUrl ?? host) : addressOf(to).host;
    // If the base URL names an address, it is the only one.
    const hasSeveral = settings.isOneOfSeveral || isIP(host) === 0 || hasChoice(settings);
    const isCounted = hasSeveral && proxy === undefined && to.origin === base.origin;
    const tallyOf = isCounted ? (address: string) => tallies.of(home, address) : undefined;
    const made = createDialers(
      { ...settings, base: to, name, proxy, addresses: addressesOf(proxy), tallyOf, protocols: PROTOCOLS, budget },
      { ...socketOptions, highWaterMark },
    );
    known.set(key, made);
    return made;
  };
  return { dialersTo, budget };
}

function hasChoice({ tls, baseUrl }: TransportSettings): boolean {
  return tls.verify && new URL(baseUrl).protocol === 'https:';
}

/** How agents send their requests: like the fleet, or by their own configuration, which may name another key and another proxy. */
function createClients(settings: TransportSettings, dialersTo: Routes['dialersTo']) {
  const { baseUrl, apiKey, userAgent, proxy, defaultProxy, sharedConnections } = settings;
  const base = new URL(baseUrl);
  const proxyNamed = memoized(MAX_PROXIES, (text) => (text === '' ? defaultProxy : proxyOf(text)));
  const fleetsHeads = compileHeads(baseUrl, { apiKey, userAgent, proxy });
  const fleetsDialers = dialersTo(base, proxy);
  const own = new Map<number, { readonly heads: Heads; readonly dialer: Dialer }>();
  // Usually all agents receive the same key and proxy.
  let last = fleetsHeads;
  return {
    headsOf: (agent: number): Heads => (own.size === 0 ? fleetsHeads : (own.get(agent)?.heads ?? fleetsHeads)),
    /** By the number of the agent, or that of the shared connection. */
    dialerOf: (number: number): Dialer => own.get(number)?.dialer ?? fleetsDialers(number),
    set: (agent: number, push: AgentPush): Dialer => {
      const isFleets = push.proxy === undefined || sharedConnections !== undefined;
      const through = isFleets ? proxy : proxyNamed(push.proxy ?? '');
      if (last.apiKey !== push.apiKey || last.proxy !== through)
        last = compileHeads(baseUrl, { apiKey: push.apiKey, userAgent, proxy: through });
      const dialer = (through === proxy ? fleetsDialers : dialersTo(base, through))(agent);
      own.set(agent, { heads: last, dialer });
      return dialer;
    },
  };
}
