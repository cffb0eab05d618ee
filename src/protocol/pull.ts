import type { Address } from '../kernel/address.ts';
import type { Seen, TransportFailure } from './exchange.ts';

/** Paths of an agent's own web server that a monitoring server asks for (docs/reference/wire.md, "Agent web server"). */
export const AGENT_PATHS = { checkdata: '/', packages: '/packages', config: '/config', autoTls: '/autotls' } as const;

export type AgentPath = (typeof AGENT_PATHS)[keyof typeof AGENT_PATHS];

/** What an agent's web server offers over TLS: its key `tls-security-level` (docs/reference/wire.md, "Agent web server"). */
export const TLS_LEVELS = ['lax', 'intermediate', 'modern'] as const;
export type TlsLevel = (typeof TLS_LEVELS)[number];

/** Private keys of agents and authorities; real ones are `rsa-4096`, half a second to a few seconds of computing each. */
export const KEY_TYPES = ['rsa-4096', 'rsa-3072', 'rsa-2048', 'ecdsa-p256'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * What a server that pulls has to know of an agent's certificates after a restart. `signed`: some of its authority were
 * made for it and may have reached it. `exchanged`: it has them. `lost`: it will get new ones.
 */
export type ExchangeRecord = 'signed' | 'exchanged' | 'lost';

/** What the shipped server's HTTP client calls itself. */
export const PULL_USER_AGENT = 'GuzzleHttp/7';

/** One request of a monitoring server to an agent's web server: a GET, or with a body a POST. */
export type PullRequest = {
  readonly address: Address;
  /** TLS with the authority's certificate as the client's, or plain HTTP. */
  readonly secure: boolean;
  readonly path: AgentPath;
  /** `user:password`; undefined: no `Authorization`. */
  readonly basicAuth: string | undefined;
  readonly body: string | undefined;
  /** Told the request's line and fields when it goes out; left out: not traced. */
  readonly written?: (head: string) => void;
};

/** How a request ended; bytes are those of heads and bodies. */
export type PullEnding = (
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | {
      readonly kind: 'failure';
      readonly failure: TransportFailure | 'timeout' | 'canceled';
      /** The peer took the connection and then failed the TLS handshake, as one does that speaks plain HTTP. */
      readonly inHandshake: boolean;
    }
) & { readonly sentBytes: number; readonly receivedBytes: number };

/** A request under way. */
export type PullCall = {
  readonly ending: Promise<PullEnding>;
  /** Closes the connection; the ending is `canceled`. */
  readonly abort: () => void;
  /** What there was to see of it, once it has ended. */
  readonly seen: () => Seen;
};

/** The outbound side of a monitoring server in pull mode. Each request has a connection of its own. */
export type PullClient = {
  readonly request: (request: PullRequest) => PullCall;
  /** Aborts what is under way. */
  readonly close: () => void;
};
