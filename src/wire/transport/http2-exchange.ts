import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { GO_USER_AGENT } from '../../base/protocol/agent-versions.ts';
import type { ExchangeEvidence, TransportFailure } from '../../base/protocol/exchange.ts';
import { authorizationHeader } from '../../base/protocol/push.ts';
import { afterTurn, realTimer } from '../../base/runtime/event-loop.ts';
import type { Hop } from '../agent/redirects.ts';
import type { Heads } from '../agent/request.ts';
import { begin, concludeOverSession, failOverSession, MAX_UNNEEDED_BYTES, redirectOf } from './connection.ts';
import type { Connection, Exchange, RequestSession } from './exchange.ts';
import { classifyFailure, progressText, reasonOf } from './failures.ts';
import { BEGINNING_BYTES, MAX_ANSWER_BYTES, MAX_HEAD_BYTES } from './http-parser.ts';
import {
  CANCEL,
  closeChannel,
  closesWhenIdle,
  flushedBytes,
  giveUpStream,
  type Http2Channel,
  type Http2Request,
  openChannel,
  PROTOCOL_ERROR,
  REFUSED_STREAM,
  takesRequests,
  windowOf,
} from './http2-channel.ts';

const REQUEST = Symbol('request');
type AgentStream = ClientHttp2Stream & { [REQUEST]: Http2Request };

/** Starts HTTP/2 on a socket whose server has chosen it. */
export function openHttp2Session(connection: Connection, socket: Socket): RequestSession {
  const channel = openChannel(connection, socket);
  const session: RequestSession = {
    begin: (exchange) => send(channel, exchange),
    abandon: () => abandon(channel),
    close: () => closeChannel(channel),
    howFar: () => howFar(channel),
    beginning: () => beginningOf(channel.last),
  };
  channel.http2.on('close', () => {
    // A request that waits for a retry notices this itself.
    if (connection.session === session && channel.cancelWait === undefined) connection.session = undefined;
  });
  return session;
}

// ---- The request ----

function send(channel: Http2Channel, exchange: Exchange): boolean {
  if (!takesRequests(channel)) return false;
  const { buffers, sink, headsOf, firstHops } = channel.connection.context;
  const { agent, endpoint, hop = firstHops[endpoint] } = exchange;
  const isPost = hop.method === 'POST';
  const open = isPost ? sink.openBody(agent) : undefined;
  const buffer = open && buffers.take(open.roomBytes);
  const body = buffer?.subarray(0, open?.write(buffer, 0));
  const head = requestHead(hop, headsOf(agent), body?.length);
  if (refusesHead(channel, head)) {
    if (buffer !== undefined) buffers.giveBack(buffer);
    afterTurn(
      () => exchange.home.inFlight === exchange && failOverSession(exchange, 'connection_failed', HEAD_REFUSED),
    );
    return true;
  }
  sink.wire?.request(
    agent,
    Buffer.concat([Buffer.from(headText(head), 'latin1'), ...(body === undefined ? [] : [body])]),
  );
  const windowBytes = windowOf(channel);
  const stream = channel.http2.request(head, { endStream: !isPost });
  const request: Http2Request = {
    channel,
    exchange,
    stream,
    buffer,
    bodyBytes: body?.length ?? 0,
    windowBytes,
    headers: undefined,
    fields: [],
    pieces: [],
    sizeBytes: 0,
    error: undefined,
    flushedBytes: undefined,
  };
  channel.request = request;
  channel.last = request;
  follow(Object.assign(stream, { [REQUEST]: request }));
  if (body !== undefined) stream.end(body);
  return true;
}

// The listeners are shared by all streams, so that a stream costs no closure.
function follow(stream: AgentStream): void {
  stream.on('response', onResponse);
  stream.on('data', onData);
  stream.on('end', onEnd);
  stream.on('finish', onFinish);
  stream.on('error', onError);
  stream.on('close', onClose);
}

const GO_HTTP2_USER_AGENT = 'Go-http-client/2.0';

/** Alternating names and values, in the order that three in four of the agent's requests use. */
function requestHead(hop: Hop, { apiKey, userAgent }: Heads, bodyBytes: number | undefined): string[] {
  const { method, url, host, target, referer } = hop;
  // Go's client adds its own user agent after all other fields.
  const isGos = userAgent === GO_USER_AGENT;
  return [
    ...[':authority', host, ':method', method, ':path', target, ':scheme', url.protocol.slice(0, -1)],
    ...(bodyBytes === undefined ? [] : ['content-type', 'application/json']),
    ...['authorization', Buffer.from(authorizationHeader(apiKey)).toString('latin1')],
    ...(isGos ? [] : ['user-agent', userAgent]),
    ...(referer === undefined ? [] : ['referer', referer]),
    ...(bodyBytes === undefined ? [] : ['content-length', String(bodyBytes)]),
    ...['accept-encoding', 'gzip'],
    ...(isGos ? ['user-agent', GO_HTTP2_USER_AGENT] : []),
  ];
}

// Size that HPACK adds to each field, to count the bytes of a head.
const FIELD_BYTES = 32;

/** Go's client does not send a head that exceeds the server's MAX_HEADER_LIST_SIZE. */
function refusesHead({ mostHeadBytes }: Http2Channel, fields: readonly string[]): boolean {
  const textBytes = fields.reduce((sum, text) => sum + text.length, 0);
  return textBytes + (fields.length / 2) * FIELD_BYTES > mostHeadBytes;
}

const HEAD_REFUSED = "never sent, because the head is larger than the server's MAX_HEADER_LIST_SIZE";

function headText(fields: readonly string[]): string {
  let text = '';
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return `${text}\r\n`;
}

/** The body has left its buffer, unless the stream was destroyed: then bytes may still be on their way. */
function onFinish(this: AgentStream): void {
  const request = this[REQUEST];
  request.flushedBytes = request.bodyBytes > 0 ? flushedBytes(request.channel) : undefined;
  if (request.buffer !== undefined && !this.destroyed)
    request.channel.connection.context.buffers.giveBack(request.buffer);
  request.buffer = undefined;
}

// ---- The answer ----

function isPresent(request: Http2Request): boolean {
  return request.channel.request === request;
}

function onResponse(this: AgentStream, headers: IncomingHttpHeaders, _flags: number, fields: string[]): void {
  const request = this[REQUEST];
  if (!isPresent(request)) return;
  request.channel.isPinged = false;
  request.headers = headers;
  request.fields = fields;
  const sizeBytes = fields.reduce((sum, text) => sum + text.length, 0);
  if (sizeBytes > MAX_HEAD_BYTES) refuse(request);
}

function onData(this: AgentStream, piece: Buffer): void {
  const request = this[REQUEST];
  if (!isPresent(request)) return;
  request.channel.isPinged = false;
  request.pieces.push(piece);
  request.sizeBytes += piece.length;
  if (request.sizeBytes > MAX_UNNEEDED_BYTES && followsUnread(request)) this.close(CANCEL);
  else if (request.sizeBytes > MAX_ANSWER_BYTES) refuse(request);
}

function refuse(request: Http2Request): void {
  const { channel, stream } = request;
  channel.request = undefined;
  stream.close(CANCEL);
  fail(request, 'malformed_answer', 'the answer is too long');
}

/** The answer is complete, unless it has no head or its stream was reset; in those cases `close` says more. */
function onEnd(this: AgentStream): void {
  const request = this[REQUEST];
  const { headers } = request;
  const isReset = this.rstCode !== undefined && this.rstCode !== 0;
  if (!isPresent(request) || headers === undefined || isReset || isShort(request)) return;
  if (!this.writableFinished) stopWriting(this, Number(headers[':status']));
  conclude(request, headOf(headers));
}

/** Follows a redirect regardless of its body. */
function followsUnread(request: Http2Request): boolean {
  const head = request.headers && headOf(request.headers);
  if (head === undefined || redirectOf(request.exchange, head) === undefined) return false;
  conclude(request, head);
  return true;
}

type Head = Parameters<typeof redirectOf>[1];

function headOf({ ':status': status, 'content-encoding': encoding = '', location }: IncomingHttpHeaders): Head {
  return { status: Number(status), gzip: encoding.toLowerCase() === 'gzip', location: location || undefined };
}

function conclude({ channel, exchange, pieces }: Http2Request, head: Head): void {
  channel.request = undefined;
  if (closesWhenIdle(channel)) closeChannel(channel);
  settle(channel, exchange);
  const [first] = pieces;
  concludeOverSession(exchange, { head, body: pieces.length === 1 && first ? first : Buffer.concat(pieces) });
}

/** Like Go's client, stops sending the body after an early answer: with NO_ERROR if its status is above 299, else with CANCEL. */
function stopWriting(stream: ClientHttp2Stream, status: number): void {
  if (status > 299) stream.destroy();
  else stream.close(CANCEL);
}

function onError(this: AgentStream, error: Error): void {
  this[REQUEST].error = error;
}

// ---- Streams without an answer ----

// Go's client retries a refused request this many times: immediately, then after 1, 2, 4, … seconds.
const MAX_REFUSALS = 7;

// Size of the frame that tells the server that nghttp2 has reset a stream.
const RST_STREAM_BYTES = 13;

function onClose(this: AgentStream): void {
  const request = this[REQUEST];
  const { channel } = request;
  if (!isPresent(request) || followsUnread(request)) return;
  if (this.rstCode !== PROTOCOL_ERROR || channel.goaway !== undefined) {
    closed(request);
    return;
  }
  // This error comes either from the server, or from nghttp2 because it rejected the answer. Node does not say which, but
  // only nghttp2 sends a frame to the server.
  const before = request.flushedBytes ?? flushedBytes(channel);
  setImmediate(() => {
    if (!isPresent(request)) return;
    const isServers = flushedBytes(channel) - before < RST_STREAM_BYTES;
    // Within an answer, Go's client closes the connection, except for a body that is too short.
    channel.isSpent = isServers || (request.headers !== undefined && !isShort(request));
    closed(request);
  });
}

/** Whether the answer has fewer bytes than it states. */
function isShort({ headers, sizeBytes }: Http2Request): boolean {
  return sizeBytes < Number(headers?.['content-length'] ?? 0);
}

function closed(request: Http2Request): void {
  const { channel, exchange, stream, headers } = request;
  const { goaway, isSpent } = channel;
  channel.request = undefined;
  const isBeyond = goaway !== undefined && (stream.id ?? 0) > goaway.lastStreamId;
  if (isBeyond && (goaway.code === 0 || stream.id !== 1)) {
    settle(channel, exchange);
    begin(exchange);
  } else if (goaway === undefined && headers === undefined && (isSpent || stream.rstCode === REFUSED_STREAM)) {
    sendAgain(request);
  } else failStream(request);
}

function sendAgain(request: Http2Request): void {
  const { channel, exchange } = request;
  if (channel.refusals === MAX_REFUSALS) {
    failStream(request);
    return;
  }
  const waitMs = channel.refusals === 0 ? 0 : 1000 * 2 ** (channel.refusals - 1);
  channel.refusals++;
  const again = (): void => {
    channel.cancelWait = undefined;
    begin(exchange);
  };
  if (waitMs === 0) again();
  else channel.cancelWait = realTimer(waitMs, again);
}

function failStream(request: Http2Request): void {
  const { channel, stream, error = ENDED } = request;
  const failure = stream.rstCode === PROTOCOL_ERROR ? 'malformed_answer' : classifyFailure(error);
  if (closesWhenIdle(channel)) closeChannel(channel);
  fail(request, failure, reasonOf(howFarIs(request), error));
}

const ENDED = Object.assign(new Error('ended by the peer'), { code: 'ECONNRESET' });

function fail({ channel, exchange }: Http2Request, failure: TransportFailure, reason: string): void {
  settle(channel, exchange);
  failOverSession(exchange, failure, reason);
}

function abandon(channel: Http2Channel): void {
  const { request } = channel;
  channel.cancelWait?.();
  channel.cancelWait = undefined;
  channel.request = undefined;
  const exchange = request?.exchange ?? channel.last?.exchange;
  if (request !== undefined) giveUpStream(channel, request.stream, hasHeard(request));
  if (exchange !== undefined) settle(channel, exchange);
}

/** Whether the server has shown a sign of life since the request started. */
function hasHeard(request: Http2Request): boolean {
  const { channel, headers, bodyBytes, windowBytes, stream } = request;
  const sentBytes = bodyBytes - stream.bufferSize;
  return headers !== undefined || windowOf(channel) > windowBytes - sentBytes;
}

/** Attributes the connection's traffic to the exchange, whose current request has ended or is redirected. */
function settle(channel: Http2Channel, exchange: Exchange): void {
  channel.refusals = 0;
  const { bytesWritten, bytesRead } = channel.socket;
  exchange.sentBytes += bytesWritten - channel.sentBytes;
  exchange.receivedBytes += bytesRead - channel.receivedBytes;
  channel.sentBytes = bytesWritten;
  channel.receivedBytes = bytesRead;
}

// ---- What there was to see ----

function howFar({ request, refusals }: Http2Channel): string {
  return request === undefined ? `never answered, because it was refused ${refusals} times` : howFarIs(request);
}

function howFarIs({ channel, stream, headers }: Http2Request): string {
  return progressText({
    stage: 'exchange',
    unsentBytes: stream.bufferSize,
    answerBytes: headers && channel.socket.bytesRead - channel.receivedBytes,
  });
}

function beginningOf(request: Http2Request | undefined): Pick<ExchangeEvidence, 'head' | 'body'> {
  if (request?.headers === undefined) return { head: '', body: '' };
  const body = Buffer.concat(request.pieces).toString('utf8', 0, BEGINNING_BYTES);
  return { head: `HTTP/2 ${request.headers[':status']}\r\n${headText(request.fields.slice(2)).trimEnd()}`, body };
}
