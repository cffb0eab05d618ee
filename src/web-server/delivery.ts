import type { Socket } from 'node:net';
import { turnDown } from '../http/manners.ts';
import type { HttpExchange } from '../http/server.ts';
import type { Answer } from './answer.ts';
import { type Framing, headFields, isCounted, wholeAnswer } from './head.ts';
import { createLentBuffers } from './lent-buffers.ts';

/**
 * Hands an answer over to its connection and calls back once: with true when every byte was taken, with false if the
 * connection ended before.
 */
export type Deliver = (exchange: HttpExchange<unknown>, answer: Answer, delivered: (whole: boolean) => void) => void;

/** How much of a body that nobody wants the agent reads over; with more it closes the connection instead. */
const LARGEST_UNREAD_BYTES = 256 * 1024;

/** A connection that has not taken its answer after `writeMs` is closed. */
export function createDelivery(writeMs: number): Deliver {
  const lent = createLentBuffers();
  return (exchange, answer, delivered) => {
    const { body } = answer;
    if (typeof body === 'string') {
      send(exchange, answer, writeMs, delivered);
      return;
    }
    const copy = lent.copyOf(body);
    send(exchange, { ...answer, body: copy.bytes }, writeMs, (whole) => {
      // What a broken connection still holds is not known.
      if (whole) lent.giveBack(copy);
      delivered(whole);
    });
  };
}

function send(
  exchange: HttpExchange<unknown>,
  answer: Answer,
  writeMs: number,
  delivered: (whole: boolean) => void,
): void {
  const { request, response } = exchange;
  const { stream } = exchange.connection;
  if (stream.destroyed) {
    delivered(false);
    return;
  }
  const leavesBody = hasUnreadBody(exchange) && (answer.closes || isTooMuchToRead(exchange));
  const isOld = request.httpVersionMinor === 0;
  const isHead = request.method === 'HEAD';
  const canKeepAlive = response.shouldKeepAlive && !answer.closes && !leavesBody;
  const keepsAlive = canKeepAlive && (!isOld || isCounted(Buffer.byteLength(answer.body)));
  const framing = { isOld, isHead, keepsAlive };
  // Node would answer in HTTP/1.1, and reset a connection that it closes before all is read.
  const bypasses = !keepsAlive && (isOld || leavesBody);
  if (bypasses) sendPast(stream, wholeAnswer(answer, framing), leavesBody);
  else sendThrough(exchange, answer, framing);
  if (bypasses ? stream.writableLength === 0 : response.writableFinished) delivered(true);
  else awaitDelivery(exchange, bypasses, writeMs, delivered);
}

function sendPast(stream: Socket, bytes: Buffer, leavesBody: boolean): void {
  if (leavesBody) {
    turnDown(stream, bytes);
    return;
  }
  stream.end(bytes);
  stream.destroySoon();
}

function sendThrough({ response, connection }: HttpExchange<unknown>, answer: Answer, framing: Framing): void {
  const { stream, newest } = connection;
  const isLast = stream.readableEnded && newest === response;
  response.shouldKeepAlive = framing.keepsAlive;
  response.sendDate = false;
  // Node says on every answer that it keeps the connection; once removed, it says what it is told.
  response.removeHeader('connection');
  response.writeHead(answer.status, headFields(answer, framing));
  response.end(answer.body);
  // The client has ended its side: nothing more can come.
  if (isLast) stream.destroySoon();
}

/** Only a connection that does not take its answer at once needs a timer and listeners. */
function awaitDelivery(
  { response, connection }: HttpExchange<unknown>,
  bypasses: boolean,
  writeMs: number,
  delivered: (whole: boolean) => void,
): void {
  const { stream } = connection;
  const overdue = setTimeout(() => connection.socket.destroy(), writeMs);
  const settle = () => {
    response.off('close', settle).off('finish', settle);
    stream.off('finish', settle);
    clearTimeout(overdue);
    // Node calls what a destroyed connection held finished, too.
    delivered(!stream.destroyed);
  };
  response.once('close', settle);
  if (bypasses) stream.once('finish', settle);
  else response.once('finish', settle);
}

function hasUnreadBody({ request }: HttpExchange<unknown>): boolean {
  const { headers } = request;
  return !request.complete && (lengthOf(headers) > 0 || headers['transfer-encoding'] !== undefined);
}

function isTooMuchToRead({ request, expectsContinue }: HttpExchange<unknown>): boolean {
  return expectsContinue || lengthOf(request.headers) > LARGEST_UNREAD_BYTES;
}

function lengthOf({ 'content-length': length = '0' }: { readonly 'content-length'?: string | undefined }): number {
  return Number(length);
}
