import type { Socket } from 'node:net';
import type { Hop } from '../agent/redirects.ts';
import type { Heads } from '../agent/request-head.ts';
import type { Ending, Seen, TransportSink } from '../protocol/exchange.ts';
import type { Endpoint } from '../protocol/push.ts';
import type { Tally } from './address-tallies.ts';
import type { Dialler } from './dialler.ts';
import type { AnswerParser, AnswerParsers } from './http-parser.ts';
import type { LastExchange } from './last-seen.ts';
import type { DialRoom, OutlastingDials } from './outlasting-dials.ts';
import type { SendBuffers } from './send-buffers.ts';

/** What all connections of a transport share. */
export type TransportContext = {
  readonly baseUrl: string;
  readonly sink: TransportSink;
  readonly headsOf: (agent: number) => Heads;
  readonly buffers: SendBuffers;
  readonly parsers: AnswerParsers;
  /** What a TLS socket is given at once at most. */
  readonly tlsPieceBytes: number;
  /** The agent's connection to where a redirect leads. */
  readonly connectionTo: (exchange: Exchange, hop: Hop) => Connection;
  /** The exchange has its ending, and its connection is free. */
  readonly done: (exchange: Exchange) => void;
  readonly last: LastExchange;
  readonly room: DialRoom;
  /** The server has chosen HTTP/2: the socket is the session's from now on. */
  readonly openSession: (connection: Connection, socket: Socket) => RequestSession;
};

/** One keep-alive connection: what is kept of an agent while it has nothing to say. */
export type Connection = {
  /** Another one once the agent is configured with a proxy of its own. */
  dialler: Dialler;
  /** Its own in the shard; `dials` counts those that were begun. */
  readonly number: number;
  dials: number;
  readonly context: TransportContext;
  /** The present one, connecting or connected. */
  socket: Socket | undefined;
  /** Takes the requests, as the server has chosen HTTP/2; there is no socket beside it but one that replaces it. */
  session: RequestSession | undefined;
  isReady: boolean;
  /** The present socket has carried an answer. */
  isReused: boolean;
  outlasting: OutlastingDials | undefined;
  /** Of the address that the last socket was connected to. */
  tally: Tally | undefined;
  /** What the socket has not flushed yet; it must not be written over. */
  buffer: Buffer | undefined;
  /** The one whose request is in flight here. */
  exchange: Exchange | undefined;
  /** The one whose home this is, wherever its request is in flight. */
  inFlight: Exchange | undefined;
};

/** One request of an agent, with those that redirects make of it. */
export type Exchange = {
  readonly agent: number;
  readonly endpoint: Endpoint;
  /** The agent's for as long as the exchange lasts. */
  readonly home: Connection;
  /** Where the request is in flight: another one than `home` after a redirect to another port. */
  connection: Connection;
  /** Undefined: not redirected. */
  hop: Hop | undefined;
  /** Present since the answer's first byte. */
  parser: AnswerParser | undefined;
  /** What is rendered of the request and not written to the socket. */
  unsent: Buffer | undefined;
  /** What the answer came to, while its request is still being written. */
  early: EarlyAnswer | undefined;
  /** Why it failed, and how far it was. */
  reason: string;
  /** Evidence that would not be available later. */
  seen: Seen | undefined;
  sentBytes: number;
  receivedBytes: number;
};

/** Requests of one connection over HTTP/2. */
export type RequestSession = {
  /** Sends the current request of the exchange. False: the session accepts no more, and the exchange needs a new connection. */
  begin(exchange: Exchange): boolean;
  /** Gives the present request up; the connection stays. */
  abandon(): void;
  close(): void;
  /** How far the present request is. */
  howFar(): string;
  /** What has come of the present answer, or of the last one. */
  beginning(): Pick<Seen, 'head' | 'body'>;
};

type EarlyAnswer = { readonly conclusion: AnswerConclusion; readonly cancelTimer: () => void };

/** An answer's meaning, or where it leads. */
export type AnswerConclusion =
  | { readonly kind: 'done'; readonly ending: Ending }
  | { readonly kind: 'redirect'; readonly hop: Hop };
