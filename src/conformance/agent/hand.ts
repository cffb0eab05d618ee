import type { ConnectionOptions } from 'node:tls';
import type { Clock, Timer } from '../../base/kernel/clock.ts';
import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { describeRequest, type RequestDescription, type Signer } from '../../wire/poller/authority.ts';
import { certificatesBody } from '../../wire/poller/requests.ts';
import { type Conversation, converse, type Peer } from '../../wire/transport/raw-conversation.ts';
import { answerTo, finalAnswer, heardText } from '../http-case.ts';
import { type ConformanceRequest, requestBytes } from '../request.ts';
import { type AgentGiven, requestTo } from './given.ts';

/** The documents of `/config`, in base64 as they are sent. */
export type SentConfig = {
  readonly configuration: string;
  readonly customcheck_configuration: string;
  readonly prometheus_exporter: string;
};

/** Who connects over TLS: with the authority's certificate as the monitoring server does, with another one, or with none. */
export type TlsClients = Readonly<
  Record<'authority' | 'otherAgent' | 'expired' | 'foreign', { readonly cert: string; readonly key: string }>
>;

export type HandSettings = {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly given: AgentGiven;
  /** Called with the body for `POST /config` that restores the configuration, before it is changed. */
  readonly saved: (configuration: string) => void;
  /** Needed for requests over Auto-TLS and for its exchange. */
  readonly authority: { readonly signer: Signer; readonly clients: TlsClients } | undefined;
};

/** What came of a push to `/config`. */
export type PushedConfig = { readonly heard: Conversation; readonly before: SentConfig; readonly after: SentConfig };

/** As long as a real agent may look for its own port. */
const BACK_WITHIN_MS = 35_000;
const BACK_AFTER_MS = 250;
const REQUEST_LIMIT_MS = 8000;
/** A reload starts within this time. */
const SETTLED_AFTER_MS = 1000;
/** How long the released server waits after an exchange. */
const SWITCHED_WITHIN_MS = 5000;

/** Plays the monitoring server for cases whose requests depend on earlier answers. */
export type AgentHand = ReturnType<typeof createHand>;

export function createHand(settings: HandSettings) {
  const { peer, clock, timer, authority } = settings;
  let given = settings.given;
  let original: SentConfig | undefined;
  let exchanged: Promise<string | undefined> | undefined;
  const spoken: Conversation[] = [];
  let hasRenewed = false;
  let isLost = false;
  const lost = (): LostAgent => {
    isLost = true;
    return new LostAgent('no answer to GET /config');
  };

  /** As the monitoring server connects. */
  const peerFor = (kind: 'tls' | 'plain'): Peer => {
    const { address } = peer;
    return {
      address,
      tls: kind === 'plain' ? undefined : { rejectUnauthorized: false, ...authority?.clients.authority },
    };
  };
  const usualPeer = (): Peer => (given.isSecured ? peerFor('tls') : peer);
  const over = async (to: Peer, request: ConformanceRequest): Promise<Conversation> => {
    const limit = new AbortController();
    const callOff = timer(REQUEST_LIMIT_MS, () => limit.abort());
    const steps = [{ send: requestBytes(request) }, answerTo(request)];
    const heard = await converse(to, steps, { clock, timer, signal: limit.signal });
    callOff();
    spoken.push(heard);
    return heard;
  };
  const ask = (line: string, body?: string | Buffer, ...headers: ConformanceRequest['headers']) => {
    const request = requestTo(given, line, ...headers);
    return over(usualPeer(), body === undefined ? request : { ...request, body: Buffer.from(body) });
  };
  const config = async (): Promise<SentConfig | undefined> => {
    const answer = finalAnswer(await ask('GET /config'));
    const members = membersIn(answer?.status === 200 ? jsonIn(answer.body.toString()) : undefined);
    const { configuration, customcheck_configuration = '', prometheus_exporter = '' } = members;
    if (typeof configuration !== 'string') return undefined;
    return {
      configuration,
      customcheck_configuration: `${customcheck_configuration}`,
      prometheus_exporter: `${prometheus_exporter}`,
    };
  };
  const pause = (delayMs: number) => new Promise<void>((resolve) => void timer(delayMs, resolve));
  /** Asks again until the agent answers as wanted. */
  const until = async <T>(attempt: () => Promise<T | undefined>): Promise<T | undefined> => {
    for (const deadline = clock() + BACK_WITHIN_MS; clock() < deadline; ) {
      const found = await attempt();
      if (found !== undefined) return found;
      await pause(BACK_AFTER_MS);
    }
    return undefined;
  };
  /** Pushes a body that depends on the current documents, and reads them again, as `then` says what the agent is now. */
  const pushThen = async (
    bodyOf: (before: SentConfig) => string | Buffer,
    then: Partial<AgentGiven>,
    headers: ConformanceRequest['headers'] = [],
  ): Promise<PushedConfig> => {
    const before = isLost ? undefined : await until(config);
    if (before === undefined) throw lost();
    if (original === undefined) settings.saved(JSON.stringify(before));
    original ??= before;
    const heard = await ask('POST /config', bodyOf(before), ...headers);
    // The answers of before the reload would mislead.
    if (Object.keys(then).length > 0) await pause(SETTLED_AFTER_MS);
    given = { ...given, ...then };
    const after = await until(config);
    if (after === undefined) throw lost();
    return { heard, before, after };
  };
  /** Appends a setting to the configuration; the last of the same name counts. */
  const set = (line: string, then: Partial<AgentGiven>) =>
    pushThen((before) => {
      const text = `${Buffer.from(before.configuration, 'base64')}\n[default]\n${line}\n`;
      return JSON.stringify({ ...before, configuration: Buffer.from(text).toString('base64') });
    }, then);
  const csr = async (query = ''): Promise<RequestDescription | string> => {
    const heard = await ask(`GET /autotls${query}`);
    const { csr: text } = membersIn(jsonIn(finalAnswer(heard)?.body.toString() ?? ''));
    if (typeof text !== 'string') return heardText(heard);
    return (await describeRequest(text)) ?? 'a request that cannot be read';
  };
  /** Signs the agent's request and sends it the certificates; resolves with what went wrong. */
  const renew = async (): Promise<string | undefined> => {
    const { csr: text } = membersIn(jsonIn(finalAnswer(await ask('GET /autotls'))?.body.toString() ?? ''));
    if (typeof text !== 'string' || authority === undefined) return 'no certificate request';
    const signed = await authority.signer.sign(text);
    const heard = await ask('POST /autotls', certificatesBody(signed, authority.signer.ca));
    const answer = finalAnswer(heard);
    hasRenewed ||= answer?.status === 200;
    return answer === undefined || answer.status === 200 ? undefined : heardText(heard);
  };
  /** What the agent answers now: HTTP over TLS to the authority, or plain HTTP. */
  const speaks = async (): Promise<'tls' | 'plain' | undefined> => {
    for (const kind of ['tls', 'plain'] as const) {
      const status = finalAnswer(await over(peerFor(kind), requestTo(given, 'GET /prometheus')))?.status;
      if (status === 200) return kind;
    }
    return undefined;
  };
  const exchange = async (): Promise<string | undefined> => {
    if (given.isSecured) return undefined;
    // Without try-autossl, some agents have no /autotls. Only then it is switched on first: certificates of an earlier exchange may exist.
    let fault = await renew();
    if (fault !== undefined && given.configPush) {
      await set('try-autossl = True', {});
      fault = await renew();
    }
    if (fault !== undefined) return fault;
    const startedMs = clock();
    await pause(SETTLED_AFTER_MS);
    if ((await until(speaks)) === 'plain') {
      if (!given.configPush) return 'plain HTTP; try-autossl is off, and --allow-changes cannot switch it on';
      await set('try-autossl = True', { isSecured: true });
      return undefined;
    }
    given = { ...given, isSecured: true };
    const tookMs = Math.round(clock() - startedMs);
    return tookMs <= SWITCHED_WITHIN_MS ? undefined : `HTTP over TLS after ${tookMs} ms`;
  };
  return {
    given: () => given,
    peer: usualPeer,
    /** Whether it no longer answers. */
    isLost: () => isLost,
    /** Whether it sent the agent certificates. */
    hasRenewed: () => hasRenewed,
    ask,
    config,
    push: (bodyOf: (before: SentConfig) => string | Buffer, ...headers: ConformanceRequest['headers']) =>
      pushThen(bodyOf, {}, headers),
    csr,
    renew,
    until,
    /** Performs the exchange once; resolves with what went wrong. */
    exchange: () => (exchanged ??= exchange()),
    /** A request over TLS as another client. */
    askAs: (client: keyof TlsClients | 'nobody', tls: ConnectionOptions = {}) => {
      const own = client === 'nobody' ? undefined : authority?.clients[client];
      const options = { rejectUnauthorized: false, ...own, ...tls };
      return over({ address: peer.address, tls: options }, requestTo(given, 'GET /prometheus'));
    },
    askPlainly: () => over(peerFor('plain'), requestTo(given, 'GET /prometheus')),
    /** Makes the agent ask for these credentials. */
    protect: (auth: string) => set(`auth = ${auth}`, { auth }),
    /** Gives the agent its configuration back. */
    restore: async (): Promise<'untouched' | 'restored' | 'lost'> => {
      if (original === undefined) return 'untouched';
      await ask('POST /config', JSON.stringify(original));
      await pause(SETTLED_AFTER_MS);
      given = { ...given, auth: settings.given.auth };
      const kind = await until(speaks);
      given = { ...given, isSecured: kind === 'tls' };
      return JSON.stringify(await until(config)) === JSON.stringify(original) ? 'restored' : 'lost';
    },
    /** The conversations since the last call. */
    taken: (): readonly Conversation[] => spoken.splice(0),
  };
}

/** The agent stopped answering. */
export class LostAgent extends Error {
  override readonly name = 'LostAgent';
}
