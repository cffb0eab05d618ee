import { NO_TRAFFIC, type Transport, type TransportSink } from '../../protocol/exchange.ts';
import type { Endpoint } from '../../protocol/push.ts';
import { createAgentHeads } from '../agent-heads.ts';
import { createConnections } from '../connections.ts';
import { createDiallers } from '../connector.ts';
import { createSendBuffers } from '../send-buffers.ts';
import type { TransportSettings } from '../settings.ts';
import { createAnswerReaders } from './answer-readers.ts';
import { createConnection, dropSocket, onRead } from './connection.ts';
import { type DirectContext, trafficOf } from './context.ts';
import { createElsewhere } from './elsewhere.ts';
import { createConnectionEvents, leave } from './receiving.ts';
import { begin } from './sending.ts';
import type { Connection, Exchange } from './state.ts';

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
 * Opens the outbound side of a shard over HTTP/1.1, straight over sockets: requests, answers, redirects and when a
 * connection is kept are those of the agent's Go client. No connection is made before the first request.
 */
export function createDirectTransport(settings: TransportSettings, sink: TransportSink): Transport {
  const heads = createAgentHeads(settings);
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: onRead };
  const diallersTo = (base: URL) => {
    const highWaterMark = base.protocol === 'https:' ? TELLING_PIECE_BYTES : TELLING_WRITE_BYTES;
    return createDiallers({ ...settings, base }, { onread, highWaterMark });
  };
  const base = new URL(settings.baseUrl);
  const elsewhere = createElsewhere(diallersTo, () => events);
  const context: DirectContext = {
    ...{ baseUrl: settings.baseUrl, sink, heads, readers: createAnswerReaders() },
    tlsPieceBytes: settings.sharedConnections === undefined ? TLS_PIECE_BYTES : Number.POSITIVE_INFINITY,
    buffers: createSendBuffers(),
    connectionTo: ({ agent, home }, url) => (url.origin === base.origin ? home : elsewhere.connection(agent, url)),
    over: ({ home }) => {
      home.underWay = undefined;
      connections.release(home);
    },
  };
  const events = createConnectionEvents(context);
  const diallerOf = diallersTo(base);
  const connections = createConnections<Connection>(settings.sharedConnections, {
    open: (number) => createConnection(diallerOf(number), events),
    use: (home, agent, endpoint) => {
      const exchange = createExchange(home, agent, endpoint);
      home.underWay = exchange;
      sink.started(agent);
      begin(context, exchange);
    },
  });
  // Looked for in the rare case that it is given up, not kept in a Map: one that so much enters and leaves takes new memory
  // again and again, 115 bytes a push, which only the collector that stops all work frees.
  const underWayOf = (agent: number): Exchange | undefined => {
    if (settings.sharedConnections === undefined) return connections.own(agent)?.underWay;
    return connections.all().find(({ underWay }) => underWay?.agent === agent)?.underWay;
  };
  return {
    send: connections.acquire,
    abort: (agent) => {
      const exchange = underWayOf(agent);
      if (connections.cancel(agent) || exchange === undefined) return NO_TRAFFIC;
      exchange.early?.callOff();
      leave(context, exchange);
      dropSocket(exchange.connection);
      exchange.home.underWay = undefined;
      // Whoever waits for the connection hears of it when the caller has done with this agent.
      queueMicrotask(() => connections.release(exchange.home));
      return trafficOf(exchange);
    },
    setApiKey: heads.setApiKey,
    disconnect: (agent) => {
      for (const own of [connections.own(agent), ...elsewhere.own(agent)]) if (own !== undefined) dropSocket(own);
    },
    close: async () => {
      for (const connection of [...connections.all(), ...elsewhere.all()]) dropSocket(connection);
    },
  };
}

function createExchange(home: Connection, agent: number, endpoint: Endpoint): Exchange {
  return {
    agent,
    endpoint,
    home,
    connection: home,
    hop: undefined,
    reader: undefined,
    unsent: undefined,
    early: undefined,
    sentBytes: 0,
    receivedBytes: 0,
  };
}
