import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { casesOf } from '../case.ts';
import { answer, header, status } from '../expectation.ts';
import { ANSWER, finalAnswer, holdsIf, over } from '../http-case.ts';
import { type HttpStep, requestBytes } from '../request.ts';
import type { AgentCase } from './agent-case.ts';
import { type AgentFixture, basic, bodyIs, gets, requestTo } from './fixture.ts';

const { written, server, shipped } = casesOf<AgentCase>();

const END: HttpStep = { await: 'end' };
const IDLE_SECONDS = 30;

/** What is sent over one connection, as text or as steps. */
const raw =
  (...steps: readonly (HttpStep | string)[]) =>
  ({ host }: AgentFixture) =>
    over(
      ...steps.map((step): HttpStep => {
        return typeof step === 'string' ? { send: Buffer.from(step.replaceAll('HOST', host), 'latin1') } : step;
      }),
    );

function statuses(conversation: Conversation | undefined): string {
  return conversation?.answers.map((one) => one.status).join() ?? '';
}

/** Judges one connection by the statuses of its answers, and by whether the agent closed it. */
const judgesStatuses =
  (...expected: readonly string[]) =>
  (conversations: readonly Conversation[]) =>
    holdsIf(
      expected.includes(`${statuses(conversations[0])}${conversations[0]?.end === 'open' ? '' : ' closed'}`),
      ...conversations,
    );

/** What is sent gets an answer with this status, and the agent ends the connection. */
const closesAfter = (status: number, text: string) => ({
  rounds: raw(text, ANSWER, END),
  judge: judgesStatuses(`${status} closed`),
  expected: `${status}, then the end`,
});

const GET = 'GET /prometheus HTTP/1.1\r\nHost: HOST\r\n';

export const CONNECTION: readonly AgentCase[] = [
  shipped('connection.1', 'A connection serves several requests.', {
    rounds: (fixture) =>
      over(requestTo(fixture, 'GET /prometheus'), ANSWER, requestTo(fixture, 'GET /muster-conform'), ANSWER),
    judge: judgesStatuses('200,404'),
    expected: 'two answers over one connection',
  }),
  shipped('connection.2', 'Requests that are sent without waiting are answered in order.', {
    rounds: (fixture) =>
      over(
        requestTo(fixture, 'GET /prometheus'),
        requestTo(fixture, 'PUT /'),
        requestTo(fixture, 'GET /muster-conform'),
        ANSWER,
        ANSWER,
        ANSWER,
      ),
    judge: judgesStatuses('200,405,404'),
    expected: '200, 405 and 404',
  }),
  shipped('connection.3', 'Connection: close is obeyed.', {
    rounds: (fixture) => over(requestTo(fixture, 'GET /muster-conform', ['Connection', 'close']), ANSWER, END),
    judge: judgesStatuses('404 closed'),
    expected: 'an answer, then the end',
  }),
  shipped('connection.4', 'HTTP/1.0 gets an answer in HTTP/1.0, and the connection ends.', {
    rounds: raw('GET /muster-conform HTTP/1.0\r\n\r\n', ANSWER, END),
    judge: ([conversation]) =>
      holdsIf(conversation?.answers[0]?.version === '1.0' && conversation.end === 'closed', conversation),
    expected: 'HTTP/1.0, then the end',
  }),
  shipped('connection.5', 'A large answer to HTTP/1.0 is not in chunks; it ends with the connection.', {
    needs: 'large',
    rounds: (fixture) =>
      over({ ...requestTo(fixture, 'GET /', ['Connection', 'keep-alive']), version: '1.0' }, ANSWER, END),
    judge: (conversations) => holdsIf(conversations[0]?.answers[0]?.framing === 'close', ...conversations),
    expected: 'a body without chunks',
  }),
  shipped('connection.6', 'Without Host the answer is 400.', closesAfter(400, 'GET / HTTP/1.1\r\n\r\n')),
  shipped('connection.7', 'Two Host headers get 400.', closesAfter(400, `${GET}Host: HOST\r\n\r\n`)),
  shipped('connection.8', 'A head of 200 KB is read.', {
    guess: '431 beyond 8 or 16 KB',
    ask: (fixture) => [requestTo(fixture, 'GET /prometheus', ['X-Muster', 'x'.repeat(200_000)])],
    expect: status(200),
  }),
  shipped(
    'connection.9',
    'A head of more than 266,240 bytes gets 431.',
    closesAfter(431, `${GET}X-Muster: ${'x'.repeat(280_000)}\r\n\r\n`),
  ),
  shipped('connection.10', 'What is not HTTP gets 400.', closesAfter(400, 'muster conform\r\n\r\n')),
  shipped(
    'connection.11',
    'A request line with HTTP/2.0 gets 505.',
    closesAfter(505, 'GET /prometheus HTTP/2.0\r\nHost: HOST\r\n\r\n'),
  ),
  shipped('connection.12', 'An upgrade is ignored.', {
    ...gets('GET /prometheus', status(200), ['Connection', 'Upgrade'], ['Upgrade', 'h2c']),
  }),
  shipped('connection.13', 'Expect with anything but 100-continue gets 417.', {
    ...gets('GET /prometheus', status(417), ['Expect', '200-ok']),
  }),
  shipped('connection.14', 'A transfer encoding other than chunked gets 501.', {
    guess: '400',
    ...closesAfter(
      501,
      'POST /muster-conform HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    ),
  }),
  shipped('connection.15', 'The body of a refused request is read, so that the connection goes on.', {
    rounds: (fixture) =>
      over(
        { ...requestTo(fixture, 'POST /muster-conform'), body: Buffer.alloc(1000, 'x') } as HttpStep,
        ANSWER,
        requestTo(fixture, 'GET /prometheus'),
        ANSWER,
      ),
    judge: judgesStatuses('404,200'),
    expected: '404, then an answer over the same connection',
  }),
  shipped(
    'connection.16',
    'A body beyond 256 KiB is not read if nobody needs it: the answer comes immediately, and the connection ends.',
    closesAfter(404, 'POST /muster-conform HTTP/1.1\r\nHost: HOST\r\nContent-Length: 300000\r\n\r\n'),
  ),
  shipped('connection.17', 'A client that asks before it sends its body gets no 100 if nobody needs the body.', {
    guess: 'the end of the connection, which the answer announces; the agent waits for the body, for up to 30 s',
    rounds: raw(
      'POST /muster-conform HTTP/1.1\r\nHost: HOST\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
      ANSWER,
    ),
    judge: judgesStatuses('404', '404 closed'),
    expected: '404 without 100',
  }),
  shipped('connection.18', 'A head may arrive byte by byte.', {
    rounds: (fixture) =>
      over(
        ...Array.from(requestBytes(requestTo(fixture, 'GET /prometheus')), (byte): HttpStep[] => [
          { send: Buffer.of(byte) },
          { pauseMs: 1 },
        ]).flat(),
        ANSWER,
      ),
    judge: judgesStatuses('200'),
    expected: '200',
  }),
  shipped('connection.19', 'A client that has closed its side gets its answer.', {
    rounds: (fixture) => over(requestTo(fixture, 'GET /prometheus'), { finish: true }, ANSWER, END),
    judge: judgesStatuses('200 closed'),
    expected: '200, then the end',
  }),
  shipped('connection.20', 'Lines of a head may end without a carriage return.', {
    muster: '400',
    rounds: raw('GET /muster-conform HTTP/1.1\nHost: HOST\n\n', ANSWER),
    judge: judgesStatuses('404'),
    expected: '404',
  }),
  server('connection.21', 'Ten connections are served at the same time.', {
    why: 'The server asks for check data and packages at the same time.',
    rounds: (fixture) => [Array.from({ length: 10 }, () => [requestTo(fixture, 'GET /prometheus'), ANSWER])],
    judge: (conversations) =>
      holdsIf(
        conversations.every((one) => finalAnswer(one)?.status === 200),
        ...conversations,
      ),
    expected: 'ten answers',
  }),
  shipped('connection.22', `A connection that is idle for ${IDLE_SECONDS} s is closed.`, {
    slow: true,
    rounds: (fixture) => over(requestTo(fixture, 'GET /prometheus'), ANSWER, END),
    judge: ([conversation]) =>
      holdsIf(conversation?.end === 'closed' && conversation.endedMs - conversation.startedMs > 25_000, conversation),
    expected: `the end after ${IDLE_SECONDS} s`,
  }),
  shipped('connection.23', `A request line that is not complete after ${IDLE_SECONDS} s gets 400.`, {
    slow: true,
    muster: 'the end without an answer',
    guess: '408, or nothing',
    ...closesAfter(400, 'GET /prom'),
  }),
  shipped('connection.24', 'The preface of HTTP/2 gets 301, like a request for the path *, and the connection ends.', {
    muster: '400',
    guess: '505, or HTTP/2',
    ...closesAfter(301, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  }),
];

const WRONG = 'wrong:wrong';
const right = ({ auth = '' }: AgentFixture): string => basic(auth);

export const AUTHENTICATION: readonly AgentCase[] = [
  shipped('auth.1', 'Without credentials every route gets 403.', {
    guess: '401',
    ask: (fixture) =>
      ['/', '/packages', '/prometheus', '/config', '/autotls'].map((path) =>
        requestTo({ ...fixture, auth: undefined }, `GET ${path}`),
      ),
    expect: status(403),
  }),
  shipped('auth.2', 'The refusal does not ask for credentials: it has no WWW-Authenticate.', {
    guess: 'WWW-Authenticate: Basic',
    ask: (fixture) => [requestTo({ ...fixture, auth: undefined }, 'GET /')],
    expect: header('WWW-Authenticate', undefined),
  }),
  shipped('auth.3', 'The refusal has the text "Forbidden".', {
    ask: (fixture) => [requestTo({ ...fixture, auth: undefined }, 'GET /')],
    expect: bodyIs('Forbidden\n'),
  }),
  written('auth.4', 'The right credentials get 200.', gets('GET /', status(200))),
  written('auth.5', 'A wrong `password` is refused.', {
    ask: (fixture) => [requestTo({ ...fixture, auth: WRONG }, 'GET /')],
    expect: status(403),
  }),
  shipped('auth.6', 'The word Basic may be in other letter case.', {
    ask: (fixture) => [requestTo(fixture, 'GET /', ['Authorization', right(fixture).replace('Basic', 'bAsIc')])],
    expect: status(200),
  }),
  shipped('auth.7', 'Two spaces after Basic are refused.', {
    ask: (fixture) => [requestTo(fixture, 'GET /', ['Authorization', right(fixture).replace(' ', '  ')])],
    expect: status(403),
  }),
  shipped('auth.8', 'Of two `Authorization` headers the first counts.', {
    guess: '400, or the last',
    ask: (fixture) => [requestTo(fixture, 'GET /', ['Authorization', right(fixture)], ['Authorization', basic(WRONG)])],
    expect: status(200),
  }),
  shipped('auth.9', 'An unknown path gets 404 without credentials, too.', {
    guess: 'nothing is said before the client has authenticated',
    ask: (fixture) => [requestTo({ ...fixture, auth: undefined }, 'GET /muster-conform')],
    expect: status(404),
  }),
  shipped('auth.10', 'A wrong method gets 405 without credentials, too.', {
    guess: '401 or 403',
    ask: (fixture) => [requestTo({ ...fixture, auth: undefined }, 'PUT /')],
    expect: answer(status(405)),
  }),
].map((one) => ({ needs: 'auth' as const, ...one }));
