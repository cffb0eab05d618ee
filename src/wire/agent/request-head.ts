import { cleanPath, escapedPath } from '../../ground/protocol/go-url.ts';
import { authorizationHeader, ENDPOINT_PATHS, type Endpoint, USER_AGENT } from '../../ground/protocol/push.ts';
import { type AgentProxy, proxyAuthorization, wayTo } from './proxy.ts';

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

type HeadClient = Pick<Heads, 'apiKey'> & Partial<Pick<Heads, 'userAgent' | 'proxy'>>;

export function compileHeads(baseUrl: string, { apiKey, userAgent = USER_AGENT, proxy }: HeadClient): Heads {
  const base = new URL(baseUrl);
  const host = writtenHost(baseUrl) ?? base.host;
  const forwarder = forwarderTo(base, proxy);
  const compile = (endpoint: Endpoint): RequestHead =>
    compileHead({ target: requestTarget(baseUrl, endpoint), host, apiKey, userAgent, forwarder });
  const heads = {
    register_agent: compile('register_agent'),
    submit_checkdata: compile('submit_checkdata'),
    submit_package_info: compile('submit_package_info'),
  };
  return { ...heads, roomBytes: Math.max(...Object.values(heads).map(headRoomBytes)), apiKey, userAgent, proxy };
}

/** The proxy that receives the requests themselves; `undefined` if they go to the server, directly or through a tunnel. */
export function forwarderTo(url: URL, proxy: AgentProxy | undefined): AgentProxy | undefined {
  return wayTo(url, proxy).kind === 'forward' ? proxy : undefined;
}

export type HeadParts = {
  readonly target: string;
  readonly host: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** Set in redirected requests. */
  readonly referer?: string | undefined;
  readonly forwarder?: AgentProxy | undefined;
};

export function compileHead(parts: HeadParts): RequestHead {
  const { host, apiKey, userAgent, referer, forwarder } = parts;
  return {
    beforeLength: Buffer.from(
      `POST ${lineTarget(parts)} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${userAgent}\r\nContent-Length: `,
    ),
    afterLength: Buffer.from(
      `\r\nAuthorization: ${authorizationHeader(apiKey)}\r\nContent-Type: application/json\r\n${refererLine(referer)}` +
        `Accept-Encoding: gzip\r\n${forwarderLine(forwarder)}\r\n`,
    ),
  };
}

/** The GET that replaces a push after a redirect without its body. */
export function compileGet(parts: HeadParts): Buffer {
  const { host, apiKey, userAgent, referer, forwarder } = parts;
  return Buffer.from(
    `GET ${lineTarget(parts)} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${userAgent}\r\n` +
      `Authorization: ${authorizationHeader(apiKey)}\r\n${refererLine(referer)}` +
      `Accept-Encoding: gzip\r\n${forwarderLine(forwarder)}\r\n`,
  );
}

/** Requests to a proxy contain the whole URL. */
function lineTarget({ target, host, forwarder }: HeadParts): string {
  return forwarder === undefined ? target : `http://${host}${target}`;
}

function forwarderLine(forwarder: AgentProxy | undefined): string {
  const authorization = forwarder && proxyAuthorization(forwarder);
  return authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
}

function refererLine(referer: string | undefined): string {
  return referer === undefined ? '' : `Referer: ${referer}\r\n`;
}

/** Maximum length of a head in bytes. */
export function headRoomBytes({ beforeLength, afterLength }: RequestHead): number {
  return beforeLength.length + afterLength.length + MAX_LENGTH_DIGITS;
}

/** Host and port as written in the base URL, with its letter case; `undefined` if their form on the wire differs. */
export function writtenHost(baseUrl: string): string | undefined {
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
