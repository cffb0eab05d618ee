import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { AGENT_VERSION } from '../../base/protocol/push.ts';
import { converse } from '../../wire/transport/raw-conversation.ts';
import { type CaseAttempt, type CaseResult, sectionOf, verdictOf } from '../case.ts';
import { answerTo, attemptHttp, finalAnswer, type HttpPorts, wireLog } from '../http-case.ts';
import { type ReportedFixture, requestBytes } from '../request.ts';
import { type RunPorts, runCases, untried, withLimit } from '../run.ts';
import type { AgentCase, AgentNeed, Performed } from './agent-case.ts';
import { CERTIFICATE_REQUESTS, TLS } from './auto-tls.ts';
import { LostAgent, protect, type RestoredConfig, restoreConfig } from './config-pushes.ts';
import { CONFIGURATION } from './configuration.ts';
import { AUTHENTICATION, CONNECTION } from './connection.ts';
import { DOCUMENTS, hasCheckdata } from './documents.ts';
import { type AgentFixture, basic, requestTo } from './fixture.ts';
import { ANSWERS, METHODS, ROUTES } from './routes.ts';
import { type AgentSession, openAgentSession, type SessionSettings, usualPeer } from './session.ts';

const OBSERVED = `agent ${AGENT_VERSION}, observed`;

const HIDDEN = { documented: '404 without `webServer.autoTls`' };

/** All cases of an agent's web server, in the order of the page. */
export const AGENT_CASES: readonly AgentCase[] = [
  ...ROUTES,
  ...METHODS,
  ...ANSWERS,
  ...CONNECTION,
  ...DOCUMENTS,
  ...AUTHENTICATION,
  ...CERTIFICATE_REQUESTS.map((one) => ({ ...one, muster: HIDDEN })),
  ...CONFIGURATION,
  ...TLS,
].map((one) => (one.level === 'shipped' || one.level === 'note' ? { source: OBSERVED, ...one } : one));

export type AgentSubject = HttpPorts &
  Pick<SessionSettings, 'authority' | 'saved'> & {
    readonly allowChanges: boolean;
    /** `user:password`; `undefined`: none. */
    readonly auth: string | undefined;
    /** How long to wait for the end of a check run. */
    readonly patienceMs: number;
  };

const LIMIT_MS = 10_000;
const SLOW_LIMIT_MS = 45_000;
/** Two pushes with their reloads, or an exchange. */
const CHANGE_LIMIT_MS = 90_000;
const AT_ONCE = 4;
const LARGE_BYTES = 2048;
const TEST_CREDENTIALS = 'muster:con:form';
const RETRY_AFTER_MS = 500;

export type AgentFindings = {
  readonly results: readonly CaseResult[];
  readonly configuration: RestoredConfig;
  /** Whether the agent got certificates of the authority of this run. */
  readonly hasCertificates: boolean;
};

/**
 * Tries the cases on an agent's web server, first those that only read. Changes to its configuration are undone at the end.
 * Resolves with `undefined` if there is no answer to `GET /`.
 */
export async function tryAgent(
  subject: AgentSubject,
  cases: readonly AgentCase[],
  ports: RunPorts,
): Promise<AgentFindings | undefined> {
  const fixture = await readFixture(subject, ports.signal);
  if (fixture === undefined) return undefined;
  const session = openAgentSession(subject, fixture);
  const attempt = async (one: AgentCase, signal: AbortSignal): Promise<CaseAttempt> => {
    const now = session.fixture;
    const lack = one.needs && LACKS[one.needs](now, subject);
    if (lack !== undefined) return untried(lack);
    if ('perform' in one) return perform(one, session);
    return attemptHttp(one, now, { ...subject, peer: usualPeer(session), signal, shown: reportedFixture(now) });
  };
  const limitMs = (one: AgentCase) => {
    if ('perform' in one) return CHANGE_LIMIT_MS;
    return one.slow ? SLOW_LIMIT_MS : LIMIT_MS;
  };
  const results: CaseResult[] = [];
  const tryAll = async (stage: Stage, atOnce: number): Promise<void> => {
    const some = cases.filter((one) => stageOf(one) === stage);
    results.push(...(await runCases({ cases: some, attempt, limitMs, atOnce }, ports)));
  };
  await tryAll('reading', AT_ONCE);
  await tryAll('configuration', 1);
  const isProtected = subject.auth !== undefined || LACKS.changes(session.fixture, subject) !== undefined;
  if (!isProtected && cases.some((one) => stageOf(one) === 'auth'))
    await protect(session, TEST_CREDENTIALS).catch(() => {});
  await tryAll('auth', AT_ONCE);
  await tryAll('tls', 1);
  const configuration = await restoreConfig(session, subject.auth).catch(() => 'lost' as const);
  return {
    results: cases.flatMap((one) => results.filter(({ rule }) => rule === one)),
    configuration,
    hasCertificates: session.hasRenewed,
  };
}

type Stage = 'reading' | 'configuration' | 'auth' | 'tls';

function stageOf(one: AgentCase): Stage {
  const section = sectionOf(one);
  if (section === 'tls' || section === 'auth') return section;
  return one.needs === 'changes' ? 'configuration' : 'reading';
}

type Lack = (fixture: AgentFixture, subject: AgentSubject) => string | undefined;

const lacks = (holds: boolean, why: string): string | undefined => (holds ? undefined : why);
const NOT_ALLOWED = 'it changes the agent: pass --allow-changes';

/** Why a case cannot be tried; `undefined` if it can. */
const LACKS: Readonly<Record<AgentNeed, Lack>> = {
  auth: ({ auth }) => lacks(auth !== undefined, 'the agent asks for no password: pass --auth user:password if it does'),
  checkdata: ({ checkdata }) => lacks(Object.keys(checkdata).length > 0, 'the agent finished no check run'),
  config: ({ configPush }) => lacks(configPush, 'config-update-mode is off'),
  'no-config': ({ configPush }) => lacks(!configPush, 'config-update-mode is on'),
  exporter: ({ exporters }) => lacks(exporters.length > 0, 'the agent has no exporter'),
  large: ({ checkdataBytes }) => lacks(checkdataBytes.length > LARGE_BYTES, 'the check data is too short'),
  changes: ({ configPush, isSecured }, { allowChanges }) =>
    allowChanges ? lacks(configPush || isSecured, 'config-update-mode is off') : NOT_ALLOWED,
  authority: ({ isSecured }, { allowChanges }) => lacks(isSecured || allowChanges, NOT_ALLOWED),
};

async function perform(one: AgentCase & Performed, session: AgentSession): Promise<CaseAttempt> {
  const startedMs = session.settings.clock();
  session.conversations = [];
  if (session.isLost && one.needs === 'changes') return untried('the agent stopped answering GET /config');
  const found = await one.perform(session).catch((error: unknown) => {
    if (error instanceof LostAgent) return error.message;
    throw error;
  });
  const { secrets } = reportedFixture(session.fixture);
  const wire = session.conversations.map((conversation) => wireLog(conversation, startedMs, secrets));
  return { verdict: verdictOf(one.expected, found), wire, repeat: [] };
}

/** Waits until the agent has check data, and reads what cases judge. */
async function readFixture(subject: AgentSubject, signal: AbortSignal): Promise<AgentFixture | undefined> {
  const { peer, base, auth, authority, clock, timer, patienceMs } = subject;
  const isSecured = base.startsWith('https:') && authority !== undefined;
  const own = isSecured ? { ...peer, tls: { ...peer.tls, ...authority.clients.authority } } : peer;
  const host = new URL(base).host;
  const read = async (line: string) => {
    const request = requestTo({ host, auth }, line);
    const steps = [{ send: requestBytes(request) }, answerTo(request)];
    return finalAnswer(
      await withLimit({ timer, signal }, LIMIT_MS, (limit) => converse(own, steps, { clock, timer, signal: limit })),
    );
  };
  const deadline = clock() + patienceMs;
  let body = (await read('GET /'))?.body;
  while (body !== undefined && !hasCheckdata(jsonIn(body.toString())) && clock() < deadline && !signal.aborted) {
    await new Promise<void>((resolve) => void timer(RETRY_AFTER_MS, resolve));
    body = (await read('GET /'))?.body;
  }
  if (body === undefined) return undefined;
  const names = jsonIn((await read('GET /prometheus'))?.body.toString() ?? '');
  return {
    host,
    auth,
    checkdata: membersIn(jsonIn(body.toString())),
    checkdataBytes: body,
    packages: membersIn(jsonIn((await read('GET /packages'))?.body.toString() ?? '')),
    exporters: Array.isArray(names) ? names.map(String) : [],
    configPush: typeof membersIn(jsonIn((await read('GET /config'))?.body.toString() ?? '')).configuration === 'string',
    isSecured,
  };
}

/** With other credentials. */
function reportedFixture(fixture: AgentFixture): ReportedFixture<AgentFixture> {
  if (fixture.auth === undefined) return { fixture, variables: [], secrets: [] };
  const standIn = `user:${'x'.repeat(Math.max(1, fixture.auth.length - 5))}`;
  const [, value = ''] = basic(standIn).split(' ');
  const [, secret = ''] = basic(fixture.auth).split(' ');
  return { fixture: { ...fixture, auth: standIn }, variables: [[value, 'MUSTER_AGENT_AUTH']], secrets: [secret] };
}
