/** What an agent's web server offers over TLS: its key `tls-security-level` (docs/protocol.md, "Agent web server"). */
export const TLS_LEVELS = ['lax', 'intermediate', 'modern'] as const;
export type TlsLevel = (typeof TLS_LEVELS)[number];
