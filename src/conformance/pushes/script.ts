import type { Clock, Timer } from '../../base/kernel/clock.ts';
import { printable } from '../../base/kernel/printable.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { type CaseAttempt, type CaseVerdict, HOLDS, type WireBytes, type WireLog } from '../case.ts';
import { untried } from '../run.ts';
import {
  type AnswerContext,
  CHECKS_TAKEN,
  PACKAGES_REFUSED,
  PACKAGES_TAKEN,
  type ScriptedAnswer,
  scripted,
  scriptedJson,
} from './answer.ts';
import type { TlsPolicy, WaitingPush } from './inbox.ts';
import type { AnswerCase, Found, LookCase, PushCase } from './push-case.ts';
import type { ReceivedPush } from './request.ts';

export type ScriptSettings = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** The port for TLS, once it is open. */
  readonly securePort: () => number;
  /** What a registration gets. */
  readonly password: string;
  /** How long an agent may be silent. */
  readonly patienceMs: number;
  /** What an agent did that no case covers. */
  readonly strange: (what: string) => void;
};

const MAX_LOGGED = 10_000;
/** Requests to each endpoint whose bodies are kept. */
const KEPT_BODIES = 3;
/** Requests that a case may answer before one of its own comes. */
const MAX_OTHERS = 4;
const FOREIGN_LIMIT_MS = 5000;
const MAX_REPORTED = 3;

type Answered = { readonly arrival: WaitingPush; readonly answer: ScriptedAnswer; readonly heldMs: number | undefined };

/** Takes an agent through cases. Each request of the agent ends one case and starts the next. */
export function createScript({ clock, timer, securePort, password, patienceMs, strange }: ScriptSettings) {
  const line: WaitingPush[] = [];
  const log: ReceivedPush[] = [];
  let wake = (): void => {};
  let early: ScriptedAnswer | undefined;
  let tls: TlsPolicy = {};
  /** Why nothing more can be tried. */
  let over: string | undefined;
  let packages = 0;
  /** The UUID of the agent, and its connections. */
  let own: string | undefined;
  const connections = new Set<number>();
  let foreign = 0;

  /** Another agent's, which must not be taken for this one's. */
  const isForeign = ({ members: { agentuuid }, connection, target }: ReceivedPush): boolean => {
    own ??= String(agentuuid);
    const isOwn = agentuuid === undefined || agentuuid === own || connections.has(connection);
    if (isOwn) connections.add(connection);
    else if (foreign++ < MAX_REPORTED) strange(`another agent sends ${printable(target).slice(0, 80)} and gets 404`);
    return !isOwn;
  };
  const contextOf = ({ fields, members, target }: ReceivedPush): AnswerContext => {
    const host = fields.find(([name]) => /^(host|:authority)$/i.test(name))?.[1] ?? '';
    const secureUrl = `https://${host.replace(/:\d+$/, '')}:${securePort()}`;
    return { host, secureUrl, target, uuid: String(members.agentuuid), password };
  };
  const reply = async (arrival: WaitingPush, answer: ScriptedAnswer, signal: AbortSignal): Promise<Answered> => {
    line.splice(line.indexOf(arrival), 1);
    const given = new AbortController();
    const callOff = timer(patienceMs, () => given.abort());
    const sent = await arrival.answer(answer, AbortSignal.any([signal, given.signal]));
    callOff();
    return { arrival, answer, ...sent };
  };
  const replyAsUsual = (arrival: WaitingPush, signal: AbortSignal) =>
    reply(arrival, usualAnswer(arrival.request, contextOf(arrival.request)), signal);

  /** The next request, which stays in line; `undefined` if none comes. Packages are answered here, the first with a refusal. */
  const upcoming = async (signal: AbortSignal): Promise<WaitingPush | undefined> => {
    for (const deadline = clock() + patienceMs; !signal.aborted; ) {
      const [first] = line;
      const leftMs = deadline - clock();
      if (first?.request.endpoint === 'submit_package_info')
        await reply(first, packages++ === 0 ? PACKAGES_REFUSED : PACKAGES_TAKEN, signal);
      else if (first !== undefined || leftMs <= 0) return first ?? fellSilent();
      else await arrivalWithin(leftMs, signal);
    }
    return undefined;
  };
  const fellSilent = (): undefined => {
    const last = log.at(-1);
    over ??= last === undefined ? 'no agent came' : `the agent fell silent after ${lineOf(last)}`;
  };
  const arrivalWithin = (limitMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        callOff();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const callOff = timer(limitMs, done);
      signal.addEventListener('abort', done);
      wake = done;
    });

  /** The next request to the endpoint, or why there is none. Others get usual answers, which may lead the agent there. */
  const requestTo = async ({ endpoint }: PushCase, signal: AbortSignal): Promise<WaitingPush | string> => {
    for (let others = 0; others < MAX_OTHERS; others++) {
      const arrival = await upcoming(signal);
      if (arrival === undefined || arrival.request.endpoint === endpoint) return arrival ?? silence();
      if (endpoint === 'register_agent' && arrival.request.endpoint !== undefined)
        return 'the agent already has a password; stop it, delete its auth.json and start it again';
      await replyAsUsual(arrival, signal);
    }
    return `the agent sends other requests, such as ${lineOf(log.at(-1))}`;
  };
  const silence = () => `no request for ${formatDuration(patienceMs)}`;

  /** The first request of a case; the answer to it may have to be sent before it is complete. */
  const firstRequest = async (one: PushCase & AnswerCase, signal: AbortSignal): Promise<WaitingPush | string> => {
    tls = one.tls ?? {};
    const arrival = await requestTo(one, signal);
    if (one.early === undefined || typeof arrival === 'string') return arrival;
    await replyAsUsual(arrival, signal);
    early = one.early;
    const next = await requestTo(one, signal);
    early = undefined;
    return next;
  };
  const play = async (one: PushCase & AnswerCase, signal: AbortSignal): Promise<CaseAttempt> => {
    const startedMs = clock();
    const answered: Answered[] = [];
    let arrival = await firstRequest(one, signal);
    for (const make of one.answers) {
      if (typeof arrival === 'string') break;
      answered.push(await reply(arrival, make(contextOf(arrival.request)), signal));
      arrival = (await upcoming(signal)) ?? silence();
    }
    if (answered.length === 0 && typeof arrival === 'string') return untried(arrival);
    const requests = answered.map(({ arrival: { request } }) => request);
    const heldMs = answered.find((each) => each.heldMs !== undefined)?.heldMs;
    const found =
      typeof arrival === 'string'
        ? arrival
        : one.judge({
            requests,
            next: arrival.request,
            heldMs,
            intervalMs: intervalIn(log),
            keepsConnections: reuses(log),
          });
    return { verdict: verdictOf(one, found), wire: wireOf(answered, startedMs), repeat: [] };
  };

  const look = async (one: PushCase & LookCase, signal: AbortSignal): Promise<CaseAttempt> => {
    const requests = () => log.filter(({ endpoint }) => endpoint === one.endpoint);
    for (const deadline = clock() + patienceMs; requests().length < one.needs && clock() < deadline; ) {
      const arrival = await upcoming(signal);
      if (arrival === undefined) return untried(silence());
      // The request that completes them stays in line for the next case.
      if (requests().length < one.needs && !(await answerFor(one, arrival, signal))) break;
    }
    const { length } = requests();
    if (length < one.needs) return untried(`too few requests to ${one.endpoint}: ${length} of ${one.needs}`);
    return { verdict: verdictOf(one, one.look(requests(), { all: log, password })), wire: [], repeat: [] };
  };
  /** Answers a request so that another one to the endpoint may follow; not if none can. */
  const answerFor = async ({ endpoint }: PushCase, arrival: WaitingPush, signal: AbortSignal): Promise<boolean> => {
    if (endpoint !== 'register_agent') await replyAsUsual(arrival, signal);
    else if (arrival.request.endpoint === 'submit_checkdata') return false;
    else await reply(arrival, scripted({ status: 404 }), signal);
    return true;
  };

  return {
    arrived: (arrival: WaitingPush): void => {
      if (isForeign(arrival.request)) {
        void arrival.answer(scripted({ status: 404 }), AbortSignal.timeout(FOREIGN_LIMIT_MS));
        return;
      }
      const request = { ...arrival.request, overlaps: line.length > 0 };
      log.push(lightened(request, log));
      if (log.length > MAX_LOGGED) log.shift();
      line.push({ ...arrival, request });
      wake();
    },
    earlyAnswer: () => early,
    tlsPolicy: () => tls,
    /** Whether any agent came. */
    hasBegun: () => log.length > 0,
    attempt: (one: PushCase, signal: AbortSignal): Promise<CaseAttempt> => {
      if (over !== undefined) return Promise.resolve(untried(over));
      return 'answers' in one ? play(one, signal) : look(one, signal);
    },
  };
}

function lightened(request: ReceivedPush, log: readonly ReceivedPush[]): ReceivedPush {
  if (log.filter(({ endpoint }) => endpoint === request.endpoint).length < KEPT_BODIES) return request;
  const { agentuuid, password } = request.members;
  return { ...request, body: Buffer.alloc(0), members: { agentuuid, password } };
}

function usualAnswer({ endpoint }: ReceivedPush, { uuid, password }: AnswerContext): ScriptedAnswer {
  if (endpoint === 'register_agent') return scriptedJson(201, { agentuuid: uuid, password });
  return endpoint === 'submit_checkdata' ? CHECKS_TAKEN : scripted({ status: 404 });
}

/** The median of the times between requests to the same endpoint; `undefined` with fewer than three. */
function intervalIn(log: readonly ReceivedPush[]): number | undefined {
  const gaps = log.flatMap(({ endpoint, arrivedMs }, at) => {
    const before = log[at - 1];
    return before !== undefined && before.endpoint === endpoint ? [arrivedMs - before.arrivedMs] : [];
  });
  return gaps.length < 3 ? undefined : gaps.sort((a, b) => a - b)[gaps.length >> 1];
}

/** Whether any two requests in a row came over one connection. */
function reuses(log: readonly ReceivedPush[]): boolean {
  return log.some(({ connection }, at) => log[at - 1]?.connection === connection);
}

function verdictOf({ expected }: PushCase, found: Found): CaseVerdict {
  if (typeof found === 'object') return { kind: 'untried', why: found.untried };
  return found === undefined ? HOLDS : { kind: 'broken', expected, found };
}

export function lineOf(request: ReceivedPush | undefined): string {
  return request === undefined ? 'nothing' : `${request.method} ${request.target}`;
}

const MAX_KEPT_BYTES = 4096;

function recorded(...parts: readonly Buffer[]): WireBytes {
  const sizeBytes = parts.reduce((sum, { length }) => sum + length, 0);
  return {
    bytes: Buffer.concat(parts.map((part) => part.subarray(0, MAX_KEPT_BYTES))).subarray(0, MAX_KEPT_BYTES),
    sizeBytes,
  };
}

function wireOf(answered: readonly Answered[], originMs: number): readonly WireLog[] {
  return answered.map(({ arrival: { request }, answer, heldMs }) => ({
    received: recorded(Buffer.from(`${request.head}\r\n\r\n`, 'latin1'), request.body),
    sent: recorded(Buffer.from(answer.bytes as string, 'latin1')),
    startedMs: request.arrivedMs - originMs,
    endedMs: request.arrivedMs - originMs + (heldMs ?? 0),
    end:
      heldMs === undefined
        ? `answered on connection ${request.connection}`
        : `closed by the agent after ${formatDuration(heldMs)}`,
  }));
}
