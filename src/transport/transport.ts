import { isIP } from 'node:net';
import { compileHeads, type Heads } from '../agent/request-head.ts';
import { addressOf } from '../kernel/address.ts';

import { type AddressCounts, NO_TRAFFIC, type Transport, type TransportSink } from '../protocol/exchange.ts';
import { countRequest, createAddressTallies } from './address-tallies.ts';
import { abandonExchange, createConnection, dropSockets, onRead, startExchange } from './connection.ts';

import { createConnectionPool, createRedirectConnections } from './connection-pool.ts';
import { createDiallers, type DialSettings } from './dialler.ts';
import type { Connection, Exchange, TransportContext } from './exchange.ts';
import { createAnswerParsers } from './http-parser.ts';
import { createHttp2 } from './http2-exchange.ts';
import { createLastExchange, lastSeen } from './last-seen.ts';
import { createSendBuffers } from './send-buffers.ts';
import { createTargetAddresses, type TargetName } from './target-addresses.ts';

export type TransportSettings = DialSettings &
  Omit<TargetName, 'host'> & {
    /** Base URL of the push server, with any path prefix. */
    readonly baseUrl: string;
    readonly apiKey: string;
    /** Further base URLs have transports of their own: what comes of each is worth telling, named by address or not. */
    readonly isOneOfSeveral: boolean;
    /** What agents call themselves; left out: what the present release does. */
    readonly userAgent?: string;
    /** Connections shared by all agents of the shard, or undefined for one per agent. */
    readonly sharedConnections: number | undefined;
    /** Dials of all agents that may outlast their requests at once; where connections are shared, none does. */
    readonly spareDials: number;
  };

export type CountingTransport = Transport & {
  /** Of all addresses that dials could go to; none where the base URL names the only one. */
  addresses(): readonly AddressCounts[];
};

const PROTOCOLS = ['h2', 'http/1.1'];
// As much as a socket is given at once.
const READ_BYTES = 64 << 10;
// A request of this size or more tells when it is flushed, so that its buffer is free long before its answer is there.
const TELLING_WRITE_BYTES = 16 << 10;
// Over TLS every piece of one tells it, so that the next can follow.
const TELLING_PIECE_BYTES = 1;
// A TLS connection keeps the memory into which it has encrypted most at once. With pieces of one record, agents that push
// 40 KB take 80 KB instead of 101 each; a push takes a third more CPU, which those that share connections are spared.
const TLS_PIECE_BYTES = 13_500;

/**
 * Opens the outbound side of a shard, over HTTP/1.1 straight over sockets, or over HTTP/2 where a verified server takes it:
 * requests, answers, redirects and when a connection is kept are those of the agent's Go client. No connection is made before the first request.
 */
export function createTransport(settings: TransportSettings, sink: TransportSink): CountingTransport {
  const { baseUrl, sharedConnections } = settings;
  const heads = createHeads(settings);
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: onRead };
  const base = new URL(baseUrl);
  // Redirects stay with the host.
  const home = addressOf(base);
  const addresses = createTargetAddresses({ ...settings, ...home });
  const hasChoice = settings.tls.verify && base.protocol === 'https:';
  const tallies = createAddressTallies(hasChoice);
  const isCounted = settings.isOneOfSeveral || isIP(home.host) === 0 || hasChoice;
  const tallyOf = isCounted ? (address: string) => tallies.of(home, address) : undefined;
  const connectionsTo = (origin: URL): ((number: number) => Connection) => {
    const highWaterMark = origin.protocol === 'https:' ? TELLING_PIECE_BYTES : TELLING_WRITE_BYTES;
    const diallerOf = createDiallers(
      { ...settings, base: origin, addresses, protocols: PROTOCOLS, tallyOf: origin === base ? tallyOf : undefined },
      { onread, highWaterMark },
    );
    return (number) => createConnection(number, diallerOf(number), context);
  };
  const redirected = createRedirectConnections(connectionsTo);
  const context: TransportContext = {
    ...{ baseUrl, sink, headsOf: heads.of, parsers: createAnswerParsers(), buffers: createSendBuffers() },
    tlsPieceBytes: sharedConnections === undefined ? TLS_PIECE_BYTES : Number.POSITIVE_INFINITY,
    last: createLastExchange(),
    openSession: createHttp2(baseUrl),
    room: { spareDials: sharedConnections === undefined ? settings.spareDials : 0 },
    connectionTo: ({ agent, home }, url) => (url.origin === base.origin ? home : redirected.connection(agent, url)),
    done: ({ home, sentBytes }) => {
      home.inFlight = undefined;
      if (home.tally !== undefined && sentBytes > 0) countRequest(home.tally, context.last.ending);
      pool.release(home);
    },
  };
  const pool = createConnectionPool(sharedConnections, { open: connectionsTo(base), use: startExchange });
  // Looked for in the rare case that it is given up, not kept in a Map: one that so much enters and leaves takes new memory
  // again and again, 115 bytes a push, which only the collector that stops all work frees.
  const inFlightOf = (agent: number): Exchange | undefined => {
    if (sharedConnections === undefined) return pool.own(agent)?.inFlight;
    return pool.all().find(({ inFlight }) => inFlight?.agent === agent)?.inFlight;
  };
  return {
    send: pool.acquire,
    abort: (agent) => {
      const exchange = inFlightOf(agent);
      if (pool.cancel(agent) || exchange === undefined) return NO_TRAFFIC;
      const { socket, isReady, tally, dialler } = exchange.home;
      if (exchange.connection === exchange.home && socket !== undefined && !isReady) dialler.countFailed(socket);
      const traffic = abandonExchange(exchange);
      if (tally !== undefined && traffic.sentBytes > 0) countRequest(tally, undefined);
      // Whoever waits for the connection hears of it when the caller has done with this agent.
      queueMicrotask(() => pool.release(exchange.home));
      return traffic;
    },
    lastSeen: () => lastSeen(context.last),
    setApiKey: heads.setApiKey,
    disconnect: (agent) => {
      for (const own of [pool.own(agent), ...redirected.own(agent)]) if (own !== undefined) dropSockets(own);
    },
    addresses: tallies.read,
    close: async () => {
      for (const connection of [...pool.all(), ...redirected.all()]) dropSockets(connection);
    },
  };
}

/** The heads of each agent's requests: the fleet's, but for agents that have an API key of their own. */
function createHeads({ baseUrl, apiKey, userAgent }: TransportSettings) {
  const ofFleet = compileHeads(baseUrl, apiKey, userAgent);
  const own = new Map<number, Heads>();
  // As a rule all agents are given one key.
  let last = { apiKey, heads: ofFleet };
  return {
    of: (agent: number): Heads => (own.size === 0 ? ofFleet : (own.get(agent) ?? ofFleet)),
    setApiKey: (agent: number, key: string): void => {
      if (last.apiKey !== key) last = { apiKey: key, heads: compileHeads(baseUrl, key, userAgent) };
      own.set(agent, last.heads);
    },
  };
}
