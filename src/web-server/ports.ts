import type { Address } from '../kernel/address.ts';
import type { AgentDocuments } from '../protocol/agent-files.ts';
import type { Traffic } from '../protocol/exchange.ts';
import type { ServedOperation } from '../protocol/operations.ts';
import type { Refusal } from '../protocol/refusals.ts';
import type { TlsSetup } from './tls/tls-acceptor.ts';

/** The web server of one agent, from its settings and files. */
export type WebServerSetup = {
  /** An empty host is all addresses. */
  readonly address: Address;
  /** `user:password`; undefined: no authentication. */
  readonly basicAuth: string | undefined;
  readonly configPush: boolean;
  readonly autoTls: boolean;
  readonly tls: TlsSetup | undefined;
};

export type Certificates = { readonly signed: string; readonly ca: string };

/** `client_gone`: the connection ended before the whole answer was handed to it. */
export type ServedOutcome = 'ok' | `http_${number}` | 'client_gone';

/** Told of clients before they have asked for anything, and of what gets no answer. */
export type ClientPorts = {
  readonly accepted: () => void;
  /** A TLS handshake let a client in. */
  readonly handshake: () => void;
  /** A connection came to no request. */
  readonly refused: (reason: Refusal) => void;
  /** A request whose head was read, or a handshake that a client had begun, ended without an answer. */
  readonly unanswered: () => void;
};

/** What agents have to say and to keep. Agents are numbered as the caller numbers them. */
export type WebServerPorts = {
  /** Body of `GET /` now; its bytes are valid until the next call. */
  readonly checkdata: (agent: number) => Buffer;
  /** Body of `GET /packages` now; its bytes are valid until the next call. */
  readonly packages: (agent: number) => Buffer;
  readonly documents: (agent: number) => AgentDocuments;
  /** Names of enabled exporters. */
  readonly exporters: (agent: number) => readonly string[];
  /** The last scrape; undefined: no such exporter, or not scraped yet. */
  readonly scrape: (agent: number, exporter: string) => string | undefined;
  /** The signing request in PEM; rejects if there cannot be one. */
  readonly csr: (agent: number, domain: string | undefined) => Promise<string>;
  /** Both resolve when what is stored would outlive a crash, and reject if it cannot be stored. */
  readonly storeDocuments: (agent: number, documents: AgentDocuments) => Promise<void>;
  readonly storeCertificates: (agent: number, certificates: Certificates) => Promise<void>;
  /** Something was stored, and its client has its answer. */
  readonly reload: (agent: number) => void;
  /** Once per request whose head was read; `serviceMs` ends when the answer's last byte was handed over. */
  readonly served: (
    agent: number,
    operation: ServedOperation,
    outcome: ServedOutcome,
    serviceMs: number,
    traffic: Traffic,
  ) => void;
  readonly clients: ClientPorts;
  /** The agent's port could not be had after a reload. */
  readonly failed: (agent: number, reason: string) => void;
};
