import type { Outcome } from '../../metrics/recording/outcomes.ts';

/**
 * What came of an Auto-TLS exchange. `exchanged`: certificates were handed over. `confirmed`: those of an earlier
 * exchange hold. The outcome of a failure is that of the step that failed.
 */
export type ExchangeResult =
  | { readonly kind: 'exchanged' | 'confirmed' }
  | { readonly kind: 'failed'; readonly failure: ExchangeFailure; readonly outcome: Outcome };

/** The shipped server's codes by name (docs/protocol.md, "Pull mode"). */
export const EXCHANGE_FAILURES = {
  plain_http: {
    code: 1,
    text: 'certificates were exchanged before, but the agent speaks plain HTTP now; a new exchange has to be asked for',
  },
  certificate_mismatch: {
    code: 4,
    text: 'certificates were exchanged before, but the agent cannot be asked over HTTPS with them; it may be another one',
  },
  certificates_refused: { code: 8, text: 'the agent did not take its certificates' },
  no_request: { code: 16, text: 'the agent did not answer with a certificate request that can be signed' },
  no_request_over_tls: { code: 32, text: 'the agent answered over HTTPS, but not with a certificate request' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly text: string }>>;

export type ExchangeFailure = keyof typeof EXCHANGE_FAILURES;
