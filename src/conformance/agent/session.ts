import type { ConnectionOptions } from 'node:tls';
import type { Clock, Timer } from '../../base/kernel/clock.ts';
import type { Signer } from '../../wire/poller/authority.ts';
import { type Conversation, converse, type Peer } from '../../wire/transport/raw-conversation.ts';
import { answerTo, finalAnswer } from '../http-case.ts';
import { type ConformanceRequest, requestBytes } from '../request.ts';
import { withLimit } from '../run.ts';
import { type AgentFixture, requestTo } from './fixture.ts';

/** Who connects over TLS: with the authority's certificate as the monitoring server does, with another one, or with none. */
export type TlsClients = Readonly<
  Record<'authority' | 'otherAgent' | 'expired' | 'foreign', { readonly cert: string; readonly key: string }>
>;

export type SessionSettings = {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Called with the body for `POST /config` that restores the configuration, before it is changed. */
  readonly saved: (configuration: string) => void;
  /** Needed for requests over Auto-TLS and for its exchange. */
  readonly authority: { readonly signer: Signer; readonly clients: TlsClients } | undefined;
};

/** The documents of `/config`, in base64 as they are sent. */
export type SentConfig = {
  readonly configuration: string;
  readonly customcheck_configuration: string;
  readonly prometheus_exporter: string;
};

/** The monitoring server's side of an agent, for cases whose requests depend on earlier answers. */
export type AgentSession = {
  readonly settings: SessionSettings;
  /** What is known of the agent now. */
  fixture: AgentFixture;
  /** The configuration before the first change; `undefined` if it was not changed. */
  original?: SentConfig;
  /** Resolves with what went wrong in the only exchange of certificates. */
  exchange?: Promise<string | undefined>;
  /** Whether it sent the agent certificates. */
  hasRenewed: boolean;
  isLost: boolean;
  /** Since the last case began. */
  conversations: Conversation[];
};

export function openAgentSession(settings: SessionSettings, fixture: AgentFixture): AgentSession {
  return { settings, fixture, hasRenewed: false, isLost: false, conversations: [] };
}

const REQUEST_LIMIT_MS = 8000;

/** Sends a request as the monitoring server does. */
export function askAgent(
  session: AgentSession,
  line: string,
  { body, headers = [] }: { readonly body?: string | Buffer; readonly headers?: ConformanceRequest['headers'] } = {},
): Promise<Conversation> {
  const request = requestTo(session.fixture, line, ...headers);
  return askPeer(session, usualPeer(session), body === undefined ? request : { ...request, body: Buffer.from(body) });
}

/** A request over TLS as another client. */
export function askAs(
  session: AgentSession,
  client: keyof TlsClients | 'nobody',
  tls: ConnectionOptions = {},
): Promise<Conversation> {
  const { authority, peer } = session.settings;
  const own = client === 'nobody' ? undefined : authority?.clients[client];
  const options = { rejectUnauthorized: false, ...own, ...tls };
  return askPeer(session, { address: peer.address, tls: options }, requestTo(session.fixture, 'GET /prometheus'));
}

/** A request by HTTP without TLS, or over TLS with the authority's certificate. */
export function askBy(session: AgentSession, protocol: 'http' | 'https'): Promise<Conversation> {
  return askPeer(session, peerFor(session, protocol), requestTo(session.fixture, 'GET /prometheus'));
}

/** As the monitoring server connects. */
export function usualPeer(session: AgentSession): Peer {
  return session.fixture.isSecured ? peerFor(session, 'https') : session.settings.peer;
}

function peerFor({ settings: { peer, authority } }: AgentSession, protocol: 'http' | 'https'): Peer {
  const tls = protocol === 'http' ? undefined : { rejectUnauthorized: false, ...authority?.clients.authority };
  return { address: peer.address, tls };
}

async function askPeer(session: AgentSession, peer: Peer, request: ConformanceRequest): Promise<Conversation> {
  const { clock, timer } = session.settings;
  const steps = [{ send: requestBytes(request) }, answerTo(request)];
  const conversation = await withLimit({ timer }, REQUEST_LIMIT_MS, (signal) =>
    converse(peer, steps, { clock, timer, signal }),
  );
  session.conversations.push(conversation);
  return conversation;
}

/** As long as a real agent may look for its own port. */
const RELOAD_LIMIT_MS = 35_000;
const RETRY_AFTER_MS = 250;

/** Repeats an attempt until it has a result; `undefined` if the agent needs longer than any reload. */
export async function retry<T>(
  { settings: { clock, timer } }: AgentSession,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const deadlineMs = clock() + RELOAD_LIMIT_MS; clock() < deadlineMs; ) {
    const result = await attempt();
    if (result !== undefined) return result;
    await pause(timer, RETRY_AFTER_MS);
  }
  return undefined;
}

/** A reload starts within this time, so that no later answer is one of before it. */
const RELOAD_START_MS = 1000;

export function pauseForReload({ settings }: AgentSession): Promise<void> {
  return pause(settings.timer, RELOAD_START_MS);
}

function pause(timer: Timer, delayMs: number): Promise<void> {
  return new Promise((resolve) => void timer(delayMs, resolve));
}

/** The protocol in which the agent answers now. */
export async function protocolOf(session: AgentSession): Promise<'http' | 'https' | undefined> {
  for (const protocol of ['https', 'http'] as const)
    if (finalAnswer(await askBy(session, protocol))?.status === 200) return protocol;
  return undefined;
}
