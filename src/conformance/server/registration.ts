import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import { casesOf } from '../case.ts';
import {
  ANSWERED,
  answer,
  bodyWith,
  JSON_BODY,
  JSON_TYPED,
  json,
  NON_EMPTY_TEXT,
  READABLE,
  REFUSED,
  SUCCESS,
  status,
  TEXT,
} from '../expectation.ts';
import { answerTo, conversationText, finalAnswer, meets, sameStatus, sequence } from '../http-case.ts';
import {
  authorization,
  freshText,
  pushOf,
  registration,
  registrationDocument,
  registrationGets,
  type ServerCase,
} from './fixture.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

export const REGISTRATION: readonly ServerCase[] = [
  written('register.1', 'A UUID that the server does not know, with an empty password, gets 201.', {
    ...registrationGets(status(201), {}),
  }),
  written('register.2', 'The answer has the UUID as it was sent.', {
    ask: (fixture) => [registration(fixture)],
    presumes: answer(SUCCESS, JSON_BODY),
    expect: ({ fresh: [uuid] }) => json({ agentuuid: uuid }),
  }),
  written('register.3', 'The answer has a new password.', {
    presumes: answer(SUCCESS, JSON_BODY),
    ...registrationGets(json({ password: NON_EMPTY_TEXT }), {}),
  }),
  written('register.4', 'The answer has the type application/json.', {
    presumes: SUCCESS,
    ...registrationGets(JSON_TYPED, {}),
  }),
  agent('register.5', 'The answer is one JSON object.', {
    why: 'An agent that cannot read the answer stays without a password.',
    presumes: answer(SUCCESS, READABLE),
    ...registrationGets(JSON_BODY, {}),
  }),
  written('register.6', 'A known UUID with an empty password gets 403.', {
    needs: ['agent'],
    ask: (fixture) => [registration(fixture, { agentuuid: fixture.agent.uuid })],
    expect: status(403),
  }),
  written('register.7', 'Its `error` is a string.', {
    needs: ['agent'],
    ask: (fixture) => [registration(fixture, { agentuuid: fixture.agent.uuid })],
    presumes: REFUSED,
    expect: json({ error: TEXT }),
  }),
  shipped('register.8', `Its text is \`${ERROR_TEXTS.alreadyRegistered}\`.`, {
    guess: 'correct spelling',
    needs: ['agent'],
    ask: (fixture) => [registration(fixture, { agentuuid: fixture.agent.uuid })],
    presumes: json({ error: TEXT }),
    expect: json({ error: ERROR_TEXTS.alreadyRegistered }),
  }),
  agent('register.9', 'A refused registration leaves the password of the agent valid.', {
    why: 'Otherwise a clone of a machine cuts off the original.',
    needs: ['agent'],
    rounds: (fixture) =>
      sequence(
        authorization(fixture),
        authorization(fixture),
        registration(fixture, { agentuuid: fixture.agent.uuid }),
        authorization(fixture),
      ),
    judge: (conversations) => sameStatus(conversations.at(1), conversations.at(-1)),
    expected: 'the same answer to an authorization before and after',
  }),
  written('register.10', 'Without `password` it gets 400.', registrationGets(status(400), { password: undefined })),
  written('register.11', 'Without `agentuuid` it gets 400.', registrationGets(status(400), { agentuuid: undefined })),
  written('register.12', 'The `error` of a missing member is a string.', {
    presumes: REFUSED,
    ...registrationGets(json({ error: TEXT }), { password: undefined }),
  }),
  shipped('register.13', `Its text is "${ERROR_TEXTS.fieldsMissing}".`, {
    presumes: json({ error: TEXT }),
    ...registrationGets(json({ error: ERROR_TEXTS.fieldsMissing }), { password: undefined }),
  }),
  shipped('register.14', '`null` as `agentuuid` or `password` counts as missing: 400.', {
    ...registrationGets(status(400), { password: null }, { agentuuid: null }),
  }),
  written('register.15', '`hostname` and `ipaddress` may be missing.', {
    ...registrationGets(SUCCESS, { hostname: undefined, ipaddress: undefined }),
  }),
  note('register.16', '`hostname` and `ipaddress` may be `null`.', {
    ...registrationGets(SUCCESS, { hostname: null, ipaddress: null }),
  }),
  agent('register.17', '`hostname` and `ipaddress` may be empty.', {
    why: 'Agents send empty ones on hosts without a name or a network.',
    ...registrationGets(SUCCESS, { hostname: '', ipaddress: '' }),
  }),
  agent('register.18', '`ipaddress` may be an IPv6 address in brackets.', {
    why: 'Agents on hosts without IPv4 send `[2001:db8::7]`.',
    guess: 'without brackets',
    ...registrationGets(SUCCESS, { ipaddress: '[2001:db8::7]' }),
  }),
  agent('register.19', '`hostname` may have characters beyond ASCII.', {
    why: 'Agents send the names of their hosts as UTF-8.',
    ...registrationGets(SUCCESS, { hostname: 'büro-東京-🖥' }),
  }),
  shipped('register.20', '`hostname` may have 255 characters.', {
    ...registrationGets(SUCCESS, { hostname: 'h'.repeat(255) }),
  }),
  shipped('register.21', '`hostname` of 256 characters gets 400.', {
    guess: 'it is cut off',
    ...registrationGets(status(400), { hostname: 'h'.repeat(256) }),
  }),
  agent('register.22', 'The `error` of a refused registration is a string.', {
    why: 'The agent logs "could not unmarshal" instead of the reason.',
    guess: 'as in all other answers',
    observed: 'an object of columns and rules',
    muster: { shipped: 'an object' },
    presumes: REFUSED,
    ...registrationGets(json({ error: TEXT }), { hostname: 'h'.repeat(256) }),
  }),
  note('register.23', '`hostname` of another JSON type gets no 5xx.', {
    ask: (fixture) =>
      [7, true, ['h'], { h: 1 }].map((hostname, index) =>
        registration(fixture, { hostname, agentuuid: uuidAt(fixture.fresh, index) }),
      ),
    expect: ANSWERED,
  }),
  shipped('register.24', '`agentuuid` need not be a UUID.', {
    guess: '400',
    ask: (fixture) => [registration(fixture, { agentuuid: `web-${fixture.fresh[0].slice(-24)}` })],
    expect: SUCCESS,
  }),
  shipped('register.25', '`agentuuid` may have 37 characters; with 38 it gets 400.', {
    guess: 'at most 36',
    rounds: (fixture) =>
      sequence(...[1, 2].map((more) => registration(fixture, { agentuuid: `${fixture.fresh[0]}${'0'.repeat(more)}` }))),
    judge: (conversations) => {
      const [fits, longer] = conversations.map((one) => finalAnswer(one)?.status ?? 0);
      return fits === 201 && longer === 400 ? undefined : conversations.map(conversationText).join('; then ');
    },
    expected: '201, then 400',
  }),
  shipped('register.26', 'An empty `agentuuid` gets 400.', registrationGets(status(400), { agentuuid: '' })),
  note('register.27', '`agentuuid` as an array or an object gets no 5xx.', {
    guess: '400',
    observed: '500',
    muster: { shipped: '500' },
    ask: (fixture) => [
      registration(fixture, { agentuuid: [fixture.fresh[0]] }),
      registration(fixture, { agentuuid: { a: 1 } }),
    ],
    expect: ANSWERED,
  }),
  note('register.28', '`password` as an array or an object gets no 5xx.', {
    guess: '400',
    observed: '500',
    muster: { shipped: '500' },
    ...registrationGets(ANSWERED, { password: [''] }, { password: {} }),
  }),
  shipped('register.29', '`password` as `0` or `false` is no empty password: 404.', {
    guess: 'registered, or 400',
    muster: { documented: '400' },
    ...registrationGets(status(404), { password: 0 }, { password: false }),
  }),
  shipped('register.30', 'A number as `agentuuid` is registered, and repeated as a number with all its digits.', {
    guess: '400',
    muster: { documented: '400', shipped: 'digits beyond 2^53 are rounded' },
    ask: (fixture) => [
      pushOf(fixture, 'register_agent', Buffer.from(`{"agentuuid":${bigNumber(fixture.fresh[0])},"password":""}`)),
    ],
    expect: ({ fresh: [uuid] }) => bodyWith(new RegExp(`"agentuuid": *${bigNumber(uuid)}\\b`)),
  }),
  written('register.31', 'The order of members does not matter.', {
    source: 'JSON, RFC 8259',
    ask: (fixture) => [
      pushOf(fixture, 'register_agent', Object.fromEntries(Object.entries(registrationDocument(fixture)).reverse())),
    ],
    expect: SUCCESS,
  }),
  note('register.32', 'Members that the API does not name are ignored.', {
    ...registrationGets(SUCCESS, { version: '4.0.0', tags: ['a', { b: null }] }),
  }),
  shipped('register.33', 'Of a member that is there twice, the last counts.', {
    source: 'server 5.3.0; RFC 8259 leaves it open',
    ask: (fixture) => {
      const text = JSON.stringify(registrationDocument(fixture));
      return [pushOf(fixture, 'register_agent', Buffer.from(text.replace('{', '{"password":"x",')))];
    },
    expect: SUCCESS,
  }),
  written('register.34', 'Escapes in strings mean their characters.', {
    source: 'JSON, RFC 8259',
    rounds: (fixture) => {
      const escaped = [...fixture.fresh[1]]
        .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
      const body = Buffer.from(freshText(fixture).replace(fixture.fresh[0], escaped));
      return sequence(registration(fixture), pushOf(fixture, 'register_agent', body));
    },
    judge: (conversations, { fresh }) => {
      const [plain, escaped] = conversations.map((one, index) =>
        meets(one, answer(SUCCESS, json({ agentuuid: fresh[index] ?? '' }))),
      );
      if (!plain) return { untried: 'it presumes register.2' };
      return escaped ? undefined : conversations.slice(1).map(conversationText).join();
    },
    expected: 'the UUID without escapes',
  }),
  shipped('register.35', 'Names of members count in their letter case: `AgentUUID` is another member.', {
    guess: 'as agents read names, in any case',
    ask: (fixture) => [registration(fixture, { agentuuid: undefined, AgentUUID: fixture.fresh[0] })],
    expect: REFUSED,
  }),
  agent('register.36', 'Each agent gets a password of its own.', {
    why: 'With a shared one, each agent can push as every other.',
    needs: ['agent', 'other'],
    rounds: () => [],
    judge: (_conversations, { agent, other }) =>
      agent.password === other.password ? 'one password for both' : undefined,
    expected: 'two passwords',
  }),
  shipped('register.37', 'A password has 128 lowercase hexadecimal digits.', {
    needs: ['agent'],
    rounds: () => [],
    judge: (_conversations, { agent }) => (/^[\da-f]{128}$/.test(agent.password) ? undefined : agent.password),
    expected: '128 digits from 0 to f',
  }),
  agent('register.38', 'Five simultaneous registrations of one UUID give out exactly one password.', {
    why: 'Only one of five clones of a machine could push.',
    rounds: (fixture) => {
      const one = registration(fixture);
      return [Array.from({ length: 5 }, () => [one, answerTo(one)])];
    },
    judge: (conversations) => {
      const winners = conversations.filter((one) => meets(one, SUCCESS));
      return winners.length === 1
        ? undefined
        : `${winners.length} registrations: ${conversations.map(conversationText).join('; ')}`;
    },
    expected: 'one password',
  }),
  note('register.39', 'A UUID in capital letters is another agent.', {
    guess: 'compared exactly, or as a UUID',
    observed: 'the same agent: the database ignores case, accents and blanks at the end',
    muster: { documented: 'the same agent', shipped: 'the same agent' },
    needs: ['agent'],
    ask: (fixture) => [registration(fixture, { agentuuid: fixture.agent.uuid.toUpperCase() })],
    expect: SUCCESS,
  }),
];

/** A number above 2^53 from the digits of a UUID. */
function bigNumber(uuid: string): string {
  const digits = BigInt(`0x${uuid.replaceAll('-', '').slice(-20)}`) % 1_000_000_000_000_000n;
  return String(9_100_000_000_000_000_001n + digits * 2n);
}

function uuidAt([first, second]: readonly [string, string], index: number): string {
  return `${index % 2 === 0 ? first : second}`.replace(/^./, String(index));
}

export function passwordIn(body: Buffer | undefined): string | undefined {
  const { password } = membersIn(jsonIn(body?.toString('utf8') ?? ''));
  return typeof password === 'string' && password !== '' ? password : undefined;
}
