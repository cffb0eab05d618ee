import type { Socket } from 'node:net';
import type { Hop } from '../../agent/redirects.ts';
import type { Ending } from '../../protocol/exchange.ts';
import type { Endpoint } from '../../protocol/push.ts';
import type { Dialler } from '../connector.ts';
import type { AnswerReader } from './answer-state.ts';

/** One keep-alive connection: what is kept of an agent while it has nothing to say. */
export type Connection = {
  readonly dialler: Dialler;
  readonly events: ConnectionEvents;
  /** The present one, connecting or connected. */
  socket: Socket | undefined;
  isReady: boolean;
  /** The present socket has carried an answer. */
  isReused: boolean;
  /** What the socket has not flushed yet; it must not be written over. */
  buffer: Buffer | undefined;
  /** The request that is under way here. */
  exchange: Exchange | undefined;
  /** The exchange whose home this is, wherever its request is under way. */
  underWay: Exchange | undefined;
};

/** What becomes of a connection; one object for all connections of a transport, so that none of them costs a closure. */
export type ConnectionEvents = {
  readonly ready: (connection: Connection) => void;
  /** The bytes are valid during the call. */
  readonly received: (connection: Connection, bytes: Buffer) => void;
  /** A long request has left its buffer, or a piece of one. */
  readonly drained: (connection: Connection) => void;
  /** The peer sends no more. */
  readonly ended: (connection: Connection) => void;
  readonly failed: (connection: Connection, error: Error) => void;
};

/** One request of an agent, with those that redirects make of it. */
export type Exchange = {
  readonly agent: number;
  readonly endpoint: Endpoint;
  /** The agent's for as long as the exchange lasts. */
  readonly home: Connection;
  /** Where the request is under way: another one than `home` after a redirect to another port. */
  connection: Connection;
  /** Undefined: not redirected. */
  hop: Hop | undefined;
  /** Present since the answer's first byte. */
  reader: AnswerReader | undefined;
  /** What is rendered of the request and not written to the socket. */
  unsent: Buffer | undefined;
  /** What the answer came to, while its request is still being written. */
  early: EarlyAnswer | undefined;
  sentBytes: number;
  receivedBytes: number;
};

export type EarlyAnswer = { readonly conclusion: Conclusion; readonly callOff: () => void };

/** An answer's meaning, or where it leads. */
export type Conclusion =
  | { readonly kind: 'over'; readonly ending: Ending }
  | { readonly kind: 'redirect'; readonly hop: Hop };
