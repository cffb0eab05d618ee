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
