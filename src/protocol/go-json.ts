const ESCAPED = /[<>&\u2028\u2029\ufffd]/g;

/**
 * Turns JSON text into the form Go's encoder writes: `<`, `>`, `&` and the line separators escaped for HTML, and what
 * was not valid UTF-8 as an escaped replacement character (docs/reference/wire.md, "Requests on the wire").
 */
export function escapeLikeGo(json: string): string {
  return json.replace(ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What no encoder escapes: printable ASCII without quotes, backslashes and what HTML has a meaning for. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

/** The JSON string of a text, as Go writes it. */
export function quote(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  return escapeLikeGo(JSON.stringify(value));
}
