import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { TransportFailure } from '../protocol/exchange.ts';
import { nodeTls } from '../runtime/builtins.ts';

/** The one place where an error of a socket, of TLS or of the HTTP parser gets its name. */
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
};

type SystemError = Error & { code?: unknown; errors?: readonly Error[]; reason?: unknown };

function codeOf(error: SystemError): string {
  if (typeof error.code === 'string') return error.code;
  const last = lastOf(error);
  return last === undefined ? '' : codeOf(last);
}

/** Several addresses of one name were tried: the last attempt's error stands for all. */
function lastOf(error: SystemError): SystemError | undefined {
  return error instanceof AggregateError ? error.errors.at(-1) : undefined;
}

/** What an error says, in words: `connect ECONNREFUSED 127.0.0.1:80`, `ERR_SSL_WRONG_VERSION_NUMBER: wrong version number`. */
export function errorText(error: SystemError): string {
  const last = lastOf(error);
  if (last !== undefined) return errorText(last);
  // The whole message of OpenSSL names its source files.
  return typeof error.reason === 'string' && typeof error.code === 'string'
    ? `${error.code}: ${error.reason}`
    : (PLAIN_WORDS[error.message] ?? error.message);
}

/** What Node's own client calls a connection that was closed before its answer was whole. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  aborted: 'ended by the peer',
  'socket hang up': 'ended by the peer',
};

/** How far a request was that has no whole answer; `answerBytes`: of what has come of one, undefined if nothing has. */
export type Reached = {
  readonly stage: 'dialling' | 'handshake' | 'exchange';
  readonly unsentBytes: number;
  readonly answerBytes: number | undefined;
};

/** `never connected`, `never answered` or `cut`, and what it hung on. */
export function progressText({ stage, unsentBytes, answerBytes }: Reached): string {
  if (stage === 'dialling') return 'never connected';
  if (stage === 'handshake') return 'never connected, as the TLS handshake did not come to its end';
  if (answerBytes !== undefined) return `cut after ${answerBytes} bytes of an answer`;
  return unsentBytes > 0
    ? `never answered, as ${unsentBytes} bytes of the request were not taken`
    : 'never answered, though the request was sent';
}

/** How far it was, and what ended it. */
export function reasonOf(reached: string, error: Error | undefined): string {
  return error === undefined ? reached : `${reached}: ${errorText(error)}`;
}

/** Why the certificate of a server is not to be trusted: which check refuses it, and which certificate it is. */
export function certificateProblem(socket: TLSSocket, host: string): string | undefined {
  if (socket.authorized) return undefined;
  const certificate = socket.getPeerCertificate();
  return `${checkText(socket, certificate, host)}; certificate ${certificateText(certificate)}`;
}

/** The checks of OpenSSL whose names do not say what they check. */
const CHECKS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed, and no authority of target.tls.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority at the end of its chain is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no trusted authority is known that signed it',
  UNABLE_TO_GET_ISSUER_CERT: 'an issuer in its chain is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  CERT_HAS_EXPIRED: 'a certificate of its chain has expired',
  CERT_NOT_YET_VALID: 'a certificate of its chain is not valid yet',
  INVALID_PURPOSE: 'its extended key usage does not permit servers',
  INVALID_CA: 'a certificate that is no authority has signed it',
};

const LEAST_RSA_BITS = 2048;

function checkText(socket: TLSSocket, certificate: PeerCertificate, host: string): string {
  const code = String(socket.authorizationError);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${code}: ${nodeTls.checkServerIdentity(host, certificate)?.message}`;
  // The security level has no name of its own.
  return `${code}: ${CHECKS[code] ?? weakness(socket, certificate) ?? 'OpenSSL refuses its chain'}`;
}

function weakness(socket: TLSSocket, { modulus, bits = 0 }: PeerCertificate): string | undefined {
  if (modulus !== undefined && bits < LEAST_RSA_BITS) {
    return `the RSA key of ${bits} bits is too short, ${LEAST_RSA_BITS} are expected`;
  }
  const algorithm = socket.getPeerX509Certificate()?.signatureAlgorithm ?? '';
  return /sha1|md5/i.test(algorithm) ? `the digest of its signature, ${algorithm}, is too weak` : undefined;
}

function certificateText({ subject, issuer, valid_from, valid_to, fingerprint256 }: PeerCertificate): string {
  const names = `${nameOf(subject)}, issued by ${nameOf(issuer)}, valid ${valid_from} to ${valid_to}`;
  return `${names}, SHA-256 ${fingerprint256}`;
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  return Object.entries(name ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(', ');
}
