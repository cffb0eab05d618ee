import type { IncomingMessage } from 'node:http';
import type { UnreadableError } from '../http/server.ts';

const BAD_REQUEST = refusal('400 Bad Request');
const TOO_LARGE = refusal('431 Request Header Fields Too Large');
const UNSUPPORTED_ENCODING = refusal('501 Not Implemented', 'Unsupported transfer encoding');
const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

/** Why a request was turned down before anything was asked for. */
export type Refusal = { readonly status: number; readonly words: string };

/** What goes back for bytes that Node could not read as a request; nothing if the client only was too slow. */
export function refusalOf({ code = '' }: UnreadableError): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return UNSUPPORTED_ENCODING;
  return code.startsWith('HPE_') ? BAD_REQUEST : '';
}

/** What is wrong with a head that Node takes and the agent's HTTP library does not. */
export function faultOf({
  httpVersionMajor,
  httpVersionMinor,
  headers,
  rawHeaders,
}: IncomingMessage): Refusal | undefined {
  // So Node reads a request line without a version.
  if (httpVersionMajor === 0) return MALFORMED_REQUEST;
  if (httpVersionMajor !== 1) {
    return { status: 505, words: refusal('505 HTTP Version Not Supported: unsupported protocol version') };
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return { status: 501, words: UNSUPPORTED_ENCODING };
  }
  if (headers.host === undefined && httpVersionMinor > 0) return badRequest('missing required Host header');
  if (headers.host !== undefined && !HOST.test(headers.host)) return badRequest('malformed Host header');
  return countOf(rawHeaders, 'host') > 1 ? MALFORMED_REQUEST : undefined;
}

export const MALFORMED_REQUEST: Refusal = { status: 400, words: BAD_REQUEST };

function badRequest(reason: string): Refusal {
  return { status: 400, words: refusal(`400 Bad Request: ${reason}`) };
}

function refusal(status: string, text = status): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const written = rawHeaders[i];
    if (written?.length === name.length && written.toLowerCase() === name) count++;
  }
  return count;
}
