import { API_KEY_SCHEME } from '../../base/protocol/push.ts';
import type { PushRequest } from './dialect.ts';

/**
 * The API key of a request; `undefined` if there is none. Of the header `Authorization`, a cookie of that name, and the
 * query parameter `apikey`, the last one wins (docs/developers/server.md, "Before the controller runs").
 */
export function presentedApiKey({ headers, target }: PushRequest): string | undefined {
  const query = queryOf(target);
  const inQuery = query === '' ? undefined : new URLSearchParams(query).get('apikey');
  return inQuery ?? keyAfterScheme(keyInCookie(headers.cookie)) ?? keyAfterScheme(headers.authorization);
}

/** The cookie `Authorization`, with its spaces decoded; `undefined` if there is none. */
export function keyInCookie(cookie: string | undefined): string | undefined {
  const value = cookie === undefined ? undefined : /(?:^|;\s*)Authorization=([^;]*)/.exec(cookie)?.[1];
  return value?.replaceAll(/%20|\+/g, ' ');
}

function keyAfterScheme(value: string | undefined): string | undefined {
  return value?.startsWith(API_KEY_SCHEME) ? value.slice(API_KEY_SCHEME.length).trim() : undefined;
}

/** Of a request target, without the question mark; empty if there is none. */
export function queryOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? '' : target.slice(question + 1);
}
