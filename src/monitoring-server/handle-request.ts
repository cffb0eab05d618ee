import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENDPOINT_PATHS, type Endpoint } from '../protocol/push.ts';
import { type Answer, emptyAnswer, jsonAnswer } from './answers.ts';
import type { Dialect, DialectContext, PushRequest } from './dialect.ts';
import { answerDocumented } from './documented-dialect.ts';
import { readEnvelope } from './envelope.ts';
import { declaresTooMuch, type ReceivedBody, readBody } from './read-body.ts';
import type { DialectName } from './settings.ts';
import { answerShipped } from './shipped-dialect.ts';
import type { Traffic } from './traffic.ts';

export type HandlerContext = DialectContext & {
  readonly traffic: Traffic;
  /** Set when the server stops: answers then ask the client to close the connection. */
  stopping: boolean;
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(ENDPOINT_PATHS).map(([endpoint, path]) => [path, endpoint as Endpoint]),
);

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { documented: answerDocumented, shipped: answerShipped };

/** Answers every request of the server's port. */
export function createHandler(context: HandlerContext): Handler {
  return (request, response) => {
    const endpoint = endpointOf(request.url ?? '/');
    readBody(request, context.settings.limits.bodyBytes, (received) => {
      const answer = answerTo(request, received, context);
      if (answer === undefined) return context.traffic.aborted();
      context.traffic.answered(endpoint, answer.status);
      if (context.stopping || answer.status === 413) response.setHeader('Connection', 'close');
      if (answer.status === 413) sendBeforeEnd(request, response, answer);
      else send(response, answer);
    });
  };
}

/** A client that waits for permission to send gets none for a body that is too large, and so need not send it. */
export function createContinueHandler(context: HandlerContext, handle: Handler): Handler {
  return (request, response) => {
    if (!declaresTooMuch(request, context.settings.limits.bodyBytes)) response.writeContinue();
    handle(request, response);
  };
}

function endpointOf(target: string): Endpoint | undefined {
  const question = target.indexOf('?');
  return ENDPOINTS.get(question < 0 ? target : target.slice(0, question));
}

/** Undefined: there is nobody to answer. */
function answerTo(request: IncomingMessage, received: ReceivedBody, context: HandlerContext): Answer | undefined {
  if (received.kind === 'aborted') return undefined;
  if (received.kind === 'too_large') return tooLarge(context.settings.limits.bodyBytes);
  context.traffic.received(received.bytes.length);
  try {
    return DIALECTS[context.settings.dialect](pushRequest(request, received.bytes), context);
  } catch {
    context.traffic.failed();
    return emptyAnswer(500);
  }
}

function pushRequest({ method, url, headers }: IncomingMessage, body: Buffer): PushRequest {
  const target = url ?? '/';
  return { method: method ?? '', target, endpoint: endpointOf(target), headers, body, envelope: readEnvelope(body) };
}

function tooLarge(limitBytes: number): Answer {
  return jsonAnswer(413, { error: `The request body is larger than the ${limitBytes} bytes this server accepts` });
}

function send(response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.end(answer.body);
}

/**
 * Answers at once, but closes only when the client has sent all it wanted (or its time is up): closing a connection
 * with unread bytes resets it, and the reset can overtake the answer.
 */
function sendBeforeEnd(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  writeHead(response, answer);
  response.write(answer.body);
  request.resume().once('close', () => response.end());
}

function writeHead(response: ServerResponse, { status, type, body }: Answer): void {
  if (type !== '') response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.writeHead(status);
}
