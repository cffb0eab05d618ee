import { type HttpAnswer, jsonAnswer, refuseBody, sendAnswer } from '../http/answer.ts';
import { createJoiner, readBody } from '../http/body.ts';
import type { HttpExchange } from '../http/server.ts';
import { messageOf } from '../kernel/errors.ts';
import { ENDPOINT_PATHS, type Endpoint } from '../protocol/push.ts';
import type { Traffic } from './admin/traffic.ts';
import type { PushRequest } from './dialects/dialect.ts';
import type { Freeze } from './injection/freeze.ts';
import type { FaultInjector } from './injection/injector.ts';
import { answerUnder, deliverUnder } from './injection/misbehave.ts';
import { type RequestPlan, UNHARMED } from './injection/request-plan.ts';
import { waitAtLeast } from './injection/wait.ts';
import { readEnvelope } from './json/envelope.ts';
import type { Arrival, Observer } from './observations/observer.ts';

/** What serving a request takes part in. */
export type RequestContext = {
  readonly bodyLimitBytes: number;
  readonly freeze: Freeze;
  readonly traffic: Traffic;
  readonly observer: Observer;
  readonly faults: Pick<FaultInjector, 'plan'>;
  /** Processes the request. */
  readonly respond: (push: PushRequest) => HttpAnswer;
  /** One line for the operator. */
  readonly report: (line: string) => void;
  /** Answers ask the client to close the connection. */
  readonly isStopping: () => boolean;
};

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(ENDPOINT_PATHS).map(([endpoint, path]) => [path, endpoint as Endpoint]),
);

const joinChunks = createJoiner();

/** Serves one request, from its head to the hand-over of its answer. A fault of this program costs one answer. */
export async function serveRequest(exchange: HttpExchange<unknown>, context: RequestContext): Promise<void> {
  const { freeze, traffic } = context;
  try {
    // A frozen server does not read either, so that the network holds what waits. Where nothing is to be waited for,
    // nothing is awaited: a body that arrives with its head would be buffered once more (7 µs of 50).
    if (freeze.holds()) await freeze.over();
    const body = await readBody(exchange, context.bodyLimitBytes);
    if (body.kind === 'aborted') return traffic.aborted();
    if (body.kind === 'too_large') return refuse(exchange, context);
    if (freeze.holds()) await freeze.over();
    const reaction = react(readPush(exchange, joinChunks(body)), context);
    if (reaction.plan.delayMs > 0) {
      await waitAtLeast(reaction.plan.delayMs, exchange.response);
      if (freeze.holds()) await freeze.over();
    }
    deliver(reaction, exchange, context);
  } catch (error) {
    fail(error, exchange, context);
  }
}

/** What becomes of a request, once it has been processed. */
type Reaction = {
  readonly endpoint: Endpoint | undefined;
  readonly arrival: Arrival | undefined;
  readonly plan: RequestPlan;
  readonly answer: HttpAnswer | undefined;
};

function react(push: PushRequest, { traffic, observer, faults, respond }: RequestContext): Reaction {
  traffic.received(push.body.length);
  const arrival = observer.arrived(push);
  const plan = arrival === undefined ? UNHARMED : faults.plan(arrival);
  return { endpoint: push.endpoint, arrival, plan, answer: answerUnder(plan, push, respond) };
}

function deliver(
  { endpoint, arrival, plan, answer }: Reaction,
  exchange: HttpExchange<unknown>,
  { traffic, observer, isStopping }: RequestContext,
): void {
  const { connection, response } = exchange;
  if (connection.socket.destroyed) return;
  if (answer === undefined || plan.ending !== 'whole') traffic.withheld();
  else traffic.answered(endpoint, answer.status);
  if (answer !== undefined && answer.status < 300 && arrival !== undefined) {
    response.once('finish', () => observer.acknowledged(arrival));
  }
  if (isStopping() && connection.newest === response) response.setHeader('Connection', 'close');
  deliverUnder(plan, exchange, answer);
}

function readPush({ request }: HttpExchange<unknown>, body: Buffer): PushRequest {
  const { method = '', url: target = '/', headers } = request;
  return { method, target, endpoint: endpointOf(target), headers, body, envelope: readEnvelope(body) };
}

function endpointOf(target: string): Endpoint | undefined {
  const question = target.indexOf('?');
  return ENDPOINTS.get(question < 0 ? target : target.slice(0, question));
}

function refuse({ request, response }: HttpExchange<unknown>, { bodyLimitBytes, traffic }: RequestContext): void {
  const error = `The request body is larger than the ${bodyLimitBytes} bytes this server accepts`;
  traffic.answered(endpointOf(request.url ?? '/'), 413);
  refuseBody(request, response, jsonAnswer(413, { error }));
}

function fail(error: unknown, { request, response, connection }: HttpExchange<unknown>, context: RequestContext): void {
  context.traffic.failed();
  context.report(
    `A request to ${(request.url ?? '/').replace(/\?.*/s, '')} failed inside the server: ${messageOf(error)}`,
  );
  if (response.headersSent) connection.socket.destroy();
  else sendAnswer(response, jsonAnswer(500, { error: 'The server failed' }));
}
