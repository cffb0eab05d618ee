import type { ExchangeEvidence } from '../../base/protocol/exchange.ts';
import { redactedEvidence, type Witness } from './evidence.ts';
import type { Outcome } from './outcomes.ts';
import type { Evidence } from './schema.ts';

/** Traced agents: one agent by its index in the fleet, or all if `undefined`. */
export type TraceScope = { readonly agent: number | undefined };

/** Operation of a message, and when it was on the wire. */
export type TraceSubject = Pick<Evidence, 'phase' | 'operation'> & Witness;

/** A trace message: without secrets, printable, and of bounded length. */
export type TracedMessage =
  | (Traced & { readonly kind: 'request' })
  | (Traced & {
      readonly kind: 'answer';
      /** How the operation ended; `undefined` if it continues with another request. */
      readonly outcome: Outcome | undefined;
      /** Since the start of its request. */
      readonly serviceMs: number;
    })
  /** Operations that were skipped because the reader was too slow. */
  | { readonly kind: 'left_out'; readonly operations: number };

type Traced = Omit<TraceSubject, 'secrets'> & Partial<ExchangeEvidence>;

/** Traces requests and answers of a shard's agents. It never waits for the reader, but skips operations. */
export type Trace = {
  /** Whether an agent, by its index in the fleet, is followed. */
  follows(agent: number): boolean;
  /** A traced agent sends a request; calls `read` only if the request is reported. */
  request(subject: TraceSubject, read: () => Pick<ExchangeEvidence, 'head' | 'body'>): void;
  /** Result of a request. An operation may fail without a request. */
  answer(subject: TraceSubject, end: TraceEnd, read: () => ExchangeEvidence): void;
  /** A message has reached its reader. */
  shown(): void;
  /** No more operations follow. */
  end(): void;
};

type TraceEnd = Pick<Extract<TracedMessage, { kind: 'answer' }>, 'outcome' | 'serviceMs'>;

// Maximum number of a shard's messages in flight to the reader; messages of operations that already started may exceed it.
const MAX_IN_FLIGHT = 100;

/** @param secrets values that no message may show, such as API keys. */
export function createTrace(
  { agent: only }: TraceScope,
  secrets: readonly string[],
  show: (message: TracedMessage) => void,
): Trace {
  /** Whether an agent's current operation is traced; constant from its request to its answer. */
  const inFlight = new Map<number, boolean>();
  let onTheWay = 0;
  let leftOut = 0;
  const send = (message: TracedMessage): void => {
    onTheWay++;
    show(message);
  };
  const showLeftOut = (): void => {
    if (leftOut > 0) send({ kind: 'left_out', operations: leftOut });
    leftOut = 0;
  };
  const isTraced = (agent: number): boolean => {
    const known = inFlight.get(agent);
    if (known !== undefined) return known;
    const isShown = onTheWay < MAX_IN_FLIGHT;
    inFlight.set(agent, isShown);
    if (isShown) showLeftOut();
    else leftOut++;
    return isShown;
  };
  const traced = tracedWithout(secrets);
  return {
    follows: (agent) => only === undefined || only === agent,
    request(subject, read) {
      if (isTraced(subject.agent)) send({ kind: 'request', ...traced(subject, { ...read(), reason: '' }) });
    },
    answer(subject, end, read) {
      if (isTraced(subject.agent)) send({ kind: 'answer', ...traced(subject, read()), ...end });
      if (end.outcome !== undefined) inFlight.delete(subject.agent);
    },
    shown() {
      onTheWay--;
    },
    end: showLeftOut,
  };
}

/** Formats messages without these secrets and those of their subject. */
function tracedWithout(secrets: readonly string[]): (subject: TraceSubject, evidence: ExchangeEvidence) => Traced {
  return ({ secrets: own, ...subject }, evidence) => ({
    ...subject,
    ...redactedEvidence(evidence, [...secrets, ...own]),
  });
}

/** Recent traffic of a traced agent. */
export type ReportedMessages = {
  readonly request: Extract<TracedMessage, { readonly kind: 'request' }> | undefined;
  readonly answer: Extract<TracedMessage, { readonly kind: 'answer' }> | undefined;
};

type Following = Pick<Trace, 'follows' | 'request' | 'answer'>;

/** Traces a few agents, and keeps the last request and answer of each. */
export type Follower = Following & {
  /** Returns what an agent, by its index in the fleet, has sent and received since the first call. That call starts tracing the agent. */
  look(agent: number): ReportedMessages;
};

/** Another agent replaces the least recently requested one. */
const MAX_FOLLOWED = 16;

export function createFollower(secrets: readonly string[]): Follower {
  const followed = new Map<number, ReportedMessages>();
  const traced = tracedWithout(secrets);
  const note = (agent: number, part: Partial<ReportedMessages>): void => {
    const known = followed.get(agent);
    if (known !== undefined) followed.set(agent, { ...known, ...part });
  };
  return {
    follows: (agent) => followed.size !== 0 && followed.has(agent),
    request: (subject, read) =>
      note(subject.agent, {
        request: { kind: 'request', ...traced(subject, { ...read(), reason: '' }) },
        answer: undefined,
      }),
    answer: (subject, end, read) =>
      note(subject.agent, { answer: { kind: 'answer', ...traced(subject, read()), ...end } }),
    look: (agent) => {
      const seen = followed.get(agent) ?? { request: undefined, answer: undefined };
      followed.delete(agent);
      followed.set(agent, seen);
      const [oldest] = followed.size > MAX_FOLLOWED ? followed.keys() : [];
      if (oldest !== undefined) followed.delete(oldest);
      return seen;
    },
  };
}

export function traceToBoth(first: Following | undefined, second: Following): Following {
  if (first === undefined) return second;
  const followersOf = (agent: number) => [first, second].filter((one) => one.follows(agent));
  return {
    follows: (agent) => first.follows(agent) || second.follows(agent),
    request: (subject, read) => {
      for (const one of followersOf(subject.agent)) one.request(subject, read);
    },
    answer: (subject, end, read) => {
      for (const one of followersOf(subject.agent)) one.answer(subject, end, read);
    },
  };
}
