import type { Clock, Timer } from '../base/kernel/clock.ts';
import { type Conversation, type ConversationStep, converse, type Peer } from '../wire/transport/raw-conversation.ts';
import type { RawAnswer } from '../wire/transport/raw-answer.ts';
import { type Attempt, type CaseVerdict, HOLDS, type Rule, type WireLog } from './case.ts';
import { answerText, type Expectation } from './expectation.ts';
import { type ConformanceRequest, curlLine, requestBytes, shellBytes } from './request.ts';

/** A step of a conversation; a request stands for its bytes. */
export type HttpStep = ConformanceRequest | ConversationStep;

/** Conversations that start at the same time, each over its own connection. */
export type Play = readonly (readonly HttpStep[])[];

/** A rule with what is sent and what is expected. Both are pure functions of `Given`, what the cases of an interface are given. */
export type HttpCase<Given> = Rule & {
  readonly slow?: true;
} & (
    | {
        /** Requests one after another, each over its own connection. The answer to the last is judged. */
        readonly ask: (given: Given) => readonly ConformanceRequest[];
        readonly expect: (given: Given) => Expectation;
      }
    | {
        readonly play: (given: Given) => Play;
        /** What was found, if it is not what the rule says. */
        readonly judge: (heard: readonly Conversation[], given: Given) => string | undefined;
        /** What the rule expects. */
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
  const conversing = (steps: readonly HttpStep[]) => converse(peer, steps.map(asStep), ports);
  const plays: Play[] = 'ask' in one ? one.ask(given).map((request) => [[request, { await: 'answer', bodyless: request.method === 'HEAD' }]]) : [one.play(given)];
  const heard: Conversation[] = [];
  for (const play of plays) heard.push(...(await Promise.all(play.map(conversing))));
  const verdict = 'ask' in one ? judgeAnswer(heard.at(-1), one.expect(given)) : judgePlay(one.judge(heard, given), one.expected);
  return { verdict, wire: heard.map((one) => wireLog(one, startedMs)), repeat: plays.flatMap((play) => repeatLines(play, base)) };
}

function asStep(step: HttpStep): ConversationStep {
  return 'method' in step ? { send: requestBytes(step) } : step;
}

function judgePlay(found: string | undefined, expected: string): CaseVerdict {
  return found === undefined ? HOLDS : { kind: 'broken', expected, found };
}

function judgeAnswer(heard: Conversation | undefined, expectation: Expectation): CaseVerdict {
  const last = heard && finalAnswer(heard);
  if (last !== undefined && last.isWhole && expectation.holds(last)) return HOLDS;
  return { kind: 'broken', expected: expectation.text, found: heard === undefined ? 'nothing' : heardText(heard) };
}

/** The first answer that is not an interim one. */
export function finalAnswer({ answers }: Conversation): RawAnswer | undefined {
  return answers.find(({ status, malformed }) => malformed !== undefined || status >= 200);
}

/** What came over a connection, in a few words. */
export function heardText(heard: Conversation): string {
  const { answers, reason, received } = heard;
  const [first, ...others] = answers.map(answerText);
  const unread = first === undefined && received.sizeBytes > 0 ? `${received.sizeBytes} bytes of no whole answer` : 'no answer';
  const all = [first ?? unread, ...others].join('; then ');
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

/** Lines that repeat a play: curl for single requests, otherwise the bytes with pauses into a connection. */
function repeatLines(play: Play, base: string): readonly string[] {
  return play.map((steps) => {
    const [first, second] = steps;
    const isSingle = steps.length === 2 && first !== undefined && 'method' in first && second !== undefined && 'await' in second;
    return isSingle ? curlLine(base, first) : rawLine(steps, base);
  });
}

const ANSWER_PAUSE_SECONDS = 2;

function rawLine(steps: readonly HttpStep[], base: string): string {
  const { hostname, port, protocol } = new URL(base);
  const isSecure = protocol === 'https:';
  const place = `${hostname}:${port || (isSecure ? 443 : 80)}`;
  const commands = steps.flatMap((step) => {
    if ('method' in step) return [shellBytes(requestBytes(step))];
    if ('send' in step) return [shellBytes(step.send)];
    if ('pauseMs' in step) return [`sleep ${step.pauseMs / 1000}`];
    return 'finish' in step ? [] : [`sleep ${ANSWER_PAUSE_SECONDS}`];
  });
  const client = isSecure ? `openssl s_client -quiet -connect ${place}` : `nc ${place.replace(/:(\d+)$/, ' $1')}`;
  return `{ ${commands.join('; ')}; } | ${client}`;
}
