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
  readonly apiKey: string;
  readonly tls: TlsSettings;
  /** Connections shared by all agents of the shard, or undefined for one per agent. */
  readonly sharedConnections: number | undefined;
  /** The longest request body that the sink writes. */
  readonly maxBodyBytes: number;
};

/** Opens the outbound side of a shard over HTTP/1.1; no connection is made before the first request. */
export function createHttpTransport(settings: TransportSettings, sink: TransportSink): Transport {
  const base = new URL(settings.baseUrl);
  const heads = compileHeads(base, settings.apiKey);
  const room = headRoom(heads);
  const connector = createConnector(base, settings.tls);
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
    close: () => connections.close(),
  };
}
