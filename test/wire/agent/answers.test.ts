import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/wire/agent/answers.ts';

const UUID = '548fb66a-619d-4ea4-976d-ada3ea161897';
const json = (value: unknown): string => JSON.stringify(value);

describe('the answer to a registration', () => {
  it.each([
    ['a password', 201, json({ agentuuid: UUID, password: 'secret' }), { kind: 'registered', password: 'secret' }],
    [
      'unknown additional members',
      201,
      json({ agentuuid: UUID, password: 'p', _csrfToken: null }),
      { kind: 'registered', password: 'p' },
    ],
    ['an empty password', 201, json({ agentuuid: UUID, password: '' }), { kind: 'waiting' }],
    ['no password', 201, json({ agentuuid: UUID }), { kind: 'waiting' }],
    ["another agent's uuid", 201, json({ agentuuid: 'x', password: 'p' }), { kind: 'unexpected' }],
    ['a refusal', 403, json({ error: 'taken' }), { kind: 'refused' }],
    ['200, which is not defined here', 200, json({ success: true }), { kind: 'unexpected' }],
    ['an HTML page', 201, '<html>', { kind: 'malformed' }],
    ['a member of the wrong type', 201, json({ agentuuid: UUID, password: 5 }), { kind: 'malformed' }],
    [
      'members of other answers, of any type',
      201,
      json({ agentuuid: UUID, password: 'p', success: 'yes', received_checks: [] }),
      { kind: 'registered', password: 'p' },
    ],
    [
      'a password followed by null',
      201,
      json({ agentuuid: UUID, Password: 'p', password: null }),
      { kind: 'registered', password: 'p' },
    ],
    ['a wrong type in any spelling', 201, json({ agentuuid: UUID, Password: 5, password: 'p' }), { kind: 'malformed' }],
    ['a body that cannot be unpacked', 201, undefined, { kind: 'malformed' }],
    ['a body that cannot be unpacked, with an error status', 500, undefined, { kind: 'rejected', status: 500 }],
    ['an error page', 502, '<html>', { kind: 'rejected', status: 502 }],
    ['a 401 without a body', 401, '', { kind: 'rejected', status: 401 }],
  ])('%s', (_title, status, body, reading) => {
    expect(readAnswer('register', () => UUID, { status, body })).toEqual(reading);
  });
});

describe('the answer to an authorization', () => {
  it.each([
    ['credentials, as documented', json({ agentuuid: UUID, password: 'p' }), 'authorized'],
    ['success, as shipped', json({ success: true, _csrfToken: null }), 'authorized'],
    ["another agent's credentials", json({ agentuuid: 'x', password: 'p' }), 'unexpected'],
    ['nothing', '', 'unexpected'],
  ])('%s', (_title, body, kind) => {
    expect(readAnswer('authorize', () => UUID, { status: 200, body })).toEqual({ kind });
  });

  it('a refusal is rejected with its status', () => {
    expect(readAnswer('authorize', () => UUID, { status: 403, body: '' })).toEqual({ kind: 'rejected', status: 403 });
  });
});

describe('the answer to a push', () => {
  it.each<[title: string, body: string, kind: string, doubt?: string]>([
    ['documented', json({ received_checks: 17 }), 'accepted'],
    ['shipped', json({ success: true, received_checks: 0, _csrfToken: null }), 'accepted'],
    ['empty', '', 'accepted', 'empty'],
    ['null', 'null', 'accepted', 'unconfirmed'],
    ['names in another case', json({ Received_Checks: 3 }), 'accepted'],
    ['another case with a wrong type', json({ RECEIVED_CHECKS: 'x' }), 'malformed'],
    ['a failure under a success status', json({ success: false }), 'unexpected'],
    ['an invalid uuid', json({ agentuuid: 5, password: {} }), 'accepted', 'unconfirmed'],
    ['an error', json({ error: 'database is down' }), 'accepted', 'error'],
    ['an error beside a count', json({ received_checks: 3, error: 'late' }), 'accepted', 'error'],
    ['an empty error', json({ received_checks: 3, error: '' }), 'accepted'],
    ['an HTML page', '<html>', 'malformed'],
    ['the largest count', '{"received_checks":9223372036854775807}', 'accepted'],
    ['a negative count', '{"received_checks":-1}', 'accepted'],
    ['a count of more than 64 bits', '{"received_checks":9223372036854775808}', 'malformed'],
    ['a fractional count', '{"received_checks":1.5}', 'malformed'],
    ['a whole count with an exponent', '{"received_checks":1e3}', 'malformed'],
    ['a whole count with a decimal point', '{"received_checks":1.0}', 'malformed'],
    [
      'names of built-in object properties',
      '{"constructor":1,"__proto__":{"success":false}}',
      'accepted',
      'unconfirmed',
    ],
    ['an array', '[]', 'malformed'],
    ['a number', '17', 'malformed'],
    ['an incomplete answer', '{"received_', 'malformed'],
  ])('%s', (_title, body, kind, doubt = undefined) => {
    const expected = doubt === undefined ? { kind } : { kind, doubt };
    expect(readAnswer('checkdata', () => UUID, { status: 200, body })).toEqual(expected);
  });
});
