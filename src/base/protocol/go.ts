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

const OUTSIDE_ALPHABET = /[^A-Za-z0-9+/]/;
const LINE_ENDS = /[\r\n]/g;

/** Decodes padded base64 with line ends; `undefined` for any other character. Node's own decoder accepts almost anything. */
export function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(LINE_ENDS, '');
  const end = packed.search(OUTSIDE_ALPHABET);
  const padding = end < 0 ? '' : packed.slice(end);
  const isWhole = packed.length % 4 === 0 && (padding === '' || padding === '=' || padding === '==');
  return isWhole ? Buffer.from(packed, 'base64') : undefined;
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

// What TLS in Go offers by default, each list in Go's order, with OpenSSL's names.

export const TLS_1_3_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

export const GCM_SUITES = [
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
];

export const CBC_SUITES = [
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
];

/** Without SHA-1. */
export const SIGNATURES = [
  ...['rsa_pss_rsae_sha256', 'ecdsa_secp256r1_sha256', 'ed25519', 'rsa_pss_rsae_sha384', 'rsa_pss_rsae_sha512'],
  ...['rsa_pkcs1_sha256', 'rsa_pkcs1_sha384', 'rsa_pkcs1_sha512', 'ecdsa_secp384r1_sha384', 'ecdsa_secp521r1_sha512'],
];
