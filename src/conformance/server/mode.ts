import { type Endpoint, ERROR_TEXTS } from '../../base/protocol/push.ts';
import { converse } from '../../wire/transport/raw-conversation.ts';
import type { CaseAttempt, CaseResult } from '../case.ts';
import { json, not } from '../expectation.ts';
import { answerTo, attemptHttp, conversationText, finalAnswer, type HttpPorts, meets } from '../http-case.ts';
import { type ConformanceRequest, requestBytes } from '../request.ts';
import { type RunPorts, runCases, untried, withLimit } from '../run.ts';
import { AUTHORIZATION } from './authorization.ts';
import { BODIES } from './bodies.ts';
import { CHECKDATA } from './checkdata.ts';
import { CONNECTIONS_OF_AGENTS } from './connection.ts';
import {
  type AgentCredentials,
  CHECK_DOCUMENT,
  envelope,
  PACKAGE_DOCUMENT,
  pushOf,
  registration,
  type ServerCase,
  type ServerFixture,
  type ServerNeed,
  shownOf,
} from './fixture.ts';
import { KEYS } from './keys.ts';
import { METHODS_AND_PATHS } from './methods-and-paths.ts';
import { PACKAGES } from './packages.ts';
import { passwordIn, REGISTRATION } from './registration.ts';

/** All cases of a push server, in the order of the page. */
export const SERVER_CASES: readonly ServerCase[] = [
  ...REGISTRATION,
  ...AUTHORIZATION,
  ...CHECKDATA,
  ...PACKAGES,
  ...KEYS,
  ...METHODS_AND_PATHS,
  ...BODIES,
  ...CONNECTIONS_OF_AGENTS,
];

export type ServerSubject = HttpPorts & {
  readonly prefix: string;
  readonly apiKey: string;
  /** An agent with a host; `undefined`: a new one is used if the server gives each a host. */
  readonly assigned: AgentCredentials | undefined;
  /** Gives an agent a host; resolves with the reason if that fails. `undefined`: nothing does. */
  readonly giveHost: ((uuid: string) => Promise<string | undefined>) | undefined;
  /** A random UUID, from which those of the cases are made. */
  readonly uuid: string;
};

const LIMIT_MS = 10_000;
/** If the server answered nothing at first. */
const HUNG_LIMIT_MS = 2000;
const SLOW_LIMIT_MS = 45_000;
const AT_ONCE = 4;

const NOBODY: AgentCredentials = { uuid: '', password: '' };

/** Tries the cases on a push server. Returns the results, and the UUIDs that the server registered. */
export async function tryServer(
  subject: ServerSubject,
  cases: readonly ServerCase[],
  ports: RunPorts,
): Promise<{ readonly results: readonly CaseResult[]; readonly registered: readonly string[] }> {
  const agents = agentSource(subject);
  const hosts = await withLimit(ports, LIMIT_MS, agents.hosts);
  const attempt = async (one: ServerCase, signal: AbortSignal): Promise<CaseAttempt> => {
    const needs = one.needs ?? [];
    const lack = needs.map((need) => lackOf(need, subject, hosts)).find((why) => why !== undefined);
    if (lack !== undefined) return untried(lack);
    const [agent, other] = [
      needs.includes('agent') ? await agents.register(signal) : NOBODY,
      needs.includes('other') ? await agents.register(signal) : NOBODY,
    ];
    if (typeof agent === 'string' || typeof other === 'string') return untried(`no agent could be registered`);
    const fixture = { ...agents.fixture(), agent, other, assigned: hosts.assigned ?? NOBODY };
    const tried = await attemptHttp(one, fixture, { ...subject, signal, shown: shownOf(fixture, subject.assigned) });
    agents.note(tried.wire);
    return tried;
  };
  const usualMs = hosts.answers ? LIMIT_MS : HUNG_LIMIT_MS;
  const limitMs = (one: ServerCase) => (one.slow ? SLOW_LIMIT_MS : usualMs);
  const laneOf = (one: ServerCase) => (one.needs?.includes('assigned') ? 'assigned' : undefined);
  const results = await runCases({ cases, attempt, limitMs, atOnce: AT_ONCE, laneOf }, ports);
  return { results, registered: agents.registered() };
}

/** How agents get a host: `assigned` has one; `byItself`: every new agent has. */
type Hosts = {
  readonly assigned: AgentCredentials | undefined;
  readonly byItself: boolean;
  /** Whether the server takes package information. */
  readonly packages: boolean;
  /** Whether it answers in time. */
  readonly answers: boolean;
  /** Why no agent has a host. */
  readonly problem: string;
};

const NO_HOST = 'pass --assigned UUID:PASSWORD or --provision';

function lackOf(need: ServerNeed, { apiKey }: ServerSubject, hosts: Hosts): string | undefined {
  if (need === 'assigned' && hosts.assigned === undefined) return `it needs an agent with a host: ${hosts.problem}`;
  if (need === 'unassigned' && hosts.byItself) return 'this server gives each agent a host';
  if (need === 'packages' && !hosts.packages) return 'the server has no such endpoint';
  return need === 'key' && apiKey === '' ? 'it needs an API key: pass --api-key' : undefined;
}

const NAMED = /"agentuuid" *: *(?:"([^"\\]+)"|(\d+))/g;

/** Makes UUIDs, each with a letter so that it has another spelling, and agents for cases, and remembers which the server registered. */
function agentSource(subject: ServerSubject) {
  const registered = new Set<string>();
  let handedOut = 0;
  const nextUuid = (): string => `${subject.uuid.slice(0, -12)}a${(++handedOut).toString(16).padStart(11, '0')}`;
  const fixture = (): ServerFixture => ({
    prefix: subject.prefix,
    host: new URL(subject.base).host,
    apiKey: subject.apiKey,
    fresh: [nextUuid(), nextUuid()],
    agent: NOBODY,
    other: NOBODY,
    assigned: NOBODY,
  });
  const ask = (request: ConformanceRequest, signal: AbortSignal) =>
    converse(subject.peer, [{ send: requestBytes(request) }, answerTo(request)], { ...subject, signal });
  /** A new agent, or what the server answered instead. */
  const register = async (signal: AbortSignal): Promise<AgentCredentials | string> => {
    const own = fixture();
    const conversation = await ask(registration(own), signal);
    const password = passwordIn(finalAnswer(conversation)?.body);
    if (password === undefined) return conversationText(conversation);
    registered.add(own.fresh[0]);
    return { uuid: own.fresh[0], password };
  };
  return {
    fixture,
    register,
    registered: (): readonly string[] => [...registered].sort(),
    /** Finds out whether new agents have a host. */
    hosts: async (signal: AbortSignal): Promise<Hosts> => {
      const agent = await register(signal);
      const answerOf = (one: AgentCredentials, endpoint: Endpoint, document: unknown) =>
        ask(pushOf(fixture(), endpoint, envelope(one, document)), signal);
      const refusal = json({ error: ERROR_TEXTS.credentialsOrHost });
      const isRegistered = typeof agent !== 'string';
      const byItself = isRegistered && !meets(await answerOf(agent, 'submit_checkdata', CHECK_DOCUMENT), refusal);
      const mayHave = subject.assigned === undefined && isRegistered && !byItself ? subject.giveHost : undefined;
      const problem = await mayHave?.(isRegistered ? agent.uuid : '');
      const hasHost = byItself || (mayHave !== undefined && problem === undefined);
      const assigned = subject.assigned ?? (hasHost && isRegistered ? agent : undefined);
      const push = await answerOf(assigned ?? NOBODY, 'submit_package_info', PACKAGE_DOCUMENT);
      const packages = meets(push, not(403, 404, 405));
      return { assigned, byItself, packages, answers: push.end !== 'late', problem: problem ?? NO_HOST };
    },
    /** Remembers what a case registered. */
    note: (wire: CaseAttempt['wire']): void => {
      for (const { sent, received } of wire) {
        const answers = received.bytes.toString('utf8');
        if (!/^HTTP\/\d\.\d 201 /m.test(answers)) continue;
        // A packed answer cannot be searched.
        const inAnswers = [...answers.matchAll(NAMED)];
        const named = inAnswers.length > 0 ? inAnswers : sent.bytes.toString('utf8').matchAll(NAMED);
        for (const [, text, number] of named) registered.add(text ?? number ?? '');
      }
    },
  };
}
