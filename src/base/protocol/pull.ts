import type { Address } from '../kernel/address.ts';
import type { ExchangeEvidence, TransportFailure } from './exchange.ts';

/** Paths of an agent's web server that a monitoring server requests (docs/reference/agent-web-server.md, "Agent web server"). */
export const AGENT_PATHS = { checkdata: '/', packages: '/packages', config: '/config', autoTls: '/autotls' } as const;

export type AgentPath = (typeof AGENT_PATHS)[keyof typeof AGENT_PATHS];

/** Values of the agent's key `tls-security-level` (docs/reference/agent-web-server.md, "Agent web server"). */
export const TLS_LEVELS = ['lax', 'intermediate', 'modern'] as const;
export type TlsLevel = (typeof TLS_LEVELS)[number];

/** Types of private keys of agents and authorities. Real ones are `rsa-4096`, which take half a second to a few seconds each. */
export const KEY_TYPES = ['rsa-4096', 'rsa-3072', 'rsa-2048', 'ecdsa-p256'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * What a server in pull mode must know about an agent's certificates after a restart. `signed`: its authority signed
 * certificates that may have reached the agent. `exchanged`: the agent has them. `lost`: the agent will get new ones.
 */
export type ExchangeRecord = 'signed' | 'exchanged' | 'lost';

export const PULL_USER_AGENT = 'GuzzleHttp/7';

/** A request of a monitoring server to an agent's web server: a GET, or a POST if there is a body. */
export type PullRequest = {
  readonly address: Address;
  /** Whether to use TLS, with the authority's certificate as client certificate. */
  readonly secure: boolean;
  readonly path: AgentPath;
  /** `user:password`; `undefined`: no `Authorization`. */
  readonly basicAuth: string | undefined;
  readonly body: string | undefined;
  /** Called with the request line and fields when the request is sent; omitted if not traced. */
  readonly written?: (head: string) => void;
};

/** How a request ended. Byte counts include heads and bodies. */
export type PullEnding = (
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | {
      readonly kind: 'failure';
      readonly failure: TransportFailure | 'timeout' | 'canceled';
      /** The peer accepted the connection but failed the TLS handshake, like one that speaks plain HTTP. */
      readonly inHandshake: boolean;
    }
) & { readonly sentBytes: number; readonly receivedBytes: number };

export type PullCall = {
  readonly ending: Promise<PullEnding>;
  /** Closes the connection; the ending is `canceled`. */
  readonly abort: () => void;
  /** Evidence of the request, available once it has ended. */
  readonly evidence: () => ExchangeEvidence;
};

/** The outbound side of a monitoring server in pull mode. Each request has its own connection. */
export type PullClient = {
  readonly request: (request: PullRequest) => PullCall;
  readonly close: () => void;
};
