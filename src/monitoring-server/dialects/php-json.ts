const ESCAPES: Readonly<Record<string, string>> = {
  '\\"': '\\u0022',
  '/': '\\/',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  "'": '\\u0027',
};

/** JSON text as the shipped server's encoder writes it: slashes, markup, quotes and all but ASCII are escaped. */
export function phpJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\\.|[/<>&']|[^\0-\x7f]/g, (found) => ESCAPES[found] ?? unicodeEscape(found));
}

function unicodeEscape(found: string): string {
  return found.startsWith('\\') ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
