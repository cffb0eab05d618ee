import { recordOf } from '../../base/kernel/records.ts';
import type { RequestBody } from '../../base/protocol/exchange.ts';
import { cleanPath, escapedPath, escapeLikeGo, quote } from '../../base/protocol/go.ts';
import { authorizationHeader, ENDPOINT_PATHS, ENDPOINTS, type Endpoint } from '../../base/protocol/push.ts';
import type { PayloadWriter } from '../../hosts/payloads.ts';
import { identityOf } from './identity.ts';
import { type AgentProxy, proxyAuthorization, proxyMode } from './proxy.ts';

/** The input for any request body of an agent. `agent` is its index in the fleet. */
export type RequestSubject =
  | {
      readonly operation: 'register' | 'authorize';
      readonly agent: number;
      readonly uuid: string;
      readonly password: string;
    }
  | {
      readonly operation: 'checkdata' | 'packages';
      readonly agent: number;
      readonly signature: string;
      /** Unix time in milliseconds of the end of the check run or the start of the collection. */
      readonly instantMs: number;
      /** Start of the package collection that a check run reports, see `PayloadWriter`. */
      readonly collectionMs: number | undefined;
    };

const CHECKDATA_KEY = '{"checkdata":';
/** Maximum number of bytes per character. */
const UTF8_BYTES = 3;

/** The end of a document from the agent with this uuid. */
export function signature(uuid: string, password: string): string {
  return `,"agentuuid":"${uuid}","password":${quote(password)}}`;
}

/** A request's JSON body, with the keys in the order of docs/reference/wire.md, "Requests". */
export function requestBody(
  subject: RequestSubject,
  { seed, payloads }: { readonly seed: number; readonly payloads: PayloadWriter },
): RequestBody {
  switch (subject.operation) {
    case 'register':
    case 'authorize': {
      const text = registrationBody(subject, seed);
      return { roomBytes: UTF8_BYTES * text.length, write: (out, offset) => offset + out.write(text, offset, 'utf8') };
    }
    case 'checkdata':
    case 'packages': {
      const { operation, agent, signature: signed, instantMs, collectionMs } = subject;
      const isChecks = operation === 'checkdata';
      const documentBytes = isChecks ? payloads.checkdataRoomBytes(agent) : payloads.packagesRoomBytes(agent);
      return {
        roomBytes: CHECKDATA_KEY.length + documentBytes + UTF8_BYTES * signed.length,
        write: (out, offset) => {
          const start = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
          const end = isChecks
            ? payloads.writeCheckdata(out, start, agent, instantMs, collectionMs)
            : payloads.writePackages(out, start, agent, instantMs);
          return end + out.write(signed, end, 'utf8');
        },
      };
    }
  }
}

type Registration = Extract<RequestSubject, { readonly uuid: string }>;

function registrationBody({ uuid, password, agent }: Registration, seed: number): string {
  const { hostName, address } = identityOf(seed, agent);
  return escapeLikeGo(JSON.stringify({ agentuuid: uuid, password, hostname: hostName, ipaddress: address }));
}

/**
 * The request head as Go's client of the real agent writes it, with the order, case and spelling of docs/reference/wire.md, "Requests".
 * Compiled once per endpoint; only the content length differs between requests.
 */
export type RequestHead = { readonly beforeLength: Buffer; readonly afterLength: Buffer };

/** The heads of an agent's requests, and the room to leave before a body for its head. */
export type Heads = Readonly<Record<Endpoint, RequestHead>> & {
  readonly roomBytes: number;
  readonly apiKey: string;
  readonly userAgent: string;
  /** `undefined`: requests go directly to the server. */
  readonly proxy: AgentProxy | undefined;
};

const MAX_LENGTH_DIGITS = 16;

type HeadClient = Pick<Heads, 'apiKey' | 'userAgent'> & Partial<Pick<Heads, 'proxy'>>;

export function compileHeads(baseUrl: string, { apiKey, userAgent, proxy }: HeadClient): Heads {
  const base = new URL(baseUrl);
  const host = hostHeaderOf(baseUrl) ?? base.host;
  const forwarder = forwarderTo(base, proxy);
  const compile = (endpoint: Endpoint): RequestHead =>
    compileHead({ target: requestTarget(baseUrl, endpoint), host, apiKey, userAgent, forwarder });
  const heads = recordOf(ENDPOINTS, compile);
  return { ...heads, roomBytes: Math.max(...Object.values(heads).map(headRoomBytes)), apiKey, userAgent, proxy };
}

/** The proxy that receives the requests themselves; `undefined` if they go to the server, directly or through a tunnel. */
export function forwarderTo(url: URL, proxy: AgentProxy | undefined): AgentProxy | undefined {
  return proxyMode(url, proxy).kind === 'forward' ? proxy : undefined;
}

export type HeadParts = {
  readonly target: string;
  readonly host: string;
  readonly apiKey: string;
  readonly userAgent: string;
  readonly referer?: string | undefined;
  readonly forwarder?: AgentProxy | undefined;
};

export function compileHead(parts: HeadParts): RequestHead {
  return {
    beforeLength: Buffer.from(`${requestStart('POST', parts)}Content-Length: `),
    afterLength: Buffer.from(`\r\n${requestEnd(parts, 'Content-Type: application/json\r\n')}`),
  };
}

/** The GET that replaces a push after a redirect without its body. */
export function compileGet(parts: HeadParts): Buffer {
  return Buffer.from(`${requestStart('GET', parts)}${requestEnd(parts)}`);
}

/** The request line and the fields before those of a body. Requests to a proxy contain the whole URL. */
function requestStart(method: 'POST' | 'GET', { target, host, userAgent, forwarder }: HeadParts): string {
  const url = forwarder === undefined ? target : `http://${host}${target}`;
  return `${method} ${url} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${userAgent}\r\n`;
}

function requestEnd({ apiKey, referer, forwarder }: HeadParts, bodyFields = ''): string {
  const authorization = forwarder && proxyAuthorization(forwarder);
  const refererLine = referer === undefined ? '' : `Referer: ${referer}\r\n`;
  const proxyLine = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `Authorization: ${authorizationHeader(apiKey)}\r\n${bodyFields}${refererLine}Accept-Encoding: gzip\r\n${proxyLine}\r\n`;
}

export function headRoomBytes({ beforeLength, afterLength }: RequestHead): number {
  return beforeLength.length + afterLength.length + MAX_LENGTH_DIGITS;
}

/** Host and port as written in the base URL, with its letter case; `undefined` if their form on the wire differs. */
export function hostHeaderOf(baseUrl: string): string | undefined {
  return /^https?:\/\/(?:[^@/?#]*@)?([a-z\d.:[\]_-]+)(?:[/?#]|$)/i.exec(baseUrl.trim())?.[1];
}

/**
 * Path and query of an endpoint below the base URL, as Go's `path.Join` and `url.URL` write them (docs/reference/wire.md, "Requests"): the
 * path is decoded, cleaned and escaped again; the query is not changed.
 * @throws URIError if the path is not escaped UTF-8; scenario files refuse such URLs.
 */
export function requestTarget(baseUrl: string, endpoint: Endpoint): string {
  const [, path = '', query = ''] = PATH_AND_QUERY.exec(baseUrl.trim()) ?? [];
  const bytes = Buffer.from(cleanPath(`${decodeURIComponent(path)}${ENDPOINT_PATHS[endpoint]}`)).toString('latin1');
  return `${escapedPath(bytes)}${query}`;
}

const PATH_AND_QUERY = /^[a-z]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/i;

const ZERO = 0x30;

/** Writes the head directly before the body; returns the offset of its first byte. */
export function writeHeadBefore(out: Buffer, head: RequestHead, body: { start: number; end: number }): number {
  let start = body.start - head.afterLength.length;
  head.afterLength.copy(out, start);
  // Digit by digit, so that a push creates no string.
  for (let rest = body.end - body.start, more = true; more; more = rest > 0) {
    out[--start] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  start -= head.beforeLength.length;
  head.beforeLength.copy(out, start);
  return start;
}
