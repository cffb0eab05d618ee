import { API_KEY_SCHEME } from '../../protocol/push.ts';
import type { PushRequest } from './dialect.ts';

/**
 * The key a request shows: the header `Authorization`, a cookie of that name, the query member `apikey`; a later one
 * overrides an earlier one (docs/protocol.md, "Before the controller runs"). Undefined: it shows none.
 */
export function shownApiKey({ headers, target }: PushRequest): string | undefined {
  return keyInQuery(target) ?? keyAfterScheme(keyInCookie(headers.cookie)) ?? keyAfterScheme(headers.authorization);
}

export function keyInQuery(target: string): string | undefined {
  const question = target.indexOf('?');
  return question < 0 ? undefined : (new URLSearchParams(target.slice(question)).get('apikey') ?? undefined);
}

function keyInCookie(cookie: string | undefined): string | undefined {
  const value = cookie === undefined ? undefined : /(?:^|;\s*)Authorization=([^;]*)/.exec(cookie)?.[1];
  return value?.replaceAll(/%20|\+/g, ' ');
}

function keyAfterScheme(value: string | undefined): string | undefined {
  return value?.startsWith(API_KEY_SCHEME) ? value.slice(API_KEY_SCHEME.length).trim() : undefined;
}
