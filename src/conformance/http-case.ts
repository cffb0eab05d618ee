import { gunzipSync } from 'node:zlib';
import type { Clock, Timer } from '../base/kernel/clock.ts';
import { headerOf, type RawAnswer } from '../wire/transport/raw-answer.ts';
import { type Conversation, type ConversationStep, converse, type Peer } from '../wire/transport/raw-conversation.ts';
import { type CaseAttempt, type CaseVerdict, type Deviation, type Rule, verdictOf, type WireLog } from './case.ts';
import { answerText, type Expectation } from './expectation.ts';
import { type ConformanceRequest, type HttpStep, type ReportedFixture, type Round, requestBytes } from './request.ts';
import { repeatLines } from './shell-lines.ts';

/** A rule with what is sent and what is expected: pure functions of the fixture, what the cases of an interface work with. */
export type HttpCase<Fixture> = Rule & {
  /** Takes about half a minute. */
  readonly slow?: true;
} & (
    | {
        /** Requests one after another, each over its own connection. */
        readonly ask: (fixture: Fixture) => readonly ConformanceRequest[];
        /** Which answers are judged: each, if absent. */
        readonly judged?: 'last';
        /** What another rule says; without it, this rule is not judged. */
        readonly presumes?: Expectation | ((fixture: Fixture) => Expectation);
        readonly expect: Expectation | ((fixture: Fixture) => Expectation);
      }
    | {
        readonly rounds: (fixture: Fixture) => readonly Round[];
        readonly judge: (conversations: readonly Conversation[], fixture: Fixture) => Deviation;
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
export async function attemptHttp<Fixture>(
  one: HttpCase<Fixture>,
  fixture: Fixture,
  {
    peer,
    base,
    shown,
    ...ports
  }: HttpPorts & { readonly shown: ReportedFixture<Fixture>; readonly signal: AbortSignal },
): Promise<CaseAttempt> {
  const startedMs = ports.clock();
  const rounds = roundsOf(one, fixture);
  const conversations: Conversation[] = [];
  for (const round of rounds)
    conversations.push(...(await Promise.all(round.map((steps) => converse(peer, steps.map(asStep), ports)))));
  const verdict = judge(one, conversations, fixture);
  return {
    verdict,
    wire: conversations.map((one) => wireLog(one, startedMs, shown.secrets)),
    repeat: verdict.kind === 'broken' ? repeatLines(roundsOf(one, shown.fixture).flat(), shown.variables, base) : [],
  };
}

function roundsOf<Fixture>(one: HttpCase<Fixture>, fixture: Fixture): readonly Round[] {
  return 'ask' in one ? sequence(...one.ask(fixture)) : one.rounds(fixture);
}

/** Waits for the answer to a request other than HEAD. */
export const ANSWER: ConversationStep = { await: 'answer' };

export function answerTo({ method }: ConformanceRequest): ConversationStep {
  return { await: 'answer', bodyless: method === 'HEAD' };
}

/** Requests one after another, each over its own connection. */
export function sequence(...requests: readonly ConformanceRequest[]): readonly Round[] {
  return requests.map((request) => [[request, answerTo(request)]]);
}

/** What came over the connections, if it is not what was expected. */
export function holdsIf(condition: boolean, ...conversations: readonly (Conversation | undefined)[]): Deviation {
  if (condition) return undefined;
  return conversations
    .map((conversation) => (conversation ? conversationText(conversation) : 'nothing'))
    .join('; and ');
}

/** These steps over one connection. */
export function over(...steps: readonly HttpStep[]): readonly Round[] {
  return [[steps]];
}

/** Whether two answers have the same status; not judged if the first was refused already. */
export function sameStatus(first: Conversation | undefined, last: Conversation | undefined): Deviation {
  const [before, after] = [first, last].map((conversation) => conversation && finalAnswer(conversation)?.status);
  if (before === undefined || before >= 300) return { untried: 'it presumes a success before' };
  return after === before || last === undefined ? undefined : conversationText(last);
}

function asStep(step: HttpStep): ConversationStep {
  return 'method' in step ? { send: requestBytes(step) } : step;
}

function judge<Fixture>(one: HttpCase<Fixture>, conversations: readonly Conversation[], fixture: Fixture): CaseVerdict {
  if (!('ask' in one)) return verdictOf(one.expected, one.judge(conversations, fixture));
  const partOf = <T>(part: T | ((fixture: Fixture) => T)) =>
    typeof part === 'function' ? (part as (fixture: Fixture) => T)(fixture) : part;
  const all = one.judged === 'last' ? conversations.slice(-1) : conversations;
  const [expected, presumes] = [partOf(one.expect), partOf(one.presumes)];
  if (presumes !== undefined && !all.every((conversation) => meets(conversation, presumes)))
    return verdictOf(expected.text, { untried: `it presumes ${presumes.text}` });
  const wrong = all.find((conversation) => !meets(conversation, expected));
  return verdictOf(expected.text, wrong && conversationText(wrong));
}

/** Whether the whole answer is what is expected. */
export function meets(conversation: Conversation, expectation: Expectation): boolean {
  const last = finalAnswer(conversation);
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
export function conversationText({ answers, reason, received }: Conversation): string {
  const unread = received.sizeBytes > 0 ? `${received.sizeBytes} bytes, but no whole answer` : 'no answer';
  const all = answers.length === 0 ? unread : answers.slice(0, MAX_SHOWN_ANSWERS).map(answerText).join('; then ');
  return reason === '' ? all : `${all}; ${reason}`;
}

const MAX_KEPT_BYTES = 8 << 10;

export function wireLog(conversation: Conversation, originMs: number, secrets: readonly string[]): WireLog {
  const { sent, received, startedMs, endedMs, end, reason } = conversation;
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
