import type { Endpoint } from './push.ts';

/** How a request of an agent ended on the wire. */
export type Ending =
  /** `body` is `undefined` if it could not be decompressed. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string | undefined }
  | { readonly kind: 'failure'; readonly failure: TransportFailure };

/** Failures below HTTP. `malformed_answer`: not an HTTP answer, or one above the size limit. */
export type TransportFailure =
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'name_not_resolved'
  /** This machine has no file descriptor left for the connection. */
  | 'no_file_descriptor'
  | 'no_local_port'
  | 'tls_failed'
  /** A proxy was unreachable or did not open a tunnel to the target. */
  | 'proxy_failed'
  | 'malformed_answer';

/**
 * The outbound side of a shard's agents, which are addressed by their number in the shard. An agent has at most one
 * request in flight. All events go to the sink that the transport was opened with.
 */
export type Transport = {
  send(agent: number, endpoint: Endpoint): void;
  /** Abandons the agent's request and its connection; the sink receives no further event. Returns the traffic so far. */
  abort(agent: number): Traffic;
  /** Evidence of the agent's exchange that is being reported to the sink, or that was aborted last. */
  lastEvidence(agent: number): ExchangeEvidence;
  /** Applies the agent's own settings to its further requests, instead of the fleet's. */
  reconfigure(agent: number, push: AgentPush): void;
  /** Closes the connection of an idle agent, if it has its own. */
  disconnect(agent: number): void;
  /**
   * Unplugs the agent's cable: its connection carries nothing more, the server is not notified, and a request in flight
   * gets no answer. Returns false, without any effect, if the agent shares connections.
   */
  unplug(agent: number): boolean;
  /** Plugs the agent's cable in again, if it was unplugged. */
  plug(agent: number): void;
  close(): Promise<void>;
};

/** Differences between an agent's requests and the fleet's; `undefined`: no difference. */
export type AgentClient = {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly version: string | undefined;
};

/** Request settings from an agent's own configuration. */
export type AgentPush = {
  readonly apiKey: string;
  /** The proxy URL as configured; empty if none is configured. `undefined`: the fleet's proxy. */
  readonly proxy: string | undefined;
};

export type TransportSink = {
  /** The request has its connection and starts; with shared connections it may have waited for one. */
  started(agent: number): void;
  /** Allocates a buffer, which is used for many requests. */
  buffer(sizeBytes: number): Buffer;
  /** Opens the request's JSON body to write it now: when the socket is ready, and again for each redirect that repeats the body. */
  openBody(agent: number): RequestBody;
  ended(agent: number, ending: Ending, traffic: Traffic): void;
  /** Omitted if not traced. */
  readonly wire?: WireSink;
};

export type RequestBody = {
  /** Its maximum size in bytes. */
  readonly roomBytes: number;
  /** Writes the body at `offset` and returns the offset after it. */
  write(out: Buffer, offset: number): number;
};

/** Receives all messages on the wire except the answers that end exchanges. */
export type WireSink = {
  /** A request, original or redirected, is sent; the bytes are valid during the call. */
  request(agent: number, bytes: Buffer): void;
  redirected(agent: number, seen: ExchangeEvidence): void;
};

/** Counts for one address of the target since the start; requests and failures include redirects. */
export type AddressCounts = {
  readonly host: string;
  readonly port: number;
  /** An address of the host, or the host itself. */
  readonly address: string;
  readonly connections: number;
  /** Failed dials and TLS handshakes, even if they outlasted their request or another address succeeded. */
  readonly failedDials: number;
  /** Requests to the address that have ended. */
  readonly requests: number;
  /** Requests among these without a complete answer of 200 or 201. */
  readonly failed: number;
  /** Connections that were ready for a request; omitted if the agents offer one protocol only. */
  readonly protocols?: ProtocolCounts | undefined;
};

export type ProtocolCounts = { readonly http1: number; readonly http2: number };

/** Visible bytes on the wire of one exchange, including heads and redirects. */
export type Traffic = { readonly sentBytes: number; readonly receivedBytes: number };

/** Evidence of a failed exchange, unfiltered: not safe to display, and possibly with secrets. */
export type ExchangeEvidence = {
  /** What failed below HTTP, and the progress of the exchange; empty if there was a complete answer. */
  readonly reason: string;
  /** Status line and fields of the answer, or what came instead; empty if nothing came. */
  readonly head: string;
  /** May be truncated. */
  readonly body: string;
};

/** Splits a message at its first empty line. */
export function headAndBody(text: string): Pick<ExchangeEvidence, 'head' | 'body'> {
  const [head = ''] = text.split(/\r?\n\r?\n/, 1);
  return { head, body: text.slice(head.length).replace(/^[\r\n]+/, '') };
}

export const NO_EVIDENCE: ExchangeEvidence = { reason: '', head: '', body: '' };

export const NO_TRAFFIC: Traffic = { sentBytes: 0, receivedBytes: 0 };
