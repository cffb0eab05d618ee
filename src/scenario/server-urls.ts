import { firstFew } from '../base/kernel/units.ts';

/** The base URLs that agents push to: several servers, or several addresses of one load balancer. */
type BaseUrls = {
  readonly url: string;
  /** All base URLs after the first. */
  readonly furtherUrls: readonly string[];
};

const USER = /^([^/?#]*:\/\/)[^/?#]*@/;
/** The query of a URL, with its question mark. */
export const QUERY = /\?.*$/s;

/** All base URLs; agent n of the fleet uses the one at index n modulo their count. */
export function baseUrlsOf({ url, furtherUrls }: BaseUrls): readonly string[] {
  return [url, ...furtherUrls];
}

/** The URL without user information, which agents do not send: their `Authorization` header carries the API key. */
export function withoutUser(url: string): string {
  return url.replace(USER, '$1');
}

/** The URL for messages, which end up in logs: without user and query, since a query may contain a key. Accepts any string. */
export function displayUrl(url: string): string {
  return withoutUser(url).replace(QUERY, '?…');
}

/** All base URLs for messages; only the first few if there are many. */
export function displayTarget(target: BaseUrls): string {
  return firstFew(baseUrlsOf(target).map(displayUrl));
}
