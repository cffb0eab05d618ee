import type { IncomingMessage, ServerResponse } from 'node:http';
import { emptyAnswer, sendAnswer } from '../../wire/http/answer.ts';

/** Files of a page by path. They contain no secrets, because the page requests all data with the token. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly body: string }>;

/**
 * The page runs only its own scripts, connects only to this server, and cannot be framed. Browsers must not cache it, because the next
 * process may have another one.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const METHODS = ['GET', 'HEAD'];

/** Answers a request for a file of the page. Returns false if there is none at this path. */
export function answeredPageFile(
  { url = '/', method = '' }: IncomingMessage,
  response: ServerResponse,
  files: PageFiles,
): boolean {
  const file = files.get(url.replace(/[?#].*/s, ''));
  if (file === undefined) return false;
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (!METHODS.includes(method)) {
    response.setHeader('Allow', METHODS.join(', '));
    sendAnswer(response, emptyAnswer(405));
  } else sendAnswer(response, { status: 200, ...file });
  return true;
}
