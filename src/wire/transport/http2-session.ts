import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { loadHttp2 } from '../../ground/runtime/builtins.ts';

/** An HTTP/2 connection, managed like those of Go's client (docs/developers/wire.md, "HTTP/2"). */
export type Http2Session = {
  readonly http2: ClientHttp2Session;
  readonly socket: Socket;
  /** The server accepts no streams after `lastStreamId`. */
  goaway: { readonly code: number; readonly lastStreamId: number } | undefined;
  /** Whether it carries no further request. */
  isSpent: boolean;
  /** How many concurrent streams the server allows. */
  mostStreams: number;
  /** The size of a request's head that the server allows. */
  mostHeadBytes: number;
  /** Bytes of the frames that answer the server's SETTINGS and PINGs. */
  replyBytes: number;
  /** Streams abandoned without a sign of life from the server. They count as open until it answers a PING. */
  pendingResets: number;
  /** Whether the last frame from the server was the answer to a PING. If so, the next abandoned stream sends no PING. */
  isPinged: boolean;
};

/** Error codes of RFC 9113, section 7. */
export const PROTOCOL_ERROR = 1;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;

const OPTIONS = {
  settings: { enablePush: false, initialWindowSize: 4 << 20, maxFrameSize: 16 << 10, maxHeaderListSize: 10 << 20 },
  // Go limits the bytes of a head, not its fields, and accepts surrounding spaces in values and repeated fields.
  maxHeaderListPairs: 10_000,
  strictFieldWhitespaceValidation: false,
  strictSingleValueFields: false,
};
// Go enlarges the initial window of a connection by this amount.
const CONNECTION_WINDOW_BYTES = (1 << 30) + 65_535;
// Limit of concurrent streams if the server states none.
const MOST_STREAMS = 1000;
const SETTINGS_ACK_BYTES = 9;
const PING_BYTES = 17;
// Limit of concurrent streams until the server's settings arrive.
const STREAMS_AT_FIRST = 100;

/** Starts HTTP/2 on a socket whose server has chosen it. */
export function openHttp2Session(socket: Socket, base: string): Http2Session {
  const http2 = loadHttp2().connect(base, { ...OPTIONS, createConnection: () => socket });
  http2.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  const session: Http2Session = {
    ...{ http2, socket, goaway: undefined, isSpent: false },
    ...{ mostStreams: STREAMS_AT_FIRST, mostHeadBytes: Number.POSITIVE_INFINITY, replyBytes: 0 },
    ...{ pendingResets: 0, isPinged: false },
  };
  http2.on('goaway', (code, lastStreamId) => {
    session.goaway = { code, lastStreamId };
  });
  http2.on('remoteSettings', ({ maxConcurrentStreams = MOST_STREAMS, maxHeaderListSize }) => {
    session.mostStreams = Math.min(MOST_STREAMS, maxConcurrentStreams);
    session.mostHeadBytes = maxHeaderListSize ?? Number.POSITIVE_INFINITY;
    session.replyBytes += SETTINGS_ACK_BYTES;
  });
  http2.on('ping', () => {
    session.replyBytes += PING_BYTES;
  });
  // Its streams report the error.
  http2.on('error', () => {});
  return session;
}

/** Whether a request may start. If not, Go's client dials a new connection. */
export function takesRequests({ http2, socket, goaway, isSpent, mostStreams, pendingResets }: Http2Session): boolean {
  if (http2.closed || http2.destroyed || socket.destroyed) return false;
  return goaway === undefined && !isSpent && pendingResets < mostStreams;
}

/** Bytes written so far that are not replies to the server's SETTINGS and PINGs. */
export function writtenBytes({ socket, replyBytes }: Http2Session): number {
  return socket.bytesWritten - replyBytes;
}

/** Records that a head or body has arrived. */
export function heardFromServer(session: Http2Session): void {
  session.isPinged = false;
}

/**
 * Resets a stream whose answer is no longer needed. If the server has sent nothing since the stream started, sends a
 * PING to check whether it is still alive.
 */
export function giveUpStream(session: Http2Session, stream: ClientHttp2Stream, hasHeard: boolean): void {
  stream.close(CANCEL);
  if (closesWhenIdle(session)) {
    // Frames are sent at the end of this turn.
    setImmediate(() => closeHttp2Session(session));
    return;
  }
  if (hasHeard || session.isPinged) return;
  if (session.pendingResets === 0) session.http2.ping(() => pingAnswered(session));
  session.pendingResets++;
}

function pingAnswered(session: Http2Session): void {
  if (session.pendingResets === 0) return;
  session.pendingResets = 0;
  session.isPinged = true;
}

/** Go's client closes such a connection when its last stream ends. */
export function closesWhenIdle({ goaway, isSpent }: Http2Session): boolean {
  return goaway !== undefined || isSpent;
}

/** Closes the connection immediately, with `close_notify` and, like Go's client, without a GOAWAY. */
export function closeHttp2Session({ socket }: Http2Session): void {
  if (socket.destroyed) return;
  socket.end();
  socket.destroy();
}
