import { AGENT_PATHS } from '../../base/protocol/pull.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';
import { RequestError, type Signer } from './authority.ts';
import { certificatesBody, outcomeOf, readMember, type Send } from './requests.ts';

/** `exchanged`: the agent received certificates. `confirmed`: those of an earlier exchange are valid. A failure has its step's outcome. */
export type ExchangeResult =
  | { readonly kind: 'exchanged' | 'confirmed' }
  | { readonly kind: 'failed'; readonly failure: ExchangeFailure; readonly outcome: Outcome };

/** The shipped server's failure codes by name (docs/reference/agent-web-server.md, "Pull mode"). */
export const EXCHANGE_FAILURES = {
  plain_http: {
    code: 1,
    text: 'certificates were exchanged before, but the agent now uses plain HTTP; request a new exchange',
  },
  certificate_mismatch: {
    code: 4,
    text: 'certificates were exchanged before, but HTTPS requests with them fail; it may be another agent',
  },
  certificates_refused: { code: 8, text: 'the agent rejected its certificates' },
  no_request: { code: 16, text: 'the agent did not answer with a valid certificate request' },
  no_request_over_tls: { code: 32, text: 'the agent answered over HTTPS, but not with a certificate request' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly text: string }>>;

export type ExchangeFailure = keyof typeof EXCHANGE_FAILURES;

/** How long the released server waits after an exchange for the agent to listen again. */
export const SETTLING_MS = 5000;

/** An agent's answer to plain HTTP on a TLS port. */
const PLAIN_HTTP_REFUSED = 400;

/**
 * Performs Auto-TLS with an agent that is not known to have certificates of this authority (case A). It may have them
 * nevertheless: if its answer was lost when it received them, it now speaks HTTPS, and the certificates are confirmed.
 *
 * @param signed called before certificates are sent; resolves when a restart would know about them
 */
export async function exchangeFirst(send: Send, signer: Signer, signed: () => Promise<void>): Promise<ExchangeResult> {
  const ending = await send({ secure: false, path: AGENT_PATHS.autoTls });
  const request = readMember(ending, 'csr');
  if (request.kind === 'none') {
    const speaksTls = ending.kind === 'answer' && ending.status === PLAIN_HTTP_REFUSED;
    const holds =
      speaksTls && readMember(await send({ secure: true, path: AGENT_PATHS.autoTls }), 'csr').kind === 'member';
    return holds ? { kind: 'confirmed' } : failed('no_request', request.outcome);
  }
  const certificate = await signedRequest(signer, request.text);
  if (certificate === undefined) return failed('no_request', 'unexpected_body');
  await signed();
  const body = certificatesBody(certificate, signer.ca);
  const outcome = outcomeOf(await send({ secure: false, path: AGENT_PATHS.autoTls, body }));
  return outcome === 'ok' ? { kind: 'exchanged' } : failed('certificates_refused', outcome);
}

/** Performs Auto-TLS with an agent that received its certificates earlier (case B), without sending them again. */
export async function confirmExchange(send: Send): Promise<ExchangeResult> {
  const ending = await send({ secure: true, path: AGENT_PATHS.autoTls });
  const answer = readMember(ending, 'csr');
  if (answer.kind === 'member') return { kind: 'confirmed' };
  if (ending.kind === 'answer' && ending.status === 200) return failed('no_request_over_tls', answer.outcome);
  // Plain HTTP is used only to find out what the agent speaks, not for an exchange.
  const isPlain =
    ending.kind === 'failure' &&
    ending.inHandshake &&
    ending.failure !== 'timeout' &&
    readMember(await send({ secure: false, path: AGENT_PATHS.autoTls }), 'csr').kind === 'member';
  return failed(isPlain ? 'plain_http' : 'certificate_mismatch', answer.outcome);
}

async function signedRequest(signer: Signer, csr: string | undefined): Promise<string | undefined> {
  if (csr === undefined) return undefined;
  try {
    return await signer.sign(csr);
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function failed(
  failure: ExchangeFailure,
  outcome: Extract<ExchangeResult, { kind: 'failed' }>['outcome'],
): ExchangeResult {
  return { kind: 'failed', failure, outcome };
}
