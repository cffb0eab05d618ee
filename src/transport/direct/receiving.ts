import { firstHop, type Hop, nextHop } from '../../agent/redirects.ts';
import type { Ending, TransportFailure } from '../../protocol/exchange.ts';
import { realTimer } from '../../runtime/event-loop.ts';
import { answerEnding } from '../answer-ending.ts';
import { classifyFailure } from '../failures.ts';
import { type Answer, endOfAnswer, readAnswer } from './answer-reader.ts';
import { dropSocket, openSocket } from './connection.ts';
import { type DirectContext, trafficOf } from './context.ts';
import { begin, returnBuffer, writePiece, writeRequest } from './sending.ts';
import type { Conclusion, Connection, ConnectionEvents, Exchange } from './state.ts';

// Go's client gives the rest of a request so long to be written once its answer is there, and closes the connection then.
const EARLY_ANSWER_WAIT_MS = 50;
// It reads so much of the body of an answer that it does not need, and closes the connection if there is more.
const MOST_UNNEEDED_BYTES = 2 << 10;

export function createConnectionEvents(context: DirectContext): ConnectionEvents {
  return {
    ready: (connection) => {
      if (connection.exchange !== undefined) writeRequest(context, connection.exchange);
    },
    received: (connection, bytes) => received(context, connection, bytes),
    drained: (connection) => {
      const { exchange } = connection;
      if (exchange?.unsent !== undefined) writePiece(context, exchange);
      else returnBuffer(context, connection);
      if (exchange?.early !== undefined && isWritten(exchange)) settleEarly(context, exchange, true);
    },
    ended: (connection) => ended(context, connection),
    failed: (connection, error) => failed(context, connection, error),
  };
}

function received(context: DirectContext, connection: Connection, bytes: Buffer): void {
  const exchange = awaitingAnswer(context, connection);
  if (exchange === undefined) return;
  exchange.receivedBytes += bytes.length;
  exchange.reader ??= context.readers.take();
  const reading = readAnswer(exchange.reader, bytes);
  if (reading === 'malformed') fail(context, exchange, 'malformed_answer');
  else if (reading !== 'incomplete') conclude(context, exchange, reading);
}

function ended(context: DirectContext, connection: Connection): void {
  const exchange = awaitingAnswer(context, connection);
  if (exchange === undefined) return;
  const answer = exchange.reader && endOfAnswer(exchange.reader);
  if (answer === undefined) lost(context, exchange, 'connection_reset');
  else conclude(context, exchange, answer);
}

function failed(context: DirectContext, connection: Connection, error: Error): void {
  if (!connection.isReady && connection.dialler.failed(error)) {
    openSocket(connection);
    return;
  }
  const exchange = awaitingAnswer(context, connection);
  if (exchange !== undefined) lost(context, exchange, classifyFailure(error));
}

/** Whose answer is to come. A connection on which something happens that answers nothing is closed, as by Go's client. */
function awaitingAnswer(context: DirectContext, connection: Connection): Exchange | undefined {
  const { exchange } = connection;
  if (exchange === undefined) dropSocket(connection);
  else if (exchange.early !== undefined) settleEarly(context, exchange, false);
  else return exchange;
  return undefined;
}

/** The answer is complete. Whether it may keep its connection also hangs on the request: it may not be written yet. */
function conclude(context: DirectContext, exchange: Exchange, answer: Answer): void {
  const conclusion = conclusionOf(context, exchange, answer);
  const isRead = conclusion.kind === 'over' || answer.body.length <= MOST_UNNEEDED_BYTES;
  const keeps = answer.head.keepsAlive && !answer.hasSurplus && isRead;
  if (!keeps || isWritten(exchange)) settle(context, exchange, { conclusion, keeps });
  else exchange.early = { conclusion, callOff: realTimer(EARLY_ANSWER_WAIT_MS, () => waited(context, exchange)) };
}

function waited(context: DirectContext, exchange: Exchange): void {
  settleEarly(context, exchange, isWritten(exchange));
}

function isWritten({ connection, unsent }: Exchange): boolean {
  return unsent === undefined && connection.socket?.writableLength === 0;
}

function conclusionOf({ baseUrl }: DirectContext, exchange: Exchange, { head, body }: Answer): Conclusion {
  if (head.location !== undefined) {
    const hop = nextHop(exchange.hop ?? firstHop(baseUrl, exchange.endpoint), head);
    if (hop !== undefined) return { kind: 'redirect', hop };
  }
  return { kind: 'over', ending: answerEnding(head.status, body, head.gzip) };
}

function settleEarly(context: DirectContext, exchange: Exchange, keeps: boolean): void {
  const { early } = exchange;
  if (early === undefined) return;
  early.callOff();
  exchange.early = undefined;
  settle(context, exchange, { conclusion: early.conclusion, keeps });
}

type Settlement = { readonly conclusion: Conclusion; readonly keeps: boolean };

function settle(context: DirectContext, exchange: Exchange, { conclusion, keeps }: Settlement): void {
  const { connection } = exchange;
  leave(context, exchange);
  returnBuffer(context, connection);
  if (keeps) connection.isReused = true;
  else dropSocket(connection);
  if (conclusion.kind === 'over') finish(context, exchange, conclusion.ending);
  else follow(context, exchange, conclusion.hop);
}

function follow(context: DirectContext, exchange: Exchange, hop: Hop): void {
  exchange.hop = hop;
  exchange.connection = context.connectionTo(exchange, hop.url);
  begin(context, exchange);
}

/** The connection ended before the answer did. */
function lost(context: DirectContext, exchange: Exchange, failure: TransportFailure): void {
  const { connection, hop, reader } = exchange;
  // Go's client sends a GET again if a connection that was used before ends without a word; a POST it never does.
  if (hop?.method === 'GET' && connection.isReused && reader === undefined) {
    dropSocket(connection);
    begin(context, exchange);
  } else fail(context, exchange, failure);
}

function fail(context: DirectContext, exchange: Exchange, failure: TransportFailure): void {
  leave(context, exchange);
  dropSocket(exchange.connection);
  finish(context, exchange, { kind: 'failure', failure });
}

/** The exchange has nothing to do with its present connection any more. */
export function leave({ readers }: DirectContext, exchange: Exchange): void {
  exchange.connection.exchange = undefined;
  if (exchange.reader !== undefined) readers.giveBack(exchange.reader);
  exchange.reader = undefined;
  exchange.unsent = undefined;
}

function finish(context: DirectContext, exchange: Exchange, ending: Ending): void {
  context.over(exchange);
  context.sink.ended(exchange.agent, ending, trafficOf(exchange));
}
