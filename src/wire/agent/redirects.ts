import { escapedPath, unescaped } from '../../base/protocol/go.ts';
import type { Endpoint } from '../../base/protocol/push.ts';
import { hostHeaderOf, requestTarget } from './request.ts';

/** One request in the chain of a redirected push (docs/developers/wire.md, "Redirects"). */
export type Hop = {
  readonly method: 'POST' | 'GET';
  readonly url: URL;
  /** Scheme, host and port, which identify connections. As in Go's client, a leading zero in the port makes another origin. */
  readonly origin: string;
  /** As in the `Host` header, and in the `Referer` of the next request. */
  readonly host: string;
  /** Path and query. */
  readonly target: string;
  /** The previous URL, if the next server may see it. */
  readonly referer: string | undefined;
  /** Number of requests so far, including this one. */
  readonly requests: number;
};

/** The location has one character per received byte. */
export type RedirectAnswer = { readonly status: number; readonly location: string | undefined };

// The first three statuses turn a POST into a GET, the other two repeat the request.
const AS_GET = new Set([301, 302, 303]);
const AS_IT_IS = new Set([307, 308]);
const MAX_REQUESTS = 10;

export function firstHop(baseUrl: string, endpoint: Endpoint): Hop {
  const base = new URL(baseUrl);
  const target = requestTarget(baseUrl, endpoint);
  const host = hostHeaderOf(baseUrl) ?? base.host;
  const url = new URL(target, base);
  return { method: 'POST', url, origin: originOf(url, host), host, target, referer: undefined, requests: 1 };
}

/** Whether the requests under both base URLs are the same, such as with and without a final slash. */
export function leadsTheSameWay(baseUrl: string, other: string): boolean {
  if (baseUrl === other) return true;
  if (!URL.canParse(baseUrl) || !URL.canParse(other)) return false;
  const [one, two] = [firstHop(baseUrl, 'submit_checkdata'), firstHop(other, 'submit_checkdata')];
  return one.origin === two.origin && one.host === two.host && one.target === two.target;
}

function originOf({ protocol, hostname }: URL, written: string): string {
  return `${protocol}//${hostname}${/:\d+$/.exec(written)?.[0] ?? (protocol === 'https:' ? ':443' : ':80')}`;
}

/**
 * The request that an agent's client sends after a redirect; `undefined` if the answer is final. Only redirects to the target's own host
 * are followed, with any port and scheme: load must not reach a host without permission.
 */
export function nextHop(from: Hop, { status, location }: RedirectAnswer): Hop | undefined {
  if (!isRedirect(status) || location === undefined || from.requests >= MAX_REQUESTS) return undefined;
  const destination = destinationOf(from, location);
  const url = destination && URL.parse(`${destination.protocol}//${destination.host}`);
  if (destination === undefined || !url || !isSameHost(url, destination.host, from)) return undefined;
  const isHidden = from.url.protocol === 'https:' && url.protocol === 'http:';
  return {
    method: AS_GET.has(status) ? 'GET' : from.method,
    url,
    origin: originOf(url, destination.host),
    host: /^[!-~]+$/.test(destination.host) ? destination.host : url.host,
    target: destination.target,
    referer: isHidden ? undefined : `${from.url.protocol}//${from.host}${from.target}`,
    requests: from.requests + 1,
  };
}

/** Whether the client discards the answer without reading it, because its location is not a URL. */
export function isUnreadable({ status, location }: RedirectAnswer): boolean {
  return isRedirect(status) && location !== undefined && !isParsableUrl(location);
}

function isRedirect(status: number): boolean {
  return AS_GET.has(status) || AS_IT_IS.has(status);
}

/** Node reads `127.1` and `127.0.0.%31` as addresses; Go does not. */
function isSameHost(url: URL, written: string, from: Hop): boolean {
  if (url.hostname !== from.url.hostname) return false;
  const name = written.replace(/:\d*$/, '').toLowerCase();
  return name === url.hostname || /[^!-~]/.test(name);
}

type Destination = { readonly protocol: string; readonly host: string; readonly target: string };

// Scheme, authority, path and query; the fragment is dropped. Without a scheme, three slashes start a path.
const REFERENCE = /^(?:([a-z][a-z\d+.-]*):)?(?:(?:(?<=:)|(?!\/\/\/))\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/i;

/** Resolves a location by the rules of Go's net/url; `undefined` if Go refuses it, or its scheme is not HTTP or HTTPS. */
function destinationOf(from: Hop, location: string): Destination | undefined {
  // Broken escapes are refused, except in the query.
  if (/%(?![\da-f]{2})/i.test(location.replace(/\?[^#]*/, ''))) return undefined;
  const [, scheme, authority, path = '', query] = REFERENCE.exec(location) ?? [];
  const protocol = scheme === undefined ? from.url.protocol : `${scheme.toLowerCase()}:`;
  const host = textOf((authority ?? '').replace(/^.*@/, ''));
  const isWhole = scheme !== undefined || authority !== undefined;
  if (!/^https?:$/.test(protocol) || (isWhole && host === '')) return undefined;
  if (isWhole) return { protocol, host, target: targetOf(resolved(path, ''), query) };
  // A colon in the first segment would end a scheme.
  if (/^[^/]*:/.test(path)) return undefined;
  const [, fromPath = '', fromQuery] = /^([^?]*)(\?.*)?$/s.exec(from.target) ?? [];
  const isSame = path === '' && query === undefined;
  return { protocol, host: from.host, target: targetOf(resolved(fromPath, path), isSame ? fromQuery : query) };
}

/** The query is sent as received. */
function targetOf(path: string, query = ''): string {
  return `${path === '' ? '/' : path}${textOf(query)}`;
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Escapes a path again only if it contains characters that require it: `/a'b` stays, `/a'b|` becomes `/a%27b%7C`. */
function escaped(path: string): string {
  return /^[\w\-.~!$&'()*+,;=:@[\]%/]*$/.test(path) ? path : escapedPath(unescaped(path));
}

/** Resolves `.` and `..` unless they are escaped. Unlike `cleanPath` of a base URL, it keeps double slashes. */
function resolved(base: string, reference: string): string {
  const path = escaped(reference);
  const full = path.startsWith('/')
    ? path
    : path === ''
      ? escaped(base)
      : base.slice(0, base.lastIndexOf('/') + 1) + path;
  if (full === '') return '';
  const kept: string[] = [];
  const parts = full.replace(/^\//, '').split('/');
  for (const part of parts) {
    if (part === '..') kept.pop();
    else if (part !== '.') kept.push(part);
  }
  if (/^\.\.?$/.test(parts.at(-1) ?? '')) kept.push('');
  return `/${kept.join('/')}`;
}

const PERCENT_SIGN_ALONE = /%(?![\da-f]{2})/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
// Optional user; a name, IPv4, or IPv6 in brackets; optional port.
const AUTHORITY =
  /^(?:(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})*@)?(?:\[[^\s[\]]*\]|(?:[^\s\\^`{|}%/?#@:[\]]|%(?:25|[89a-f][\da-f]))*)(?::\d*)?$/i;

/** Whether Go parses a text as a URL. Go accepts more than the standard: a path alone, or `server:443` with `server` as the scheme. */
export function isParsableUrl(text: string): boolean {
  const [url = '', ...fragment] = text.split('#');
  if (hasControlCharacters(url) || PERCENT_SIGN_ALONE.test(fragment.join('#')) || url.startsWith(':')) return false;
  const scheme = SCHEME.exec(url)?.[0] ?? '';
  const [path = ''] = url.slice(scheme.length).split('?');
  if (!path.startsWith('/')) return scheme !== '' || !(/^[^/]*:/.test(path) || PERCENT_SIGN_ALONE.test(path));
  const authority = scheme === '' && path.startsWith('///') ? undefined : /^\/\/([^/]*)/.exec(path)?.[1];
  if (authority !== undefined && !AUTHORITY.test(authority)) return false;
  return !PERCENT_SIGN_ALONE.test(authority === undefined ? path : path.slice(2 + authority.length));
}

function hasControlCharacters(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}
