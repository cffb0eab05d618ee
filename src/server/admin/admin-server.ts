import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { addressText } from '../../base/kernel/address.ts';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { MIB } from '../../base/kernel/units.ts';
import { jsonInput, PHP_JSON, parseBounded } from '../../base/protocol/json.ts';
import { emptyAnswer, type HttpAnswer, hasBearer, jsonAnswer, refuseBody, sendAnswer } from '../../wire/http/answer.ts';
import { type BodyReader, createBodyReader } from '../../wire/http/body.ts';
import { createListener } from '../../wire/http/listener.ts';
import { createHttpServer, type HttpExchange, type HttpTimeouts, serveAll } from '../../wire/http/server.ts';
import { type Fault, formatFaults, readFaults } from '../faults/schema.ts';
import type { ArrivalCounts } from '../observations/observer.ts';
import type { AdminSettings } from '../settings.ts';
import { type PageSources, pageAt } from './pages.ts';

/** Figures and controls of a running server; all plain data. */
export type ServerControls = PageSources & {
  /** What arrived from each agent, for comparison with what was sent. */
  readonly arrivals: () => ArrivalCounts;
  /** The faults that were last set, whether currently active or not. */
  readonly faults: () => readonly Fault[];
  /** Replaces all faults; their times count from now. */
  readonly setFaults: (faults: readonly Fault[]) => void;
  /** Makes these agents, or all of them, monitored hosts; returns how many were not before. */
  readonly assignHosts: (uuids?: readonly string[]) => number;
};

export type AdminServer = { readonly url: string; readonly stop: () => void };

const BODY_LIMITS = { bodyBytes: 2 * MIB, allBodiesBytes: 64 * MIB };
/** More uuids than a body can contain. */
const MAX_VALUES = 60_000;
const HOST = '127.0.0.1';
const TIMEOUTS: HttpTimeouts = { headMs: 10_000, requestMs: 60_000, idleMs: 65_000 };
const hostsSchema = z.strictObject({ uuids: z.array(z.string(), 'a list of uuids').optional() });

/**
 * Listens on loopback, on a separate port, so that it is reachable even if the monitoring server is not.
 * @throws UserError if the port is not available.
 */
export async function startAdminServer(
  settings: AdminSettings,
  controls: ServerControls,
  pages: Pages,
): Promise<AdminServer> {
  if (settings.token === '') throw new UserError('The admin endpoint needs a non-empty token.');
  const admin = { settings, controls, pages, bodies: createBodyReader(BODY_LIMITS) };
  const http = createHttpServer<undefined>(TIMEOUTS, (exchange) => void serve(exchange, admin));
  const listener = createListener({ host: HOST, port: settings.port }, serveAll(http, undefined));
  const port = await listener.open();
  return {
    url: `http://${addressText({ host: HOST, port })}`,
    stop: () => {
      listener.down();
      void http.stop(0);
    },
  };
}

type Pages = Readonly<Record<string, () => object>>;

type Admin = {
  readonly settings: AdminSettings;
  readonly controls: ServerControls;
  readonly pages: Pages;
  readonly bodies: BodyReader;
};

async function serve(exchange: HttpExchange<undefined>, admin: Admin): Promise<void> {
  const { request, response } = exchange;
  // Only authorized clients' bodies are read.
  if (request.method !== 'GET' && !hasBearer(request.headers, admin.settings.token))
    return refuseBody(request, response, UNAUTHORIZED);
  const body = await admin.bodies.read(exchange);
  if (body.kind === 'aborted') return;
  if (body.kind !== 'whole') return refuseBody(request, response, emptyAnswer(body.kind === 'no_room' ? 503 : 413));
  admin.bodies.release(body);
  sendAnswer(response, await answerOrError(request, Buffer.concat(body.chunks), admin));
}

async function answerOrError(request: IncomingMessage, body: Buffer, admin: Admin): Promise<HttpAnswer> {
  try {
    return await answerAdmin(request, body, admin);
  } catch (error) {
    return jsonAnswer(500, { error: messageOf(error) });
  }
}

function answerAdmin(
  request: IncomingMessage,
  body: Buffer,
  { settings, controls, pages }: Admin,
): HttpAnswer | Promise<HttpAnswer> {
  const path = (request.url ?? '/').replace(/\?.*/s, '');
  const page = request.method === 'GET' ? pageAt(path, request.headers.accept, controls) : undefined;
  if (page !== undefined) return page;
  if (!hasBearer(request.headers, settings.token)) return UNAUTHORIZED;
  const further = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (request.method === 'GET' && further !== undefined) return jsonAnswer(200, further());
  switch (`${request.method} ${path}`) {
    case 'GET /counts':
      return jsonAnswer(200, controls.counts());
    case 'GET /observations':
      return jsonAnswer(200, controls.observations());
    case 'GET /arrivals':
      return jsonAnswer(200, withPlainLists(controls.arrivals()));
    case 'GET /faults':
      return jsonAnswer(200, formatFaults(controls.faults()));
    case 'PUT /faults':
      return withJson(body, (document) => setFaults(document, controls));
    case 'POST /hosts':
      return withJson(body, (document) => assignHosts(document, controls));
    default:
      return jsonAnswer(404, { error: `The admin endpoint has no ${request.method} ${path}` });
  }
}

const UNAUTHORIZED = jsonAnswer(401, { error: 'The token is missing or wrong' });

function setFaults(document: unknown, controls: ServerControls): HttpAnswer {
  const read = readFaults(document);
  if (read.kind === 'problems') return jsonAnswer(400, { error: read.problems.join('; ') });
  controls.setFaults(read.faults);
  return jsonAnswer(200, formatFaults(read.faults));
}

function assignHosts(document: unknown, controls: ServerControls): HttpAnswer {
  const { data, error } = hostsSchema.safeParse(document);
  if (data !== undefined) return jsonAnswer(200, { assigned: controls.assignHosts(data.uuids) });
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return jsonAnswer(400, { error: problems.join('; ') });
}

function withJson(body: Buffer, act: (document: unknown) => HttpAnswer): HttpAnswer {
  const read = body.length === 0 ? { value: {} } : parseBounded({ ...jsonInput(body, PHP_JSON), left: MAX_VALUES });
  return read === undefined
    ? jsonAnswer(400, { error: `The body is not JSON of at most ${MAX_VALUES} values` })
    : act(read.value);
}

function withPlainLists(arrivals: ArrivalCounts): object {
  return Object.fromEntries(Object.entries(arrivals).map(([name, column]) => [name, Array.from<unknown>(column)]));
}
