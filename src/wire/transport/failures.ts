import type { TransportFailure } from '../../base/protocol/exchange.ts';

/** Classifies an error of a socket, of TLS or of the HTTP parser. This is the only place that names failures. */
export function classifyFailure(error: Error): TransportFailure {
  const code = codeOf(error);
  const known = FAILURE_OF_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'malformed_answer';
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL)/.test(code)) return 'tls_failed';
  return 'connection_failed';
}

const FAILURE_OF_CODE: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EMFILE: 'no_file_descriptor',
  ENFILE: 'no_file_descriptor',
  EADDRNOTAVAIL: 'no_local_port',
  EADDRINUSE: 'no_local_port',
  EPROTO: 'tls_failed',
  ERR_PROXY: 'proxy_failed',
  ERR_HTTP2_STREAM_ERROR: 'connection_reset',
  ERR_HTTP2_SESSION_ERROR: 'connection_reset',
  ERR_HTTP2_STREAM_CANCEL: 'connection_reset',
  // The peer violates HTTP/2.
  ERR_HTTP2_ERROR: 'malformed_answer',
  ERR_HTTP2_TOO_MANY_INVALID_FRAMES: 'malformed_answer',
};

type SystemError = Error & { code?: unknown; errors?: readonly Error[]; reason?: unknown };

function codeOf(error: SystemError): string {
  if (typeof error.code === 'string') return error.code;
  const last = lastOf(error);
  return last === undefined ? '' : codeOf(last);
}

/** If several addresses of a name were tried, only the error of the last attempt counts. */
function lastOf(error: SystemError): SystemError | undefined {
  return error instanceof AggregateError ? error.errors.at(-1) : undefined;
}

/** The text of an error: `connect ECONNREFUSED 127.0.0.1:80`, `ERR_SSL_WRONG_VERSION_NUMBER: wrong version number`. */
export function errorText(error: SystemError): string {
  const last = lastOf(error);
  if (last !== undefined) return errorText(last);
  // OpenSSL's full message includes names of its source files.
  return typeof error.reason === 'string' && typeof error.code === 'string'
    ? `${error.code}: ${error.reason}`
    : (PLAIN_WORDS[error.message] ?? error.message);
}

/** Messages of Node's client for a connection that closed before its answer was complete. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  aborted: 'ended by the peer',
  'socket hang up': 'ended by the peer',
};

/** Progress of a request without a complete answer; `answerBytes` is `undefined` if no byte of an answer arrived. */
export type Reached = {
  readonly stage: 'dialing' | 'proxy' | 'handshake' | 'exchange';
  readonly unsentBytes: number;
  readonly answerBytes: number | undefined;
};

/** Describes progress as `never connected`, `never answered` or `cut`, with details. */
export function progressText({ stage, unsentBytes, answerBytes }: Reached): string {
  if (stage === 'dialing') return 'never connected';
  if (stage === 'proxy') return 'never connected, because the proxy did not open a tunnel';
  if (stage === 'handshake') return 'never connected, because the TLS handshake did not complete';
  if (answerBytes !== undefined) return `cut after ${answerBytes} bytes of an answer`;
  return unsentBytes > 0
    ? `never answered, because ${unsentBytes} bytes of the request were not accepted`
    : 'never answered, though the request was sent';
}

/** Joins the progress of a request and the error that ended it. */
export function reasonOf(reached: string, error: Error | undefined): string {
  return error === undefined ? reached : `${reached}: ${errorText(error)}`;
}
