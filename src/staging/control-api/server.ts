import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Address, addressText, canonicalHost, isLoopback } from '../../base/kernel/address.ts';
import { counted } from '../../base/kernel/units.ts';
import { type JsonRules, jsonInput, parseBounded } from '../../base/protocol/json.ts';
import { emptyAnswer, hasBearer, refuseBody, sendAnswer } from '../../wire/http/answer.ts';
import { type BodyReader, createBodyReader } from '../../wire/http/body.ts';
import { createListener } from '../../wire/http/listener.ts';
import { createHttpServer, type HttpExchange, type HttpTimeouts, serveAll } from '../../wire/http/server.ts';
import type { ControlledFleet } from '../fleet/fleet.ts';
import { createApp, methodsAt } from './app.ts';
import { problemAnswer, RequestProblem } from './problem.ts';

/** The API of one fleet, for clients with its token. */
export type ControlApi = {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Closes the server without waiting for clients. */
  readonly close: () => void;
};

const TIMEOUTS: HttpTimeouts = { headMs: 10_000, requestMs: 30_000, idleMs: 65_000 };
const BODY_LIMITS = { bodyBytes: 65_536, allBodiesBytes: 2 ** 20 };

/** Where the API listens, and the URLs of proxies and services through which clients reach it. */
export type ControlEndpoint = { readonly address: Address; readonly publicUrls: readonly URL[] };

export type ControlAccess = {
  readonly tokens: Tokens;
  readonly page: () => Promise<PageFiles>;
};

/** @throws UserError if the address is not available. */
export async function startControlApi(
  { address, publicUrls }: ControlEndpoint,
  { tokens, page }: ControlAccess,
  fleet: ControlledFleet,
): Promise<ControlApi> {
  const app = createApp(fleet);
  const api: Serving = {
    gate: { host: address.host, publicUrls, tokens },
    page,
    bodies: createBodyReader(BODY_LIMITS),
    isOffered: ({ method = '', url = '/' }) => methodsAt(url.replace(/\?.*/s, ''), app).includes(method),
    answer: getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  };
  const http = createHttpServer<undefined>(TIMEOUTS, (exchange) => void serve(exchange, api));
  const listener = createListener(address, serveAll(http, undefined));
  const port = await listener.open();
  return {
    url: `http://${addressText({ ...address, port })}`,
    close: () => {
      listener.down();
      void http.stop(0);
    },
  };
}

type Serving = {
  readonly gate: Gate;
  readonly page: ControlAccess['page'];
  readonly bodies: BodyReader;
  /** Whether a route takes the method; if none does, the body does not matter. */
  readonly isOffered: (request: IncomingMessage) => boolean;
  readonly answer: ReturnType<typeof getRequestListener>;
};

async function serve(
  exchange: HttpExchange<undefined>,
  { gate, page, bodies, isOffered, answer }: Serving,
): Promise<void> {
  const { request, response } = exchange;
  const stranger = strangerOf(request.headers, gate);
  // Requests for the API do not wait until the page is loaded.
  const isOfPage = stranger === undefined && request.url?.startsWith('/api/') !== true;
  if (isOfPage && answeredPageFile(request, response, await page())) return;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  const caller = requesterOf(request, gate);
  const refused = stranger ?? ('problem' in caller ? caller.problem : undefined);
  // Reads bodies of authorized clients only.
  if (refused !== undefined) return refuseBody(request, response, problemAnswer(refused));
  const body = await bodies.read(exchange);
  if (body.kind === 'aborted') return;
  if (body.kind !== 'whole') return refuseBody(request, response, TOO_LARGE);
  const bytes = Buffer.concat(body.chunks);
  bodies.release(body);
  const fault = isOffered(request) ? faultOf(request, bytes) : undefined;
  if (fault !== undefined) return sendAnswer(response, problemAnswer(new RequestProblem('invalid_request', fault)));
  const tokenName = 'name' in caller ? caller.name : '';
  await answer(Object.assign(request, { rawBody: bytes, tokenName }), response);
}

const TOO_LARGE = problemAnswer(
  new RequestProblem('too_large', `The body: expected at most ${BODY_LIMITS.bodyBytes} bytes, found more.`),
);

function faultOf({ method = '', headers }: IncomingMessage, bytes: Buffer): string | undefined {
  const takesBody = method === 'POST' || method === 'PUT';
  if (bytes.length === 0) return takesBody ? 'The body: expected JSON, found nothing.' : undefined;
  if (!takesBody) return `The body: expected none with ${method}, found ${counted(bytes.length, 'byte')}.`;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return jsonFault(bytes);
  return 'Content-Type: expected application/json, found another type.';
}

const JSON_RULES: JsonRules = { mostNesting: 16, mendsText: false, foldsNames: false };

/** Many times more than an event needs. */
const MAX_VALUES = 1000;

/** The error in a body; `undefined` if it is valid. Requires JSON that all parsers read alike: UTF-8, shallow, small, and without duplicate names in an object. */
function jsonFault(bytes: Buffer): string | undefined {
  const input = { ...jsonInput(bytes, JSON_RULES), left: MAX_VALUES };
  const read = parseBounded(input);
  if (read === undefined)
    return `The body: expected JSON with at most ${MAX_VALUES} values and ${JSON_RULES.mostNesting} levels of nesting, found something else.`;
  // Parsing keeps only the last of several equal names.
  if (countOf(read.value) === MAX_VALUES - input.left) return undefined;
  return 'The body: expected each name in an object once, found a duplicate.';
}

/** Number of elements and members in all containers; an empty container counts as one, as in the walk. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce((sum: number, part) => sum + countOf(part), Math.max(1, parts.length));
}

/** Files of a page by path. They contain no secrets, because the page requests all data with the token. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly body: string }>;

/**
 * The page runs only its own scripts, connects only to this server, and cannot be framed. Browsers must not cache it, because the next
 * process may have another one.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const PAGE_METHODS = ['GET', 'HEAD'];

/** Answers a request for a file of the page. Returns false if there is none at this path. */
function answeredPageFile(
  { url = '/', method = '' }: IncomingMessage,
  response: ServerResponse,
  files: PageFiles,
): boolean {
  const file = files.get(url.replace(/[?#].*/s, ''));
  if (file === undefined) return false;
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
  if (!PAGE_METHODS.includes(method)) {
    response.setHeader('Allow', PAGE_METHODS.join(', '));
    sendAnswer(response, emptyAnswer(405));
  } else sendAnswer(response, { status: 200, ...file });
  return true;
}

/** The tokens of an API by name; `read` may only read, and is absent if there is none. */
type Tokens = { readonly control: string; readonly read?: string | undefined };

/** Accepts requests with a token and with a Host that names this machine or a public URL. */
type Gate = {
  /** As in the requested address, without brackets. */
  readonly host: string;
  readonly publicUrls: readonly URL[];
  readonly tokens: Tokens;
};

/**
 * Refuses a request for a foreign host name, which a page may have pointed at this address (DNS rebinding), and a request from a page
 * of another origin.
 */
function strangerOf({ host = '', origin }: IncomingHttpHeaders, gate: Gate): RequestProblem | undefined {
  if (!isOurs(host, gate)) {
    return foreign('Host: expected the address of the API, found another name');
  }
  const ours = [`http://${host.toLowerCase()}`, ...gate.publicUrls.map((url) => url.origin)];
  if (origin === undefined || ours.includes(origin.toLowerCase())) return undefined;
  return foreign('Origin: expected the page of the API, or no Origin, found another one');
}

/** Behind a proxy, both may be right. */
function foreign(found: string): RequestProblem {
  return new RequestProblem('foreign', `${found}; name the address that clients use with --public-url.`);
}

/** The name of the token of a request; a problem if it has none, or one that may only read what the request would change. */
function requesterOf(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  { tokens }: Gate,
): { readonly name: keyof Tokens } | { readonly problem: RequestProblem } {
  if (hasBearer(headers, tokens.control)) return { name: 'control' };
  if (tokens.read === undefined || !hasBearer(headers, tokens.read)) {
    const found = headers.authorization === undefined ? 'none' : 'another';
    const detail = `Authorization: expected Bearer and the token of this fleet, found ${found}.`;
    return { problem: new RequestProblem('unauthorized', detail) };
  }
  if (method === 'GET' || method === 'HEAD') return { name: 'read' };
  const detail = `Authorization: expected a token that may change the fleet for ${method}, found one that may only read.`;
  return { problem: new RequestProblem('read_only', detail) };
}

const PORT = /:\d{1,5}$/;

/** DNS cannot redirect an IP address to this server. The port may be that of a tunnel. */
function isOurs(written: string, { host, publicUrls }: Gate): boolean {
  const name = canonicalHost(written.replace(PORT, ''));
  if (name === '') return false;
  const ours = [host, ...publicUrls.map(({ hostname }) => hostname)];
  if (isLoopback(name) || ours.some((one) => canonicalHost(one) === name)) return true;
  return !isLoopback(host) && isIP(name) !== 0;
}
