import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../../base/protocol/refusals.ts';
import type { UnreadableError } from '../http/server.ts';

const BAD_REQUEST = rejection('400 Bad Request');
const TOO_LARGE = rejection('431 Request Header Fields Too Large');
const UNSUPPORTED_ENCODING = rejection('501 Not Implemented', 'Unsupported transfer encoding');
const HOST = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/;

type Rejection = { readonly status: number; readonly words: string };

/** The answer to bytes that Node could not parse as a request; empty if the client was only too slow. */
export function rejectionOf({ code = '' }: UnreadableError): string {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return UNSUPPORTED_ENCODING;
  return code.startsWith('HPE_') ? BAD_REQUEST : '';
}

/** The refusal that such bytes count as; `undefined` if the client has left. */
export function refusalOfBytes({ code = '' }: UnreadableError): Refusal | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'bad_request' : undefined;
}

/** Errors in a head that Node accepts but the agent's HTTP library rejects. */
export function headFault({
  httpVersionMajor,
  httpVersionMinor,
  headers,
  rawHeaders,
}: IncomingMessage): Rejection | undefined {
  // Node reports major version 0 for a request line without a version.
  if (httpVersionMajor === 0) return MALFORMED_REQUEST;
  if (httpVersionMajor !== 1) {
    return { status: 505, words: rejection('505 HTTP Version Not Supported: unsupported protocol version') };
  }
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return { status: 501, words: UNSUPPORTED_ENCODING };
  }
  if (BigInt(headers['content-length'] ?? 0) >= 2n ** 63n) return MALFORMED_REQUEST;
  if (headers.host === undefined && httpVersionMinor > 0) return badRequest('missing required Host header');
  if (headers.host !== undefined && !HOST.test(headers.host)) return badRequest('malformed Host header');
  // `headers` has only the first of several.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
  return hosts.length > 1 ? MALFORMED_REQUEST : undefined;
}

export const MALFORMED_REQUEST: Rejection = { status: 400, words: BAD_REQUEST };

function badRequest(reason: string): Rejection {
  return { status: 400, words: rejection(`400 Bad Request: ${reason}`) };
}

function rejection(status: string, text = status): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
}
