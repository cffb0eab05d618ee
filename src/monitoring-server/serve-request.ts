import { type HttpAnswer, jsonAnswer, refuseBody } from '../http/answer.ts';
import { createJoiner, readBody } from '../http/body.ts';
import type { HttpExchange } from '../http/server.ts';
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
  /** Answers ask the client to close the connection. */
  readonly isStopping: () => boolean;
};

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries(ENDPOINT_PATHS).map(([endpoint, path]) => [path, endpoint as Endpoint]),
);

const joinChunks = createJoiner();

/** Serves one request, from its head to the hand-over of its answer. A fault of this program costs one answer. */
export function serveRequest(exchange: HttpExchange<unknown>, context: RequestContext): void {
  serve(exchange, context).catch(() => {
    const { response, connection } = exchange;
    context.traffic.failed();
    if (response.headersSent) connection.socket.destroy();
    else response.writeHead(500, { 'Content-Length': 0 }).end();
  });
}

async function serve(exchange: HttpExchange<unknown>, context: RequestContext): Promise<void> {
  const { freeze, traffic, observer, faults } = context;
  // A frozen server does not read either, so that the network holds what waits. Where nothing is to be waited for,
  // nothing is awaited: a body that arrives with its head would be buffered once more (7 µs of 50).
  if (freeze.holds()) await freeze.over();
  const body = await readBody(exchange, context.bodyLimitBytes);
  if (body.kind === 'aborted') return traffic.aborted();
  if (body.kind === 'too_large') return refuse(exchange, context);
  if (freeze.holds()) await freeze.over();
  const push = readPush(exchange, joinChunks(body));
  traffic.received(body.sizeBytes);
  const arrival = observer.arrived(push);
  const plan = arrival === undefined ? UNHARMED : faults.plan(arrival);
  const answer = answerUnder(plan, push, context.respond);
  if (plan.delayMs > 0) {
    await waitAtLeast(plan.delayMs, exchange.response);
    if (freeze.holds()) await freeze.over();
  }
  deliver({ endpoint: push.endpoint, arrival, plan, answer }, exchange, context);
}

type Reaction = {
  readonly endpoint: Endpoint | undefined;
  readonly arrival: Arrival | undefined;
  readonly plan: RequestPlan;
  readonly answer: HttpAnswer | undefined;
};

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
