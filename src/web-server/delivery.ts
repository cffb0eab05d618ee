import type { Socket } from 'node:net';
import type { HttpExchange } from '../http/server.ts';
import { reject } from '../http/server.ts';
import type { Answer } from './answer.ts';
import { type Framing, headFields, isCounted, wholeAnswer } from './head.ts';
import { createLentBuffers } from './lent-buffers.ts';
import { hasUnreadBody, isTooMuchToRead, readOver } from './unread-body.ts';

/**
 * Hands an answer over to its connection and calls back once: with true when every byte was taken, with false if the
 * connection ended before.
 */
export type Deliver = (exchange: HttpExchange<unknown>, answer: Answer, delivered: (whole: boolean) => void) => void;

/** A connection that has not taken its answer after `writeMs` is closed. */
export function createDelivery(writeMs: number): Deliver {
  const lent = createLentBuffers();
  return (exchange, answer, delivered) => {
    const { body } = answer;
    if (typeof body === 'string') {
      deliver({ exchange, answer, writeMs, delivered });
      return;
    }
    const copy = lent.copyOf(body);
    const giveBack = (whole: boolean) => {
      // What a broken connection still holds is not known.
      if (whole) lent.giveBack(copy);
      delivered(whole);
    };
    deliver({ exchange, answer: { ...answer, body: copy.bytes }, writeMs, delivered: giveBack });
  };
}

type Delivery = {
  readonly exchange: HttpExchange<unknown>;
  readonly answer: Answer;
  readonly writeMs: number;
  readonly delivered: (whole: boolean) => void;
};

/** A body that nobody wants is awaited all the same, as the next request comes behind it. */
function deliver(delivery: Delivery): void {
  const { exchange, answer } = delivery;
  if (!hasUnreadBody(exchange)) send(delivery, false);
  else if (answer.closes || isTooMuchToRead(exchange)) send(delivery, true);
  else readOver(exchange, (whole) => send(delivery, !whole));
}

function send({ exchange, answer, writeMs, delivered }: Delivery, leavesBody: boolean): void {
  const { request, response } = exchange;
  const { stream } = exchange.connection;
  if (stream.destroyed) {
    delivered(false);
    return;
  }
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
    reject(stream, bytes);
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
