import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/kernel/clock.ts';
import { recordOf, type Writable } from '../../base/kernel/records.ts';
import { fileBytes, fileText } from '../../base/protocol/agent-files.ts';
import type { Traffic } from '../../base/protocol/exchange.ts';
import { decodeBase64, quote } from '../../base/protocol/go.ts';
import {
  type ByteRange,
  decodeString,
  GO_JSON,
  isNullAt,
  isTextAt,
  jsonInput,
  memberNames,
  readWhole,
  skipValue,
} from '../../base/protocol/json.ts';
import type { ServedOperation } from '../../base/protocol/operations.ts';
import type { DialectName } from '../../base/protocol/push.ts';
import type { BodyReader } from '../http/body.ts';
import { type HttpExchange, reject } from '../http/server.ts';
import {
  type Answer,
  bodiless,
  EXPECTATION_FAILED,
  FORBIDDEN,
  INTERNAL_ERROR,
  INVALID_CONFIGURATION,
  jsonText,
  NOT_FOUND,
  plainText,
  SERVER_OPTIONS,
  STORED,
  UNREADABLE_BODY,
  UPDATE_DISABLED,
  WEB_PAGE_REFUSED,
  WRONG_METHOD,
} from './answer.ts';
import type { Deliver } from './delivery.ts';
import type { ServedOutcome, WebServerPorts, WebServerSetup } from './ports.ts';
import { headFault, MALFORMED_REQUEST } from './rejections.ts';
import { type Destination, findRoute, queryValue, type Route, type RouteName } from './routes.ts';

/** State of a connection to an agent's port: the bytes counted so far, and the latest answer. */
export type ConnectionState = Traffic & { readonly agent: number; readonly last: ServerResponse | undefined };

export type ServeContext = RouteContext & {
  readonly dialect: DialectName;
  readonly trustWebPages: boolean;
  readonly clock: Clock;
  readonly deliver: Deliver;
  /** `undefined` if the agent no longer listens. */
  readonly setupOf: (agent: number) => WebServerSetup | undefined;
};

/** Serves one request at a time, like the agent: a client that sends a thousand without reading costs one answer and must wait. */
export function serveAgentRequest(exchange: HttpExchange<ConnectionState>, context: ServeContext): void {
  const { response, connection } = exchange;
  const state: Writable<ConnectionState> = connection.origin;
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
  state: Writable<ConnectionState>,
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

type RoutedRequest = {
  readonly agent: number;
  readonly setup: WebServerSetup;
  readonly route: Route;
  readonly exchange: HttpExchange<unknown>;
};

type RouteContext = { readonly ports: WebServerPorts; readonly bodies: BodyReader };

type Responder = (request: RoutedRequest, context: RouteContext) => Answer | Promise<Answer>;

/** Returns the route's answer, or 403 if the client has not sent the agent's user and password. */
function answerRoute(request: RoutedRequest, context: RouteContext): Answer | Promise<Answer> {
  const { basicAuth } = request.setup;
  const { authorization } = request.exchange.request.headers;
  if (basicAuth !== undefined && !isAuthorized(authorization, basicAuth)) return FORBIDDEN;
  return RESPONDERS[request.route.name](request, context);
}

/** The answers of the routes (docs/reference/agent-web-server.md, "Agent web server"). */
const RESPONDERS: Readonly<Record<RouteName, Responder>> = {
  checkdata: ({ agent }, { ports }) => jsonText(ports.checkdata(agent)),
  packages: ({ agent }, { ports }) => jsonText(ports.packages(agent)),
  prometheus: ({ agent, route }, { ports }) => {
    const exporter = queryValue(route.query, 'exporter');
    if (exporter === '') return jsonText(`[${ports.exporters(agent).map(quote).join(',')}]`);
    return plainText(ports.scrape(agent, exporter) ?? 'Unknown exporter');
  },
  'read-config': ({ agent, setup }, { ports }) => {
    if (!setup.configPush) return UPDATE_DISABLED;
    const { configuration, customChecks, exporters } = ports.documents(agent);
    const [main, checks, scrapes] = [configuration, customChecks, exporters].map((text) =>
      fileBytes(text).toString('base64'),
    );
    return jsonText(
      `{"configuration":"${main}","customcheck_configuration":"${checks}","prometheus_exporter":"${scrapes}"}`,
    );
  },
  'push-config': pushConfiguration,
  'signing-request': ({ agent, route }, { ports }) => {
    const domain = queryValue(route.query, 'domain');
    return ports.csr(agent, domain === '' ? undefined : domain).then(
      (csr) => jsonText(`{"csr":${quote(csr)}}`),
      () => INTERNAL_ERROR,
    );
  },
  certificates: storeCertificates,
};

const DOCUMENT_NAMES = ['configuration', 'customcheck_configuration', 'prometheus_exporter'] as const;

async function pushConfiguration(
  { agent, setup, exchange }: RoutedRequest,
  { ports, bodies }: RouteContext,
): Promise<Answer> {
  if (!setup.configPush) return UPDATE_DISABLED;
  const members = await readMembers(exchange, bodies, DOCUMENT_NAMES);
  if (members === 'unreadable') return UNREADABLE_BODY;
  const documents = members && DOCUMENT_NAMES.map((name) => textIn(members[name]));
  const [configuration, customChecks, exporters] = documents ?? [];
  if (configuration === undefined || customChecks === undefined || exporters === undefined)
    return INVALID_CONFIGURATION;
  if (configuration === '') return INVALID_CONFIGURATION;
  return answerStored(ports.storeDocuments(agent, { configuration, customChecks, exporters }));
}

const CERTIFICATE_NAMES = ['signed', 'ca'] as const;

async function storeCertificates({ agent, exchange }: RoutedRequest, { ports, bodies }: RouteContext): Promise<Answer> {
  const members = await readMembers(exchange, bodies, CERTIFICATE_NAMES);
  if (members === 'unreadable') return UNREADABLE_BODY;
  if (members === undefined) return INTERNAL_ERROR;
  return answerStored(ports.storeCertificates(agent, members));
}

async function readMembers<Name extends string>(
  exchange: HttpExchange<unknown>,
  bodies: BodyReader,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>> | undefined | 'unreadable'> {
  const body = await bodies.read(exchange);
  if (body.kind !== 'whole') return 'unreadable';
  try {
    return readTextMembers(Buffer.concat(body.chunks, body.sizeBytes), names);
  } finally {
    bodies.release(body);
  }
}

function answerStored(storing: Promise<void>): Promise<Answer> {
  return storing.then(
    () => STORED,
    () => INTERNAL_ERROR,
  );
}

function textIn(base64: string): string | undefined {
  const bytes = decodeBase64(base64);
  return bytes && fileText(bytes);
}

const SCHEME = /^basic /i;

/** Whether the value of an Authorization header contains exactly these credentials, `user:password`. */
function isAuthorized(header: string | undefined, credentials: string): boolean {
  if (header === undefined || !SCHEME.test(header)) return false;
  const received = decodeBase64(header.slice('Basic '.length));
  const expected = Buffer.from(credentials);
  return received !== undefined && received.length === expected.length && timingSafeEqual(received, expected);
}

/**
 * Reads the text members of a JSON object like Go's decoder. Names are case-insensitive, and the last non-null value of a name
 * wins. Unknown members are ignored; missing ones are empty. `undefined` if the body is not JSON or a member is not text.
 */
function readTextMembers<Name extends string>(
  bytes: Buffer,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const input = jsonInput(bytes, GO_JSON);
  const ranges: (ByteRange | undefined)[] = [];
  let areTexts = true;
  const kind = readWhole(input, {
    names: memberNames(names),
    read: (index, start) => {
      const end = skipValue(input, start, 1);
      if (index < 0 || isNullAt(bytes, start)) return end;
      if (isTextAt(bytes, start)) ranges[index] = { start, end };
      else areTexts = false;
      return end;
    },
  });
  if (!areTexts || kind === 'malformed' || kind === 'other') return undefined;
  return recordOf(names, (_, index) => {
    const range = ranges[index];
    return range === undefined ? '' : decodeString(bytes, range);
  });
}
