/** Why a connection at an agent's port came to no request (docs/reference/web-server.md, "What is counted before a request"). */
export const REFUSALS = [
  /** The four alerts that the agent has for clients; each names what is wrong with the client's certificate. */
  ...(['certificate_required', 'unknown_ca', 'certificate_expired', 'bad_certificate'] as const),
  /** The client sent an alert: it does not take the agent's certificate, as a rule. */
  'refused_by_client',
  /** No version, suite or curve in common, or another mistake in the handshake. */
  'handshake_failed',
  'handshake_timeout',
  /** A request, or anything else that is no TLS, at a port for TLS. */
  ...(['plain_http', 'not_tls'] as const),
  /** Bytes that are no request, or that did not become a whole one in time. */
  ...(['bad_request', 'request_timeout'] as const),
  /** The generator had no descriptor left for it. */
  'no_file_descriptor',
] as const;

export type Refusal = (typeof REFUSALS)[number];
