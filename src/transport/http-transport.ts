import { compileHeads, type Heads } from '../agent/request-head.ts';
import { NO_TRAFFIC, type Transport, type TransportSink } from '../protocol/exchange.ts';
import { ENDPOINT_PATHS } from '../protocol/push.ts';
import { createConnection, PLACEHOLDER_BODY } from './connection.ts';
import { createDedicatedConnections, createSharedConnections } from './connections.ts';
import { createConnector, type TlsSettings } from './connector.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import { createSendBuffers } from './send-buffers.ts';

export type TransportSettings = {
  /** Base URL of the push server, with any path prefix. */
  readonly baseUrl: string;
  /** What its host resolves to (`resolveTarget`): no dial asks the resolver. */
  readonly addresses: readonly string[];
  readonly apiKey: string;
  readonly tls: TlsSettings;
  /** Connections shared by all agents of the shard, or undefined for one per agent. */
  readonly sharedConnections: number | undefined;
  /** The room that nearly all request bodies of the sink take at most; the buffers that are used again have it. */
  readonly maxBodyBytes: number;
};

/** Opens the outbound side of a shard over HTTP/1.1; no connection is made before the first request. */
export function createHttpTransport(settings: TransportSettings, sink: TransportSink): Transport {
  const base = new URL(settings.baseUrl);
  const heads = compileHeads(settings.baseUrl, settings.apiKey);
  const ownHeads = new Map<number, Heads>();
  // As a rule all agents are given one key.
  const headsOf = lastResult((apiKey: string) => compileHeads(settings.baseUrl, apiKey));
  const connector = createConnector(base, settings.tls, settings.addresses);
  const open = () => createConnection(base.origin, connector);
  const connections =
    settings.sharedConnections === undefined
      ? createDedicatedConnections(open)
      : createSharedConnections(settings.sharedConnections, open);
  const underWay = new Map<number, Exchange>();
  const context: ExchangeContext = {
    sink: {
      ...sink,
      ended: (agent, ending, traffic) => {
        underWay.delete(agent);
        sink.ended(agent, ending, traffic);
      },
    },
    buffers: createSendBuffers(heads.roomBytes + settings.maxBodyBytes),
    release: (connection) => connections.release(connection),
  };
  return {
    send: (agent, endpoint) => {
      connections.acquire(agent, (connection) => {
        const exchange = new Exchange(context, connection, {
          agent,
          endpoint,
          heads: ownHeads.size === 0 ? heads : (ownHeads.get(agent) ?? heads),
        });
        underWay.set(agent, exchange);
        connection.writer = exchange;
        sink.started(agent);
        connection.client.dispatch(
          { path: ENDPOINT_PATHS[endpoint], method: 'POST', body: PLACEHOLDER_BODY },
          exchange,
        );
      });
    },
    abort: (agent) => {
      if (connections.cancel(agent)) return NO_TRAFFIC;
      const exchange = underWay.get(agent);
      underWay.delete(agent);
      return exchange?.abandon() ?? NO_TRAFFIC;
    },
    setApiKey: (agent, apiKey) => {
      ownHeads.set(agent, headsOf(apiKey));
    },
    disconnect: (agent) => connections.disconnect(agent),
    close: () => connections.close(),
  };
}

/** Asked for the same again, gives what it gave. */
function lastResult<Value>(make: (key: string) => Value): (key: string) => Value {
  let last: { readonly key: string; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
