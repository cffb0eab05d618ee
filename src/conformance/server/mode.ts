import { converse } from '../../wire/transport/raw-conversation.ts';
import type { Attempt, CaseResult } from '../case.ts';
import { parsed } from '../expectation.ts';
import { attemptHttp, finalAnswer, type HttpPorts, heardText } from '../http-case.ts';
import { requestBytes } from '../request.ts';
import { type RunPorts, runCases, untried } from '../run.ts';
import { registration, type ServerCase, type ServerCredentials, type ServerGiven } from './given.ts';
import { REGISTRATION } from './registration.ts';

/** All cases of a push server, in the order of the page. */
export const SERVER_CASES: readonly ServerCase[] = [...REGISTRATION];

export type ServerSubject = HttpPorts & {
  readonly prefix: string;
  readonly apiKey: string;
  /** An agent with a host; `undefined`: none. */
  readonly assigned: ServerCredentials | undefined;
  /** A random UUID, from which those of the cases are made. */
  readonly uuid: string;
};

const LIMIT_MS = 10_000;
const SLOW_LIMIT_MS = 45_000;
const AT_ONCE = 4;
const FRESH_UUIDS = 4;

/** Tries the cases on a push server. Returns the results, and the UUIDs that the server registered. */
export async function tryServer(
  subject: ServerSubject,
  cases: readonly ServerCase[],
  ports: RunPorts,
): Promise<{ readonly results: readonly CaseResult[]; readonly registered: readonly string[] }> {
  const registered = new Set<string>();
  let handedOut = 0;
  const nextUuid = (): string => `${subject.uuid.slice(0, -12)}${(++handedOut).toString(16).padStart(12, '0')}`;
  const attempt = async (one: ServerCase, signal: AbortSignal): Promise<Attempt> => {
    if (one.needs === 'assigned' && subject.assigned === undefined) return untried(NO_HOST);
    const nobody = { uuid: '', password: '' };
    const given: ServerGiven = {
      prefix: subject.prefix,
      host: new URL(subject.base).host,
      apiKey: subject.apiKey,
      fresh: Array.from({ length: FRESH_UUIDS }, nextUuid),
      agent: nobody,
      assigned: subject.assigned ?? nobody,
    };
    const agent = one.needs === 'agent' ? await registerAgent(given, nextUuid(), signal) : nobody;
    if ('why' in agent) return untried(agent.why);
    const tried = await attemptHttp(one, { ...given, agent }, { ...subject, signal });
    for (const uuid of given.fresh) if (tried.wire.some((log) => isRegistration(log, uuid))) registered.add(uuid);
    return tried;
  };
  const registerAgent = async (given: ServerGiven, uuid: string, signal: AbortSignal) => {
    const steps = [{ send: requestBytes(registration(given, { agentuuid: uuid })) }, { await: 'answer' as const }];
    const heard = await converse(subject.peer, steps, { ...subject, signal });
    const last = finalAnswer(heard);
    const password = last?.status === 201 ? passwordIn(last.body) : undefined;
    if (password === undefined) return { why: `no agent could be registered: ${heardText(heard)}` };
    registered.add(uuid);
    return { uuid, password };
  };
  const limitMs = (one: ServerCase) => (one.slow ? SLOW_LIMIT_MS : LIMIT_MS);
  const results = await runCases({ cases, attempt, limitMs, atOnce: AT_ONCE }, ports);
  return { results, registered: [...registered].sort() };
}

const NO_HOST = 'it needs an agent with a host: pass --assigned UUID:PASSWORD';

function passwordIn(body: Buffer): string | undefined {
  const document = parsed(body);
  const password: unknown =
    typeof document === 'object' && document !== null && 'password' in document ? document.password : undefined;
  return typeof password === 'string' && password !== '' ? password : undefined;
}

function isRegistration({ sent, received }: Attempt['wire'][number], uuid: string): boolean {
  return sent.bytes.includes(uuid) && /^HTTP\/\d\.\d 201 /m.test(received.bytes.toString('latin1'));
}
