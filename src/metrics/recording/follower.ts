import { type Trace, type TracedMessage, tracedWithout } from './trace.ts';

/** Recent traffic of a traced agent. */
export type SeenMessages = {
  readonly request: Extract<TracedMessage, { readonly kind: 'request' }> | undefined;
  readonly answer: Extract<TracedMessage, { readonly kind: 'answer' }> | undefined;
};

type Following = Pick<Trace, 'follows' | 'request' | 'answer'>;

/** Traces a few agents, and keeps the last request and answer of each. */
export type Follower = Following & {
  /** Returns what an agent, by its index in the fleet, has sent and received since the first call. That call starts tracing the agent. */
  look(agent: number): SeenMessages;
};

/** Another agent replaces the least recently requested one. */
const MOST_FOLLOWED = 16;

export function createFollower(secrets: readonly string[]): Follower {
  const followed = new Map<number, SeenMessages>();
  const traced = tracedWithout(secrets);
  const note = (agent: number, part: Partial<SeenMessages>): void => {
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
      const [oldest] = followed.size > MOST_FOLLOWED ? followed.keys() : [];
      if (oldest !== undefined) followed.delete(oldest);
      return seen;
    },
  };
}

export function traceToBoth(first: Following | undefined, second: Following): Following {
  if (first === undefined) return second;
  return {
    follows: (agent) => first.follows(agent) || second.follows(agent),
    request: (...message) => {
      const [{ agent }] = message;
      if (first.follows(agent)) first.request(...message);
      if (second.follows(agent)) second.request(...message);
    },
    answer: (...message) => {
      const [{ agent }] = message;
      if (first.follows(agent)) first.answer(...message);
      if (second.follows(agent)) second.answer(...message);
    },
  };
}
