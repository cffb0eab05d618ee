import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { casesOf, type Deviation } from '../case.ts';
import { JSON_BODY, JSON_TYPED, json, REFUSED, SUCCESS, status, TEXT } from '../expectation.ts';
import { conversationText, finalAnswer, meets, sameStatus, sequence } from '../http-case.ts';
import { type AgentCredentials, authorization, getsOf, needing, type ServerCase, WRONG } from './fixture.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

const authorizationGets = getsOf(authorization);

export const AUTHORIZATION: readonly ServerCase[] = needing(
  ['agent'],
  [
    written('authorize.1', 'UUID and password of a registered agent get 200.', authorizationGets(status(200), {})),
    written('authorize.2', 'The answer has the UUID and the password.', {
      guess: 'as written',
      observed: '`{"success":true}`',
      muster: { shipped: '`{"success":true}`' },
      ask: (fixture) => [authorization(fixture)],
      presumes: JSON_BODY,
      expect: ({ agent: { uuid, password } }) => json({ agentuuid: uuid, password }),
    }),
    written('authorize.3', 'The answer is JSON, and of its type.', {
      presumes: SUCCESS,
      ...authorizationGets(JSON_TYPED, {}),
    }),
    written('authorize.4', 'A wrong password gets 404.', {
      guess: '401 or 403',
      ...authorizationGets(status(404), { password: WRONG }),
    }),
    written('authorize.5', 'A UUID that the server does not know, with a password, gets 404.', {
      needs: [],
      ask: (fixture) => [authorization(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      expect: status(404),
    }),
    written('authorize.6', 'The `error` of a refused authorization is a string.', {
      presumes: REFUSED,
      ...authorizationGets(json({ error: TEXT }), { password: WRONG }),
    }),
    shipped('authorize.7', `Its text is "${ERROR_TEXTS.agentNotFound}".`, {
      presumes: json({ error: TEXT }),
      ...authorizationGets(json({ error: ERROR_TEXTS.agentNotFound }), { password: WRONG }),
    }),
    agent('authorize.8', 'An authorization leaves the password as it is.', {
      why: 'The agent keeps the password that it has on disk.',
      rounds: (fixture) => sequence(authorization(fixture), authorization(fixture)),
      judge: ([first, second]) => sameStatus(first, second),
      expected: 'the same answer twice',
    }),
    agent('authorize.9', 'A wrong password does not lock the agent out.', {
      why: 'A clone with another password would cut off the original.',
      rounds: (fixture) => {
        const [right, wrong] = [authorization(fixture), authorization(fixture, { password: WRONG })];
        return sequence(right, right, wrong, wrong, wrong, wrong, wrong, right);
      },
      judge: (conversations) => sameStatus(conversations.at(1), conversations.at(-1)),
      expected: 'the same answer before and after five wrong passwords',
    }),
    written('authorize.10', 'The password of another agent is wrong.', {
      needs: ['agent', 'other'],
      rounds: (fixture) => sequence(authorization(fixture, { password: fixture.other.password })),
      judge: ([conversation], { agent, other }) => wrongPassword(conversation, agent, other),
      expected: REFUSED.text,
    }),
    note('authorize.11', 'A password in other letter case is wrong.', {
      guess: 'compared exactly',
      observed: 'accepted: the database ignores case',
      muster: { documented: 'accepted', shipped: 'accepted' },
      ask: (fixture) => [authorization(fixture, { password: fixture.agent.password.toUpperCase() })],
      expect: REFUSED,
    }),
    note('authorize.12', 'A password with a blank at its end is wrong.', {
      guess: 'compared exactly',
      observed: 'accepted: the database ignores blanks at the end',
      muster: { documented: 'accepted', shipped: 'accepted' },
      ask: (fixture) => [authorization(fixture, { password: `${fixture.agent.password} ` })],
      expect: REFUSED,
    }),
    shipped('authorize.13', 'A wrong password and an unknown UUID get the same answer.', {
      rounds: (fixture) =>
        sequence(
          authorization(fixture, { password: WRONG }),
          authorization(fixture, { agentuuid: fixture.fresh[0], password: WRONG }),
        ),
      judge: (conversations) => {
        const [first, second] = conversations.map((one) => finalAnswer(one)?.body.toString());
        return first === second ? undefined : conversations.map(conversationText).join('; then ');
      },
      expected: 'the same body twice',
    }),
  ],
);

/** Whether the password of another agent was refused; not judged if both have the same. */
export function wrongPassword(
  conversation: Conversation | undefined,
  own: AgentCredentials,
  other: AgentCredentials,
): Deviation {
  if (own.password === other.password) return { untried: 'it presumes register.36' };
  return conversation === undefined || meets(conversation, REFUSED) ? undefined : conversationText(conversation);
}
