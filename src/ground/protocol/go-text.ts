const ESCAPED = /[<>&\u2028\u2029\ufffd]/g;

/**
 * Rewrites JSON text as Go's encoder does (docs/reference/wire.md, "Requests on the wire"): escapes `<`, `>`, `&` and
 * line separators for HTML, and replaces invalid UTF-8 with an escaped replacement character.
 */
export function escapeLikeGo(json: string): string {
  return json.replace(ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Characters that no encoder escapes: printable ASCII without quotes, backslashes and HTML's special characters. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

/** Returns a text as a JSON string, as Go writes it. */
export function quote(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  return escapeLikeGo(JSON.stringify(value));
}

// Paths as Go's net/url and net/http write them. A path has one character per byte.

/** Removes empty, `.` and `..` segments. */
export function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** Escapes a path with one character per byte. Like Go, leaves letters, digits and `$&+,/:;=@-_.~`. */
export function escapedPath(path: string): string {
  return path.replaceAll(
    /[^\w$&+,/:;=@.~-]/g,
    (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}

/** Decodes percent escapes to one character per byte. */
export function unescaped(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
