import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import { casesOf, HOLDS } from '../case.ts';
import {
  ANSWERED,
  answer,
  bodyWith,
  JSON_BODY,
  JSON_TYPED,
  json,
  NON_EMPTY_TEXT,
  parsed,
  READABLE,
  REFUSED,
  SUCCESS,
  status,
  TEXT,
} from '../expectation.ts';
import { answerTo, finalAnswer, heardText, meets, sameStatus, sequence } from '../http-case.ts';
import { authorization, freshText, pushOf, registration, registrationDocument, type ServerCase } from './given.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

export const REGISTRATION: readonly ServerCase[] = [
  written('register.1', 'A UUID that the server does not know, with an empty password, gets 201.', {
    ask: (given) => [registration(given)],
    expect: status(201),
  }),
  written('register.2', 'The answer has the UUID as it was sent.', {
    ask: (given) => [registration(given)],
    presumes: answer(SUCCESS, JSON_BODY),
    expect: ({ fresh: [uuid] }) => json({ agentuuid: uuid }),
  }),
  written('register.3', 'The answer has a new password.', {
    ask: (given) => [registration(given)],
    presumes: answer(SUCCESS, JSON_BODY),
    expect: json({ password: NON_EMPTY_TEXT }),
  }),
  written('register.4', 'The answer has the type application/json.', {
    ask: (given) => [registration(given)],
    presumes: SUCCESS,
    expect: JSON_TYPED,
  }),
  agent('register.5', 'The answer is one JSON object.', {
    why: 'An agent that cannot read the answer stays without a password.',
    ask: (given) => [registration(given)],
    presumes: answer(SUCCESS, READABLE),
    expect: JSON_BODY,
  }),
  written('register.6', 'A known UUID with an empty password gets 403.', {
    needs: ['agent'],
    ask: (given) => [registration(given, { agentuuid: given.agent.uuid })],
    expect: status(403),
  }),
  written('register.7', 'Its `error` is a string.', {
    needs: ['agent'],
    ask: (given) => [registration(given, { agentuuid: given.agent.uuid })],
    presumes: REFUSED,
    expect: json({ error: TEXT }),
  }),
  shipped('register.8', `Its text is \`${ERROR_TEXTS.alreadyRegistered}\`.`, {
    guess: 'correct spelling',
    needs: ['agent'],
    ask: (given) => [registration(given, { agentuuid: given.agent.uuid })],
    presumes: json({ error: TEXT }),
    expect: json({ error: ERROR_TEXTS.alreadyRegistered }),
  }),
  agent('register.9', 'A refused registration leaves the password of the agent valid.', {
    why: 'Otherwise a clone of a machine cuts off the original.',
    needs: ['agent'],
    play: (given) =>
      sequence(
        authorization(given),
        authorization(given),
        registration(given, { agentuuid: given.agent.uuid }),
        authorization(given),
      ),
    judge: (heard) => sameStatus(heard.at(1), heard.at(-1)),
    expected: 'the same answer to an authorization before and after',
  }),
  written('register.10', 'Without `password` it gets 400.', {
    ask: (given) => [registration(given, { password: undefined })],
    expect: status(400),
  }),
  written('register.11', 'Without `agentuuid` it gets 400.', {
    ask: (given) => [registration(given, { agentuuid: undefined })],
    expect: status(400),
  }),
  written('register.12', 'The `error` of a missing member is a string.', {
    ask: (given) => [registration(given, { password: undefined })],
    presumes: REFUSED,
    expect: json({ error: TEXT }),
  }),
  shipped('register.13', `Its text is "${ERROR_TEXTS.fieldsMissing}".`, {
    ask: (given) => [registration(given, { password: undefined })],
    presumes: json({ error: TEXT }),
    expect: json({ error: ERROR_TEXTS.fieldsMissing }),
  }),
  shipped('register.14', '`null` as `agentuuid` or `password` counts as missing: 400.', {
    ask: (given) => [registration(given, { password: null }), registration(given, { agentuuid: null })],
    judged: 'each',
    expect: status(400),
  }),
  written('register.15', '`hostname` and `ipaddress` may be missing.', {
    ask: (given) => [registration(given, { hostname: undefined, ipaddress: undefined })],
    expect: SUCCESS,
  }),
  note('register.16', '`hostname` and `ipaddress` may be `null`.', {
    ask: (given) => [registration(given, { hostname: null, ipaddress: null })],
    expect: SUCCESS,
  }),
  agent('register.17', '`hostname` and `ipaddress` may be empty.', {
    why: 'Agents send empty ones on hosts without a name or a network.',
    ask: (given) => [registration(given, { hostname: '', ipaddress: '' })],
    expect: SUCCESS,
  }),
  agent('register.18', '`ipaddress` may be an IPv6 address in brackets.', {
    why: 'Agents on hosts without IPv4 send `[2001:db8::7]`.',
    guess: 'without brackets',
    ask: (given) => [registration(given, { ipaddress: '[2001:db8::7]' })],
    expect: SUCCESS,
  }),
  agent('register.19', '`hostname` may have characters beyond ASCII.', {
    why: 'Agents send the names of their hosts as UTF-8.',
    ask: (given) => [registration(given, { hostname: 'büro-東京-🖥' })],
    expect: SUCCESS,
  }),
  shipped('register.20', '`hostname` may have 255 characters.', {
    ask: (given) => [registration(given, { hostname: 'h'.repeat(255) })],
    expect: SUCCESS,
  }),
  shipped('register.21', '`hostname` of 256 characters gets 400.', {
    guess: 'it is cut off',
    ask: (given) => [registration(given, { hostname: 'h'.repeat(256) })],
    expect: status(400),
  }),
  agent('register.22', 'The `error` of a refused registration is a string.', {
    why: 'The agent logs "could not unmarshal" instead of the reason.',
    guess: 'as in all other answers',
    observed: 'an object of columns and rules',
    muster: { shipped: 'an object' },
    ask: (given) => [registration(given, { hostname: 'h'.repeat(256) })],
    presumes: REFUSED,
    expect: json({ error: TEXT }),
  }),
  note('register.23', '`hostname` of another JSON type gets no 5xx.', {
    ask: (given) =>
      [7, true, ['h'], { h: 1 }].map((hostname, place) =>
        registration(given, { hostname, agentuuid: uuidAt(given.fresh, place) }),
      ),
    judged: 'each',
    expect: ANSWERED,
  }),
  shipped('register.24', '`agentuuid` need not be a UUID.', {
    guess: '400',
    ask: (given) => [registration(given, { agentuuid: `web-${given.fresh[0].slice(-24)}` })],
    expect: SUCCESS,
  }),
  shipped('register.25', '`agentuuid` may have 37 characters; with 38 it gets 400.', {
    guess: 'at most 36',
    play: (given) =>
      sequence(...[1, 2].map((more) => registration(given, { agentuuid: `${given.fresh[0]}${'0'.repeat(more)}` }))),
    judge: (heard) => {
      const [fits, longer] = heard.map((one) => finalAnswer(one)?.status ?? 0);
      return fits === 201 && longer === 400 ? HOLDS : heard.map(heardText).join('; then ');
    },
    expected: '201, then 400',
  }),
  shipped('register.26', 'An empty `agentuuid` gets 400.', {
    ask: (given) => [registration(given, { agentuuid: '' })],
    expect: status(400),
  }),
  note('register.27', '`agentuuid` as an array or an object gets no 5xx.', {
    guess: '400',
    observed: '500',
    muster: { shipped: '500' },
    ask: (given) => [
      registration(given, { agentuuid: [given.fresh[0]] }),
      registration(given, { agentuuid: { a: 1 } }),
    ],
    judged: 'each',
    expect: ANSWERED,
  }),
  note('register.28', '`password` as an array or an object gets no 5xx.', {
    guess: '400',
    observed: '500',
    muster: { shipped: '500' },
    ask: (given) => [registration(given, { password: [''] }), registration(given, { password: {} })],
    judged: 'each',
    expect: ANSWERED,
  }),
  shipped('register.29', '`password` as `0` or `false` is no empty password: 404.', {
    guess: 'registered, or 400',
    muster: { documented: '400' },
    ask: (given) => [registration(given, { password: 0 }), registration(given, { password: false })],
    judged: 'each',
    expect: status(404),
  }),
  shipped('register.30', 'A number as `agentuuid` is registered, and repeated as a number with all its digits.', {
    guess: '400',
    muster: { documented: '400', shipped: 'digits beyond 2^53 are rounded' },
    ask: (given) => [
      pushOf(given, 'register_agent', Buffer.from(`{"agentuuid":${bigNumber(given.fresh[0])},"password":""}`)),
    ],
    expect: ({ fresh: [uuid] }) => bodyWith(new RegExp(`"agentuuid": *${bigNumber(uuid)}\\b`)),
  }),
  written('register.31', 'The order of members does not matter.', {
    source: 'JSON, RFC 8259',
    ask: (given) => [
      pushOf(given, 'register_agent', Object.fromEntries(Object.entries(registrationDocument(given)).reverse())),
    ],
    expect: SUCCESS,
  }),
  note('register.32', 'Members that the API does not name are ignored.', {
    ask: (given) => [registration(given, { version: '4.0.0', tags: ['a', { b: null }] })],
    expect: SUCCESS,
  }),
  shipped('register.33', 'Of a member that is there twice, the last counts.', {
    source: 'server 5.3.0; RFC 8259 leaves it open',
    ask: (given) => {
      const text = JSON.stringify(registrationDocument(given));
      return [pushOf(given, 'register_agent', Buffer.from(text.replace('{', '{"password":"x",')))];
    },
    expect: SUCCESS,
  }),
  written('register.34', 'Escapes in strings mean their characters.', {
    source: 'JSON, RFC 8259',
    play: (given) => {
      const escaped = [...given.fresh[1]]
        .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
      const body = Buffer.from(freshText(given).replace(given.fresh[0], escaped));
      return sequence(registration(given), pushOf(given, 'register_agent', body));
    },
    judge: (heard, { fresh }) => {
      const [plain, escaped] = heard.map((one, place) =>
        meets(one, answer(SUCCESS, json({ agentuuid: fresh[place] ?? '' }))),
      );
      if (!plain) return { kind: 'untried', why: 'it presumes register.2' };
      return escaped ? HOLDS : heard.slice(1).map(heardText).join();
    },
    expected: 'the UUID without escapes',
  }),
  shipped('register.35', 'Names of members count in their letter case: `AgentUUID` is another member.', {
    guess: 'as agents read names, in any case',
    ask: (given) => [registration(given, { agentuuid: undefined, AgentUUID: given.fresh[0] })],
    expect: REFUSED,
  }),
  agent('register.36', 'Each agent gets a password of its own.', {
    why: 'With a shared one, each agent can push as every other.',
    needs: ['agent', 'other'],
    play: () => [],
    judge: (_heard, { agent, other }) => (agent.password === other.password ? 'one password for both' : HOLDS),
    expected: 'two passwords',
  }),
  shipped('register.37', 'A password has 128 lowercase hexadecimal digits.', {
    needs: ['agent'],
    play: () => [],
    judge: (_heard, { agent }) => (/^[\da-f]{128}$/.test(agent.password) ? HOLDS : agent.password),
    expected: '128 digits from 0 to f',
  }),
  agent('register.38', 'Five simultaneous registrations of one UUID give out exactly one password.', {
    why: 'Only one of five clones of a machine could push.',
    play: (given) => {
      const one = registration(given);
      return [Array.from({ length: 5 }, () => [one, answerTo(one)])];
    },
    judge: (heard) => {
      const winners = heard.filter((one) => meets(one, SUCCESS));
      return winners.length === 1 ? HOLDS : `${winners.length} registrations: ${heard.map(heardText).join('; ')}`;
    },
    expected: 'one password',
  }),
  note('register.39', 'A UUID in capital letters is another agent.', {
    guess: 'compared exactly, or as a UUID',
    observed: 'the same agent: the database ignores case, accents and blanks at the end',
    muster: { documented: 'the same agent', shipped: 'the same agent' },
    needs: ['agent'],
    ask: (given) => [registration(given, { agentuuid: given.agent.uuid.toUpperCase() })],
    expect: SUCCESS,
  }),
];

/** A number above 2^53 from the digits of a UUID. */
function bigNumber(uuid: string): string {
  const digits = BigInt(`0x${uuid.replaceAll('-', '').slice(-20)}`) % 1_000_000_000_000_000n;
  return String(9_100_000_000_000_000_001n + digits * 2n);
}

function uuidAt([first, second]: readonly [string, string], place: number): string {
  return `${place % 2 === 0 ? first : second}`.replace(/^./, String(place));
}

/** The password in an answer; `undefined` if there is none. */
export function passwordIn(body: Buffer | undefined): string | undefined {
  const document = body && parsed(body);
  const isObject = typeof document === 'object' && document !== null;
  const password: unknown = isObject && 'password' in document ? document.password : undefined;
  return typeof password === 'string' && password !== '' ? password : undefined;
}
