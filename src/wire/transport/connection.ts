import { Socket } from 'node:net';
import type { Ending, Traffic, TransportFailure } from '../../base/protocol/exchange.ts';
import type { Endpoint } from '../../base/protocol/push.ts';
import { afterTurn, realTimer } from '../../base/runtime/event-loop.ts';
import { isUnreadable, nextHop } from '../agent/redirects.ts';
import { compileGet, compileHead, forwarderTo, headRoomBytes, writeHeadBefore } from '../agent/request.ts';
import type { AnswerHead } from './answer-head.ts';
import { tallyOf } from './dial.ts';
import type { Dialer } from './dialer.ts';
import { evidenceAtProxy, evidenceOf, failureOf, howFar, lossText, NO_BYTES } from './evidence.ts';
import type { AnswerConclusion, Connection, Exchange, TransportContext } from './exchange.ts';
import { classifyFailure } from './failures.ts';
import { answerEnding, endOfAnswer, headSoFar, type ParsedAnswer, parse } from './http-parser.ts';
import { closeAllOutlasting, closeOutlasting, outlast, servesRequest, swapDial, takeIdle } from './outlasting-dials.ts';

// After an early answer, Go's client waits this long for the rest of the request to be written, then closes the connection.
const EARLY_ANSWER_WAIT_MS = 50;
/** Go's client reads at most this many bytes of an unneeded body; if there are more, it closes the connection. */
export const MAX_UNNEEDED_BYTES = 2 << 10;

export function createConnection(number: number, dialer: Dialer, context: TransportContext): Connection {
  return {
    dialer,
    number,
    context,
    dials: 0,
    isReady: false,
    isReused: false,
    inFlight: undefined,
    socket: undefined,
    session: undefined,
    outlasting: undefined,
    tally: undefined,
    buffer: undefined,
    exchange: undefined,
  };
}

/** Sends an agent's request over its connection, on a new socket if there is none. */
export function startExchange(home: Connection, agent: number, endpoint: Endpoint): void {
  const exchange: Exchange = {
    agent,
    endpoint,
    home,
    connection: home,
    hop: undefined,
    parser: undefined,
    unsent: undefined,
    early: undefined,
    reason: '',
    seen: undefined,
    sentBytes: 0,
    receivedBytes: 0,
  };
  home.inFlight = exchange;
  home.context.sink.started(agent);
  begin(exchange);
}

/** Abandons the exchange: closes its connection, or leaves it to its dial or session. The sink receives no further event. */
export function abandonExchange(exchange: Exchange): Traffic {
  exchange.early?.cancelTimer();
  const { connection } = exchange;
  const { last } = exchange.home.context;
  exchange.reason = howFar(exchange);
  exchange.seen = evidenceOf(exchange, undefined, NO_BYTES);
  last.exchange = exchange;
  leave(exchange);
  giveBackParser(exchange);
  if (connection.session !== undefined) connection.session.abandon();
  else if (!leaveDialing(connection)) dropSocket(connection);
  exchange.home.inFlight = undefined;
  return { sentBytes: exchange.sentBytes, receivedBytes: exchange.receivedBytes };
}

// ---- Sockets ----

const CONNECTION = Symbol('connection');
type AgentSocket = Socket & { [CONNECTION]: Connection };

function choseHttp2(socket: Socket & { readonly alpnProtocol?: unknown }): boolean {
  return socket.alpnProtocol === 'h2';
}

function openSocket(connection: Connection): void {
  const socket = connection.dialer.dial(connection, (loser, winner) => overtaken(connection, loser, winner));
  connection.isReused = false;
  connection.socket = followed(connection, socket);
}

// The listeners are shared by all sockets, so that a socket costs no closure.
function followed(connection: Connection, opened: Socket): AgentSocket {
  const socket = Object.assign(opened, { [CONNECTION]: connection });
  if (!connection.dialer.isTunneled) socket.on(connection.dialer.readyEvent, onReady);
  socket.on('drain', onDrain);
  socket.on('end', onEnd);
  socket.on('error', onError);
  socket.on('close', onClose);
  return socket;
}

/** The winner is connected, and its TLS handshake starts. */
function overtaken(connection: Connection, loser: Socket, winner: Socket): void {
  const socket = followed(connection, winner);
  if (connection.socket === loser) connection.socket = socket;
  else if (closeOutlasting(connection, loser)) outlast(connection, socket);
  else socket.destroy();
  loser.destroy();
  const { readyEvent, isTunneled } = connection.dialer;
  if (readyEvent === 'connect' && !isTunneled) onReady.call(socket);
}

/** Continues on `through` once a proxy has opened a connection to the target. */
export function onOpened(dialed: Socket, through: Socket): void {
  const connection = (dialed as AgentSocket)[CONNECTION];
  if (through === dialed) {
    through.on('data', onData);
    onReady.call(dialed as AgentSocket);
    return;
  }
  const socket = followed(connection, through);
  socket.on(connection.dialer.readyEvent, onReady);
  socket.on(connection.dialer.readyEvent, readsInPieces);
  if (connection.socket === dialed) connection.socket = socket;
  else if (!swapDial(connection, dialed, socket)) socket.destroy();
}

/** Closes the current socket or session immediately. Unflushed bytes stay with the socket. The next request opens a new one. */
function dropSocket(connection: Connection): void {
  const { socket, session, isReady, dialer } = connection;
  session?.close();
  connection.session = undefined;
  // Like Go's client: a TLS connection without a pending write ends with `close_notify`.
  if (isReady && dialer.readyEvent === 'secureConnect' && socket?.writableLength === 0) socket.end();
  connection.socket = undefined;
  connection.isReady = false;
  connection.isReused = false;
  connection.buffer = undefined;
  socket?.destroy();
}

/** Closes all sockets of the connection, including pending dials. */
export function dropSockets(connection: Connection): void {
  dropSocket(connection);
  closeAllOutlasting(connection);
}

/** Leaves the current socket to its dial. Returns false if the dial has completed or the budget is used up. */
function leaveDialing(connection: Connection): boolean {
  const { socket, isReady } = connection;
  if (socket === undefined || isReady || !outlast(connection, socket)) return false;
  connection.socket = undefined;
  return true;
}

function takeUp(connection: Connection, socket: Socket): void {
  connection.socket?.destroy();
  connection.socket = socket;
  connection.isReady = true;
  connection.isReused = true;
  connection.tally = tallyOf(socket);
}

/** Hands a dial that outlasted its request to the current request, whose own dial continues in the background. */
function outlastedReady(connection: Connection, socket: Socket): void {
  const { dialer, isReady, session } = connection;
  const isTrusted = () => dialer.distrust(socket) === undefined;
  // Go's client never keeps another connection alongside one over HTTP/2.
  const isKept = !choseHttp2(socket) && session === undefined;
  if (!servesRequest(connection, socket, { isTrusted, isWanted: !isReady && session === undefined, isKept })) {
    preferNewest(connection, socket);
    return;
  }
  leaveDialing(connection);
  takeUp(connection, socket);
  useSocket(connection, socket);
}

/** Like Go's client, the next request uses the connection that became idle last. */
function preferNewest(connection: Connection, newest: Socket): void {
  const { outlasting, socket, exchange } = connection;
  if (outlasting?.idle !== newest || socket === undefined || exchange !== undefined) return;
  outlasting.idle = socket;
  connection.socket = undefined;
  takeUp(connection, newest);
}

/** Sends the waiting request over the ready socket, or over the HTTP/2 session that takes the socket over. */
function useSocket(connection: Connection, socket: Socket): void {
  const { exchange, context } = connection;
  const isHttp2 = choseHttp2(socket);
  const { protocols } = connection.tally ?? {};
  if (protocols !== undefined) protocols[isHttp2 ? 'http2' : 'http1']++;
  if (isHttp2) {
    connection.socket = undefined;
    connection.isReady = false;
    connection.session = context.openSession(connection, socket);
    if (exchange !== undefined) begin(exchange);
  } else if (exchange !== undefined) writeRequest(exchange);
}

// Dropped sockets still emit events, which are ignored.
function isPresent(socket: AgentSocket): boolean {
  return socket[CONNECTION].socket === socket;
}

function onReady(this: AgentSocket): void {
  const connection = this[CONNECTION];
  if (!isPresent(this)) {
    outlastedReady(connection, this);
    return;
  }
  const problem = connection.dialer.distrust(this);
  if (problem !== undefined) {
    distrusted(connection, problem);
    return;
  }
  connection.isReady = true;
  connection.tally = tallyOf(this);
  useSocket(connection, this);
}

function distrusted(connection: Connection, problem: string): void {
  const { exchange } = connection;
  if (exchange === undefined) dropSocket(connection);
  else fail(exchange, failureOf(connection, 'tls_failed'), problem);
}

/** All sockets of a thread read into the same memory, which is reused after each call. */
export function onRead(this: AgentSocket, sizeBytes: number, memory: Buffer): boolean {
  const connection = this[CONNECTION];
  if (!isPresent(this)) closeOutlasting(connection, this);
  else {
    const exchange = awaitingAnswer(connection);
    if (exchange !== undefined) receive(exchange, memory.subarray(0, sizeBytes));
  }
  return true;
}

/** A socket through a proxy reads into its own memory; an HTTP/2 session reads for itself. */
function readsInPieces(this: Socket & { readonly alpnProtocol?: unknown }): void {
  if (this.alpnProtocol !== 'h2') this.on('data', onData);
}

function onData(this: Socket, chunk: Buffer): void {
  onRead.call(this as AgentSocket, chunk.length, chunk);
}

/** The socket has flushed a long request, or one piece of it. */
function onDrain(this: AgentSocket): void {
  if (!isPresent(this)) return;
  const connection = this[CONNECTION];
  const { exchange } = connection;
  if (exchange?.unsent !== undefined) writePiece(exchange);
  else returnBuffer(connection);
  if (exchange?.early !== undefined && isWritten(exchange)) settleEarly(exchange, true);
}

/** The peer has ended its side. A socket that is still connecting also reports an error, which says more. */
function onEnd(this: AgentSocket): void {
  const connection = this[CONNECTION];
  if (connection.outlasting?.idle === this) closeOutlasting(connection, this);
  if (!isPresent(this) || !connection.isReady) return;
  const exchange = awaitingAnswer(connection);
  if (exchange === undefined) return;
  const answer = exchange.parser && endOfAnswer(exchange.parser);
  if (answer === undefined) lost(exchange, ENDED);
  else conclude(exchange, answer);
}

function onError(this: AgentSocket, error: Error): void {
  const connection = this[CONNECTION];
  if (!isPresent(this)) {
    outlastingFailed(connection, this, error);
    return;
  }
  const end = connection.isReady ? error : connection.dialer.retry(this, error);
  if (end instanceof Socket) {
    connection.socket = followed(connection, end);
    return;
  }
  const exchange = awaitingAnswer(connection);
  if (exchange !== undefined) lost(exchange, end);
}

/** A dial that outlasted its request tries its remaining addresses like any other. */
function outlastingFailed(connection: Connection, socket: Socket, error: Error): void {
  if (!closeOutlasting(connection, socket)) return;
  const next = connection.dialer.retry(socket, error);
  if (next instanceof Socket) outlast(connection, followed(connection, next));
}

function onClose(this: AgentSocket): void {
  onError.call(this, CLOSED);
}

const ENDED = Object.assign(new Error('ended by the peer'), { code: 'ECONNRESET' });
const CLOSED = Object.assign(new Error('closed by the peer'), { code: 'ECONNRESET' });

// ---- The request ----

/** Sends the exchange's current request, over a new socket if its connection has none. */
export function begin(exchange: Exchange): void {
  const { connection } = exchange;
  connection.exchange = exchange;
  if (connection.socket === undefined && beginWithoutSocket(exchange)) return;
  // A socket that carries no request is ready for one.
  if (connection.socket === undefined) openSocket(connection);
  else writeRequest(exchange);
}

/** Returns true if a session carries the request. Otherwise takes up an idle connection, if there is one. */
function beginWithoutSocket(exchange: Exchange): boolean {
  const { connection } = exchange;
  if (connection.session?.begin(exchange) === true) return true;
  if (connection.session !== undefined) dropSocket(connection);
  const idle = takeIdle(connection);
  if (idle !== undefined) takeUp(connection, idle);
  return false;
}

/** Renders the request only when the socket is ready, so that no rendered request waits in memory for a connection. */
function writeRequest(exchange: Exchange): void {
  const { connection } = exchange;
  const { socket } = connection;
  if (socket === undefined) return;
  const bytes = exchange.unsent ?? renderRequest(exchange);
  if (exchange.unsent === undefined) connection.context.sink.wire?.request(exchange.agent, bytes);
  exchange.unsent = bytes;
  writePiece(exchange);
  if (socket.errored !== null && connection.isReused) {
    // Nothing was sent. Go's client also retries a request whose reused connection turns out to be dead at the first byte.
    const { buffer } = connection;
    dropSocket(connection);
    connection.buffer = buffer;
    exchange.unsent = bytes;
    openSocket(connection);
  }
}

/** Renders the next request. With a body, the bytes are in a buffer that the connection then owns. */
function renderRequest({ agent, endpoint, hop, connection }: Exchange): Buffer {
  const { headsOf, buffers, sink } = connection.context;
  const heads = headsOf(agent);
  let head = heads[endpoint];
  let { roomBytes } = heads;
  if (hop !== undefined) {
    const { apiKey, userAgent, proxy } = heads;
    const parts = { ...hop, apiKey, userAgent, forwarder: forwarderTo(hop.url, proxy) };
    if (hop.method === 'GET') return compileGet(parts);
    head = compileHead(parts);
    roomBytes = headRoomBytes(head);
  }
  const body = sink.openBody(agent);
  const buffer = buffers.take(roomBytes + body.roomBytes);
  connection.buffer = buffer;
  const end = body.write(buffer, roomBytes);
  return buffer.subarray(writeHeadBefore(buffer, head, { start: roomBytes, end }), end);
}

/** Writes the unwritten rest of the request, or as much of it as the connection accepts in one piece. */
function writePiece(exchange: Exchange): void {
  const { connection, unsent } = exchange;
  const { socket, dialer, context } = connection;
  if (socket === undefined || unsent === undefined) return;
  const isLast = dialer.readyEvent === 'connect' || unsent.length <= context.tlsPieceBytes;
  const piece = isLast ? unsent : unsent.subarray(0, context.tlsPieceBytes);
  exchange.unsent = isLast ? undefined : unsent.subarray(piece.length);
  // When `write` returns, TLS has encrypted its input into its own memory; TCP may still need the buffer.
  const leavesAtOnce = dialer.readyEvent === 'secureConnect' && socket.writableLength === 0;
  socket.write(piece);
  if (socket.errored !== null) return;
  exchange.sentBytes += piece.length;
  if (isLast) returnBuffer(connection, leavesAtOnce);
}

/** Returns a buffer that the socket no longer needs to the pool. */
function returnBuffer(connection: Connection, isLeft = connection.socket?.writableLength === 0): void {
  const { buffer, context } = connection;
  if (buffer === undefined || !isLeft) return;
  connection.buffer = undefined;
  context.buffers.giveBack(buffer);
}

function isWritten({ connection, unsent }: Exchange): boolean {
  return unsent === undefined && connection.socket?.writableLength === 0;
}

// ---- The answer ----

/** Returns the exchange that awaits an answer. Like Go's client, closes a connection that shows any activity without one. */
function awaitingAnswer(connection: Connection): Exchange | undefined {
  const { exchange } = connection;
  if (exchange === undefined) dropSocket(connection);
  else if (exchange.early !== undefined) settleEarly(exchange, false);
  else return exchange;
  return undefined;
}

/** @param bytes valid during the call only. */
function receive(exchange: Exchange, bytes: Buffer): void {
  const { last, parsers } = exchange.connection.context;
  exchange.receivedBytes += bytes.length;
  exchange.parser ??= parsers.take();
  last.bytes = bytes;
  const parsed = parse(exchange.parser, bytes);
  const isCut = parsed === 'malformed';
  if (typeof parsed !== 'string') conclude(exchange, parsed);
  else if (!followsUnread(exchange, isCut) && isCut) fail(exchange, 'malformed_answer', NO_ANSWER);
  last.bytes = NO_BYTES;
}

/** Follows a redirect regardless of its body, without waiting for the rest of an unread one. */
function followsUnread(exchange: Exchange, isCut: boolean): boolean {
  const head = exchange.parser && headSoFar(exchange.parser, isCut ? -1 : MAX_UNNEEDED_BYTES);
  const conclusion = head && redirectOf(exchange, head);
  if (conclusion !== undefined) settle(exchange, conclusion, false);
  return conclusion !== undefined;
}

const NO_ANSWER = 'the answer is not valid HTTP for the agent, or too long';

/** Processes a complete answer. Keeps the connection only if the request is written in full, which may still be pending. */
function conclude(exchange: Exchange, answer: ParsedAnswer): void {
  const { connection } = exchange;
  const conclusion = conclusionOf(exchange, answer);
  const { length } = answer.body;
  const isDiscarded = length > 0 && answer.head.location !== undefined && isUnreadable(answer.head);
  const isRead = conclusion.kind === 'done' ? !isDiscarded : length <= MAX_UNNEEDED_BYTES;
  const keeps = answer.head.keepsAlive && !answer.hasSurplus && isRead;
  if (!keeps || isWritten(exchange)) settle(exchange, conclusion, keeps);
  else {
    const cancelTimer = realTimer(EARLY_ANSWER_WAIT_MS, () => settleEarly(exchange, isWritten(exchange)));
    const ending = conclusion.kind === 'done' ? conclusion.ending : undefined;
    exchange.seen = evidenceOf(exchange, ending, connection.context.last.bytes);
    exchange.early = { conclusion, cancelTimer };
  }
}

/** Processes an answer that came over a session, which stays open. */
export function concludeOverSession(exchange: Exchange, answer: Answer): void {
  settle(exchange, conclusionOf(exchange, answer), true);
}

/** The parts of an answer that matter over either protocol. */
type Answer = Pick<ParsedAnswer, 'body'> & { readonly head: Pick<AnswerHead, 'status' | 'gzip' | 'location'> };

function conclusionOf(exchange: Exchange, { head, body }: Answer): AnswerConclusion {
  const redirect = head.location === undefined ? undefined : redirectOf(exchange, head);
  return redirect ?? { kind: 'done', ending: answerEnding(head.status, body, head.gzip) };
}

/** The redirect that an answer asks for, regardless of its body. */
export function redirectOf({ hop, home, endpoint }: Exchange, head: Answer['head']): AnswerConclusion | undefined {
  const next = head.location && nextHop(hop ?? home.context.firstHops[endpoint], head);
  return next ? { kind: 'redirect', hop: next } : undefined;
}

function settleEarly(exchange: Exchange, keeps: boolean): void {
  const { early } = exchange;
  if (early === undefined) return;
  early.cancelTimer();
  exchange.early = undefined;
  settle(exchange, early.conclusion, keeps);
}

function settle(exchange: Exchange, conclusion: AnswerConclusion, keeps: boolean): void {
  const { connection } = exchange;
  leave(exchange);
  returnBuffer(connection);
  if (keeps) connection.isReused = true;
  else dropSocket(connection);
  if (conclusion.kind === 'done') {
    report(exchange, conclusion.ending);
    return;
  }
  const { sink, last } = connection.context;
  sink.wire?.redirected(exchange.agent, exchange.seen ?? evidenceOf(exchange, undefined, last.bytes));
  giveBackParser(exchange);
  exchange.seen = undefined;
  exchange.hop = conclusion.hop;
  exchange.connection = connection.context.connectionTo(exchange, conclusion.hop);
  // Like Go's client, first reads what the server does right after its answer, such as closing the connection.
  if (connection.socket === undefined || exchange.connection !== connection) begin(exchange);
  else afterTurn(() => exchange.home.inFlight === exchange && begin(exchange));
}

/** The connection ended before the answer was complete. */
function lost(exchange: Exchange, error: Error): void {
  const { connection, hop, parser } = exchange;
  // Go's client retries a GET if a reused connection ends without an answer, but never a POST.
  if (hop?.method === 'GET' && connection.isReused && parser === undefined) {
    dropSocket(connection);
    begin(exchange);
  } else if (!followsUnread(exchange, true)) {
    exchange.seen = evidenceAtProxy(exchange, error);
    fail(exchange, failureOf(connection, classifyFailure(error)), lossText(exchange, error));
  }
}

function fail(exchange: Exchange, failure: TransportFailure, reason: string): void {
  dropSocket(exchange.connection);
  failOverSession(exchange, failure, reason);
}

/** Fails the request; its session, if any, may continue. */
export function failOverSession(exchange: Exchange, failure: TransportFailure, reason: string): void {
  exchange.reason = reason;
  leave(exchange);
  report(exchange, { kind: 'failure', failure });
}

function leave(exchange: Exchange): void {
  exchange.connection.exchange = undefined;
  exchange.unsent = undefined;
}

function giveBackParser(exchange: Exchange): void {
  const { parser, home } = exchange;
  if (parser !== undefined) home.context.parsers.giveBack(parser);
  exchange.parser = undefined;
}

function report(exchange: Exchange, ending: Ending): void {
  const { context } = exchange.home;
  const { last } = context;
  last.exchange = exchange;
  last.ending = ending;
  context.done(exchange);
  const { agent, sentBytes, receivedBytes } = exchange;
  context.sink.ended(agent, ending, { sentBytes, receivedBytes });
  last.exchange = undefined;
  last.ending = undefined;
  giveBackParser(exchange);
}
