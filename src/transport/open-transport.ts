import type { Transport, TransportAdapter, TransportSink } from '../protocol/exchange.ts';
import type { TransportSettings } from './settings.ts';

/** Opens the outbound side of a shard; no connection is made before the first request. */
export type OpenTransport = (settings: TransportSettings, sink: TransportSink) => Transport;

/** Loaded when it is chosen: undici alone takes more memory than some thousands of agents. */
const LOAD: Readonly<Record<TransportAdapter, () => Promise<OpenTransport>>> = {
  direct: async () => (await import('./direct/direct-transport.ts')).createDirectTransport,
  undici: async () => (await import('./undici/undici-transport.ts')).createUndiciTransport,
};

export function loadTransport(adapter: TransportAdapter): Promise<OpenTransport> {
  return LOAD[adapter]();
}
