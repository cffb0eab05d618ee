import { gunzipSync } from 'node:zlib';
import type { Clock, Timer } from '../base/kernel/clock.ts';
import { headerOf, type RawAnswer } from '../wire/transport/raw-answer.ts';
import { type Conversation, type ConversationStep, converse, type Peer } from '../wire/transport/raw-conversation.ts';
import { type CaseAttempt, type CaseVerdict, HOLDS, type Rule, type WireLog } from './case.ts';
import { answerText, type Expectation } from './expectation.ts';
import { type ConformanceRequest, curlLine, requestBytes, shellBytes } from './request.ts';

/** A step of a conversation; a request stands for its bytes. */
export type HttpStep = ConformanceRequest | ConversationStep;

/** Conversations that start at the same time, each over its own connection. */
export type Play = readonly (readonly HttpStep[])[];

/** A rule with what is sent and what is expected: pure functions of `Given`, what the cases of an interface are given. */
export type HttpCase<Given> = Rule & {
  /** Takes about half a minute. */
  readonly slow?: true;
} & (
    | {
        /** Requests one after another, each over its own connection. */
        readonly ask: (given: Given) => readonly ConformanceRequest[];
        /** Which answers are judged: the last, if absent. */
        readonly judged?: 'each';
        /** What another rule says; without it, this rule is not judged. */
        readonly presumes?: Expectation | ((given: Given) => Expectation);
        readonly expect: Expectation | ((given: Given) => Expectation);
      }
    | {
        readonly play: (given: Given) => readonly Play[];
        /** What was found instead of what the rule says; `HOLDS` if nothing, or why it cannot be judged. */
        readonly judge: (heard: readonly Conversation[], given: Given) => string | CaseVerdict;
        /** What the rule expects, in words. */
        readonly expected: string;
      }
  );

/** What a report shows of `Given`: values of the same length instead of secrets, and of those that a repetition needs new. */
export type ShownGiven<Given> = {
  readonly given: Given;
  /** Shell text for each of these values, such as `$MUSTER_API_KEY`. */
  readonly variables: readonly (readonly [value: string, variable: string])[];
  /** Left out of reports. */
  readonly secrets: readonly string[];
};

export type HttpPorts = {
  readonly peer: Peer;
  /** `http://host:port`, for lines that repeat a request. */
  readonly base: string;
  readonly clock: Clock;
  readonly timer: Timer;
};

/** Sends what the case says, and judges what came back. */
export async function attemptHttp<Given>(
  one: HttpCase<Given>,
  given: Given,
  { peer, base, shown, ...ports }: HttpPorts & { readonly shown: ShownGiven<Given>; readonly signal: AbortSignal },
): Promise<CaseAttempt> {
  const startedMs = ports.clock();
  const plays = playsOf(one, given);
  const heard: Conversation[] = [];
  for (const play of plays)
    heard.push(...(await Promise.all(play.map((steps) => converse(peer, steps.map(asStep), ports)))));
  const verdict = verdictOf(one, heard, given);
  return {
    verdict,
    wire: heard.map((one) => wireLog(one, startedMs, shown.secrets)),
    repeat: verdict.kind === 'broken' ? repeatLines(playsOf(one, shown.given).flat(), shown.variables, base) : [],
  };
}

function playsOf<Given>(one: HttpCase<Given>, given: Given): readonly Play[] {
  return 'ask' in one ? sequence(...one.ask(given)) : one.play(given);
}

/** Waits for the answer to a request other than HEAD. */
export const ANSWER: ConversationStep = { await: 'answer' };

export function answerTo({ method }: ConformanceRequest): ConversationStep {
  return { await: 'answer', bodyless: method === 'HEAD' };
}

/** Requests one after another, each over its own connection. */
export function sequence(...requests: readonly ConformanceRequest[]): readonly Play[] {
  return requests.map((request) => [[request, answerTo(request)]]);
}

/** Whether two answers have the same status; not judged if the first was refused already. */
export function sameStatus(first: Conversation | undefined, last: Conversation | undefined): string | CaseVerdict {
  const [before, after] = [first, last].map((heard) => heard && finalAnswer(heard)?.status);
  if (before === undefined || before >= 300) return { kind: 'untried', why: 'it presumes a success before' };
  return after === before || last === undefined ? HOLDS : heardText(last);
}

function asStep(step: HttpStep): ConversationStep {
  return 'method' in step ? { send: requestBytes(step) } : step;
}

function verdictOf<Given>(one: HttpCase<Given>, heard: readonly Conversation[], given: Given): CaseVerdict {
  if ('ask' in one) {
    const partOf = <T>(part: T | ((given: Given) => T)) =>
      typeof part === 'function' ? (part as (given: Given) => T)(given) : part;
    return judgeAnswers(one.judged === 'each' ? heard : heard.slice(-1), partOf(one.expect), partOf(one.presumes));
  }
  const found = one.judge(heard, given);
  return typeof found === 'string' ? { kind: 'broken', expected: one.expected, found } : found;
}

function judgeAnswers(
  all: readonly Conversation[],
  expectation: Expectation,
  presumes: Expectation | undefined,
): CaseVerdict {
  const strange = presumes && all.find((heard) => !meets(heard, presumes));
  if (strange !== undefined) return { kind: 'untried', why: `it presumes ${presumes?.text}` };
  const wrong = all.find((heard) => !meets(heard, expectation));
  return wrong === undefined ? HOLDS : { kind: 'broken', expected: expectation.text, found: heardText(wrong) };
}

/** Whether the whole answer is what is expected. */
export function meets(heard: Conversation, expectation: Expectation): boolean {
  const last = finalAnswer(heard);
  return last?.isWhole === true && last.malformed === undefined && expectation.holds(last);
}

/** The first answer that is not an interim one. */
export function finalAnswer({ answers }: Conversation): RawAnswer | undefined {
  const found = answers.find(({ status, malformed }) => malformed !== undefined || status >= 200);
  return found && { ...found, body: unpacked(found) };
}

const MAX_UNPACKED_BYTES = 1 << 20;

function unpacked(answer: RawAnswer): Buffer {
  if (!/^(x-)?gzip$/i.test(headerOf(answer, 'content-encoding') ?? '')) return answer.body;
  try {
    return gunzipSync(answer.body, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch {
    return answer.body;
  }
}

const MAX_SHOWN_ANSWERS = 3;

/** What came over a connection, in a few words. */
export function heardText({ answers, reason, received }: Conversation): string {
  const unread = received.sizeBytes > 0 ? `${received.sizeBytes} bytes, but no whole answer` : 'no answer';
  const all = answers.length === 0 ? unread : answers.slice(0, MAX_SHOWN_ANSWERS).map(answerText).join('; then ');
  return reason === '' ? all : `${all}; ${reason}`;
}

const MAX_KEPT_BYTES = 8 << 10;

export function wireLog(heard: Conversation, originMs: number, secrets: readonly string[]): WireLog {
  const { sent, received, startedMs, endedMs, end, reason } = heard;
  const without = (bytes: Buffer) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, '***'), bytes.toString('latin1', 0, MAX_KEPT_BYTES));
  return {
    sent: { ...sent, bytes: Buffer.from(without(sent.bytes), 'latin1') },
    received: { ...received, bytes: Buffer.from(without(received.bytes), 'latin1') },
    startedMs: startedMs - originMs,
    endedMs: endedMs - originMs,
    end: end === 'open' ? 'closed by Muster' : reason,
  };
}

/** Lines that repeat conversations, after those that set the variables. */
function repeatLines(
  conversations: readonly (readonly HttpStep[])[],
  variables: ShownGiven<unknown>['variables'],
  base: string,
): readonly string[] {
  const lines = conversations.map((steps) => repeatLine(steps, base));
  const used = variables.filter(([value]) => lines.some((line) => line.includes(value)));
  const named = lines.map((line) =>
    used.reduce((text, [value, variable]) => text.replaceAll(value, `'"$${variable}"'`), line),
  );
  return [...used.flatMap(([, variable]) => (/^UUID/.test(variable) ? [`${variable}=$(${NEW_UUID})`] : [])), ...named];
}

const NEW_UUID = 'uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid';

/** A line that repeats a conversation: curl for a single request, otherwise its bytes and pauses into a connection. */
function repeatLine(steps: readonly HttpStep[], base: string): string {
  const [first, second] = steps;
  const isSingle = steps.length === 2 && first !== undefined && 'method' in first;
  return isSingle && second !== undefined && 'await' in second ? curlLine(base, first) : rawLine(steps, base);
}

const ANSWER_PAUSE_SECONDS = 2;

function rawLine(steps: readonly HttpStep[], base: string): string {
  const { hostname, port, protocol } = new URL(base);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const commands = steps.flatMap((step) => {
    if ('method' in step) return [shellBytes(requestBytes(step))];
    if ('send' in step) return [shellBytes(step.send)];
    if ('pauseMs' in step) return [`sleep ${step.pauseMs / 1000}`];
    return 'finish' in step ? [] : [`sleep ${ANSWER_PAUSE_SECONDS}`];
  });
  const client =
    protocol === 'https:' ? `openssl s_client -quiet -connect ${hostname}:${port || 443}` : `nc ${host} ${port || 80}`;
  return `{ ${commands.join('; ')}; } | ${client}`;
}
