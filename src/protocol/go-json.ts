const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const NEEDS_ESCAPE = /[<>&\u2028\u2029]/;

/** Turns JSON text into the form Go's encoder writes: these five characters are always escaped inside strings. */
export function escapeLikeGo(json: string): string {
  return NEEDS_ESCAPE.test(json)
    ? json.replaceAll(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? '')
    : json;
}
