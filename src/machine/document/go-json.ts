const ESCAPES = /[<>&\u2028\u2029\ufffd]/g;

/**
 * Text of a JSON string as Go's encoder writes it: `<`, `>`, `&` and the line separators escaped for HTML, and what
 * was not valid UTF-8 as an escaped replacement character. See docs/protocol.md, "Requests on the wire".
 */
export function quote(value: string): string {
  return JSON.stringify(value).replace(ESCAPES, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
