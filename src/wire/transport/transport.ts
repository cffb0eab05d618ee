import { isIP } from 'node:net';
import { addressOf } from '../../ground/kernel/address.ts';
import { memoized } from '../../ground/kernel/memoize.ts';
import { type AddressCounts, NO_TRAFFIC, type Transport, type TransportSink } from '../../ground/protocol/exchange.ts';
import { USER_AGENT } from '../../ground/protocol/push.ts';
import { type AgentProxy, proxyOf, wayTo } from '../agent/proxy.ts';
import { firstHop } from '../agent/redirects.ts';
import { compileHeads, forwarderTo, type Heads, writtenHost } from '../agent/request-head.ts';
import { type AddressTallies, countRequest, createAddressTallies } from './address-tallies.ts';
import { abandonExchange, createConnection, dropSockets, onOpened, onRead, startExchange } from './connection.ts';
import { createConnectionPool, createRedirectConnections } from './connection-pool.ts';
import { createDialers, type Dialer, type DialSettings, isEncrypted } from './dialer.ts';
import type { Connection, Exchange, TransportContext } from './exchange.ts';
import { createAnswerParsers } from './http-parser.ts';
import { createHttp2 } from './http2-exchange.ts';
import { createLastExchange, lastSeen } from './last-seen.ts';
import type { DialRoom } from './outlasting-dials.ts';
import { createSendBuffers } from './send-buffers.ts';
import { createTargetAddresses, type TargetAddresses, type TargetName } from './target-addresses.ts';
import { createUnplugged } from './unplugged.ts';

export type TransportSettings = DialSettings &
  Omit<TargetName, 'host'> & {
    /** Base URL of the push server, with any path prefix. */
    readonly baseUrl: string;
    /** The fleet's proxy; `undefined`: requests go directly to the server. `addresses` are those of the dialed machine. */
    readonly proxy: AgentProxy | undefined;
    /** The proxy of agents whose own configuration names none. */
    readonly otherwise: AgentProxy | undefined;
    /** Hosts other than loopback that an agent's own configuration may name. */
    readonly allow: readonly string[];
    readonly apiKey: string;
    /** Defaults to that of the agents. */
    readonly userAgent?: string;
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
const TELLING_WRITE_BYTES = 16 << 10;
// Over TLS, each piece reports its flush, so that the next can follow.
const TELLING_PIECE_BYTES = 1;
// A TLS connection keeps memory for the largest piece it has encrypted. With pieces of one record, agents that push 40
// KB take 80 KB each instead of 101, for a third more CPU time per push. Shared connections are exempt.
const TLS_PIECE_BYTES = 13_500;
// Limit for cached proxies from agents' configurations; others are parsed again.
const MOST_PROXIES = 1000;

/**
 * Opens a shard's outbound side: HTTP/1.1 directly over sockets, or HTTP/2 if a verified server chooses it. Requests,
 * answers, redirects and connection reuse follow the agent's Go client. Opens no connection before the first request.
 */
export function createTransport(settings: TransportSettings, sink: TransportSink): CountingTransport {
  const { baseUrl, sharedConnections } = settings;
  const heads = createHeads(settings);
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: onRead };
  const base = new URL(baseUrl);
  const ownOrigin = firstHop(baseUrl, 'submit_checkdata').origin;
  const hasChoice = settings.tls.verify && base.protocol === 'https:';
  const tallies = createAddressTallies(hasChoice);
  const room = { spareDials: settings.spareDials, outlasts: sharedConnections === undefined };
  const dialersTo = createRoutes({ ...settings, room }, { onread, opened: onOpened }, tallies);
  const redirected = createRedirectConnections((to, proxy) => {
    const dialerOf = dialersTo(to, proxy);
    return (agent) => createConnection(agent, dialerOf(agent), context);
  });
  const context: TransportContext = {
    ...{ baseUrl, sink, headsOf: heads.of, parsers: createAnswerParsers(), buffers: createSendBuffers(sink.buffer) },
    tlsPieceBytes: sharedConnections === undefined ? TLS_PIECE_BYTES : Number.POSITIVE_INFINITY,
    last: createLastExchange(),
    openSession: createHttp2(baseUrl),
    room,
    connectionTo: ({ agent, home }, hop) => {
      const { url, origin } = hop;
      if (origin === ownOrigin) return home;
      const { proxy } = heads.of(agent);
      const isForwarded = forwarderTo(base, proxy) !== undefined && url.protocol === 'http:';
      return isForwarded ? home : redirected.connection(agent, hop, proxy);
    },
    done: ({ home, sentBytes }) => {
      home.inFlight = undefined;
      if (home.tally !== undefined && sentBytes > 0) countRequest(home.tally, context.last.ending);
      pool.release(home);
    },
  };
  const dialerOf = dialersTo(base, settings.proxy);
  const proxyNamed = memoized(MOST_PROXIES, (text) => (text === '' ? settings.otherwise : proxyOf(text)));
  const ownDialers = new Map<number, Dialer>();
  const pool = createConnectionPool(sharedConnections, {
    open: (number) => createConnection(number, ownDialers.get(number) ?? dialerOf(number), context),
    use: startExchange,
  });
  // Searched for in the rare case that a request is abandoned, instead of kept in a Map. With that many insertions and
  // deletions, a Map would reallocate 115 bytes per push, which only a full, stop-the-world collection frees.
  const inFlightOf = (agent: number): Exchange | undefined => {
    if (sharedConnections === undefined) return pool.own(agent)?.inFlight;
    return pool.all().find(({ inFlight }) => inFlight?.agent === agent)?.inFlight;
  };
  const unplugged = createUnplugged();
  const connectionsOf = (agent: number): readonly Connection[] => [pool.own(agent) ?? [], redirected.own(agent)].flat();
  const disconnect = (agent: number): void => {
    unplugged.forsake(agent);
    for (const own of connectionsOf(agent)) dropSockets(own);
  };
  return {
    send: pool.acquire,
    abort: (agent) => {
      const exchange = inFlightOf(agent);
      if (pool.cancel(agent) || exchange === undefined) return NO_TRAFFIC;
      const { socket, isReady, tally, dialer } = exchange.home;
      if (exchange.connection === exchange.home && socket !== undefined && !isReady) dialer.countFailed(socket);
      const traffic = abandonExchange(exchange);
      if (tally !== undefined && traffic.sentBytes > 0) countRequest(tally, undefined);
      // Deferred, so that other waiters for the connection are notified after the caller is done with this agent.
      queueMicrotask(() => pool.release(exchange.home));
      return traffic;
    },
    lastSeen: () => lastSeen(context.last),
    reconfigure: (agent, { apiKey, proxy }) => {
      disconnect(agent);
      const own = proxy === undefined || sharedConnections !== undefined ? settings.proxy : proxyNamed(proxy);
      heads.setOwn(agent, apiKey, own);
      const dialer = (own === settings.proxy ? dialerOf : dialersTo(base, own))(agent);
      ownDialers.set(agent, dialer);
      const connection = pool.own(agent);
      if (connection !== undefined) connection.dialer = dialer;
    },
    addresses: tallies.read,
    disconnect,
    unplug: (agent) => {
      if (sharedConnections !== undefined) return false;
      unplugged.pull(agent, connectionsOf(agent));
      return true;
    },
    plug: unplugged.plug,
    close: async () => {
      unplugged.close();
      for (const connection of [...pool.all(), ...redirected.all()]) dropSockets(connection);
    },
  };
}

type Dialers = ReturnType<typeof createDialers>;

type SocketUse = Pick<Parameters<typeof createDialers>[1], 'onread' | 'opened'>;

/** Creates dialers to a URL, through a proxy or directly. Dialers of the fleet's own proxy share the resolver's answers. */
function createRoutes(
  settings: TransportSettings & { readonly room: DialRoom },
  use: SocketUse,
  tallies: AddressTallies,
) {
  const base = new URL(settings.baseUrl);
  const home = addressOf(base);
  const { host } = home;
  const hasChoice = settings.tls.verify && base.protocol === 'https:';
  const writtenName = writtenHost(settings.baseUrl)?.replace(/:\d*$/, '').replace(/[[\]]/g, '');
  // Redirects never leave the host.
  const ofFleet = createTargetAddresses({ ...settings, host: settings.proxy?.host ?? host });
  const addressesOf = (proxy: AgentProxy | undefined): TargetAddresses => {
    if (proxy === settings.proxy) return ofFleet;
    const name = proxy?.host ?? host;
    const loopbackOnly = !settings.allow.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
    return createTargetAddresses({ ...settings, host: name, addresses: undefined, loopbackOnly });
  };
  const known = new Map<string, Dialers>();
  return (to: URL, proxy: AgentProxy | undefined): Dialers => {
    const key = JSON.stringify([to.origin, proxy]);
    const dialers = known.get(key);
    if (dialers !== undefined) return dialers;
    const highWaterMark = isEncrypted(to, wayTo(to, proxy)) ? TELLING_PIECE_BYTES : TELLING_WRITE_BYTES;
    const name = to.hostname === base.hostname ? (writtenName ?? host) : addressOf(to).host;
    // If the base URL names an address, it is the only one.
    const isWorthTelling = settings.isOneOfSeveral || isIP(host) === 0 || hasChoice;
    const isCounted = isWorthTelling && proxy === undefined && to.origin === base.origin;
    const tallyOf = isCounted ? (address: string) => tallies.of(home, address) : undefined;
    const made = createDialers(
      { ...settings, base: to, name, proxy, addresses: addressesOf(proxy), tallyOf, protocols: PROTOCOLS },
      { ...use, highWaterMark },
    );
    known.set(key, made);
    return made;
  };
}

/** Request heads per agent: the fleet's, or the agent's own if it was configured separately. */
function createHeads({ baseUrl, apiKey, userAgent = USER_AGENT, proxy }: TransportSettings) {
  const ofFleet = compileHeads(baseUrl, { apiKey, userAgent, proxy });
  const own = new Map<number, Heads>();
  // Usually all agents receive the same key and proxy.
  let last = ofFleet;
  return {
    of: (agent: number): Heads => (own.size === 0 ? ofFleet : (own.get(agent) ?? ofFleet)),
    setOwn: (agent: number, key: string, through: AgentProxy | undefined): void => {
      if (last.apiKey !== key || last.proxy !== through)
        last = compileHeads(baseUrl, { apiKey: key, userAgent, proxy: through });
      own.set(agent, last);
    },
  };
}
