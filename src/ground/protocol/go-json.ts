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
