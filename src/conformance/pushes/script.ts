import { type Clock, type Timer, within } from '../../base/kernel/clock.ts';
import { printable } from '../../base/kernel/printable.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { type CaseAttempt, verdictOf, type WireBytes, type WireLog } from '../case.ts';
import { untried, withLimit } from '../run.ts';
import {
  type AnswerContext,
  CHECKS_ACCEPTED,
  PACKAGES_ACCEPTED,
  PACKAGES_REFUSED,
  type ScriptedAnswer,
  scripted,
  scriptedJson,
} from './answer.ts';
import type { AnswerCase, ObservationCase, PushCase } from './push-case.ts';
import { type ReceivedPush, requestLine } from './request.ts';
import type { PendingPush, TlsPolicy } from './scripted-server.ts';

export type ScriptSettings = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** The port for TLS, once it is open. */
  readonly securePort: () => number;
  /** What a registration gets. */
  readonly password: string;
  /** How long an agent may be silent. */
  readonly patienceMs: number;
  /** Called with what an agent did that no case covers. */
  readonly warn: (text: string) => void;
};

/** Takes one agent through cases. Each request of the agent ends one case and starts the next. */
export function createScript(settings: ScriptSettings) {
  const script: Script = {
    settings,
    pushes: createPendingPushes(settings.timer),
    early: undefined,
    tls: {},
    packagePushes: 0,
    end: undefined,
  };
  const isForeign = createForeignFilter(settings.warn);
  return {
    arrived: (push: PendingPush): void => {
      if (!isForeign(push.request)) script.pushes.add(push);
      else void push.answer(NOT_FOUND, AbortSignal.timeout(FOREIGN_LIMIT_MS));
    },
    earlyAnswer: () => script.early,
    tlsPolicy: () => script.tls,
    /** Whether any agent came. */
    hasBegun: () => script.pushes.log.length > 0,
    attempt: (one: PushCase, signal: AbortSignal): Promise<CaseAttempt> => {
      if (script.end !== undefined) return Promise.resolve(untried(script.end));
      const turn = { script, signal };
      return one.kind === 'answers' ? tryAnswers(turn, one) : tryObservation(turn, one);
    },
  };
}

type Script = {
  readonly settings: ScriptSettings;
  readonly pushes: ReturnType<typeof createPendingPushes>;
  /** What the current case sends before the body of a request has arrived. */
  early: ScriptedAnswer | undefined;
  /** What the current case admits. */
  tls: TlsPolicy;
  /** Pushes of package information that were answered. */
  packagePushes: number;
  /** Why nothing more can be tried. */
  end: string | undefined;
};

/** An attempt of one case. */
type Turn = { readonly script: Script; readonly signal: AbortSignal };

const FOREIGN_LIMIT_MS = 5000;
const MAX_WARNINGS = 3;
const NOT_FOUND = scripted({ status: 404 });

/** Tells requests of other agents, which must not be taken for those of the first one, by UUID and connection. */
function createForeignFilter(warn: ScriptSettings['warn']): (request: ReceivedPush) => boolean {
  const connections = new Set<number>();
  let uuid: string | undefined;
  let warnings = 0;
  return ({ members: { agentuuid }, connection, target }) => {
    uuid ??= String(agentuuid);
    if (agentuuid === undefined || agentuuid === uuid || connections.has(connection)) {
      connections.add(connection);
      return false;
    }
    if (warnings++ < MAX_WARNINGS) warn(`another agent sends ${printable(target).slice(0, 80)} and gets 404`);
    return true;
  };
}

async function tryAnswers(turn: Turn, one: PushCase & AnswerCase): Promise<CaseAttempt> {
  const { clock } = turn.script.settings;
  const { log } = turn.script.pushes;
  const startedMs = clock();
  const answered: AnsweredPush[] = [];
  let push = await firstPush(turn, one);
  for (const answer of one.answers) {
    if (typeof push === 'string') break;
    const context = contextOf(turn.script, push.request);
    answered.push(await reply(turn, push, typeof answer === 'function' ? answer(context) : answer));
    push = (await nextPush(turn)) ?? silence(turn.script);
  }
  if (answered.length === 0 && typeof push === 'string') return untried(push);
  const deviation =
    typeof push === 'string'
      ? push
      : one.judge({
          requests: answered.map(({ push: { request } }) => request),
          next: push.request,
          waitedMs: answered.find(({ waitedMs }) => waitedMs !== undefined)?.waitedMs,
          intervalMs: intervalIn(log),
          keepsConnections: log.some(({ connection }, index) => log[index - 1]?.connection === connection),
        });
  return { verdict: verdictOf(one.expected, deviation), wire: wireOf(answered, startedMs), repeat: [] };
}

/** The first request of a case; the answer to it may have to be sent before it is complete. */
async function firstPush(turn: Turn, one: PushCase & AnswerCase): Promise<PendingPush | string> {
  const { script } = turn;
  script.tls = one.tls ?? {};
  const push = await pushTo(turn, one);
  if (one.early === undefined || typeof push === 'string') return push;
  await replyAsUsual(turn, push);
  script.early = one.early;
  const next = await pushTo(turn, one);
  script.early = undefined;
  return next;
}

async function tryObservation(turn: Turn, one: PushCase & ObservationCase): Promise<CaseAttempt> {
  const { settings, pushes } = turn.script;
  const { clock, patienceMs, password } = settings;
  const requests = () => pushes.log.filter(({ endpoint }) => endpoint === one.endpoint);
  for (const deadlineMs = clock() + patienceMs; requests().length < one.needs && clock() < deadlineMs; ) {
    const push = await nextPush(turn);
    if (push === undefined) return untried(silence(turn.script));
    // The request that completes them stays in line for the next case.
    if (requests().length < one.needs && !(await replyForAnother(turn, push, one))) break;
  }
  const { length } = requests();
  if (length < one.needs) return untried(`too few requests to ${one.endpoint}: ${length} of ${one.needs}`);
  return {
    verdict: verdictOf(one.expected, one.observe(requests(), { all: pushes.log, password })),
    wire: [],
    repeat: [],
  };
}

/** Answers a request so that another one to the endpoint may follow; returns whether one can. */
async function replyForAnother(turn: Turn, push: PendingPush, { endpoint }: PushCase): Promise<boolean> {
  if (endpoint !== 'register_agent') await replyAsUsual(turn, push);
  else if (push.request.endpoint === 'submit_checkdata') return false;
  else await reply(turn, push, NOT_FOUND);
  return true;
}

/** Requests to other endpoints that a case may answer before one of its own comes. */
const MAX_OTHERS = 4;

/** The next request to the endpoint, or why there is none. Others get usual answers, which may lead the agent there. */
async function pushTo(turn: Turn, { endpoint }: PushCase): Promise<PendingPush | string> {
  for (let others = 0; others < MAX_OTHERS; others++) {
    const push = await nextPush(turn);
    if (push === undefined || push.request.endpoint === endpoint) return push ?? silence(turn.script);
    if (endpoint === 'register_agent' && push.request.endpoint !== undefined)
      return 'the agent already has a password; stop it, delete its auth.json and start it again';
    await replyAsUsual(turn, push);
  }
  return `the agent sends other requests, such as ${requestLine(turn.script.pushes.log.at(-1))}`;
}

/** The next request, which stays in line; `undefined` if none comes. Packages are answered here, the first with a refusal. */
async function nextPush(turn: Turn): Promise<PendingPush | undefined> {
  const { script, signal } = turn;
  const { clock, patienceMs } = script.settings;
  for (const deadlineMs = clock() + patienceMs; !signal.aborted; ) {
    const first = script.pushes.first();
    const leftMs = deadlineMs - clock();
    if (first?.request.endpoint === 'submit_package_info')
      await reply(turn, first, script.packagePushes++ === 0 ? PACKAGES_REFUSED : PACKAGES_ACCEPTED);
    else if (first !== undefined) return first;
    else if (leftMs > 0) await script.pushes.nextArrival(leftMs, signal);
    else {
      const last = script.pushes.log.at(-1);
      script.end ??= last === undefined ? 'no agent came' : `the agent fell silent after ${requestLine(last)}`;
      return undefined;
    }
  }
  return undefined;
}

function silence({ settings }: Script): string {
  return `no request for ${formatDuration(settings.patienceMs)}`;
}

type AnsweredPush = {
  readonly push: PendingPush;
  readonly answer: ScriptedAnswer;
  readonly waitedMs: number | undefined;
};

async function reply({ script, signal }: Turn, push: PendingPush, answer: ScriptedAnswer): Promise<AnsweredPush> {
  const { timer, patienceMs } = script.settings;
  script.pushes.remove(push);
  const { waitedMs } = await withLimit({ timer, signal }, patienceMs, (limit) => push.answer(answer, limit));
  return { push, answer, waitedMs };
}

function replyAsUsual(turn: Turn, push: PendingPush): Promise<AnsweredPush> {
  return reply(turn, push, usualAnswer(push.request, contextOf(turn.script, push.request)));
}

function usualAnswer({ endpoint }: ReceivedPush, { uuid, password }: AnswerContext): ScriptedAnswer {
  if (endpoint === 'register_agent') return scriptedJson(201, { agentuuid: uuid, password });
  return endpoint === 'submit_checkdata' ? CHECKS_ACCEPTED : NOT_FOUND;
}

function contextOf({ settings }: Script, { fields, members, target }: ReceivedPush): AnswerContext {
  const host = fields.find(([name]) => /^(host|:authority)$/i.test(name))?.[1] ?? '';
  const secureUrl = `https://${host.replace(/:\d+$/, '')}:${settings.securePort()}`;
  return { host, secureUrl, target, uuid: String(members.agentuuid), password: settings.password };
}

/** The median of the times between requests to the same endpoint; `undefined` with fewer than three. */
function intervalIn(log: readonly ReceivedPush[]): number | undefined {
  const gaps = log.flatMap(({ endpoint, arrivedMs }, index) => {
    const before = log[index - 1];
    return before !== undefined && before.endpoint === endpoint ? [arrivedMs - before.arrivedMs] : [];
  });
  return gaps.length < 3 ? undefined : gaps.sort((a, b) => a - b)[gaps.length >> 1];
}

function wireOf(answered: readonly AnsweredPush[], originMs: number): readonly WireLog[] {
  return answered.map(({ push: { request }, answer, waitedMs }) => ({
    received: wireBytes(Buffer.from(`${request.head}\r\n\r\n`, 'latin1'), request.body),
    sent: wireBytes(answer.bytes),
    startedMs: request.arrivedMs - originMs,
    endedMs: request.arrivedMs - originMs + (waitedMs ?? 0),
    end:
      waitedMs === undefined
        ? `answered on connection ${request.connection}`
        : `closed by the agent after ${formatDuration(waitedMs)}`,
  }));
}

const MAX_KEPT_BYTES = 4096;

function wireBytes(...parts: readonly Buffer[]): WireBytes {
  return {
    bytes: Buffer.concat(parts.map((part) => part.subarray(0, MAX_KEPT_BYTES))).subarray(0, MAX_KEPT_BYTES),
    sizeBytes: parts.reduce((sum, { length }) => sum + length, 0),
  };
}

const MAX_LOGGED = 10_000;
/** Requests to each endpoint whose bodies are kept. */
const KEPT_BODIES = 3;

/** Requests that wait for their answers, in the order of arrival, and a log of all. */
function createPendingPushes(timer: Timer) {
  const pending: PendingPush[] = [];
  const log: ReceivedPush[] = [];
  let wake = (): void => {};
  return {
    log: log as readonly ReceivedPush[],
    add: (arrival: PendingPush): void => {
      const request = { ...arrival.request, overlaps: pending.length > 0 };
      log.push(hasEnoughBodies(log, request) ? withoutBody(request) : request);
      if (log.length > MAX_LOGGED) log.shift();
      pending.push({ ...arrival, request });
      wake();
    },
    first: (): PendingPush | undefined => pending[0],
    remove: (push: PendingPush): void => void pending.splice(pending.indexOf(push), 1),
    /** Resolves at the next arrival, after this time, or at the signal. */
    nextArrival: async (limitMs: number, signal: AbortSignal): Promise<void> => {
      const arrival = Promise.withResolvers<void>();
      const end = (): void => arrival.resolve();
      wake = end;
      signal.addEventListener('abort', end);
      await within(timer, limitMs, arrival.promise);
      signal.removeEventListener('abort', end);
    },
  };
}

function hasEnoughBodies(log: readonly ReceivedPush[], { endpoint }: ReceivedPush): boolean {
  return log.filter((request) => request.endpoint === endpoint).length >= KEPT_BODIES;
}

function withoutBody(request: ReceivedPush): ReceivedPush {
  const { agentuuid, password } = request.members;
  return { ...request, body: Buffer.alloc(0), members: { agentuuid, password } };
}
