import type { Endpoint } from '../../base/protocol/push.ts';
import type { Deviation, Rule } from '../case.ts';
import type { AnswerCase, PushCase, PushReaction } from './push-case.ts';
import { type ReceivedPush, requestLine } from './request.ts';

export type Judge = (reaction: PushReaction) => Deviation;

type AnswerCaseParts = Partial<Pick<Rule, 'level' | 'why' | 'guess'>> & Pick<AnswerCase, 'answers' | 'early' | 'tls'>;

/** Makes cases with answers to requests to an endpoint, by what they expect; their level is `shipped` by default. */
export function answerCases(endpoint: Endpoint) {
  return (expected: string, judge: Judge) =>
    (id: string, rule: string, parts: AnswerCaseParts): PushCase & AnswerCase => {
      return { kind: 'answers', id, level: 'shipped', rule, endpoint, expected, judge, ...parts };
    };
}

/** The first deviation of several. */
export function all(...judges: readonly Judge[]): Judge {
  return (reaction) => {
    for (const judge of judges) {
      const deviation = judge(reaction);
      if (deviation !== undefined) return deviation;
    }
    return undefined;
  };
}

/** A share of the interval that no machine is late by. */
const AT_ONCE_SHARE = 0.2;

/** The next request is the usual one: the same operation, with the same password. */
export const continuesAsBefore: Judge = ({ requests: [first], next }) => {
  if (first === undefined || next.endpoint !== first.endpoint || next.method !== 'POST') return requestLine(next);
  return next.members.password === first.members.password ? undefined : 'another password';
};

/** The next request comes at the next interval, not as a repetition. */
export const waits: Judge = ({ requests: [first], next, intervalMs }) => {
  const gapMs = next.arrivedMs - (first?.arrivedMs ?? 0);
  if (intervalMs === undefined || gapMs >= AT_ONCE_SHARE * intervalMs) return undefined;
  return `${requestLine(next)} again after ${Math.round(gapMs)} ms, with an interval of ${Math.round(intervalMs)} ms`;
};

export const continuesAtInterval = all(continuesAsBefore, waits);

export const reusesConnection: Judge = ({ requests, next }) =>
  next.connection === requests.at(-1)?.connection ? undefined : 'the next request on a new connection';

/** Judges only agents that ever use a connection twice. */
export const keepsConnection: Judge = (reaction) =>
  reaction.keepsConnections ? reusesConnection(reaction) : { untried: 'the agent uses each connection once' };

export const dialsAgain: Judge = ({ requests, next }) =>
  next.connection !== requests.at(-1)?.connection ? undefined : 'the next request on the same connection';

/** The value of a header, as on the wire; several of one name are joined. */
export function fieldOf({ fields }: ReceivedPush, name: string): string | undefined {
  const values = fields.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Judges the request that followed the first one because of its answer. */
export function followed(judge: (request: ReceivedPush, first: ReceivedPush) => Deviation): Judge {
  return ({ requests: [first, second] }) =>
    first === undefined || second === undefined ? 'no request that follows' : judge(second, first);
}
