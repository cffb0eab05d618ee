/** Where agents push to: several servers share a fleet, or a front has several addresses. */
export type BaseUrls = {
  readonly url: string;
  /** Of several base URLs the others. */
  readonly furtherUrls: readonly string[];
};

const USER = /^([^/?#]*:\/\/)[^/?#]*@/;
const QUERY = /\?.*$/s;
const URLS_SHOWN = 4;

/** The base URLs of agents: agent n of the fleet has the one at place n modulo their count. */
export function baseUrlsOf({ url, furtherUrls }: BaseUrls): readonly string[] {
  return [url, ...furtherUrls];
}

/** The URL without user information: agents do not send it, as their `Authorization` carries the API key. */
export function withoutUser(url: string): string {
  return url.replace(USER, '$1');
}

/** The URL as messages may show it, which end up in logs: its query may hold a key. The text need not be a URL. */
export function shownUrl(url: string): string {
  return withoutUser(url).replace(QUERY, '?…');
}

/** All base URLs as messages may show them; of many the first few. */
export function shownTarget(target: BaseUrls): string {
  const urls = baseUrlsOf(target);
  const more = urls.length > URLS_SHOWN ? [`${urls.length - URLS_SHOWN} more`] : [];
  return [...urls.slice(0, URLS_SHOWN).map(shownUrl), ...more].join(', ');
}
