import { deviationUnless } from '../case.ts';
import {
  htmlAnswer,
  rawBytes,
  redirectTo,
  type ScriptedAnswer,
  scripted,
  scriptedJson,
  textAnswer,
  zipped,
} from './answer.ts';
import { all, answerCases, continuesAsBefore, continuesAtInterval, followed } from './judging.ts';
import type { PushCase } from './push-case.ts';

const expects = answerCases('register_agent');
/** The agent must stay without a password, and register again at its next interval. */
const asksAgain = expects('a registration again, at the next interval', continuesAtInterval);
const refusal = (status: number, error: unknown) => scriptedJson(status, { error });
const OTHER_UUID = '00000000-0000-4000-8000-000000000000';
const LOGIN = '/conformance/login';

/** The answer without the header that says that it is compressed. */
function unannounced(answer: ScriptedAnswer): ScriptedAnswer {
  const bytes = Buffer.from(answer.bytes.toString('latin1').replace('Content-Encoding', 'X-Encoding'), 'latin1');
  return { ...answer, bytes };
}

export const REGISTRATION_ANSWERS: readonly PushCase[] = [
  asksAgain('register.1', 'After 400 the agent registers again at its next interval.', {
    answers: [refusal(400, 'Field missing')],
    level: 'written',
  }),
  asksAgain('register.2', 'An error that is an object changes nothing.', {
    answers: [refusal(400, { uuid: { unique: 'taken' } })],
    guess: 'error is a string, as the written API says; the released server sends an object of broken rules',
  }),
  asksAgain('register.3', 'After 403 the agent keeps its UUID and asks again.', {
    answers: [refusal(403, 'registered')],
    guess: 'a new UUID, or a pause until the operator acts',
  }),
  asksAgain('register.4', 'After 401, for a wrong API key, the agent asks again.', {
    answers: [scripted({ status: 401 })],
    guess: 'it stops, because the key stays wrong',
  }),
  asksAgain('register.5', 'After 405, which its log calls a wrong API key, the agent asks again.', {
    answers: [refusal(405, '')],
    guess: 'it stops',
  }),
  asksAgain('register.6', 'After 404 the agent asks again.', { answers: [htmlAnswer(404)] }),
  asksAgain('register.7', 'After a page of a proxy (502) the agent registers at its interval.', {
    answers: [htmlAnswer(502)],
    level: 'server',
    why: 'Otherwise hosts stay away when the server restarts.',
    guess: 'with increasing pauses',
  }),
  asksAgain('register.8', 'Retry-After has no effect.', {
    answers: [scripted({ status: 503, fields: { 'Retry-After': '3600' } })],
    guess: 'the agent waits as long as the server asks',
  }),
  asksAgain('register.9', 'A 201 with an empty password keeps the agent waiting: it asks again.', {
    answers: [({ uuid }) => scriptedJson(201, { agentuuid: uuid, password: '' })],
    level: 'written',
  }),
  asksAgain('register.10', 'A 201 for another UUID is not accepted.', {
    answers: [({ password }) => scriptedJson(201, { agentuuid: OTHER_UUID, password })],
  }),
  asksAgain('register.11', 'A 201 with the UUID in capitals is not accepted.', {
    answers: [({ uuid, password }) => scriptedJson(201, { agentuuid: `{${uuid.toUpperCase()}}`, password })],
    guess: 'UUIDs are compared without regard to case',
  }),
  asksAgain('register.12', 'A 201 without `agentuuid` is not accepted.', {
    answers: [({ password }) => scriptedJson(201, { password })],
    guess: 'accepted, because the agent knows its UUID',
  }),
  asksAgain('register.13', 'A 201 whose password is not a string is not accepted.', {
    answers: [({ uuid }) => scriptedJson(201, { agentuuid: uuid, password: 42 })],
  }),
  asksAgain('register.14', 'A 201 whose password is null keeps the agent waiting.', {
    answers: [({ uuid }) => scriptedJson(201, { agentuuid: uuid, password: null })],
  }),
  asksAgain('register.15', 'A 201 without a body changes nothing.', { answers: [scripted({ status: 201 })] }),
  asksAgain('register.16', 'A 201 with null as its body changes nothing.', { answers: [textAnswer(201, 'null')] }),
  asksAgain('register.17', 'A 201 with text after its JSON is not accepted.', {
    answers: [({ uuid, password }) => textAnswer(201, `${JSON.stringify({ agentuuid: uuid, password })} x`)],
    guess: 'the first value is read, the rest ignored',
  }),
  asksAgain('register.18', 'A 201 with an array is not accepted.', {
    answers: [({ uuid, password }) => scriptedJson(201, [{ agentuuid: uuid, password }])],
  }),
  asksAgain('register.19', 'A 201 that is cut off after its JSON is not accepted.', {
    answers: [
      ({ uuid, password }) =>
        rawBytes(
          `HTTP/1.1 201 Created\r\nContent-Length: 999\r\n\r\n${JSON.stringify({ agentuuid: uuid, password })}`,
          'close',
        ),
    ],
  }),
  asksAgain('register.20', 'Credentials in a 202 are not accepted.', {
    answers: [({ uuid, password }) => scriptedJson(202, { agentuuid: uuid, password })],
    guess: 'any 2xx is a success',
  }),
  asksAgain('register.21', 'A 200 with a new password does not register.', {
    answers: [({ uuid, password }) => scriptedJson(200, { agentuuid: uuid, password })],
    guess: 'taken, because the written API answers a known agent with 200 and its credentials',
  }),
  asksAgain('register.22', 'A 200 with {"success":true} does not register.', {
    answers: [scriptedJson(200, { success: true })],
    guess: 'registered, because the released server confirms known agents with it',
  }),
  expects(
    'GET of the location, then a registration again',
    all(
      followed(({ method, target }) => deviationUnless(method === 'GET' && target === LOGIN, `${method} ${target}`)),
      continuesAsBefore,
    ),
  )('register.23', 'A redirect with 302 is followed as a GET without a body.', {
    answers: [redirectTo(302, LOGIN), htmlAnswer(200)],
    guess: 'a redirect of a POST is not followed',
  }),
  asksAgain('register.24', 'A connection that ends without an answer only ends this attempt.', {
    answers: [rawBytes('', 'close')],
    level: 'server',
    why: 'Otherwise hosts stay away when the server restarts.',
    guess: 'the request is repeated immediately on a new connection',
  }),
  asksAgain('register.25', 'A body in gzip is not decoded if its header does not say so.', {
    answers: [({ uuid, password }) => unannounced(zipped(201, { agentuuid: uuid, password }))],
  }),
  expects(
    'check data',
    followed(({ endpoint, target }) => deviationUnless(endpoint === 'submit_checkdata', target)),
  )('register.26', 'A 201 with the UUID and a password registers: check data follows. The answer may be compressed.', {
    answers: [
      ({ uuid, password }) => zipped(201, { agentuuid: uuid, password, _csrfToken: null }),
      scriptedJson(200, { success: true, received_checks: 0 }),
    ],
    level: 'written',
  }),
];
