import { compileHeads, headRoom } from '../agent/request-head.ts';
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
  const room = headRoom(heads);
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
    buffers: createSendBuffers(room + settings.maxBodyBytes),
    headRoom: room,
    release: (connection) => connections.release(connection),
  };
  return {
    send: (agent, endpoint) => {
      connections.acquire(agent, (connection) => {
        const exchange = new Exchange(context, connection, { agent, head: heads[endpoint] });
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
    disconnect: (agent) => connections.disconnect(agent),
    close: () => connections.close(),
  };
}
