import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENDPOINT_PATHS, type Endpoint } from '../protocol/push.ts';
import { type Answer, emptyAnswer, jsonAnswer } from './answers.ts';
import type { Dialect, DialectContext, PushRequest } from './dialect.ts';
import { answerDocumented } from './documented-dialect.ts';
import { readEnvelope } from './envelope.ts';
import { declaresTooMuch, readBody } from './read-body.ts';
import type { DialectName } from './settings.ts';
import { answerShipped } from './shipped-dialect.ts';
import type { Traffic } from './traffic.ts';
import type { Witness } from './witness.ts';

export type HandlerContext = DialectContext & {
  readonly traffic: Traffic;
  readonly witness: Witness;
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
  const { settings, traffic, witness } = context;
  return (request, response) => {
    readBody(request, settings.limits.bodyBytes, (received) => {
      switch (received.kind) {
        case 'aborted':
          return traffic.aborted();
        case 'too_large':
          return refuseBody(request, response, context);
        case 'whole': {
          const push = pushRequest(request, received.bytes);
          const entry = witness.arrived(push);
          const answer = answerTo(push, context);
          if (answer.status < 300 && entry >= 0) response.once('finish', () => witness.acknowledged(entry));
          send(response, answer, context);
        }
      }
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

function pushRequest({ method, url, headers }: IncomingMessage, body: Buffer): PushRequest {
  const target = url ?? '/';
  return { method: method ?? '', target, endpoint: endpointOf(target), headers, body, envelope: readEnvelope(body) };
}

function answerTo(push: PushRequest, context: HandlerContext): Answer {
  const { traffic, settings } = context;
  traffic.received(push.body.length);
  let answer: Answer;
  try {
    answer = DIALECTS[settings.dialect](push, context);
  } catch {
    traffic.failed();
    answer = emptyAnswer(500);
  }
  traffic.answered(push.endpoint, answer.status);
  return answer;
}

function send(response: ServerResponse, answer: Answer, context: HandlerContext): void {
  if (context.stopping) response.setHeader('Connection', 'close');
  writeHead(response, answer);
  response.end(answer.body);
}

/**
 * Answers at once, but closes only when the client has sent all it wanted (or its time is up): closing a connection
 * with unread bytes resets it, and the reset can overtake the answer.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse, context: HandlerContext): void {
  const { bodyBytes } = context.settings.limits;
  const error = `The request body is larger than the ${bodyBytes} bytes this server accepts`;
  const answer = jsonAnswer(413, { error });
  context.traffic.answered(endpointOf(request.url ?? '/'), answer.status);
  response.setHeader('Connection', 'close');
  writeHead(response, answer);
  response.write(answer.body);
  request.resume().once('close', () => response.end());
}

function writeHead(response: ServerResponse, { status, type, body }: Answer): void {
  if (type !== '') response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.writeHead(status);
}
