import { AGENT_PATHS, type AgentPath, type PullEnding } from '../../protocol/pull.ts';
import { outcomeOf, readMember } from '../answers.ts';
import { RequestError, type Signer } from '../authority/signer.ts';
import { certificatesBody } from '../bodies.ts';
import type { ExchangeFailure, ExchangeResult } from './results.ts';

/** Sends one request to the agent. */
export type Ask = (request: {
  readonly secure: boolean;
  readonly path: AgentPath;
  readonly body?: string;
}) => Promise<PullEnding>;

/** How long the shipped server waits after an exchange, for the agent to listen anew. */
export const SETTLING_MS = 5000;

/** Auto-TLS with an agent that has no certificates of this authority yet (case A). */
export async function exchangeFirst(ask: Ask, signer: Signer): Promise<ExchangeResult> {
  const asked = readMember(await ask({ secure: false, path: AGENT_PATHS.autoTls }), 'csr');
  if (asked.kind === 'none') return failed('no_request', asked.outcome);
  const signed = await signedRequest(signer, asked.value);
  if (signed === undefined) return failed('no_request', 'unexpected_body');
  const body = certificatesBody(signed, signer.ca);
  const outcome = outcomeOf(await ask({ secure: false, path: AGENT_PATHS.autoTls, body }));
  return outcome === 'ok' ? { kind: 'exchanged' } : failed('certificates_refused', outcome);
}

/** Auto-TLS with an agent that got its certificates before (case B): nothing is handed over again. */
export async function confirmExchange(ask: Ask): Promise<ExchangeResult> {
  const ending = await ask({ secure: true, path: AGENT_PATHS.autoTls });
  const answer = readMember(ending, 'csr');
  if (answer.kind === 'member') return { kind: 'confirmed' };
  if (ending.kind === 'answer' && ending.status === 200) return failed('no_request_over_tls', answer.outcome);
  // Plain HTTP only finds out what the agent speaks; nothing is exchanged over it.
  const isPlain =
    ending.kind === 'failure' &&
    ending.inHandshake &&
    ending.failure !== 'timeout' &&
    readMember(await ask({ secure: false, path: AGENT_PATHS.autoTls }), 'csr').kind === 'member';
  return failed(isPlain ? 'plain_http' : 'certificate_mismatch', answer.outcome);
}

async function signedRequest(signer: Signer, csr: unknown): Promise<string | undefined> {
  if (typeof csr !== 'string') return undefined;
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
