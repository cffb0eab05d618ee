import type { Endpoint } from '../../base/protocol/push.ts';
import type { Rule } from '../case.ts';
import type { AnswerMaker, ScriptedAnswer } from './answer.ts';
import type { TlsPolicy } from './inbox.ts';
import type { ReceivedPush } from './request.ts';

/** What an agent did after an answer, up to its next request. */
export type PushSeen = {
  /** One for each answer of the case. */
  readonly requests: readonly ReceivedPush[];
  /** The following request, which a later case answers. Packages do not count. */
  readonly next: ReceivedPush;
  /** How long the agent waited for an answer before it closed the connection; `undefined`: it got all answers. */
  readonly heldMs: number | undefined;
  /** The agent's interval, if enough requests have shown it. */
  readonly intervalMs: number | undefined;
  /** Whether it has used a connection twice. */
  readonly keepsConnections: boolean;
};

/** What was found, if it is not what the rule says. */
export type Found = string | { readonly untried: string } | undefined;

/** A case in which the agent's next request to the endpoint gets the first answer, and those that follow get the others. */
export type AnswerCase = {
  readonly answers: readonly AnswerMaker[];
  /** The first answer, if it is sent when only the head of the request has arrived. */
  readonly early?: ScriptedAnswer;
  readonly tls?: TlsPolicy;
  readonly judge: (seen: PushSeen) => Found;
};

/** `all`: requests to all endpoints; only the first of each have a body. `password`: what a registration got. */
export type LookContext = { readonly all: readonly ReceivedPush[]; readonly password: string };

/** A case about requests, whatever they are answered. */
export type LookCase = {
  /** How many requests to the endpoint it needs. */
  readonly needs: number;
  readonly look: (requests: readonly ReceivedPush[], about: LookContext) => Found;
};

/** A rule for agents that push. */
export type PushCase = Rule & { readonly endpoint: Endpoint; readonly expected: string } & (AnswerCase | LookCase);
