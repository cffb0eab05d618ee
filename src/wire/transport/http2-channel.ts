import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { loadHttp2 } from '../../base/runtime/builtins.ts';
import type { Connection, Exchange } from './exchange.ts';

/** An HTTP/2 connection, which carries one request at a time and is managed like those of Go's client (docs/developers/wire.md, "HTTP/2"). */
export type Http2Channel = ReturnType<typeof openChannel>;

export type Http2Request = {
  readonly channel: Http2Channel;
  readonly exchange: Exchange;
  readonly stream: ClientHttp2Stream;
  /** Holds the body until it is sent. */
  buffer: Buffer | undefined;
  readonly bodyBytes: number;
  /** How many bytes the server would have accepted on this connection when the request started. */
  readonly windowBytes: number;
  headers: IncomingHttpHeaders | undefined;
  /** Alternating names and values. */
  fields: readonly string[];
  readonly pieces: Buffer[];
  sizeBytes: number;
  error: Error | undefined;
  /** How much the connection had written when the body was sent; `undefined` until then. */
  flushedBytes: number | undefined;
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
const MAX_STREAMS = 1000;
const SETTINGS_ACK_BYTES = 9;
const PING_BYTES = 17;
// Limit of concurrent streams until the server's settings arrive.
const STREAMS_AT_FIRST = 100;

export function openChannel(connection: Connection, socket: Socket) {
  const http2 = loadHttp2().connect(connection.context.baseUrl, { ...OPTIONS, createConnection: () => socket });
  http2.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  const channel = {
    connection,
    http2,
    socket,
    /** The request that awaits an answer. */
    request: undefined as Http2Request | undefined,
    last: undefined as Http2Request | undefined,
    /** How often the current request was refused. */
    refusals: 0,
    /** Set while the request waits for a retry. */
    cancelWait: undefined as (() => void) | undefined,
    /** Bytes of the connection that have been counted so far. */
    sentBytes: 0,
    receivedBytes: 0,
    /** The server accepts no streams after `lastStreamId`. */
    goaway: undefined as { readonly code: number; readonly lastStreamId: number } | undefined,
    isSpent: false,
    mostStreams: STREAMS_AT_FIRST,
    mostHeadBytes: Number.POSITIVE_INFINITY,
    /** Bytes of the frames that answer the server's SETTINGS and PINGs. */
    replyBytes: 0,
    /** Streams abandoned without a sign of life from the server. They count as open until it answers a PING. */
    pendingResets: 0,
    /** Whether the last frame from the server was the answer to a PING. If so, the next abandoned stream sends no PING. */
    isPinged: false,
  };
  http2.on('goaway', (code, lastStreamId) => {
    channel.goaway = { code, lastStreamId };
  });
  http2.on('remoteSettings', ({ maxConcurrentStreams = MAX_STREAMS, maxHeaderListSize }) => {
    channel.mostStreams = Math.min(MAX_STREAMS, maxConcurrentStreams);
    channel.mostHeadBytes = maxHeaderListSize ?? Number.POSITIVE_INFINITY;
    channel.replyBytes += SETTINGS_ACK_BYTES;
  });
  http2.on('ping', () => {
    channel.replyBytes += PING_BYTES;
  });
  // Its streams report the error.
  http2.on('error', () => {});
  return channel;
}

/** Whether a request may start. If not, Go's client dials a new connection. */
export function takesRequests({ http2, socket, goaway, isSpent, mostStreams, pendingResets }: Http2Channel): boolean {
  if (http2.closed || http2.destroyed || socket.destroyed) return false;
  return goaway === undefined && !isSpent && pendingResets < mostStreams;
}

/** Bytes written so far that are not replies to the server's SETTINGS and PINGs. */
export function flushedBytes({ socket, replyBytes }: Http2Channel): number {
  return socket.bytesWritten - replyBytes;
}

/** Resets an unneeded stream. If the server has sent nothing since it started, sends a PING to check whether it is still alive. */
export function giveUpStream(channel: Http2Channel, stream: ClientHttp2Stream, hasHeard: boolean): void {
  stream.close(CANCEL);
  if (closesWhenIdle(channel)) {
    // Frames are sent at the end of this turn.
    setImmediate(() => closeChannel(channel));
    return;
  }
  if (hasHeard || channel.isPinged) return;
  if (channel.pendingResets === 0) channel.http2.ping(() => pingAnswered(channel));
  channel.pendingResets++;
}

function pingAnswered(channel: Http2Channel): void {
  if (channel.pendingResets === 0) return;
  channel.pendingResets = 0;
  channel.isPinged = true;
}

/** Go's client closes such a connection when its last stream ends. */
export function closesWhenIdle({ goaway, isSpent }: Http2Channel): boolean {
  return goaway !== undefined || isSpent;
}

/** Closes the connection immediately, with `close_notify` and, like Go's client, without a GOAWAY. */
export function closeChannel({ socket }: Http2Channel): void {
  if (socket.destroyed) return;
  socket.end();
  socket.destroy();
}

/** How many bytes the server accepts on the connection now. */
export function windowOf({ http2 }: Http2Channel): number {
  return http2.state.remoteWindowSize ?? 0;
}
