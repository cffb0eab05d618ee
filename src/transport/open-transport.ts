import type { Transport, TransportSink } from '../protocol/exchange.ts';
import type { TransportAdapter } from '../protocol/transports.ts';
import { createDirectTransport } from './direct/direct-transport.ts';
import type { TransportSettings } from './settings.ts';

/** Opens the outbound side of a shard; no connection is made before the first request. */
export type OpenTransport = (settings: TransportSettings, sink: TransportSink) => Transport;

/** Loads an adapter: undici is a fifth of what a shard would load, and few runs need it. */
export async function transportOpener(adapter: TransportAdapter): Promise<OpenTransport> {
  if (adapter === 'direct') return createDirectTransport;
  return (await import('./undici/undici-transport.ts')).createUndiciTransport;
}
