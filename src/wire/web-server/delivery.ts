import type { Socket } from 'node:net';
import { createSendBuffers } from '../../base/runtime/send-buffers.ts';
import { type HttpExchange, reject } from '../http/server.ts';
import { type Answer, type Framing, headFields, isCounted, wholeAnswer } from './answer.ts';

/** Delivers an answer. Calls back once: with whether the connection accepted all bytes before it ended. */
export type Deliver = (exchange: HttpExchange<unknown>, answer: Answer, delivered: (whole: boolean) => void) => void;

/** Closes a connection that has not accepted its answer after `writeMs`. */
export function createDelivery(writeMs: number): Deliver {
  // A port overwrites its bytes with its next call, while a socket may still be reading them.
  const buffers = createSendBuffers(Buffer.allocUnsafeSlow);
  return (exchange, answer, delivered) => {
    const { body } = answer;
    if (typeof body === 'string') {
      deliver({ exchange, answer, writeMs, delivered });
      return;
    }
    const buffer = buffers.take(Math.max(1, body.length));
    body.copy(buffer);
    const giveBack = (whole: boolean) => {
      // A failed connection may still hold the buffer.
      if (whole) buffers.giveBack(buffer);
      delivered(whole);
    };
    deliver({ exchange, answer: { ...answer, body: buffer.subarray(0, body.length) }, writeMs, delivered: giveBack });
  };
}

type Delivery = {
  readonly exchange: HttpExchange<unknown>;
  readonly answer: Answer;
  readonly writeMs: number;
  readonly delivered: (whole: boolean) => void;
};

/** Sends the answer, after reading an unwanted body that precedes the next request. */
function deliver(delivery: Delivery): void {
  const { exchange, answer } = delivery;
  if (!hasUnreadBody(exchange)) send(delivery, false);
  else if (answer.closes || exchange.connection.isGarbled || isTooMuchToRead(exchange)) send(delivery, true);
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
  // Node would answer in HTTP/1.1, and would reset a connection that it closes with unread bytes.
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
  // Node sets `Connection: keep-alive` on every answer; without it, Node sends exactly the given fields.
  response.removeHeader('connection');
  response.writeHead(answer.status, headFields(answer, framing));
  response.end(answer.body);
  // The client has ended its side, so no further request can arrive.
  if (isLast) stream.destroySoon();
}

/** Adds a timer and listeners only for connections that do not accept their answer immediately. */
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
    // Node also emits `finish` when a connection is destroyed.
    delivered(!stream.destroyed);
  };
  response.once('close', settle);
  if (bypasses) stream.once('finish', settle);
  else response.once('finish', settle);
}

/** At this size of an unwanted body, the agent closes the connection instead of reading it. */
const MAX_READ_OVER_BYTES = 256 * 1024;

/** Whether an unwanted body is still arriving. */
function hasUnreadBody({ request }: HttpExchange<unknown>): boolean {
  const { headers } = request;
  return !request.complete && (lengthOf(headers) > 0 || headers['transfer-encoding'] !== undefined);
}

function isTooMuchToRead({ request, expectsContinue }: HttpExchange<unknown>): boolean {
  return expectsContinue || lengthOf(request.headers) >= MAX_READ_OVER_BYTES;
}

/** Discards an unread body; calls back once, with whether the connection has reached the next request. */
function readOver({ request }: HttpExchange<unknown>, done: (whole: boolean) => void): void {
  let readBytes = 0;
  const stop = (whole: boolean) => {
    request.off('data', count).off('end', finish).off('close', giveUp).off('error', giveUp);
    done(whole);
  };
  const count = (chunk: Buffer) => {
    readBytes += chunk.length;
    if (readBytes > MAX_READ_OVER_BYTES) stop(false);
  };
  const finish = () => stop(true);
  const giveUp = () => stop(false);
  request.on('data', count).on('end', finish).on('close', giveUp).on('error', giveUp);
}

function lengthOf({ 'content-length': length = '0' }: { readonly 'content-length'?: string | undefined }): number {
  return Number(length);
}
