import type { Socket } from 'node:net';
import type { Ending, ExchangeEvidence, TransportSink } from '../../base/protocol/exchange.ts';
import type { Endpoint } from '../../base/protocol/push.ts';
import type { SendBuffers } from '../../base/runtime/send-buffers.ts';
import type { Hop } from '../agent/redirects.ts';
import type { Heads } from '../agent/request.ts';
import type { Tally } from './dial.ts';
import type { Dialer } from './dialer.ts';
import type { AnswerParser, AnswerParsers } from './http-parser.ts';
import type { DialBudget, OutlastingDials } from './outlasting-dials.ts';

export type TransportContext = {
  readonly baseUrl: string;
  readonly sink: TransportSink;
  readonly headsOf: (agent: number) => Heads;
  readonly buffers: SendBuffers;
  readonly parsers: AnswerParsers;
  /** Maximum size of one write to a TLS socket. */
  readonly tlsPieceBytes: number;
  /** Returns the agent's connection for a redirect. */
  readonly connectionTo: (exchange: Exchange, hop: Hop) => Connection;
  /** Called when the exchange has its ending and its connection is free. */
  readonly done: (exchange: Exchange) => void;
  readonly last: LastExchange;
  readonly budget: DialBudget;
  /** Called when the server has chosen HTTP/2; the session then owns the socket. */
  readonly openSession: (connection: Connection, socket: Socket) => RequestSession;
  readonly firstHops: Readonly<Record<Endpoint, Hop>>;
};

/** One keep-alive connection: all that is kept of an agent while it is idle. */
export type Connection = {
  /** Replaced when the agent is configured with its own proxy. */
  dialer: Dialer;
  /** The connection's number in the shard; `dials` counts the dials it has started. */
  readonly number: number;
  dials: number;
  readonly context: TransportContext;
  socket: Socket | undefined;
  /** Carries the requests if the server has chosen HTTP/2. A socket exists alongside it only to replace it. */
  session: RequestSession | undefined;
  isReady: boolean;
  /** Whether the current socket has carried an answer. */
  isReused: boolean;
  outlasting: OutlastingDials | undefined;
  /** Tally of the address that the last socket connected to. */
  tally: Tally | undefined;
  /** Bytes that the socket has not flushed yet; must not be overwritten. */
  buffer: Buffer | undefined;
  /** The exchange whose request is in flight on this connection. */
  exchange: Exchange | undefined;
  /** The exchange whose home is this connection, wherever its request is in flight. */
  inFlight: Exchange | undefined;
};

/** One request of an agent, including the requests that redirects cause. */
export type Exchange = {
  readonly agent: number;
  readonly endpoint: Endpoint;
  /** The agent's own connection, reserved until the exchange ends. */
  readonly home: Connection;
  /** The connection that carries the request; differs from `home` after a redirect to another port. */
  connection: Connection;
  hop: Hop | undefined;
  /** Set from the first byte of the answer. */
  parser: AnswerParser | undefined;
  /** Rendered part of the request that is not yet written to the socket. */
  unsent: Buffer | undefined;
  /** The conclusion of an answer that came while the request was still being written. */
  early: EarlyAnswer | undefined;
  /** Why the exchange failed, and how far it got. */
  reason: string;
  /** Evidence that would not be available later. */
  seen: ExchangeEvidence | undefined;
  sentBytes: number;
  receivedBytes: number;
};

/** Source of the evidence of the exchange that ended last. */
export type LastExchange = {
  exchange: Exchange | undefined;
  ending: Ending | undefined;
  /** The bytes being parsed; empty otherwise. */
  bytes: Buffer;
};

/** Sends the requests of one connection over HTTP/2. */
export type RequestSession = {
  /** Sends the exchange's current request. Returns false if the session accepts no more, and a new connection is needed. */
  begin(exchange: Exchange): boolean;
  /** Abandons the current request; the connection stays open. */
  abandon(): void;
  close(): void;
  howFar(): string;
  /** What has arrived of the current or last answer. */
  beginning(): Pick<ExchangeEvidence, 'head' | 'body'>;
};

type EarlyAnswer = { readonly conclusion: AnswerConclusion; readonly cancelTimer: () => void };

export type AnswerConclusion =
  | { readonly kind: 'done'; readonly ending: Ending }
  | { readonly kind: 'redirect'; readonly hop: Hop };
