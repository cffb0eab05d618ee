import type { Endpoint } from './push.ts';

/** How one request of an agent ended on the wire. */
export type Ending =
  /** `body` is undefined if its bytes could not be unpacked. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string | undefined }
  | { readonly kind: 'failure'; readonly failure: TransportFailure };

/** Failures below HTTP. `malformed_answer`: bytes that are no HTTP answer, or one too long to be meant. */
export type TransportFailure =
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'name_not_resolved'
  /** This machine has no file descriptor left for the connection. */
  | 'no_file_descriptor'
  /** This machine has no local port left toward the target. */
  | 'no_local_port'
  | 'tls_failed'
  /** A proxy was not reached, or did not open the way to the target. */
  | 'proxy_failed'
  | 'malformed_answer';

/**
 * The outbound side of a shard's agents, addressed by the agent's number in the shard. An agent has at most one
 * request under way. Callers get every event through the sink they opened the transport with.
 */
export type Transport = {
  send(agent: number, endpoint: Endpoint): void;
  /** Abandons the agent's request and its connection; the sink hears no more of it. Says what went over the wire. */
  abort(agent: number): Traffic;
  /** What there was to see of an exchange: of the one whose end the sink is being told, else of the one aborted last. */
  lastSeen(): Seen;
  /** The agent's further requests are these instead of the fleet's. */
  reconfigure(agent: number, push: AgentPush): void;
  /** Closes the connection of an idle agent, if it has a separate one. */
  disconnect(agent: number): void;
  /**
   * The agent's cable is pulled: nothing goes over its connection any more, the server is not told, and a request that is under
   * way gets no answer. False: it shares connections with others, and all is as before.
   */
  unplug(agent: number): boolean;
  /** Its cable is back, if it was pulled. */
  plug(agent: number): void;
  close(): Promise<void>;
};

/** What of an agent's requests is another than the fleet's; undefined: it is not. */
export type AgentClient = {
  /** Base URL of its server. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** Of the agent. */
  readonly version: string | undefined;
};

/** Request settings from an agent's own configuration. */
export type AgentPush = {
  readonly apiKey: string;
  /** The URL of its proxy as written there; empty: none is named. Undefined: that of the fleet. */
  readonly proxy: string | undefined;
};

export type TransportSink = {
  /** The request has its connection and goes out now; with a shared pool it may have waited for one. */
  started(agent: number): void;
  /** How many bytes the request's body takes at most. */
  bodyRoom(agent: number): number;
  /** Makes a buffer for requests; it is kept for many of them. */
  buffer(sizeBytes: number): Buffer;
  /**
   * Writes the request's JSON body at `offset` and returns the offset behind it; called when the socket is ready, and once
   * more for each redirect that repeats the body.
   */
  writeBody(agent: number, out: Buffer, offset: number): number;
  ended(agent: number, ending: Ending, traffic: Traffic): void;
  /** Left out: not traced. */
  readonly wire?: WireSink;
};

/** Hears what goes over the wire, besides the answer that ends an exchange. */
export type WireSink = {
  /** A request goes out, redirected ones too; the bytes are valid during the call. */
  request(agent: number, bytes: Buffer): void;
  /** An answer leads to another request. */
  redirected(agent: number, seen: Seen): void;
};

/** Counts of one address of the target since the start; requests and failures include redirects. */
export type AddressCounts = {
  /** Of the base URL. */
  readonly host: string;
  readonly port: number;
  /** That the host has led to, or the host itself. */
  readonly address: string;
  /** TCP connections that were opened. */
  readonly connections: number;
  /** Failed dials and TLS handshakes, including those that outlasted their request; another address may have succeeded. */
  readonly failedDials: number;
  /** That were sent to it and have ended. */
  readonly requests: number;
  /** Requests of these without a whole answer of 200 or 201. */
  readonly failed: number;
  /** Connections that were ready for a request; left out: their agents offer no choice. */
  readonly protocols?: ProtocolCounts | undefined;
};

/** By what the server has chosen. */
export type ProtocolCounts = { readonly http1: number; readonly http2: number };

/** Bytes on the wire of one exchange, with heads and redirects, where this side can see them. */
export type Traffic = { readonly sentBytes: number; readonly receivedBytes: number };

/** What there is to see of an exchange that went wrong, as it came: not fit to be shown, and maybe with secrets in it. */
export type Seen = {
  /** What failed below HTTP, and how far the exchange was; empty if a whole answer came. */
  readonly reason: string;
  /** Status line and fields of the answer, or what came in place of them; empty if nothing came. */
  readonly head: string;
  /** As far as it was kept. */
  readonly body: string;
};

/** Head of a message up to its first empty line, and body after it. */
export function headAndBody(text: string): Pick<Seen, 'head' | 'body'> {
  const [head = ''] = text.split(/\r?\n\r?\n/, 1);
  return { head, body: text.slice(head.length).replace(/^[\r\n]+/, '') };
}

export const NOTHING_SEEN: Seen = { reason: '', head: '', body: '' };

export const NO_TRAFFIC: Traffic = { sentBytes: 0, receivedBytes: 0 };
