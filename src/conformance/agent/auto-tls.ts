import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { describeRequest, type RequestDescription } from '../../wire/poller/authority.ts';
import { certificatesBody } from '../../wire/poller/requests.ts';
import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { casesOf, type Deviation, deviationUnless } from '../case.ts';
import { json } from '../expectation.ts';
import { conversationText, finalAnswer } from '../http-case.ts';
import type { AgentCase } from './agent-case.ts';
import { enableAutoTls } from './config-pushes.ts';
import { bodyIs, errorBody, gets } from './fixture.ts';
import {
  type AgentSession,
  askAgent,
  askAs,
  askBy,
  pauseForReload,
  protocolOf,
  retry,
  type TlsClients,
} from './session.ts';

const { written, server, shipped } = casesOf<AgentCase>();

/** A rule about the agent's certificate request. */
const requests = (
  query: string,
  judge: (request: RequestDescription, session: AgentSession) => Deviation | Promise<Deviation>,
) => ({
  perform: async (session: AgentSession): Promise<Deviation> => {
    const request = await certificateRequest(session, query);
    return typeof request === 'string' ? request : judge(request, session);
  },
});

/** Where the agent listens with TLS after the exchange. */
const overTls = (judge: (session: AgentSession) => Promise<Deviation>) => ({
  needs: 'authority' as const,
  perform: async (session: AgentSession): Promise<Deviation> => {
    const fault = await exchangeCertificates(session);
    return fault === undefined ? judge(session) : { untried: `Auto-TLS did not succeed: ${fault}` };
  },
});

/** What a client gets over TLS after the exchange. */
const sees = (
  judge: (conversation: Conversation) => Deviation,
  tls: ConnectionOptions = {},
  client: keyof TlsClients | 'nobody' = 'authority',
) => overTls(async (session) => judge(await askAs(session, client, tls)));

function isAdmitted(conversation: Conversation): boolean {
  return finalAnswer(conversation)?.status === 200;
}

const admits = (client: keyof TlsClients) => ({
  expected: 'an answer',
  ...sees((one) => deviationUnless(isAdmitted(one), conversationText(one)), {}, client),
});
const rejects = (client: keyof TlsClients | 'nobody') => ({
  expected: 'no answer',
  ...sees((one) => deviationUnless(one.answers.length === 0, conversationText(one)), {}, client),
});

const PEM = {
  text: 'a certificate request in PEM',
  test: (csr: unknown) => /^-----BEGIN CERTIFICATE REQUEST-----\n/.test(`${csr}`),
};

export const CERTIFICATE_REQUESTS: readonly AgentCase[] = [
  written('autotls.1', '`GET /autotls` gets a certificate request in PEM.', gets('GET /autotls', json({ csr: PEM }))),
  server('autotls.2', 'Its signature matches its key.', {
    why: 'The server cannot sign it otherwise.',
    expected: 'a valid signature',
    ...requests('', ({ isSigned }) => deviationUnless(isSigned, 'another signature')),
  }),
  shipped('autotls.3', 'The key is RSA with 4096 bits, and the signature is over SHA-256.', {
    guess: 'an elliptic curve, which is quicker',
    expected: 'RSA 4096, SHA-256',
    ...requests('', ({ key, hash }) => deviationUnless(key === 'RSA 4096' && hash === 'SHA-256', `${key}, ${hash}`)),
  }),
  shipped('autotls.4', 'The subject is the common name "subject".', {
    guess: 'the host name',
    expected: 'CN=subject',
    ...requests('', ({ subject }) => deviationUnless(subject === 'CN=subject', subject)),
  }),
  shipped('autotls.5', 'It asks for one name, that of the host, and for nothing else.', {
    expected: 'one name',
    ...requests('', ({ names }) =>
      deviationUnless(names.length === 1 && names[0] !== '' && !/^extension /.test(names[0] ?? ''), names),
    ),
  }),
  written('autotls.6', '`domain` in the query becomes the name.', {
    expected: 'the name conform.example',
    ...requests('?domain=conform.example', ({ names }) => deviationUnless(names.join() === 'conform.example', names)),
  }),
  shipped('autotls.7', 'Of two domains the first counts, and an empty one counts as none.', {
    expected: 'the name a.example',
    ...requests('?domain=a.example&domain=b.example', ({ names }) =>
      deviationUnless(names.join() === 'a.example', names),
    ),
  }),
  shipped('autotls.8', 'Each request has the same key.', {
    guess: 'a new key for each request',
    expected: 'the same key',
    ...requests('', async ({ publicKey }, session) => {
      const again = await certificateRequest(session);
      return deviationUnless(typeof again !== 'string' && again.publicKey.equals(publicKey), 'another key');
    }),
  }),
  shipped('autotls.9', 'A domain beyond ASCII gets 500.', {
    guess: 'its punycode',
    ...gets('GET /autotls?domain=%C3%A4.example', errorBody(500, 'internal server error')),
  }),
  shipped('autotls.10', 'Certificates that are not JSON get 500, and the agent stays as it is.', {
    guess: '400',
    needs: 'changes',
    expected: '500 and "internal server error"',
    perform: async (session) => {
      const conversation = await askAgent(session, 'POST /autotls', { body: '{"signed":' });
      const answer = finalAnswer(conversation);
      return deviationUnless(
        answer?.status === 500 && answer.body.toString() === 'internal server error\n',
        conversationText(conversation),
      );
    },
  }),
];

const AT_MOST_1_1 = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

export const TLS: readonly AgentCase[] = [
  server('tls.1', 'After it got its certificates the agent answers over TLS within 5 s.', {
    why: 'The server waits 5 s, and never speaks plain HTTP with this agent again.',
    expected: 'an answer over TLS',
    needs: 'authority',
    perform: exchangeCertificates,
  }),
  written('tls.2', "The server's certificate, which is the authority's own, is admitted.", {
    guess: 'only certificates that were issued to clients',
    ...admits('authority'),
  }),
  written('tls.3', 'A client without a certificate is refused.', rejects('nobody')),
  written('tls.4', 'A client of another authority is refused.', rejects('foreign')),
  shipped('tls.5', 'An expired certificate is refused.', rejects('expired')),
  shipped('tls.6', 'The certificate of any other agent of the authority is admitted.', {
    guess: 'refused: only the server may poll',
    ...admits('otherAgent'),
  }),
  shipped('tls.7', 'The agent sends its own certificate and that of the authority.', {
    expected: 'two certificates',
    ...sees(({ tls }) => deviationUnless(tls?.chain.length === 2, `${tls?.chain.length ?? 0} certificates`)),
  }),
  shipped('tls.8', 'Plain HTTP on the port gets 400 in HTTP/1.0 and a sentence that says why.', {
    guess: 'the connection ends',
    expected: 'HTTP/1.0 400 and "Client sent an HTTP request to an HTTPS server."',
    ...overTls(async (session) => {
      const conversation = await askBy(session, 'http');
      const [answer] = conversation.answers;
      const isRight = answer?.status === 400 && answer.version === '1.0' && bodyIs(PLAIN_REFUSED).holds(answer);
      return deviationUnless(isRight, conversationText(conversation));
    }),
  }),
  shipped('tls.9', 'TLS 1.1 is refused.', {
    expected: 'no handshake',
    ...sees(({ tls }) => deviationUnless(tls === undefined, `a handshake with ${tls?.protocol}`), AT_MOST_1_1),
  }),
  server('tls.10', 'TLS 1.3 is spoken, and TLS 1.2 unless tls-security-level is modern.', {
    why: 'The server of an older system has only TLS 1.2.',
    expected: 'a handshake with TLS 1.3',
    ...sees((one) => deviationUnless(one.tls?.protocol === 'TLSv1.3' && isAdmitted(one), conversationText(one)), {
      minVersion: 'TLSv1.3',
    }),
  }),
  shipped('tls.11', 'Of the application protocols the agent knows http/1.1 only.', {
    guess: 'h2, too, as servers in Go do',
    expected: 'http/1.1',
    ...sees((one) => deviationUnless(one.tls?.alpn === 'http/1.1', one.tls?.alpn ?? conversationText(one)), {
      ALPNProtocols: ['h2', 'http/1.1'],
    }),
  }),
  shipped('tls.12', 'A client that offers h2 alone is refused.', {
    guess: 'served in HTTP/1.1',
    expected: 'no handshake',
    ...sees((one) => deviationUnless(one.tls === undefined, conversationText(one)), { ALPNProtocols: ['h2'] }),
  }),
  server('tls.13', 'Over TLS `GET /autotls` gets a request with the same key.', {
    why: 'The server takes the agent for another one, and reports a possible attack.',
    expected: 'a certificate request with the key of its certificate',
    ...overTls(async (session) => {
      const request = await certificateRequest(session);
      if (typeof request === 'string') return request;
      const [leaf] = (await askAs(session, 'authority')).tls?.chain ?? [];
      const key = leaf && new X509Certificate(leaf).publicKey.export({ type: 'spki', format: 'der' });
      return deviationUnless(key?.equals(request.publicKey) === true, 'another key');
    }),
  }),
  shipped('tls.14', 'Certificates can be renewed over such a connection: the agent presents the new one.', {
    expected: 'another certificate',
    ...overTls(async (session) => {
      const { tls: before } = await askAs(session, 'authority');
      const failed = await renewCertificate(session);
      if (failed !== undefined) return failed;
      const isNew = await retry(session, async () => {
        const leaf = (await askAs(session, 'authority')).tls?.chain[0];
        return leaf !== undefined && before?.chain[0]?.equals(leaf) === false ? true : undefined;
      });
      return deviationUnless(isNew === true, 'the old certificate');
    }),
    needs: 'changes',
  }),
];

const PLAIN_REFUSED = 'Client sent an HTTP request to an HTTPS server.\n';

/** The agent's certificate request, or what came instead. */
async function certificateRequest(session: AgentSession, query = ''): Promise<RequestDescription | string> {
  const conversation = await askAgent(session, `GET /autotls${query}`);
  const csr = csrIn(conversation);
  if (csr === undefined) return conversationText(conversation);
  return (await describeRequest(csr)) ?? 'a request that cannot be read';
}

/** Signs the agent's request and sends it the certificates; resolves with what went wrong. An agent may reload before it answers. */
async function renewCertificate(session: AgentSession): Promise<string | undefined> {
  const { authority } = session.settings;
  const csr = csrIn(await askAgent(session, 'GET /autotls'));
  if (csr === undefined) return 'no certificate request';
  if (authority === undefined) return 'there is no authority that signs it';
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
function exchangeCertificates(session: AgentSession): Promise<string | undefined> {
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
