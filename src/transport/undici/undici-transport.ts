import { NO_TRAFFIC, type Transport, type TransportSink } from '../../protocol/exchange.ts';
import { ENDPOINT_PATHS, type Endpoint } from '../../protocol/push.ts';
import { createAgentHeads } from '../agent-heads.ts';
import { createConnections } from '../connections.ts';
import { connectorOver, createDiallers } from '../connector.ts';
import { createSendBuffers } from '../send-buffers.ts';
import type { TransportSettings } from '../settings.ts';
import { type Connection, createConnection, PLACEHOLDER_BODY } from './connection.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';

/** Opens the outbound side of a shard over HTTP/1.1 through undici; no connection is made before the first request. */
export function createUndiciTransport(settings: TransportSettings, sink: TransportSink): Transport {
  const base = new URL(settings.baseUrl);
  const heads = createAgentHeads(settings);
  const diallerOf = createDiallers({ base, ...settings });
  const dispatch = (connection: Connection, agent: number, endpoint: Endpoint): void => {
    const exchange = new Exchange(context, connection, { agent, endpoint, heads: heads.of(agent) });
    underWay.set(agent, exchange);
    connection.writer = exchange;
    sink.started(agent);
    connection.client.dispatch({ path: ENDPOINT_PATHS[endpoint], method: 'POST', body: PLACEHOLDER_BODY }, exchange);
  };
  const connections = createConnections(settings.sharedConnections, {
    open: (number) => createConnection(base.origin, connectorOver(diallerOf(number))),
    use: dispatch,
  });
  const underWay = new Map<number, Exchange>();
  const context: ExchangeContext = {
    sink: {
      ...sink,
      ended: (agent, ending, traffic) => {
        underWay.delete(agent);
        sink.ended(agent, ending, traffic);
      },
    },
    buffers: createSendBuffers(),
    release: (connection) => connections.release(connection),
  };
  return {
    send: (agent, endpoint) => connections.acquire(agent, endpoint),
    abort: (agent) => {
      if (connections.cancel(agent)) return NO_TRAFFIC;
      const exchange = underWay.get(agent);
      underWay.delete(agent);
      return exchange?.abandon() ?? NO_TRAFFIC;
    },
    setApiKey: heads.setApiKey,
    disconnect: (agent) => connections.own(agent)?.renew(),
    close: async () => {
      await Promise.all(connections.all().map(({ client }) => client.destroy()));
    },
  };
}
