import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { describeRequest, type RequestDescription } from '../../wire/poller/authority.ts';
import { certificatesBody } from '../../wire/poller/requests.ts';
import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { conversationText, finalAnswer } from '../http-case.ts';
import { enableAutoTls } from './config-pushes.ts';
import { type AgentSession, askAgent, pauseForReload, protocolOf, retry } from './session.ts';

/** The agent's certificate request, or what came instead. */
export async function certificateRequest(session: AgentSession, query = ''): Promise<RequestDescription | string> {
  const conversation = await askAgent(session, `GET /autotls${query}`);
  const csr = csrIn(conversation);
  if (csr === undefined) return conversationText(conversation);
  return (await describeRequest(csr)) ?? 'a request that cannot be read';
}

/** Signs the agent's request and sends it the certificates; resolves with what went wrong. */
export async function renewCertificate(session: AgentSession): Promise<string | undefined> {
  const { authority } = session.settings;
  const csr = csrIn(await askAgent(session, 'GET /autotls'));
  if (csr === undefined || authority === undefined) return 'no certificate request';
  const signed = await authority.signer.sign(csr);
  const body = certificatesBody(signed, authority.signer.ca);
  const conversation = await askAgent(session, 'POST /autotls', { body });
  const answer = finalAnswer(conversation);
  session.hasRenewed ||= answer?.status === 200;
  return answer === undefined || answer.status === 200 ? undefined : conversationText(conversation);
}

function csrIn(conversation: Conversation): string | undefined {
  const { csr } = membersIn(jsonIn(finalAnswer(conversation)?.body.toString() ?? ''));
  return typeof csr === 'string' ? csr : undefined;
}

/** Performs the exchange of Auto-TLS once; resolves with what went wrong. */
export function exchangeCertificates(session: AgentSession): Promise<string | undefined> {
  session.exchange ??= performExchange(session);
  return session.exchange;
}

/** How long the released server waits after an exchange. */
const SWITCH_LIMIT_MS = 5000;

async function performExchange(session: AgentSession): Promise<string | undefined> {
  const { clock } = session.settings;
  const { isSecured, configPush } = session.fixture;
  if (isSecured) return undefined;
  // Without try-autossl, some agents have no /autotls. Only then it is switched on first: certificates of an earlier exchange may exist.
  let fault = await renewCertificate(session);
  if (fault !== undefined && configPush) {
    await enableAutoTls(session, {});
    fault = await renewCertificate(session);
  }
  if (fault !== undefined) return fault;
  const startedMs = clock();
  await pauseForReload(session);
  if ((await retry(session, () => protocolOf(session))) === 'http') {
    if (!configPush) return 'plain HTTP; try-autossl is off, and --allow-changes cannot switch it on';
    await enableAutoTls(session, { isSecured: true });
    return undefined;
  }
  session.fixture = { ...session.fixture, isSecured: true };
  const tookMs = Math.round(clock() - startedMs);
  return tookMs <= SWITCH_LIMIT_MS ? undefined : `HTTP over TLS after ${tookMs} ms`;
}
