import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** An answer to a client. An empty `type` means no body. */
export type HttpAnswer = { readonly status: number; readonly type: string; readonly body: string };

export const JSON_TYPE = 'application/json';

export function jsonAnswer(status: number, value: object): HttpAnswer {
  return { status, type: JSON_TYPE, body: JSON.stringify(value) };
}

export function emptyAnswer(status: number): HttpAnswer {
  return { status, type: '', body: '' };
}

/** Sets status and headers; the body must follow. */
export function writeAnswerHead(response: ServerResponse, { status, type, body }: HttpAnswer): void {
  const length = Buffer.byteLength(body);
  response.writeHead(
    status,
    type === '' ? { 'Content-Length': length } : { 'Content-Type': type, 'Content-Length': length },
  );
}

export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  writeAnswerHead(response, answer);
  response.end(answer.body);
}

/**
 * Answers a request without reading its body. Closes only when the client has sent everything or its timeout passes.
 * Closing a connection with unread bytes would reset it, and the reset could overtake the answer.
 */
export function refuseBody(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
  response.setHeader('Connection', 'close');
  writeAnswerHead(response, answer);
  response.write(answer.body);
  request.resume().once('close', () => response.end());
}

/** Whether a request carries this token (RFC 9110, section 11.1: schemes ignore case). Compares in constant time. */
export function hasBearer({ authorization = '' }: IncomingHttpHeaders, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization.replace(/^bearer +/i, 'Bearer ')), digest(`Bearer ${token}`));
}
