import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import { answer, JSON_TYPED, json, NON_EMPTY_TEXT, status } from '../expectation.ts';
import { freshUuid, registration, type ServerCase } from './given.ts';

export const REGISTRATION: readonly ServerCase[] = [
  {
    id: 'register.1',
    level: 'written',
    rule: 'A UUID that is not known, with an empty password, gets 201 with that UUID and a new password.',
    ask: (given) => [registration(given)],
    expect: (given) => answer(status(201), JSON_TYPED, json({ agentuuid: freshUuid(given), password: NON_EMPTY_TEXT })),
  },
  {
    id: 'register.2',
    level: 'written',
    rule: 'A known UUID with an empty password gets 403.',
    needs: 'agent',
    ask: (given) => [registration(given, { agentuuid: given.agent.uuid })],
    expect: () => answer(status(403), JSON_TYPED, json({ error: ERROR_TEXTS.alreadyRegistered })),
  },
];
