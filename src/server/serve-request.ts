import { messageOf } from '../base/kernel/errors.ts';
import { recordOf } from '../base/kernel/records.ts';
import { ENDPOINT_PATHS, ENDPOINTS, type Endpoint } from '../base/protocol/push.ts';
import { type HttpAnswer, jsonAnswer, refuseBody, sendAnswer } from '../wire/http/answer.ts';
import { type BodyReader, type Chunks, createJoiner } from '../wire/http/body.ts';
import type { HttpExchange } from '../wire/http/server.ts';
import type { PushRequest } from './dialects/dialect.ts';
import type { FaultInjector, Freeze } from './injection/injector.ts';
import { answerUnder, awaitTurn, deliverUnder, type Respond } from './injection/misbehave.ts';
import type { RequestPlan } from './injection/request-plan.ts';
import { readEnvelope } from './json/envelope.ts';
import type { Observer, PushArrival } from './observations/observer.ts';
import type { ServerLimits } from './settings.ts';

export type RequestContext = {
  readonly limits: ServerLimits;
  readonly bodies: BodyReader;
  readonly freeze: Freeze;
  /** Counts this request, too. */
  readonly traffic: Traffic;
  readonly observer: Observer;
  readonly faults: Pick<FaultInjector, 'plan'>;
  readonly respond: Respond;
  /** The server's own page at the requested path; `undefined` if there is none. */
  readonly pageFor: (push: PushRequest) => Promise<HttpAnswer> | undefined;
  readonly report: (line: string) => void;
  /** While true, answers ask the client to close the connection. */
  readonly isStopping: () => boolean;
};

const ENDPOINT_AT: ReadonlyMap<string, Endpoint> = new Map(
  ENDPOINTS.map((endpoint) => [ENDPOINT_PATHS[endpoint], endpoint]),
);

const joinChunks = createJoiner();

/** Serves one request, from its head to the delivery of its answer. An exception in this program costs only one answer. */
export async function serveRequest(exchange: HttpExchange<unknown>, context: RequestContext): Promise<void> {
  const { freeze, traffic } = context;
  try {
    // A frozen server does not read either, so that pending data stays in the network. Awaits only if necessary:
    // otherwise a body that arrives with its head would be buffered once more (7 µs of 50).
    if (freeze.holds()) await freeze.thawed();
    if (exchange.request.headers.origin !== undefined) return refuse('web_page', exchange, context);
    const body = await context.bodies.read(exchange);
    if (body.kind === 'aborted') {
      traffic.aborted++;
      return;
    }
    if (body.kind !== 'whole') return refuse(body.kind, exchange, context);
    if (freeze.holds()) await freeze.thawed();
    const reaction = react(exchange, body, context);
    if (reaction.plan !== undefined) await awaitTurn(reaction.plan, exchange.response, freeze);
    deliver(reaction.page === undefined ? reaction : { ...reaction, answer: await reaction.page }, exchange, context);
  } catch (error) {
    fail(error, exchange, context);
  }
}

type Reaction = {
  readonly endpoint: Endpoint | undefined;
  readonly arrival: PushArrival | undefined;
  /** What goes wrong; `undefined`: nothing. */
  readonly plan: RequestPlan | undefined;
  readonly answer: HttpAnswer | undefined;
  /** Replaces the answer; `undefined` if the request is not for one of the server's own pages. */
  readonly page: Promise<HttpAnswer> | undefined;
};

function react(exchange: HttpExchange<unknown>, body: Chunks, context: RequestContext): Reaction {
  const { traffic, bodies, observer, faults, respond, pageFor } = context;
  try {
    traffic.receivedBytes += body.sizeBytes;
    const { method = '', url: target = '/', headers } = exchange.request;
    const whole = joinChunks(body);
    const push = { method, target, endpoint: endpointOf(target), headers, body: whole, envelope: readEnvelope(whole) };
    const arrival = observer.arrived(push);
    const page = arrival === undefined ? pageFor(push) : undefined;
    const plan = arrival === undefined ? undefined : faults.plan(arrival);
    const given = { endpoint: push.endpoint, arrival, plan, page };
    if (page !== undefined) return { ...given, answer: undefined };
    return { ...given, answer: plan === undefined ? respond(push, true) : answerUnder(plan, push, respond) };
  } finally {
    bodies.release(body);
  }
}

function deliver(
  { endpoint, arrival, plan, answer }: Reaction,
  exchange: HttpExchange<unknown>,
  { traffic, observer, freeze, isStopping }: RequestContext,
): void {
  const { connection, response } = exchange;
  if (connection.socket.destroyed) return;
  if (answer === undefined || (plan !== undefined && plan.ending !== 'whole')) traffic.withheld++;
  else countAnswer(traffic, endpoint, answer.status);
  if (answer !== undefined && answer.status < 300 && arrival !== undefined) {
    response.once('finish', () => observer.acknowledged(arrival));
  }
  if (isStopping() && connection.newest === response) response.setHeader('Connection', 'close');
  if (plan !== undefined) deliverUnder(plan, answer, exchange, freeze);
  else if (answer !== undefined) sendAnswer(response, answer);
}

function endpointOf(target: string): Endpoint | undefined {
  const question = target.indexOf('?');
  return ENDPOINT_AT.get(question < 0 ? target : target.slice(0, question));
}

/**
 * `web_page`: the request has the `Origin` that browsers add to requests of web pages; agents never send one. Such a
 * page could register millions of agents. It cannot read answers, and reaches nothing that needs a key or a token.
 */
type Refused = 'too_large' | 'no_room' | 'web_page';

function refuse(
  reason: Refused,
  { request, response }: HttpExchange<unknown>,
  { limits, traffic }: RequestContext,
): void {
  const answer = refusal(reason, limits);
  countAnswer(traffic, endpointOf(request.url ?? '/'), answer.status);
  refuseBody(request, response, answer);
}

function refusal(reason: Refused, { bodyBytes }: ServerLimits): HttpAnswer {
  switch (reason) {
    case 'too_large':
      return jsonAnswer(413, { error: `The request body is larger than the ${bodyBytes} bytes this server accepts` });
    case 'no_room':
      return jsonAnswer(503, { error: 'The server currently has no room for more request bodies' });
    case 'web_page':
      return jsonAnswer(403, { error: 'This server rejects requests from web pages: send no Origin' });
  }
}

function fail(error: unknown, { request, response, connection }: HttpExchange<unknown>, context: RequestContext): void {
  context.traffic.internalErrors++;
  context.report(
    `A request to ${(request.url ?? '/').replace(/\?.*/s, '')} failed inside the server: ${messageOf(error)}`,
  );
  if (response.headersSent) connection.socket.destroy();
  else sendAnswer(response, jsonAnswer(500, { error: 'The server failed' }));
}

// ---- Traffic ----

/** Traffic since the start; plain data. */
export type ServerCounts = {
  readonly registrations: number;
  readonly openConnections: number;
  readonly requestsInFlight: number;
  /** Complete bodies only. */
  readonly receivedBytes: number;
  /** Answers by endpoint (`other`: any other path) and status. */
  readonly answers: Readonly<Record<Endpoint | 'other', Readonly<Record<number, number>>>>;
  /** Answers that faults withheld, completely or in part. */
  readonly withheld: number;
  /** Requests whose client left, or was too slow, before the body was complete. */
  readonly aborted: number;
  /** Requests that threw an exception in this program, which is always a defect. */
  readonly internalErrors: number;
};

type Traffic = ReturnType<typeof noTraffic>;

export function noTraffic() {
  const answers = recordOf([...ENDPOINTS, 'other'] as const, (): Record<number, number> => ({}));
  return { receivedBytes: 0, answers, withheld: 0, aborted: 0, internalErrors: 0 };
}

function countAnswer({ answers }: Traffic, endpoint: Endpoint | undefined, status: number): void {
  const byStatus = answers[endpoint ?? 'other'];
  byStatus[status] = (byStatus[status] ?? 0) + 1;
}
