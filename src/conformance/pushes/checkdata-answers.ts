import { ENDPOINT_PATHS } from '../../base/protocol/push.ts';
import { type Deviation, deviationUnless } from '../case.ts';
import {
  type AnswerContext,
  CHECKS_ACCEPTED,
  htmlAnswer,
  rawBytes,
  redirectTo,
  scripted,
  scriptedJson,
  textAnswer,
  withDelivery,
  zipped,
} from './answer.ts';
import {
  all,
  answerCases,
  continuesAsBefore,
  continuesAtInterval,
  dialsAgain,
  fieldOf,
  followed,
  type Judge,
  keepsConnection,
  reusesConnection,
  waits,
} from './judging.ts';
import type { PushCase } from './push-case.ts';
import type { ReceivedPush, TlsInfo } from './request.ts';

const expects = answerCases('submit_checkdata');
const continues = expects('check data again, at the next interval', continuesAtInterval);

const sendsNoCookie: Judge = ({ next }) => fieldOf(next, 'cookie');

export const CHECKDATA_ANSWERS: readonly PushCase[] = [
  continues('answer.1', 'After 200 the next check data comes at the interval.', {
    answers: [CHECKS_ACCEPTED],
    level: 'written',
  }),
  continues('answer.2', 'After 400, as for an agent without a host, the agent keeps its password.', {
    answers: [scriptedJson(400, { error: 'Invalid credentials or host not found' })],
    level: 'server',
    why: 'Every new agent gets 400 until an operator assigns it to a host.',
    guess: 'the credentials are wrong, so it registers again',
  }),
  continues('answer.3', 'After 401 the agent keeps its password.', {
    answers: [scripted({ status: 401 })],
    guess: 'it registers again',
  }),
  continues('answer.4', 'After 403 the agent keeps its password.', {
    answers: [scriptedJson(403, { error: 'Forbidden' })],
    guess: 'it registers again',
  }),
  continues('answer.5', 'After 404 the agent keeps its password.', {
    answers: [scriptedJson(404, { error: 'No Agent found' })],
    guess:
      'it registers again; an agent that was deleted on the server sends in vain until an operator deletes its auth.json',
  }),
  continues('answer.6', 'After 405 the agent keeps its password.', {
    answers: [scriptedJson(405, { message: 'Not Allowed', code: 405 })],
  }),
  continues('answer.7', 'After 413 the agent sends as much as before.', {
    answers: [htmlAnswer(413)],
    guess: 'it leaves out what is large',
  }),
  continues('answer.8', 'Retry-After with 429 has no effect.', {
    answers: [scripted({ status: 429, fields: { 'Retry-After': '3600' } })],
    guess: 'the agent waits as long as the server asks',
  }),
  continues('answer.9', 'After a page with 500 the agent goes on at its interval.', {
    answers: [htmlAnswer(500)],
    level: 'server',
    why: 'Otherwise hosts stay away after a fault of the server.',
  }),
  continues('answer.10', 'A result that was refused with 503 is lost: not repeated, not kept for later.', {
    answers: [scripted({ status: 503 })],
    guess: 'repeated until the server takes it',
  }),
  continues('answer.11', 'A page with 200 changes nothing.', { answers: [htmlAnswer(200)] }),
  continues('answer.12', 'An empty 200 changes nothing.', { answers: [scripted({ status: 200 })] }),
  continues('answer.13', '`null` as the body changes nothing.', { answers: [textAnswer(200, 'null')] }),
  continues('answer.14', 'Members of wrong types change nothing.', {
    answers: [scriptedJson(200, { received_checks: 'many', error: {} })],
  }),
  continues('answer.15', 'Half a JSON text changes nothing.', { answers: [textAnswer(200, '{"received_checks":')] }),
  continues('answer.16', 'A 204 changes nothing.', { answers: [rawBytes('HTTP/1.1 204 No Content\r\n\r\n')] }),
  continues('answer.17', 'A password in an answer to check data is not taken.', {
    answers: [({ uuid }) => scriptedJson(200, { agentuuid: uuid, password: 'another', received_checks: 1 })],
  }),
  expects('no Cookie', all(continuesAsBefore, sendsNoCookie))('answer.18', 'A cookie is not sent back.', {
    answers: [scriptedJson(200, { received_checks: 1 }, { 'Set-Cookie': 'CAKEPHP=muster; path=/' })],
    guess: 'kept for the session',
  }),
];

const ELSEWHERE = '/conformance/moved';
const moved = (status: number) => redirectTo(status, ELSEWHERE);
/** The agent follows the redirect with such a request. */
const follows = (expected: string, isRight: (request: ReceivedPush, first: ReceivedPush) => boolean) => {
  const judge = followed((request, first) => {
    const { method, target, body } = request;
    return deviationUnless(
      target === ELSEWHERE && isRight(request, first),
      `${method} ${target}, ${body.length} bytes`,
    );
  });
  return expects(expected, all(judge, continuesAsBefore));
};
const getsIt = follows(`GET ${ELSEWHERE} without a body`, ({ method, body }) => method === 'GET' && body.length === 0);
const postsIt = follows(
  `POST ${ELSEWHERE} with the same body`,
  ({ method, body }, first) => method === 'POST' && body.equals(first.body),
);
const MAX_REQUESTS = 10;
const endsLoop: Judge = ({ requests, next }) => {
  const count = requests.filter(({ target }) => target === ELSEWHERE).length + 1;
  return deviationUnless(count === MAX_REQUESTS && next.target !== ELSEWHERE, `${count} requests, then ${next.target}`);
};
const namesReferer = followed((request) => {
  const referer = fieldOf(request, 'referer');
  return deviationUnless(referer?.endsWith(ENDPOINT_PATHS.submit_checkdata) === true, `Referer: ${referer}`);
});
const sendsKey = followed((request, first) => {
  const key = fieldOf(request, 'authorization');
  return deviationUnless(key === fieldOf(first, 'authorization'), `Authorization: ${key}`);
});

export const REDIRECTS: readonly PushCase[] = [
  getsIt('redirect.1', 'A redirect with 301 is followed as a GET without a body.', {
    answers: [moved(301), CHECKS_ACCEPTED],
    guess: 'a server that moved gets the POST at its new place',
  }),
  getsIt('redirect.2', 'A redirect with 302 is followed as a GET without a body.', {
    answers: [moved(302), CHECKS_ACCEPTED],
    guess: 'not followed, because it would not be a POST',
  }),
  getsIt('redirect.3', 'A redirect with 303 is followed as a GET without a body.', {
    answers: [moved(303), CHECKS_ACCEPTED],
  }),
  postsIt('redirect.4', 'A redirect with 307 repeats the POST with its body.', {
    answers: [moved(307), CHECKS_ACCEPTED],
  }),
  postsIt('redirect.5', 'A redirect with 308 repeats the POST with its body.', {
    answers: [moved(308), CHECKS_ACCEPTED],
  }),
  expects('the same Authorization', all(sendsKey, continuesAsBefore))(
    'redirect.6',
    'The API key is sent to another port of the same host, too.',
    {
      answers: [({ secureUrl }) => redirectTo(307, `${secureUrl}${ELSEWHERE}`), CHECKS_ACCEPTED],
      guess: 'dropped, because another port is another origin',
    },
  ),
  expects('the previous URL in Referer', all(namesReferer, continuesAsBefore))(
    'redirect.7',
    'A request that follows a redirect names the previous URL in `Referer`.',
    { answers: [moved(307), CHECKS_ACCEPTED], guess: 'only browsers send `Referer`' },
  ),
  expects(`${MAX_REQUESTS} requests, then check data`, endsLoop)(
    'redirect.8',
    `A loop of redirects ends after ${MAX_REQUESTS} requests.`,
    { answers: Array.from({ length: MAX_REQUESTS }, () => moved(307)) },
  ),
  continues('redirect.9', 'A redirect without Location ends the request.', { answers: [scripted({ status: 302 })] }),
];

const SAME_CONNECTION = 'the next check data on the same connection';
const sameConnection = expects(SAME_CONNECTION, all(continuesAsBefore, keepsConnection));
const newConnection = expects('the next check data on a new connection', all(continuesAsBefore, waits, dialsAgain));
const hasLimit: Judge = ({ waitedMs }) => deviationUnless(waitedMs !== undefined, 'no time limit');
const givesUp = expects('the connection closed, then check data again', all(continuesAsBefore, dialsAgain, hasLimit));
const OK = 'HTTP/1.1 200 OK\r\n';
const SPREAD_MS = 600;
const EARLY = scriptedJson(200, { received_checks: 1 });
const PADDED = scriptedJson(200, { received_checks: 1, padding: 'x'.repeat(200_000) });
const CLOSED = withDelivery(scriptedJson(200, { received_checks: 1 }, { Connection: 'close' }), { end: 'close' });
const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

export const CONNECTIONS: readonly PushCase[] = [
  expects(SAME_CONNECTION, all(continuesAsBefore, reusesConnection))(
    'connection.1',
    'The agent keeps one connection for all its requests.',
    { answers: [CHECKS_ACCEPTED], guess: 'one connection for each push' },
  ),
  sameConnection('connection.2', 'The connection is kept after a failure.', { answers: [htmlAnswer(500)] }),
  newConnection('connection.3', 'Connection: close is obeyed.', {
    answers: [CLOSED],
    level: 'server',
    why: 'nginx closes every connection after 1000 requests.',
  }),
  newConnection('connection.4', 'A connection that the server closes between requests costs none.', {
    answers: [withDelivery(CHECKS_ACCEPTED, { end: 'close' })],
    level: 'server',
    why: 'nginx closes connections that are idle for 65 s.',
  }),
  newConnection('connection.5', 'A push whose connection ends without an answer is not repeated.', {
    answers: [rawBytes('', 'close')],
    guess: 'repeated immediately, as HTTP clients do on a reused connection',
  }),
  newConnection('connection.6', 'A push whose connection is reset is not repeated.', {
    answers: [rawBytes('', 'reset')],
  }),
  newConnection('connection.7', 'An answer that is cut off counts as none.', {
    answers: [rawBytes(`${OK}Content-Length: 100\r\n\r\n{"rec`, 'close')],
  }),
  newConnection('connection.8', 'An answer that is not HTTP ends the connection.', {
    answers: [rawBytes('hello\r\n\r\n')],
  }),
  newConnection('connection.9', 'An answer without a length ends with its connection.', {
    answers: [rawBytes(`${OK}\r\n{}`, 'close')],
  }),
  newConnection('connection.10', 'After an answer in HTTP/1.0 the connection is not used again.', {
    answers: [rawBytes('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}')],
  }),
  sameConnection('connection.11', 'An answer in chunks is read.', {
    answers: [rawBytes(`${OK}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`)],
    level: 'server',
    why: 'PHP behind nginx answers in chunks.',
  }),
  sameConnection('connection.12', 'An answer in gzip is read.', { answers: [zipped(200, { received_checks: 1 })] }),
  sameConnection('connection.13', 'An answer of 200 KB is read to its end.', { answers: [PADDED] }),
  sameConnection('connection.14', 'An answer that arrives in small pieces is read.', {
    answers: [withDelivery(CHECKS_ACCEPTED, { overMs: SPREAD_MS })],
  }),
  sameConnection('connection.15', 'Interim answers (100, 103) are skipped.', {
    answers: [rawBytes(`${INTERIM}${OK}Content-Length: 2\r\n\r\n{}`)],
    guess: 'a client that did not ask for 100 Continue takes it for the answer',
  }),
  sameConnection('connection.16', 'Lines may end without a carriage return.', {
    answers: [rawBytes('HTTP/1.1 200\nContent-Length: 2\n\n{}')],
  }),
  sameConnection('connection.17', 'The same Content-Length twice counts once.', {
    answers: [rawBytes(`${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`)],
    guess: 'refused, because two lengths are a sign of request smuggling',
  }),
  newConnection('connection.18', 'Two different lengths are not accepted.', {
    answers: [rawBytes(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `)],
  }),
  sameConnection('connection.19', 'With both chunks and a length, the chunks count.', {
    answers: [rawBytes(`${OK}Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)],
  }),
  newConnection('connection.20', 'Bytes after the answer end the connection.', {
    answers: [rawBytes(`${OK}Content-Length: 2\r\n\r\n{}${OK}\r\n`)],
  }),
  expects('check data again', continuesAsBefore)('connection.21', 'An answer before the body is complete counts.', {
    answers: [EARLY],
    early: EARLY,
  }),
  givesUp('connection.22', 'An agent gives up an answer that does not come, and goes on.', {
    answers: [rawBytes('', 'hold')],
    level: 'server',
    why: 'Otherwise a server that hangs once loses its hosts for good.',
    guess: 'after 30 s or more; by default it is one second less than the interval',
  }),
  givesUp('connection.23', 'The time limit includes the body of the answer.', {
    answers: [rawBytes(`${OK}Content-Length: 100\r\n\r\n{"re`, 'hold')],
    guess: 'each byte extends the time',
  }),
];

/** Leads the agent to the port for TLS. */
const SECURE = [
  ({ secureUrl, target }: AnswerContext) => redirectTo(307, `${secureUrl}${target}`),
  withDelivery(CHECKS_ACCEPTED, { end: 'close' }),
] as const;

/** A case about the request over TLS, and that the agent goes on. */
const secured = (expected: string, judge: (tls: TlsInfo, request: ReceivedPush, first: ReceivedPush) => Deviation) =>
  expects(
    expected,
    all(
      followed((request, first) => (request.tls === undefined ? 'no TLS' : judge(request.tls, request, first))),
      continuesAsBefore,
    ),
  );

export const TLS_CASES: readonly PushCase[] = [
  secured('a request over TLS', () => undefined)(
    'tls.1',
    'A self-signed certificate is accepted unless verify-server-certificate is on.',
    { answers: SECURE, guess: 'refused by default' },
  ),
  secured('TLSv1.3', ({ protocol }) => deviationUnless(protocol === 'TLSv1.3', protocol))(
    'tls.2',
    'TLS 1.3 is used if the server has it.',
    { answers: SECURE },
  ),
  secured('TLSv1.2', ({ protocol }) => deviationUnless(protocol === 'TLSv1.2', protocol))(
    'tls.3',
    'TLS 1.2 is used if the server has nothing newer.',
    {
      answers: SECURE,
      level: 'server',
      why: 'Servers with an older system have only 1.2.',
      tls: { maxVersion: 'TLSv1.2' },
    },
  ),
  secured('no certificate', ({ hasCertificate }) => deviationUnless(!hasCertificate, 'a certificate'))(
    'tls.4',
    'The agent sends no client certificate.',
    { answers: SECURE, guess: 'that of Auto-TLS' },
  ),
  secured('no ALPN', ({ offeredAlpn }) => {
    if (offeredAlpn.includes('h2')) return { untried: 'the agent offers HTTP/2, so it verifies certificates' };
    return deviationUnless(offeredAlpn.length === 0, offeredAlpn.join(', '));
  })('tls.5', 'An agent that does not verify certificates offers no application protocol.', {
    answers: SECURE,
    guess: 'h2 and http/1.1, as clients in Go do',
  }),
  secured('a full handshake', ({ isResumed }) => deviationUnless(!isResumed, 'a resumed session'))(
    'tls.6',
    'A later connection does not resume the TLS session.',
    { answers: SECURE, guess: 'resumed with a ticket' },
  ),
  secured('a POST over HTTP/2 with the same body', ({ offeredAlpn }, { version, body }, first) => {
    if (!offeredAlpn.includes('h2')) return { untried: 'the agent does not offer HTTP/2' };
    return deviationUnless(version === 'HTTP/2' && body.equals(first.body), version);
  })('tls.7', 'An agent that offers HTTP/2, as it does if it verifies certificates, sends the same push over it.', {
    answers: SECURE,
    tls: { alpn: ['h2', 'http/1.1'] },
  }),
];
