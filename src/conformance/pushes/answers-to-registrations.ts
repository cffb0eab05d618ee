import { type AnswerMaker, htmlAnswer, jsonAnswer, plain, rawBytes, redirectTo, sent, textAnswer, zipped } from './answer.ts';
import { all, followed, goesOn, goesOnAtItsInterval, unless } from './judging.ts';
import type { PushCase } from './push-case.ts';

const OF_REGISTRATION = { endpoint: 'register_agent' } as const;
const OTHER_UUID = '00000000-0000-4000-8000-000000000000';

/** A case in which the agent must stay without a password and register again at its next interval. */
const ASKS_AGAIN = { ...OF_REGISTRATION, expected: 'a registration again, at the next interval', judge: goesOnAtItsInterval };

/** An answer that does not register the agent, whatever it says. */
const refusal = (status: number, error: unknown): AnswerMaker => () => jsonAnswer(status, { error });

const SLOW_MS = 400;

export const REGISTRATION_ANSWERS: readonly PushCase[] = [
  {
    id: 'register.1',
    level: 'written',
    rule: 'After 400 with an error, the agent registers again at its next interval.',
    ...ASKS_AGAIN,
    answers: [refusal(400, 'Field uuid or password is missing in POST data')],
  },
  {
    id: 'register.2',
    level: 'shipped',
    rule: 'An error that is an object changes nothing.',
    guess: 'error is a string, as the written API says; the released server sends an object of broken rules',
    ...ASKS_AGAIN,
    answers: [refusal(400, { agentuuid: { unique: 'This value is already in use' } })],
  },
  {
    id: 'register.3',
    level: 'shipped',
    rule: 'After 403, because the UUID is taken, the agent keeps its UUID and asks again at every interval.',
    guess: 'a new UUID, or a pause until the operator acts',
    ...ASKS_AGAIN,
    answers: [refusal(403, 'The given UUID is already registed with a password!')],
  },
  {
    id: 'register.4',
    level: 'shipped',
    rule: 'After 401 without a body, because the API key is wrong, the agent asks again at every interval.',
    guess: 'it stops, because the key stays wrong',
    ...ASKS_AGAIN,
    answers: [() => plain({ status: 401 })],
  },
  {
    id: 'register.5',
    level: 'shipped',
    rule: 'After 405, which its log calls a wrong API key, the agent asks again at every interval.',
    guess: 'it stops',
    ...ASKS_AGAIN,
    answers: [() => jsonAnswer(405, { message: 'Method Not Allowed', url: '/', code: 405 })],
  },
  { id: 'register.6', level: 'shipped', rule: 'After 404 the agent registers again.', ...ASKS_AGAIN, answers: [() => htmlAnswer(404)] },
  {
    id: 'register.7',
    level: 'server',
    rule: 'After a page of a proxy (502) the agent registers again at its next interval.',
    why: 'Otherwise hosts stay away when the server restarts.',
    guess: 'with increasing pauses',
    ...ASKS_AGAIN,
    answers: [() => htmlAnswer(502)],
  },
  {
    id: 'register.8',
    level: 'shipped',
    rule: 'Retry-After has no effect.',
    guess: 'the agent waits as long as the server asks',
    ...ASKS_AGAIN,
    answers: [() => plain({ status: 503, fields: { 'Retry-After': '3600' } })],
  },
  {
    id: 'register.9',
    level: 'written',
    rule: 'A 201 with an empty password keeps the agent waiting: it asks again.',
    ...ASKS_AGAIN,
    answers: [({ uuid }) => jsonAnswer(201, { agentuuid: uuid, password: '' })],
  },
  {
    id: 'register.10',
    level: 'shipped',
    rule: 'A 201 for another UUID is not accepted.',
    ...ASKS_AGAIN,
    answers: [({ password }) => jsonAnswer(201, { agentuuid: OTHER_UUID, password })],
  },
  {
    id: 'register.11',
    level: 'shipped',
    rule: 'A 201 with the UUID in capitals is not accepted.',
    guess: 'UUIDs are compared without regard to case',
    ...ASKS_AGAIN,
    answers: [({ uuid, password }) => jsonAnswer(201, { agentuuid: `{${uuid.toUpperCase()}}`, password })],
  },
  {
    id: 'register.12',
    level: 'shipped',
    rule: 'A 201 without agentuuid is not accepted.',
    guess: 'accepted, because the agent knows its UUID',
    ...ASKS_AGAIN,
    answers: [({ password }) => jsonAnswer(201, { password })],
  },
  {
    id: 'register.13',
    level: 'shipped',
    rule: 'A 201 whose password is not a string is not accepted.',
    ...ASKS_AGAIN,
    answers: [({ uuid }) => jsonAnswer(201, { agentuuid: uuid, password: 42 })],
  },
  {
    id: 'register.14',
    level: 'shipped',
    rule: 'A 201 whose password is null counts as an empty password.',
    ...ASKS_AGAIN,
    answers: [({ uuid }) => jsonAnswer(201, { agentuuid: uuid, password: null })],
  },
  { id: 'register.15', level: 'shipped', rule: 'A 201 without a body changes nothing.', ...ASKS_AGAIN, answers: [() => plain({ status: 201 })] },
  { id: 'register.16', level: 'shipped', rule: 'A 201 with null as its body changes nothing.', ...ASKS_AGAIN, answers: [() => textAnswer(201, 'null')] },
  {
    id: 'register.17',
    level: 'shipped',
    rule: 'A 201 with text after its JSON is not accepted.',
    guess: 'the first value is read, the rest ignored',
    ...ASKS_AGAIN,
    answers: [({ uuid, password }) => textAnswer(201, `${JSON.stringify({ agentuuid: uuid, password })} x`)],
  },
  {
    id: 'register.18',
    level: 'shipped',
    rule: 'A 201 whose JSON is in an array is not accepted.',
    ...ASKS_AGAIN,
    answers: [({ uuid, password }) => jsonAnswer(201, [{ agentuuid: uuid, password }])],
  },
  {
    id: 'register.19',
    level: 'shipped',
    rule: 'A 201 that is cut off is not accepted.',
    ...ASKS_AGAIN,
    answers: [
      ({ uuid, password }) => {
        const body = JSON.stringify({ agentuuid: uuid, password });
        return rawBytes(`HTTP/1.1 201 Created\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`, 'close');
      },
    ],
  },
  {
    id: 'register.20',
    level: 'shipped',
    rule: 'Credentials in a 202 are not accepted.',
    guess: 'any 2xx',
    ...ASKS_AGAIN,
    answers: [({ uuid, password }) => jsonAnswer(202, { agentuuid: uuid, password })],
  },
  {
    id: 'register.21',
    level: 'shipped',
    rule: 'A 200 with other credentials does not register.',
    guess: 'the written API answers a known agent with 200 and its credentials, so they would be taken',
    ...ASKS_AGAIN,
    answers: [({ uuid, password }) => jsonAnswer(200, { agentuuid: uuid, password })],
  },
  {
    id: 'register.22',
    level: 'shipped',
    rule: 'A 200 with {"success":true}, with which the released server confirms a known agent, does not register.',
    ...ASKS_AGAIN,
    answers: [() => jsonAnswer(200, { success: true, _csrfToken: null })],
  },
  {
    id: 'register.23',
    level: 'shipped',
    rule: 'A redirect with 302 is followed as a GET without a body.',
    guess: 'a redirect of a POST is not followed',
    ...OF_REGISTRATION,
    expected: 'GET of the location, then a registration again',
    answers: [() => redirectTo(302, '/conformance/login'), () => htmlAnswer(200)],
    judge: all(followed(({ method, target }) => unless(method === 'GET' && target === '/conformance/login', `${method} ${target}`)), goesOn),
  },
  {
    id: 'register.24',
    level: 'server',
    rule: 'A connection that ends before the answer does not end the agent: it registers again.',
    why: 'Otherwise hosts stay away when the server restarts.',
    guess: 'the request is repeated at once on a new connection',
    ...ASKS_AGAIN,
    answers: [() => rawBytes('', 'close')],
  },
  {
    id: 'register.25',
    level: 'shipped',
    rule: 'A gzip answer whose header says nothing of it is not decoded.',
    ...ASKS_AGAIN,
    answers: [
      ({ uuid, password }) => {
        const answer = zipped(201, { agentuuid: uuid, password });
        return { ...answer, bytes: Buffer.from(answer.bytes.toString('latin1').replace('Content-Encoding', 'X-Encoding'), 'latin1') };
      },
    ],
  },
  {
    id: 'register.26',
    level: 'shipped',
    rule: 'Interim answers (100, 103) before the answer are skipped, as is slowness within the timeout.',
    ...ASKS_AGAIN,
    judge: goesOn,
    answers: [
      () =>
        sent(rawBytes('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'), {
          overMs: SLOW_MS,
        }),
    ],
  },
  {
    id: 'register.27',
    level: 'written',
    rule: 'A 201 with the UUID and a password registers: check data follows. The answer may be compressed.',
    ...OF_REGISTRATION,
    expected: 'check data with the UUID and the password',
    answers: [
      ({ uuid, password }) => zipped(201, { agentuuid: uuid, password, _csrfToken: null }),
      () => jsonAnswer(200, { success: true, received_checks: 0 }),
    ],
    judge: followed(({ endpoint, target }) => unless(endpoint === 'submit_checkdata', target)),
  },
];

/** The time within which an agent submits after its registration, if it does at once. */
const AT_ONCE_MS = 500;

/** About requests that come with the registration. */
export const AFTER_REGISTRATION: readonly PushCase[] = [
  {
    id: 'register.28',
    level: 'shipped',
    rule: 'A new agent submits its check data at once, not at the next interval.',
    guess: 'at the next interval',
    endpoint: 'submit_checkdata',
    expected: `check data within ${AT_ONCE_MS} ms`,
    needs: 1,
    look: ([first], requests) => {
      const registration = requests.findLast(({ endpoint }) => endpoint === 'register_agent');
      if (first === undefined || registration === undefined) return undefined;
      const gapMs = first.arrivedMs - registration.arrivedMs;
      return unless(gapMs <= AT_ONCE_MS, `check data after ${Math.round(gapMs)} ms`);
    },
  },
];
