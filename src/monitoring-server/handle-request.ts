import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpAnswer, jsonAnswer, writeAnswerHead } from '../http/answer.ts';
import { createJoiner, declaresTooMuch, readBody } from '../http/body.ts';
import type { DialectName } from '../protocol/dialect-names.ts';
import { ENDPOINT_PATHS, type Endpoint } from '../protocol/push.ts';
import { type PageSources, pageAt } from './admin/pages.ts';
import type { Traffic } from './admin/traffic.ts';
import type { Dialect, DialectContext, PushRequest } from './dialects/dialect.ts';
import { answerDocumented } from './dialects/documented.ts';
import { answerShipped } from './dialects/shipped.ts';
import { afterAtLeast } from './injection/at-least.ts';
import type { Gate } from './injection/gate.ts';
import type { FaultInjector } from './injection/injector.ts';
import { answerUnder, deliverUnder } from './injection/misbehave.ts';
import type { RequestPlan } from './injection/request-plan.ts';
import { readEnvelope } from './json/envelope.ts';
import type { Arrival, Observer } from './observations/observer.ts';

export type HandlerContext = DialectContext & {
  readonly traffic: Traffic;
  readonly observer: Observer;
  readonly faults: Pick<FaultInjector, 'plan'>;
  readonly pages: PageSources;
  /** Closed while the server is frozen. */
  readonly gate: Gate;
  /** Answers ask the client to close the connection. */
  readonly isStopping: () => boolean;
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(ENDPOINT_PATHS).map(([endpoint, path]) => [path, endpoint as Endpoint]),
);

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { documented: answerDocumented, shipped: answerShipped };

/** Answers every request of the server's port. */
export function createHandler(context: HandlerContext): Handler {
  const { settings, traffic, gate } = context;
  const join = createJoiner();
  return (request, response) => {
    // A frozen server does not read either, so that the network holds what waits.
    gate.pass(() => {
      readBody(request, settings.limits.bodyBytes, (received) => {
        if (received.kind === 'aborted') traffic.aborted();
        else if (received.kind === 'too_large') refuseBody(request, response, context);
        else {
          gate.pass(() => {
            guarded(response, traffic, () => serve(pushRequest(request, join(received)), response, context));
          });
        }
      });
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

function serve(push: PushRequest, response: ServerResponse, context: HandlerContext): void {
  const { traffic, observer, faults } = context;
  traffic.received(push.body.length);
  const arrival = observer.arrived(push);
  const plan = arrival === undefined ? undefined : faults.plan(arrival);
  if (context.isStopping()) response.setHeader('Connection', 'close');
  if (plan !== undefined) {
    misbehave(plan, { push, response, arrival }, context);
    return;
  }
  const answer = process(push, context);
  traffic.answered(push.endpoint, answer.status);
  acknowledgeWhenSent(answer, { response, arrival }, observer);
  writeAnswerHead(response, answer);
  response.end(answer.body);
}

type Exchange = {
  readonly push: PushRequest;
  readonly response: ServerResponse;
  readonly arrival: Arrival | undefined;
};

function misbehave(plan: RequestPlan, exchange: Exchange, context: HandlerContext): void {
  const { push, response } = exchange;
  const answer = answerUnder(plan, push, () => process(push, context));
  const deliver = () => {
    if (response.destroyed) return;
    if (answer === undefined || plan.ending !== 'whole') context.traffic.withheld();
    else context.traffic.answered(push.endpoint, answer.status);
    if (answer === undefined) {
      response.socket?.resetAndDestroy();
      return;
    }
    acknowledgeWhenSent(answer, exchange, context.observer);
    deliverUnder(plan, response, answer);
  };
  if (plan.delayMs === 0) {
    deliver();
    return;
  }
  response.once(
    'close',
    afterAtLeast(plan.delayMs, () => context.gate.pass(deliver)),
  );
}

function process(push: PushRequest, context: HandlerContext): HttpAnswer {
  const page = push.endpoint === undefined && push.method === 'GET' ? pageAt(push.target, context.pages) : undefined;
  if (page !== undefined) return page;
  return DIALECTS[context.settings.dialect](push, context);
}

/** A fault of this program costs one answer, not the server; `internalErrors` tells of it. */
function guarded(response: ServerResponse, traffic: Traffic, act: () => void): void {
  try {
    act();
  } catch {
    traffic.failed();
    if (response.headersSent) response.socket?.destroy();
    else response.writeHead(500, { 'Content-Length': 0 }).end();
  }
}

function acknowledgeWhenSent(
  answer: HttpAnswer,
  { response, arrival }: Omit<Exchange, 'push'>,
  observer: Observer,
): void {
  if (answer.status < 300 && arrival !== undefined) response.once('finish', () => observer.acknowledged(arrival));
}

/**
 * Answers at once, but closes only when the client has sent all it wanted (or its time is up): closing a connection
 * with unread bytes resets it, and the reset can overtake the answer.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse, context: HandlerContext): void {
  const { bodyBytes } = context.settings.limits;
  const answer = jsonAnswer(413, {
    error: `The request body is larger than the ${bodyBytes} bytes this server accepts`,
  });
  context.traffic.answered(endpointOf(request.url ?? '/'), answer.status);
  response.setHeader('Connection', 'close');
  writeAnswerHead(response, answer);
  response.write(answer.body);
  request.resume().once('close', () => response.end());
}
