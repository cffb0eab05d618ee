import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../ground/kernel/clock.ts';
import type { Traffic } from '../../ground/protocol/exchange.ts';
import type { ServedOperation } from '../../ground/protocol/operations.ts';
import type { DialectName } from '../../ground/protocol/push.ts';
import type { Refusal } from '../../ground/protocol/refusals.ts';
import { type HttpExchange, reject, type UnreadableError } from '../http/server.ts';
import {
  type Answer,
  bodiless,
  EXPECTATION_FAILED,
  NOT_FOUND,
  SERVER_OPTIONS,
  WEB_PAGE_REFUSED,
  WRONG_METHOD,
} from './answer.ts';
import type { Deliver } from './delivery.ts';
import type { ServedOutcome, WebServerSetup } from './ports.ts';
import { answerRoute, type RouteContext } from './responders.ts';
import { type Destination, findRoute } from './routes.ts';

/** State of a connection to an agent's port: the bytes counted so far, and the latest answer. */
export type ConnectionState = Traffic & { readonly agent: number; readonly last: ServerResponse | undefined };

type Changing<T> = { -readonly [name in keyof T]: T[name] };

export type ServeContext = RouteContext & {
  readonly dialect: DialectName;
  readonly trustWebPages: boolean;
  readonly clock: Clock;
  readonly deliver: Deliver;
  /** `undefined` if the agent no longer listens. */
  readonly setupOf: (agent: number) => WebServerSetup | undefined;
};

/**
 * Serves the requests of a connection one at a time, like the agent. A client that sends a thousand requests without
 * reading costs one answer and must wait.
 */
export function serveAgentRequest(exchange: HttpExchange<ConnectionState>, context: ServeContext): void {
  const { response, connection } = exchange;
  const state: Changing<ConnectionState> = connection.origin;
  const { last } = state;
  state.last = response;
  if (response.socket !== null || last === undefined) {
    serveNow(exchange, context);
    return;
  }
  let waits = true;
  // Deferred, because Node resumes the connection at the end of this request.
  process.nextTick(() => {
    if (waits) connection.stream.pause();
  });
  last.once('close', () => {
    waits = false;
    if (connection.stream.destroyed) {
      context.ports.clients.unanswered();
      return;
    }
    if (connection.newest === response) connection.stream.resume();
    serveNow(exchange, context);
  });
}

/** Serves one request, from its head to the delivery of its answer. */
function serveNow(exchange: HttpExchange<ConnectionState>, context: ServeContext): void {
  const { request, connection } = exchange;
  const startMs = context.clock();
  const setup = context.setupOf(connection.origin.agent);
  if (setup === undefined) {
    context.ports.clients.unanswered();
    connection.socket.destroy();
    return;
  }
  const line = { method: request.method ?? '', target: request.url ?? '' };
  const destination = findRoute(line, context.dialect, setup);
  const fault = headFault(request) ?? (destination.kind === 'malformed' ? MALFORMED_REQUEST : undefined);
  const operation = destination.kind === 'route' && fault === undefined ? destination.operation : 'serve-other';
  const service: Service = { exchange, operation, startMs, context };
  if (fault !== undefined) {
    reject(connection.stream, fault.words);
    account(service, outcomeOf(fault.status));
    return;
  }
  const isRefused = !context.trustWebPages && mayBeOfWebPage(request);
  const answer = isRefused ? WEB_PAGE_REFUSED : answerTo(destination, exchange, setup, context);
  if (answer instanceof Promise) void answer.then((late) => deliver(service, late));
  else deliver(service, answer);
}

/** No expectation, or a list with the supported one. */
const MET_EXPECTATION = /^$|(?:^|[ ,\t])100-continue(?:$|[ ,\t])/i;

function answerTo(
  destination: Destination,
  exchange: HttpExchange<ConnectionState>,
  setup: WebServerSetup,
  context: RouteContext,
): Answer | Promise<Answer> {
  const { headers } = exchange.request;
  if (!MET_EXPECTATION.test(headers.expect ?? '')) return EXPECTATION_FAILED;
  switch (destination.kind) {
    case 'server_options':
      return SERVER_OPTIONS;
    case 'moved':
      return bodiless(301, ['Location', destination.location]);
    case 'not_found':
    case 'malformed':
      return NOT_FOUND;
    case 'wrong_method':
      return WRONG_METHOD;
    case 'route':
      return answerRoute({ agent: exchange.connection.origin.agent, setup, route: destination, exchange }, context);
  }
}

type Service = {
  readonly exchange: HttpExchange<ConnectionState>;
  readonly operation: ServedOperation;
  readonly startMs: number;
  readonly context: ServeContext;
};

function deliver(service: Service, answer: Answer): void {
  const { agent } = service.exchange.connection.origin;
  service.context.deliver(service.exchange, answer, (whole) => {
    account(service, whole ? outcomeOf(answer.status) : 'client_gone');
    if (answer.reloads) service.context.ports.reload(agent);
  });
}

function account({ exchange, operation, startMs, context }: Service, outcome: ServedOutcome): void {
  const { origin, stream } = exchange.connection;
  if (outcome === 'client_gone') context.ports.clients.unanswered();
  context.ports.served(origin.agent, operation, outcome, context.clock() - startMs, newTraffic(origin, stream));
}

/** Bytes on the connection since the last answer, including heads. */
function newTraffic(
  state: Changing<ConnectionState>,
  { bytesRead, bytesWritten }: { readonly bytesRead: number; readonly bytesWritten: number },
): Traffic {
  const traffic = { sentBytes: bytesWritten - state.sentBytes, receivedBytes: bytesRead - state.receivedBytes };
  state.sentBytes = bytesWritten;
  state.receivedBytes = bytesRead;
  return traffic;
}

function outcomeOf(status: number): ServedOutcome {
  return status === 200 ? 'ok' : `http_${status}`;
}

/** Hosts that need no name server: addresses, `localhost`, and an empty host. */
const SURE_HOST = /^(([\w-]+\.)*localhost|\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])?(:\d*)?$/i;

/**
 * Whether a web page in a browser may have made the request. A browser sends the page's `Origin`. Any other name in
 * `Host` may have been pointed at this address by a page that wants to read the answers. The real agent checks neither.
 */
function mayBeOfWebPage({ headers: { origin, host = '' } }: IncomingMessage): boolean {
  return origin !== undefined || !SURE_HOST.test(host);
}

const BAD_REQUEST = rejection('400 Bad Request');
const TOO_LARGE = rejection('431 Request Header Fields Too Large');
const UNSUPPORTED_ENCODING = rejection('501 Not Implemented', 'Unsupported transfer encoding');
const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/** Rejection of a request before it is routed. */
type Rejection = { readonly status: number; readonly words: string };

/** The answer to bytes that Node could not parse as a request; empty if the client was only too slow. */
export function rejectionOf({ code = '' }: UnreadableError): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return UNSUPPORTED_ENCODING;
  return code.startsWith('HPE_') ? BAD_REQUEST : '';
}

/** The refusal that such bytes count as; `undefined` if the client has left. */
export function refusalOfBytes({ code = '' }: UnreadableError): Refusal | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'bad_request' : undefined;
}

/** Errors in a head that Node accepts but the agent's HTTP library rejects. */
function headFault({
  httpVersionMajor,
  httpVersionMinor,
  headers,
  rawHeaders,
}: IncomingMessage): Rejection | undefined {
  // Node reports major version 0 for a request line without a version.
  if (httpVersionMajor === 0) return MALFORMED_REQUEST;
  if (httpVersionMajor !== 1) {
    return { status: 505, words: rejection('505 HTTP Version Not Supported: unsupported protocol version') };
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return { status: 501, words: UNSUPPORTED_ENCODING };
  }
  if (Number(headers['content-length'] ?? 0) >= 2 ** 63) return MALFORMED_REQUEST;
  if (headers.host === undefined && httpVersionMinor > 0) return badRequest('missing required Host header');
  if (headers.host !== undefined && !HOST.test(headers.host)) return badRequest('malformed Host header');
  return countOf(rawHeaders, 'host') > 1 ? MALFORMED_REQUEST : undefined;
}

const MALFORMED_REQUEST: Rejection = { status: 400, words: BAD_REQUEST };

function badRequest(reason: string): Rejection {
  return { status: 400, words: rejection(`400 Bad Request: ${reason}`) };
}

function rejection(status: string, text = status): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i];
    if (written?.length === name.length && written.toLowerCase() === name) count++;
  }
  return count;
}
