import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/wire/agent/answers.ts';

const UUID = '548fb66a-619d-4ea4-976d-ada3ea161897';
const json = (value: unknown): string => JSON.stringify(value);

describe('the answer to a registration', () => {
  it.each([
    ['a password', 201, json({ agentuuid: UUID, password: 'secret' }), { outcome: 'ok', password: 'secret' }],
    [
      'unknown additional members',
      201,
      json({ agentuuid: UUID, password: 'p', _csrfToken: null }),
      { outcome: 'ok', password: 'p' },
    ],
    ['an empty password', 201, json({ agentuuid: UUID, password: '' }), { outcome: 'waiting', state: 'waiting' }],
    ['no password', 201, json({ agentuuid: UUID }), { outcome: 'waiting', state: 'waiting' }],
    ["another agent's uuid", 201, json({ agentuuid: 'x', password: 'p' }), { outcome: 'unexpected_body' }],
    ['a refusal', 403, json({ error: 'taken' }), { outcome: 'http_403', state: 'refused' }],
    ['200, which is not defined here', 200, json({ success: true }), { outcome: 'unexpected_body' }],
    ['an HTML page', 201, '<html>', { outcome: 'malformed_answer' }],
    ['a member of the wrong type', 201, json({ agentuuid: UUID, password: 5 }), { outcome: 'malformed_answer' }],
    [
      'members of other answers, of any type',
      201,
      json({ agentuuid: UUID, password: 'p', success: 'yes', received_checks: [] }),
      { outcome: 'ok', password: 'p' },
    ],
    [
      'a password followed by null',
      201,
      json({ agentuuid: UUID, Password: 'p', password: null }),
      { outcome: 'ok', password: 'p' },
    ],
    [
      'a wrong type in any spelling',
      201,
      json({ agentuuid: UUID, Password: 5, password: 'p' }),
      { outcome: 'malformed_answer' },
    ],
    ['a body that cannot be unpacked', 201, undefined, { outcome: 'malformed_answer' }],
    ['a body that cannot be unpacked, with an error status', 500, undefined, { outcome: 'http_500' }],
    ['an error page', 502, '<html>', { outcome: 'http_502' }],
    ['a 401 without a body', 401, '', { outcome: 'http_401' }],
  ])('%s', (_title, status, body, reading) => {
    expect(readAnswer('register', () => UUID, { status, body })).toEqual(reading);
  });
});

describe('the answer to an authorization', () => {
  it.each([
    ['credentials, as documented', json({ agentuuid: UUID, password: 'p' }), { outcome: 'ok', state: 'authorized' }],
    ['success, as shipped', json({ success: true, _csrfToken: null }), { outcome: 'ok', state: 'authorized' }],
    ["another agent's credentials", json({ agentuuid: 'x', password: 'p' }), { outcome: 'unexpected_body' }],
    ['success as text', json({ success: 'true' }), { outcome: 'malformed_answer' }],
    ['nothing', '', { outcome: 'unexpected_body' }],
  ])('%s', (_title, body, reading) => {
    expect(readAnswer('authorize', () => UUID, { status: 200, body })).toEqual(reading);
  });

  it('a refusal keeps the password', () => {
    expect(readAnswer('authorize', () => UUID, { status: 403, body: '' })).toEqual({ outcome: 'http_403' });
  });
});

describe('the answer to a push', () => {
  it.each<[title: string, body: string, outcome: string, doubt?: string]>([
    ['documented', json({ received_checks: 17 }), 'ok'],
    ['shipped', json({ success: true, received_checks: 0, _csrfToken: null }), 'ok'],
    ['empty', '', 'ok', 'empty'],
    ['null', 'null', 'ok', 'unconfirmed'],
    ['names in another case', json({ Received_Checks: 3 }), 'ok'],
    ['another case with a wrong type', json({ RECEIVED_CHECKS: 'x' }), 'malformed_answer'],
    ['a failure under a success status', json({ success: false }), 'unexpected_body'],
    ['an invalid uuid', json({ agentuuid: 5, password: {} }), 'ok', 'unconfirmed'],
    ['an error', json({ error: 'database is down' }), 'ok', 'error'],
    ['an error beside a count', json({ received_checks: 3, error: 'late' }), 'ok', 'error'],
    ['an empty error', json({ received_checks: 3, error: '' }), 'ok'],
    ['an HTML page', '<html>', 'malformed_answer'],
    ['the largest count', '{"received_checks":9223372036854775807}', 'ok'],
    ['a negative count', '{"received_checks":-1}', 'ok'],
    ['a count of more than 64 bits', '{"received_checks":9223372036854775808}', 'malformed_answer'],
    ['a fractional count', '{"received_checks":1.5}', 'malformed_answer'],
    ['a whole count with an exponent', '{"received_checks":1e3}', 'malformed_answer'],
    ['a whole count with a decimal point', '{"received_checks":1.0}', 'malformed_answer'],
    ['names of built-in object properties', '{"constructor":1,"__proto__":{"success":false}}', 'ok', 'unconfirmed'],
    ['an array', '[]', 'malformed_answer'],
    ['a number', '17', 'malformed_answer'],
    ['an incomplete answer', '{"received_', 'malformed_answer'],
  ])('%s', (_title, body, outcome, doubt = undefined) => {
    const expected = doubt === undefined ? { outcome } : { outcome, doubt };
    expect(readAnswer('checkdata', () => UUID, { status: 200, body })).toEqual(expected);
  });
});
