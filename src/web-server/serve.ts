import type { ServerResponse } from 'node:http';
import type { HttpExchange } from '../http/server.ts';
import { reject } from '../http/server.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Traffic } from '../protocol/exchange.ts';
import type { ServedOperation } from '../protocol/operations.ts';
import type { DialectName } from '../protocol/push.ts';
import {
  type Answer,
  EXPECTATION_FAILED,
  emptyAnswer,
  FORBIDDEN,
  NOT_FOUND,
  SERVER_OPTIONS,
  WRONG_METHOD,
} from './answer.ts';
import { isAuthorized } from './basic-auth.ts';
import type { Deliver } from './delivery.ts';
import type { ServedOutcome, WebServerSetup } from './ports.ts';
import { faultOf, MALFORMED_REQUEST, type Refusal } from './refusals.ts';
import { RESPONDERS, type Sources } from './respond.ts';
import { type Destination, findRoute, type Route } from './routes.ts';

/** A connection at an agent's port: what of its bytes has been accounted for, and the answer begun last. */
export type Visit = Traffic & { readonly agent: number; readonly last: ServerResponse | undefined };

type Changing<T> = { -readonly [name in keyof T]: T[name] };

export type Serving = Sources & {
  readonly dialect: DialectName;
  readonly clock: Clock;
  readonly deliver: Deliver;
  /** Undefined: the agent listens no more. */
  readonly setupOf: (agent: number) => WebServerSetup | undefined;
};

/**
 * Serves requests of a connection one after the other, as the agent does: a client that asks a thousand times without
 * reading costs one answer, and waits.
 */
export function serve(exchange: HttpExchange<Visit>, serving: Serving): void {
  const { response, connection } = exchange;
  const visit: Changing<Visit> = connection.origin;
  const { last } = visit;
  visit.last = response;
  if (response.socket !== null || last === undefined) {
    serveNow(exchange, serving);
    return;
  }
  connection.stream.pause();
  last.once('close', () => {
    if (connection.stream.destroyed) return;
    if (connection.newest === response) connection.stream.resume();
    serveNow(exchange, serving);
  });
}

/** From the request's head to the hand-over of its answer. */
function serveNow(exchange: HttpExchange<Visit>, serving: Serving): void {
  const { request, connection } = exchange;
  const startMs = serving.clock();
  const setup = serving.setupOf(connection.origin.agent);
  if (setup === undefined) {
    connection.socket.destroy();
    return;
  }
  const asked = { method: request.method ?? '', target: request.url ?? '' };
  const destination = findRoute(asked, serving.dialect, setup);
  const fault = faultOf(request) ?? (destination.kind === 'malformed' ? MALFORMED_REQUEST : undefined);
  const operation = destination.kind === 'route' && fault === undefined ? destination.operation : 'serve-other';
  const service: Service = { exchange, operation, startMs, serving };
  if (fault !== undefined) {
    refuse(service, fault);
    return;
  }
  const answer = answerTo(destination, exchange, setup, serving);
  if (answer instanceof Promise) void answer.then((late) => deliver(service, late));
  else deliver(service, answer);
}

function answerTo(
  destination: Destination,
  exchange: HttpExchange<Visit>,
  setup: WebServerSetup,
  sources: Sources,
): Answer | Promise<Answer> {
  const { headers } = exchange.request;
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') return EXPECTATION_FAILED;
  switch (destination.kind) {
    case 'server_options':
      return SERVER_OPTIONS;
    case 'moved':
      return emptyAnswer(301, ['Location', destination.location]);
    case 'not_found':
    case 'malformed':
      return NOT_FOUND;
    case 'wrong_method':
      return WRONG_METHOD;
    case 'route':
      return answerRoute(destination, exchange, setup, sources);
  }
}

function answerRoute(
  route: Route,
  exchange: HttpExchange<Visit>,
  setup: WebServerSetup,
  sources: Sources,
): Answer | Promise<Answer> {
  const { basicAuth } = setup;
  if (basicAuth !== undefined && !isAuthorized(exchange.request.headers.authorization, basicAuth)) return FORBIDDEN;
  return RESPONDERS[route.name]({ agent: exchange.connection.origin.agent, setup, route, exchange }, sources);
}

type Service = {
  readonly exchange: HttpExchange<Visit>;
  readonly operation: ServedOperation;
  readonly startMs: number;
  readonly serving: Serving;
};

function deliver(service: Service, answer: Answer): void {
  const { agent } = service.exchange.connection.origin;
  service.serving.deliver(service.exchange, answer, (whole) => {
    account(service, whole ? outcomeOf(answer.status) : 'client_gone');
    if (answer.reloads) service.serving.ports.reload(agent);
  });
}

function refuse(service: Service, { status, words }: Refusal): void {
  reject(service.exchange.connection.stream, words);
  account(service, outcomeOf(status));
}

function account({ exchange, operation, startMs, serving }: Service, outcome: ServedOutcome): void {
  const { origin, stream } = exchange.connection;
  serving.ports.served(origin.agent, operation, outcome, serving.clock() - startMs, newTraffic(origin, stream));
}

/** Bytes that went over the connection since the last answer, heads included. */
function newTraffic(
  visit: Changing<Visit>,
  { bytesRead, bytesWritten }: { readonly bytesRead: number; readonly bytesWritten: number },
): Traffic {
  const traffic = { sentBytes: bytesWritten - visit.sentBytes, receivedBytes: bytesRead - visit.receivedBytes };
  visit.sentBytes = bytesWritten;
  visit.receivedBytes = bytesRead;
  return traffic;
}

function outcomeOf(status: number): ServedOutcome {
  return status === 200 ? 'ok' : `http_${status}`;
}
