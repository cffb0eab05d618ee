import { ERROR_TEXTS } from '../../base/protocol/push.ts';
import { casesOf } from '../case.ts';
import {
  ANSWERED,
  answer,
  bodyWith,
  JSON_BODY,
  JSON_TYPED,
  json,
  PRESENT,
  READABLE,
  REFUSED,
  SUCCESS,
  status,
  TEXT,
} from '../expectation.ts';
import { ANSWER, conversationText, meets, sameStatus, sequence } from '../http-case.ts';
import { wrongPassword } from './authorization.ts';
import {
  CHECK_DOCUMENT,
  checkdata,
  envelope,
  getsOf,
  needing,
  pushOf,
  type ServerCase,
  type ServerFixture,
  WRONG,
} from './fixture.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

const MIB = 2 ** 20;

const checkdataGets = getsOf(checkdata);
const textGets = getsOf(pushText);

export const CHECKDATA: readonly ServerCase[] = needing(
  ['assigned'],
  [
    written('checkdata.1', 'Check data of an agent with a host gets 200.', checkdataGets(status(200), {})),
    written('checkdata.2', 'The answer has `received_checks`.', {
      presumes: JSON_BODY,
      ...checkdataGets(json({ received_checks: PRESENT }), {}),
    }),
    agent('checkdata.3', '`received_checks` is a whole number in plain digits.', {
      why: 'The agent cannot read `"5"`, `5.0` or `1e3`, and logs each push as failed.',
      presumes: json({ received_checks: PRESENT }),
      ...checkdataGets(bodyWith(/"received_checks"\s*:\s*(-?\d{1,18}|null)\s*[,}]/), {}),
    }),
    note('checkdata.4', '`received_checks` is not negative.', {
      presumes: bodyWith(/"received_checks"\s*:\s*-?\d{1,15}\s*[,}]/),
      ...checkdataGets(bodyWith(/"received_checks"\s*:\s*\d/), {}),
    }),
    written('checkdata.5', 'The answer has the type application/json.', {
      presumes: SUCCESS,
      ...checkdataGets(JSON_TYPED, {}),
    }),
    agent('checkdata.6', 'The answer is one JSON object.', {
      why: 'The agent logs each push as failed.',
      presumes: answer(SUCCESS, READABLE),
      ...checkdataGets(JSON_BODY, {}),
    }),
    written('checkdata.7', 'A wrong password gets 400.', {
      guess: '401 or 403',
      needs: ['agent'],
      ask: (fixture) => [push(fixture, { password: WRONG })],
      expect: status(400),
    }),
    written('checkdata.8', 'A UUID that the server does not know gets 400.', {
      needs: [],
      guess: '404, as for an authorization',
      ask: (fixture) => [push(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      expect: status(400),
    }),
    written('checkdata.9', 'Its `error` is a string.', {
      needs: [],
      ask: (fixture) => [push(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      presumes: REFUSED,
      expect: json({ error: TEXT }),
    }),
    shipped('checkdata.10', `Its text is "${ERROR_TEXTS.credentialsOrHost}".`, {
      needs: [],
      ask: (fixture) => [push(fixture, { agentuuid: fixture.fresh[0], password: WRONG })],
      presumes: json({ error: TEXT }),
      expect: json({ error: ERROR_TEXTS.credentialsOrHost }),
    }),
    written('checkdata.11', 'A registered agent without a host gets 400.', {
      guess: '200: its credentials are right, and the data is stored',
      needs: ['agent', 'unassigned'],
      ask: (fixture) => [push(fixture)],
      expect: status(400),
    }),
    written('checkdata.12', 'Without `agentuuid` or `password` it gets 400.', {
      ...checkdataGets(status(400), { agentuuid: undefined }, { password: undefined }),
    }),
    written('checkdata.13', 'The password of another agent is wrong.', {
      needs: ['agent', 'assigned'],
      rounds: (fixture) => sequence(checkdata(fixture, { password: fixture.agent.password })),
      judge: ([conversation], { agent, assigned }) => wrongPassword(conversation, agent, assigned),
      expected: REFUSED.text,
    }),
    agent('checkdata.14', 'An empty password is wrong, also before the first registration.', {
      why: 'Anybody could push for each agent.',
      ask: (fixture) => [
        checkdata(fixture, { password: '' }),
        push(fixture, { agentuuid: fixture.fresh[0], password: '' }),
      ],
      expect: REFUSED,
    }),
    written('checkdata.15', 'The order of members does not matter.', {
      source: 'JSON, RFC 8259; agents send `checkdata` first',
      ask: (fixture) => [
        pushOf(
          fixture,
          'submit_checkdata',
          Object.fromEntries(Object.entries(envelope(fixture.assigned, CHECK_DOCUMENT)).reverse()),
        ),
      ],
      expect: SUCCESS,
    }),
    agent('checkdata.16', '`checkdata` may have members of any name.', {
      why: 'New agents have new checks.',
      ...checkdataGets(SUCCESS, { checkdata: { ...CHECK_DOCUMENT, 'x y/ü"': { a: [null] }, '': 0 } }),
    }),
    agent('checkdata.17', 'A check may be an object with `error`, or `null`.', {
      why: 'Agents send these for checks that failed, and for empty lists.',
      ...checkdataGets(SUCCESS, { checkdata: { ...CHECK_DOCUMENT, docker: { error: 'no daemon' }, processes: null } }),
    }),
    agent('checkdata.18', 'Integers may exceed 2^53.', {
      why: 'Counters of Windows do.',
      ...textGets(SUCCESS, '{"disk_io":{"C:":{"Timestamp_Sys100NS":133500000000000001,"x":18446744073709551615}}}'),
    }),
    agent('checkdata.19', 'Strings may have the escapes `\\u003c`, `\\u2028` and `\\u0000`.', {
      why: 'Go escapes these, and the output of a custom check may have NUL bytes.',
      ...textGets(
        SUCCESS,
        String.raw`{"customchecks":{"a":{"result":"\u003cb\u003e\u2028\u0000\ufffd","exit_code":0}}}`,
      ),
    }),
    agent('checkdata.20', 'Numbers may have exponents: `1e-7`, `1.5e+21`.', {
      why: 'Go writes small and large floats so.',
      ...textGets(SUCCESS, '{"ntp":{"Offset":1e-7,"x":1.5e+21}}'),
    }),
    agent('checkdata.21', 'A document of 1 MB is accepted.', {
      why: 'Hosts with many processes and services send as much.',
      ...checkdataGets(SUCCESS, { checkdata: { ...CHECK_DOCUMENT, users: 'a'.repeat(MIB) } }),
    }),
    shipped('checkdata.22', 'A document of 8 MB is accepted.', {
      ...checkdataGets(SUCCESS, { checkdata: { ...CHECK_DOCUMENT, users: 'a'.repeat(8 * MIB) } }),
    }),
    shipped('checkdata.23', 'A document of 17 MB is accepted, though only its first 16,777,215 bytes are stored.', {
      observed: '500 if the database has a strict `sql_mode`',
      guess: '413',
      ...checkdataGets(SUCCESS, { checkdata: { ...CHECK_DOCUMENT, users: 'a'.repeat(17 * MIB) } }),
    }),
    agent('checkdata.24', 'Documents may be nested 100 levels deep.', {
      why: 'The output of an exporter may be.',
      ...textGets(SUCCESS, nested(100)),
    }),
    shipped('checkdata.25', 'A document nested 600 levels deep gets 400.', {
      guess: 'accepted',
      ...textGets(status(400), nested(600)),
    }),
    shipped('checkdata.26', '`checkdata` may be missing, `null`, `{}` or `[]`.', {
      guess: '400',
      ask: (fixture) => [undefined, null, {}, []].map((document) => checkdata(fixture, { checkdata: document })),
      expect: SUCCESS,
    }),
    shipped('checkdata.27', '`checkdata` may be a string, a number or a boolean.', {
      guess: '400',
      ask: (fixture) => ['text', 7, true].map((document) => checkdata(fixture, { checkdata: document })),
      expect: SUCCESS,
    }),
    shipped('checkdata.28', 'An older document after a newer one is accepted.', {
      ask: (fixture) =>
        [1_790_000_000, 1_690_000_000].map((time) =>
          checkdata(fixture, { checkdata: { agent: { ...CHECK_DOCUMENT.agent, last_updated_timestamp: time } } }),
        ),
      expect: SUCCESS,
    }),
    agent('checkdata.29', 'The same document is accepted again.', {
      why: 'A proxy or a restart may repeat it.',
      rounds: (fixture) => sequence(checkdata(fixture), checkdata(fixture)),
      judge: (conversations) => sameStatus(conversations.at(0), conversations.at(-1)),
      expected: SUCCESS.text,
    }),
    agent('checkdata.30', 'Two pushes of one agent at the same time are both accepted.', {
      why: 'After a timeout, an agent sends the next while the server still works on the last.',
      rounds: (fixture) => {
        const one = checkdata(fixture);
        const other = checkdata({ ...fixture, fresh: [fixture.fresh[1], fixture.fresh[0]] });
        return [
          [[one, ANSWER]],
          [
            [other, ANSWER],
            [checkdata({ ...fixture, fresh: [`${fixture.fresh[1]}-b`, fixture.fresh[0]] }), ANSWER],
          ],
        ];
      },
      judge: ([alone, ...both]) => {
        if (alone === undefined || !meets(alone, SUCCESS)) return { untried: 'it presumes checkdata.1' };
        return both.every((one) => meets(one, SUCCESS)) ? undefined : both.map(conversationText).join('; and ');
      },
      expected: `${SUCCESS.text}, twice`,
    }),
    note('checkdata.31', 'UUID or password as an array or an object gets no 5xx.', {
      guess: '400',
      observed: '500',
      muster: { shipped: '500' },
      ...checkdataGets(ANSWERED, { agentuuid: ['a'] }, { password: {} }),
    }),
    note('checkdata.32', 'A number beyond the range of doubles gets no 5xx.', {
      ...textGets(ANSWERED, '{"ntp":{"Offset":1e400}}'),
    }),
    note('checkdata.33', 'Half a surrogate pair in an escape gets no 5xx.', {
      ...textGets(ANSWERED, String.raw`{"a":"\ud83d"}`),
    }),
    shipped('checkdata.34', 'Bytes that are not UTF-8 get 400.', {
      guess: 'replaced',
      ...textGets(status(400), Buffer.from('{"a":"b\xfcro"}', 'latin1')),
    }),
    shipped('checkdata.35', 'Of a password that is there twice, the last counts.', {
      ask: (fixture) => {
        const text = JSON.stringify(envelope(fixture.assigned, CHECK_DOCUMENT));
        return [pushOf(fixture, 'submit_checkdata', Buffer.from(text.replace('{', `{"password":"${WRONG}",`)))];
      },
      expect: SUCCESS,
    }),
  ],
);

/** A push of the newly registered agent. */
function push(fixture: ServerFixture, members: Readonly<Record<string, unknown>> = {}) {
  return pushOf(fixture, 'submit_checkdata', envelope(fixture.agent, CHECK_DOCUMENT, members));
}

function pushText(fixture: ServerFixture, text: string | Buffer) {
  const { uuid, password } = fixture.assigned;
  const [before, after] = [
    '{"checkdata":',
    `,"agentuuid":${JSON.stringify(uuid)},"password":${JSON.stringify(password)}}`,
  ];
  return pushOf(
    fixture,
    'submit_checkdata',
    Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after)]),
  );
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}
