import type { Address } from '../../base/kernel/address.ts';
import type { AgentDocuments } from '../../base/protocol/agent-files.ts';
import type { Traffic } from '../../base/protocol/exchange.ts';
import type { ServedOperation } from '../../base/protocol/operations.ts';
import type { Refusal } from '../../base/protocol/refusals.ts';
import type { TlsSetup } from './tls/tls-acceptor.ts';

/** The web server of one agent, according to its settings and files. */
export type WebServerSetup = {
  /** An empty host means all addresses. */
  readonly address: Address;
  /** `user:password`; `undefined`: no authentication. */
  readonly basicAuth: string | undefined;
  readonly configPush: boolean;
  readonly autoTls: boolean;
  readonly tls: TlsSetup | undefined;
};

export type Certificates = { readonly signed: string; readonly ca: string };

/** `client_gone`: the connection ended before it had accepted the whole answer. */
export type ServedOutcome = 'ok' | `http_${number}` | 'client_gone';

/** Receives the events of clients before their first request, and of requests without an answer. */
export type ClientPorts = {
  readonly accepted: () => void;
  /** A TLS handshake admitted a client. */
  readonly handshake: () => void;
  /** A connection led to no request. */
  readonly refused: (reason: Refusal) => void;
  /** A request whose head was read, or a started handshake, ended without an answer. */
  readonly unanswered: () => void;
};

/** What agents serve and store. Agents are numbered by the caller. */
export type WebServerPorts = {
  /** Current body of `GET /`; valid until the next call. */
  readonly checkdata: (agent: number) => Buffer;
  /** Current body of `GET /packages`; valid until the next call. */
  readonly packages: (agent: number) => Buffer;
  readonly documents: (agent: number) => AgentDocuments;
  readonly exporters: (agent: number) => readonly string[];
  /** The last scrape; `undefined`: no such exporter, or not scraped yet. */
  readonly scrape: (agent: number, exporter: string) => string | undefined;
  /** The signing request in PEM; rejects if it cannot be created. */
  readonly csr: (agent: number, domain: string | undefined) => Promise<string>;
  /** Both resolve when the data is durable, and reject if it cannot be stored. */
  readonly storeDocuments: (agent: number, documents: AgentDocuments) => Promise<void>;
  readonly storeCertificates: (agent: number, certificates: Certificates) => Promise<void>;
  /** Called after something was stored and its client has been answered. */
  readonly reload: (agent: number) => void;
  /** Called once per request whose head was read; `serviceMs` ends when the connection has accepted the whole answer. */
  readonly served: (
    agent: number,
    operation: ServedOperation,
    outcome: ServedOutcome,
    serviceMs: number,
    traffic: Traffic,
  ) => void;
  readonly clients: ClientPorts;
  /** The agent's port could not be opened after a reload. */
  readonly failed: (agent: number, reason: string) => void;
};
