const USER = /^([^/?#]*:\/\/)[^/?#]*@/;
const QUERY = /\?.*$/s;

/** The URL without user information: agents do not send it, as their `Authorization` carries the API key. */
export function withoutUser(url: string): string {
  return url.replace(USER, '$1');
}

/** The URL as messages may show it, which end up in logs: its query may hold a key. The text need not be a URL. */
export function shownUrl(url: string): string {
  return withoutUser(url).replace(QUERY, '?…');
}
