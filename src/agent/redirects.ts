import type { Endpoint } from '../protocol/push.ts';
import { requestTarget, writtenHost } from './request-head.ts';

/** One request of the chain that a redirected push becomes (docs/protocol.md, "Redirects"). */
export type Hop = {
  readonly method: 'POST' | 'GET';
  readonly url: URL;
  /** As the `Host` line and the next request's `Referer` name it. */
  readonly host: string;
  /** Path and query. */
  readonly target: string;
  /** The URL that led here, which the next server may know. */
  readonly referer: string | undefined;
  /** Requests so far, with this one. */
  readonly requests: number;
};

export type RedirectAnswer = { readonly status: number; readonly location: string | undefined };

// Of a POST: the first three ask for the answer at another URL, the others for the same request.
const AS_GET = new Set([301, 302, 303]);
const AS_IT_IS = new Set([307, 308]);
const MOST_REQUESTS = 10;

export function firstHop(baseUrl: string, endpoint: Endpoint): Hop {
  const base = new URL(baseUrl);
  const target = requestTarget(baseUrl, endpoint);
  const host = writtenHost(baseUrl) ?? base.host;
  return { method: 'POST', url: new URL(target, base), host, target, referer: undefined, requests: 1 };
}

/**
 * The request that an agent's client sends upon such an answer; undefined if the answer stands. Only the target's own host
 * is followed, with any port and scheme: a load must not reach a host that nobody has allowed.
 */
export function nextHop(from: Hop, { status, location }: RedirectAnswer): Hop | undefined {
  const isRedirect = AS_GET.has(status) || AS_IT_IS.has(status);
  if (!isRedirect || location === undefined || from.requests >= MOST_REQUESTS) return undefined;
  const url = URL.parse(location, from.url);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname !== from.url.hostname) return undefined;
  const isHidden = from.url.protocol === 'https:' && url.protocol === 'http:';
  return {
    method: AS_GET.has(status) ? 'GET' : from.method,
    url,
    host: hostOf(url, { location, from }),
    target: `${url.pathname}${url.search === '' && /\?(?:#|$)/.test(url.href) ? '?' : url.search}`,
    referer: isHidden ? undefined : `${from.url.protocol}//${from.host}${from.target}`,
    requests: from.requests + 1,
  };
}

function hostOf(url: URL, { location, from }: { location: string; from: Hop }): string {
  if (/^https?:/i.test(location)) return writtenHost(location) ?? url.host;
  if (location.startsWith('//')) return writtenHost(`${url.protocol}${location}`) ?? url.host;
  return from.host;
}
