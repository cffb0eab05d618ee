import type { TlsSettings } from './connector.ts';
import type { Sources } from './source-ports.ts';

/** What both adapters of the transport are opened with. */
export type TransportSettings = {
  /** Base URL of the push server, with any path prefix. */
  readonly baseUrl: string;
  /** What its host resolves to (`resolveTarget`): no dial asks the resolver. */
  readonly addresses: readonly string[];
  readonly sources: Sources;
  readonly apiKey: string;
  readonly tls: TlsSettings;
  /** Connections shared by all agents of the shard, or undefined for one per agent. */
  readonly sharedConnections: number | undefined;
};
