import type { Transport, TransportSink } from '../protocol/exchange.ts';
import type { TransportAdapter } from '../protocol/transports.ts';
import { createDirectTransport } from './direct/direct-transport.ts';
import type { TransportSettings } from './settings.ts';
import { createUndiciTransport } from './undici/undici-transport.ts';

const OPEN: Readonly<Record<TransportAdapter, (settings: TransportSettings, sink: TransportSink) => Transport>> = {
  direct: createDirectTransport,
  undici: createUndiciTransport,
};

/** Opens the outbound side of a shard; no connection is made before the first request. */
export function openTransport(adapter: TransportAdapter, settings: TransportSettings, sink: TransportSink): Transport {
  return OPEN[adapter](settings, sink);
}
