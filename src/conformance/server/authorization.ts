import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { type CaseVerdict, HOLDS } from '../case.ts';
import { JSON_BODY, JSON_TYPED, json, REFUSED, SUCCESS, status, TEXT } from '../expectation.ts';
import { finalAnswer, heardText, meets, sameStatus, sequence } from '../http-case.ts';
import { type AgentCredentials, authorization, type ServerCase } from './given.ts';

const WRONG = '0'.repeat(128);

export const AUTHORIZATION: readonly ServerCase[] = [
  {
    id: 'authorize.1',
    level: 'written',
    rule: 'UUID and password of a registered agent get 200.',
    needs: ['agent'],
    ask: (given) => [authorization(given)],
    expect: status(200),
  },
  {
    id: 'authorize.2',
    level: 'written',
    rule: 'The answer has the UUID and the password.',
    guess: 'as written',
    observed: '`{"success":true}`',
    muster: { shipped: '`{"success":true}`' },
    needs: ['agent'],
    ask: (given) => [authorization(given)],
    presumes: JSON_BODY,
    expect: ({ agent: { uuid, password } }) => json({ agentuuid: uuid, password }),
  },
  {
    id: 'authorize.3',
    level: 'written',
    rule: 'The answer is JSON, and of its type.',
    needs: ['agent'],
    ask: (given) => [authorization(given)],
    presumes: SUCCESS,
    expect: JSON_TYPED,
  },
  {
    id: 'authorize.4',
    level: 'written',
    rule: 'A wrong password gets 404.',
    guess: '401 or 403',
    needs: ['agent'],
    ask: (given) => [authorization(given, { password: WRONG })],
    expect: status(404),
  },
  {
    id: 'authorize.5',
    level: 'written',
    rule: 'A UUID that the server does not know, with a password, gets 404.',
    ask: (given) => [authorization(given, { agentuuid: given.fresh[0], password: WRONG })],
    expect: status(404),
  },
  {
    id: 'authorize.6',
    level: 'written',
    rule: 'The `error` of a refused authorization is a string.',
    needs: ['agent'],
    ask: (given) => [authorization(given, { password: WRONG })],
    presumes: REFUSED,
    expect: json({ error: TEXT }),
  },
  {
    id: 'authorize.7',
    level: 'shipped',
    rule: `Its text is "${ERROR_TEXTS.agentNotFound}".`,
    needs: ['agent'],
    ask: (given) => [authorization(given, { password: WRONG })],
    presumes: json({ error: TEXT }),
    expect: json({ error: ERROR_TEXTS.agentNotFound }),
  },
  {
    id: 'authorize.8',
    level: 'agent',
    rule: 'An authorization leaves the password as it is.',
    why: 'The agent keeps the password that it has on disk.',
    needs: ['agent'],
    play: (given) => sequence(authorization(given), authorization(given)),
    judge: ([first, second]) => sameStatus(first, second),
    expected: 'the same answer twice',
  },
  {
    id: 'authorize.9',
    level: 'agent',
    rule: 'A wrong password does not lock the agent out.',
    why: 'A clone with another password would cut off the original.',
    needs: ['agent'],
    play: (given) => {
      const [right, wrong] = [authorization(given), authorization(given, { password: WRONG })];
      return sequence(right, right, wrong, wrong, wrong, wrong, wrong, right);
    },
    judge: (heard) => sameStatus(heard.at(1), heard.at(-1)),
    expected: 'the same answer before and after five wrong passwords',
  },
  {
    id: 'authorize.10',
    level: 'written',
    rule: 'The password of another agent is wrong.',
    needs: ['agent', 'other'],
    play: (given) => sequence(authorization(given, { password: given.other.password })),
    judge: ([heard], { agent, other }) => wrongPassword(heard, agent, other),
    expected: REFUSED.text,
  },
  {
    id: 'authorize.11',
    level: 'note',
    rule: 'A password in other letter case is wrong.',
    guess: 'compared exactly',
    observed: 'accepted: the database ignores case',
    muster: { documented: 'accepted', shipped: 'accepted' },
    needs: ['agent'],
    ask: (given) => [authorization(given, { password: given.agent.password.toUpperCase() })],
    expect: REFUSED,
  },
  {
    id: 'authorize.12',
    level: 'note',
    rule: 'A password with a blank at its end is wrong.',
    guess: 'compared exactly',
    observed: 'accepted: the database ignores blanks at the end',
    muster: { documented: 'accepted', shipped: 'accepted' },
    needs: ['agent'],
    ask: (given) => [authorization(given, { password: `${given.agent.password} ` })],
    expect: REFUSED,
  },
  {
    id: 'authorize.13',
    level: 'shipped',
    rule: 'A wrong password and an unknown UUID get the same answer.',
    needs: ['agent'],
    play: (given) =>
      sequence(
        authorization(given, { password: WRONG }),
        authorization(given, { agentuuid: given.fresh[0], password: WRONG }),
      ),
    judge: (heard) => {
      const [first, second] = heard.map((one) => finalAnswer(one)?.body.toString());
      return first === second ? HOLDS : heard.map(heardText).join('; then ');
    },
    expected: 'the same body twice',
  },
];

/** Whether the password of another agent was refused; not judged if both have the same. */
export function wrongPassword(
  heard: Conversation | undefined,
  own: AgentCredentials,
  other: AgentCredentials,
): string | CaseVerdict {
  if (own.password === other.password) return { kind: 'untried', why: 'it presumes register.36' };
  return heard === undefined || meets(heard, REFUSED) ? HOLDS : heardText(heard);
}
