/** Why a connection to an agent's port led to no request (docs/reference/web-server.md, "Connections without a request"). */
export const REFUSALS = [
  /** The agent's four alerts for clients; each names the problem with the client's certificate. */
  ...(['certificate_required', 'unknown_ca', 'certificate_expired', 'bad_certificate'] as const),
  /** The client sent an alert, usually because it rejects the agent's certificate. */
  'refused_by_client',
  /** No common version, suite or curve, or another error in the handshake. */
  'handshake_failed',
  'handshake_timeout',
  /** A plain HTTP request, or other bytes that are not TLS, on a TLS port. */
  ...(['plain_http', 'not_tls'] as const),
  /** Bytes that are not a request, or an incomplete request at the timeout. */
  ...(['bad_request', 'request_timeout'] as const),
  /** The generator had no file descriptor left for the connection. */
  'no_file_descriptor',
] as const;

export type Refusal = (typeof REFUSALS)[number];
