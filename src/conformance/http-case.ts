import type { Clock, Timer } from '../base/kernel/clock.ts';
import type { RawAnswer } from '../wire/transport/raw-answer.ts';
import { type Conversation, type ConversationStep, converse, type Peer } from '../wire/transport/raw-conversation.ts';
import { type Attempt, type CaseVerdict, HOLDS, type Rule, type WireLog } from './case.ts';
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
        readonly presumes?: Expectation;
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
  { peer, base, ...ports }: HttpPorts & { readonly signal: AbortSignal },
): Promise<Attempt> {
  const startedMs = ports.clock();
  const plays = 'ask' in one ? one.ask(given).map((request): Play => [[request, answerTo(request)]]) : one.play(given);
  const heard: Conversation[] = [];
  for (const play of plays)
    heard.push(...(await Promise.all(play.map((steps) => converse(peer, steps.map(asStep), ports)))));
  const verdict = verdictOf(one, heard, given);
  const conversations = verdict.kind === 'broken' ? plays.flat() : [];
  return {
    verdict,
    wire: heard.map((one) => wireLog(one, startedMs)),
    repeat: conversations.map((steps) => repeatLine(steps, base)),
  };
}

export function answerTo({ method }: ConformanceRequest): ConversationStep {
  return { await: 'answer', bodyless: method === 'HEAD' };
}

function asStep(step: HttpStep): ConversationStep {
  return 'method' in step ? { send: requestBytes(step) } : step;
}

function verdictOf<Given>(one: HttpCase<Given>, heard: readonly Conversation[], given: Given): CaseVerdict {
  if ('ask' in one) {
    const expectation = typeof one.expect === 'function' ? one.expect(given) : one.expect;
    return judgeAnswers(one.judged === 'each' ? heard : heard.slice(-1), expectation, one.presumes);
  }
  const found = one.judge(heard, given);
  return typeof found === 'string' ? { kind: 'broken', expected: one.expected, found } : found;
}

function judgeAnswers(
  all: readonly Conversation[],
  expectation: Expectation,
  presumes: Expectation | undefined,
): CaseVerdict {
  const strange = presumes && all.find((heard) => !isAnswered(heard, presumes));
  if (strange !== undefined) return { kind: 'untried', why: `it presumes ${presumes?.text}` };
  const wrong = all.find((heard) => !isAnswered(heard, expectation));
  return wrong === undefined ? HOLDS : { kind: 'broken', expected: expectation.text, found: heardText(wrong) };
}

/** Whether the whole answer is what is expected. */
export function isAnswered(heard: Conversation, expectation: Expectation): boolean {
  const last = finalAnswer(heard);
  return last?.isWhole === true && last.malformed === undefined && expectation.holds(last);
}

/** The first answer that is not an interim one. */
export function finalAnswer({ answers }: Conversation): RawAnswer | undefined {
  return answers.find(({ status, malformed }) => malformed !== undefined || status >= 200);
}

/** What came over a connection, in a few words. */
export function heardText({ answers, reason, received }: Conversation): string {
  const unread = received.sizeBytes > 0 ? `${received.sizeBytes} bytes, but no whole answer` : 'no answer';
  const all = answers.length === 0 ? unread : answers.map(answerText).join('; then ');
  return reason === '' ? all : `${all}; ${reason}`;
}

const MOST_KEPT_BYTES = 8 << 10;

function wireLog({ sent, received, startedMs, endedMs, end, reason }: Conversation, originMs: number): WireLog {
  const kept = Buffer.from(received.bytes.subarray(0, MOST_KEPT_BYTES));
  return {
    sent,
    received: { bytes: kept, sizeBytes: received.sizeBytes },
    startedMs: startedMs - originMs,
    endedMs: endedMs - originMs,
    end: end === 'open' ? 'closed by Muster' : reason,
  };
}

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
