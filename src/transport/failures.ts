import type { TransportFailure } from '../protocol/exchange.ts';

/** The one place where an error of a socket, of TLS or of the HTTP parser gets its name. */
export function classifyFailure(error: Error): TransportFailure {
  const code = codeOf(error);
  const known = FAILURE_OF_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'malformed_answer';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_OSSL)/.test(code)) return 'tls_failed';
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
};

function codeOf(error: Error & { code?: unknown; errors?: readonly Error[] }): string {
  if (typeof error.code === 'string') return error.code;
  // Several addresses of one name were tried: the last attempt's error stands for all.
  const last = error instanceof AggregateError ? error.errors.at(-1) : undefined;
  return last === undefined ? '' : codeOf(last);
}
