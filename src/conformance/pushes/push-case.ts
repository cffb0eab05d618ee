import type { Endpoint } from '../../base/protocol/push.ts';
import type { Deviation, Rule } from '../case.ts';
import type { AnswerMaker, ScriptedAnswer } from './answer.ts';
import type { ReceivedPush } from './request.ts';
import type { TlsPolicy } from './scripted-server.ts';

/** What an agent did after an answer, up to its next request. */
export type PushReaction = {
  /** The requests that the answers of the case were for, in the same order. */
  readonly requests: readonly ReceivedPush[];
  /** The request after them, which a later case answers; never one with package information. */
  readonly next: ReceivedPush;
  /** How long the agent waited for an answer before it closed the connection; `undefined`: it got all answers. */
  readonly waitedMs: number | undefined;
  /** The agent's interval, if enough requests have shown it. */
  readonly intervalMs: number | undefined;
  /** Whether it has used a connection twice. */
  readonly keepsConnections: boolean;
};

/** The agent's next request to the endpoint gets the first answer, and those that follow get the others. */
export type AnswerCase = {
  readonly kind: 'answers';
  readonly answers: readonly (ScriptedAnswer | AnswerMaker)[];
  /** The first answer, if it is sent when only the head of the request has arrived. */
  readonly early?: ScriptedAnswer;
  readonly tls?: TlsPolicy;
  readonly judge: (reaction: PushReaction) => Deviation;
};

/** `all`: requests to all endpoints; only the first to each keep their bodies. `password`: what registrations get. */
export type ObservationContext = { readonly all: readonly ReceivedPush[]; readonly password: string };

/** The agent's requests are judged, whatever they are answered. */
export type ObservationCase = {
  readonly kind: 'observation';
  /** How many requests to the endpoint it needs. */
  readonly needs: number;
  readonly observe: (requests: readonly ReceivedPush[], context: ObservationContext) => Deviation;
};

/** A rule for agents that push. */
export type PushCase = Rule & { readonly endpoint: Endpoint; readonly expected: string } & (
    | AnswerCase
    | ObservationCase
  );
