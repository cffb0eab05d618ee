import { ENDPOINT_PATHS } from '../../base/protocol/push.ts';
import {
  type AnswerMaker,
  CHECKS_TAKEN,
  htmlAnswer,
  jsonAnswer,
  plain,
  rawBytes,
  redirectTo,
  type ScriptedAnswer,
  sent,
  textAnswer,
  zipped,
} from './answer.ts';
import { all, dialsAgain, fieldOf, followed, goesOn, goesOnAtItsInterval, keepsConnection, unless, waits } from './judging.ts';
import type { PushCase } from './push-case.ts';

const OF_CHECKDATA = { endpoint: 'submit_checkdata' } as const;
const CREDENTIALS_OR_HOST = 'Invalid credentials or host not found';
const TARGET = ENDPOINT_PATHS.submit_checkdata;

/** A case in which the agent must go on as before. */
const GOES_ON = { ...OF_CHECKDATA, expected: 'check data again, at the next interval', judge: goesOnAtItsInterval };
const ON_SAME_CONNECTION = { ...OF_CHECKDATA, expected: 'the next check data on the same connection', judge: all(goesOn, keepsConnection) };
const ON_NEW_CONNECTION = { ...OF_CHECKDATA, expected: 'the next check data on a new connection', judge: all(goesOn, waits, dialsAgain) };
const constant = (answer: ScriptedAnswer): readonly AnswerMaker[] => [() => answer];

export const CHECKDATA_ANSWERS: readonly PushCase[] = [
  {
    ...GOES_ON,
    id: 'answer.1',
    level: 'written',
    rule: 'After 200 with received_checks the agent sends the next check data at its interval.',
    answers: constant(jsonAnswer(200, { received_checks: 42 })),
  },
  {
    ...GOES_ON,
    id: 'answer.2',
    level: 'server',
    rule: 'After 400, as for an agent without a host, the agent goes on and keeps its password.',
    why: 'Every new agent gets 400 until an operator assigns it to a host.',
    guess: 'the credentials are wrong, so it registers again',
    answers: constant(jsonAnswer(400, { error: CREDENTIALS_OR_HOST })),
  },
  {
    ...GOES_ON,
    id: 'answer.3',
    level: 'shipped',
    rule: 'After 401 the agent goes on at its interval.',
    guess: 'it registers again',
    answers: constant(plain({ status: 401 })),
  },
  {
    ...GOES_ON,
    id: 'answer.4',
    level: 'shipped',
    rule: 'After 403 the agent keeps its password.',
    guess: 'it registers again',
    answers: constant(jsonAnswer(403, { error: 'Forbidden' })),
  },
  {
    ...GOES_ON,
    id: 'answer.5',
    level: 'shipped',
    rule: 'After 404 the agent keeps its password, even if it was deleted on the server.',
    guess: 'it registers again; in fact it sends in vain until somebody deletes its auth.json',
    answers: constant(jsonAnswer(404, { error: 'No Agent found for given UUID and password' })),
  },
  { ...GOES_ON, id: 'answer.6', level: 'shipped', rule: 'After 405 the agent goes on.', answers: constant(jsonAnswer(405, { message: 'Method Not Allowed', url: '/', code: 405 })) },
  {
    ...GOES_ON,
    id: 'answer.7',
    level: 'shipped',
    rule: 'After 413 the agent sends as much as before.',
    guess: 'it leaves out what is large',
    answers: constant(htmlAnswer(413)),
  },
  {
    ...GOES_ON,
    id: 'answer.8',
    level: 'shipped',
    rule: 'After 429 with Retry-After the agent goes on at its interval.',
    guess: 'it waits as long as the server asks',
    answers: constant(plain({ status: 429, fields: { 'Retry-After': '3600' } })),
  },
  {
    ...GOES_ON,
    id: 'answer.9',
    level: 'server',
    rule: 'After 500 with a page the agent goes on at its interval.',
    why: 'Otherwise hosts stay away after a fault of the server.',
    answers: constant(htmlAnswer(500)),
  },
  {
    ...GOES_ON,
    id: 'answer.10',
    level: 'shipped',
    rule: 'A result that was refused with 503 is lost: it is neither repeated nor kept for later.',
    guess: 'repeated until the server takes it',
    answers: constant(plain({ status: 503 })),
  },
  { ...GOES_ON, id: 'answer.11', level: 'shipped', rule: 'A page with status 200 changes nothing.', answers: constant(htmlAnswer(200)) },
  { ...GOES_ON, id: 'answer.12', level: 'shipped', rule: 'An empty 200 changes nothing.', answers: constant(plain({ status: 200 })) },
  { ...GOES_ON, id: 'answer.13', level: 'shipped', rule: 'null as the body changes nothing.', answers: constant(textAnswer(200, 'null')) },
  { ...GOES_ON, id: 'answer.14', level: 'shipped', rule: 'Members of wrong types change nothing.', answers: constant(jsonAnswer(200, { received_checks: 'many', error: {}, success: [] })) },
  { ...GOES_ON, id: 'answer.15', level: 'shipped', rule: 'JSON that is cut off by its length changes nothing.', answers: constant(textAnswer(200, '{"received_checks":')) },
  { ...GOES_ON, id: 'answer.16', level: 'shipped', rule: 'A 204 changes nothing.', answers: constant(rawBytes('HTTP/1.1 204 No Content\r\n\r\n')) },
  {
    ...OF_CHECKDATA,
    id: 'answer.17',
    level: 'shipped',
    rule: 'A cookie is not sent back.',
    guess: 'kept for the session',
    expected: 'no Cookie',
    answers: constant(jsonAnswer(200, { received_checks: 1 }, { 'Set-Cookie': 'CAKEPHP=muster; path=/' })),
    judge: all(goesOn, ({ next }) => unless(fieldOf(next, 'cookie') === undefined, `Cookie: ${fieldOf(next, 'cookie')}`)),
  },
  {
    ...GOES_ON,
    id: 'answer.18',
    level: 'shipped',
    rule: 'A new password in an answer to check data is not taken.',
    answers: [({ uuid }) => jsonAnswer(200, { agentuuid: uuid, password: 'another', received_checks: 1 })],
  },
];

const elsewhere = '/conformance/moved';

/** Redirects that the agent follows with a GET. */
const asGet = (status: number, id: string, guess: string): PushCase => ({
  ...OF_CHECKDATA,
  id,
  level: 'shipped',
  rule: `A redirect with ${status} is followed as a GET without a body.`,
  guess,
  expected: `GET ${elsewhere} without a body`,
  answers: [() => redirectTo(status, elsewhere), () => CHECKS_TAKEN],
  judge: all(
    followed(({ method, target, body }) => unless(method === 'GET' && target === elsewhere && body.length === 0, `${method} ${target}, ${body.length} bytes`)),
    goesOn,
  ),
});

/** Redirects that the agent follows with the same request. */
const asBefore = (status: number, id: string): PushCase => ({
  ...OF_CHECKDATA,
  id,
  level: 'shipped',
  rule: `A redirect with ${status} repeats the POST with its body.`,
  expected: `POST ${elsewhere} with the same body`,
  answers: [() => redirectTo(status, elsewhere), () => CHECKS_TAKEN],
  judge: all(
    followed(({ method, target, body }, first) =>
      unless(method === 'POST' && target === elsewhere && body.equals(first.body), `${method} ${target}, ${body.length} bytes`),
    ),
    goesOn,
  ),
});

const MOST_REDIRECTED = 10;

export const REDIRECTS: readonly PushCase[] = [
  asGet(301, 'redirect.1', 'a server that moved gets the POST at its new place'),
  asGet(302, 'redirect.2', 'not followed, because it would not be a POST'),
  asGet(303, 'redirect.3', 'not followed'),
  asBefore(307, 'redirect.4'),
  asBefore(308, 'redirect.5'),
  {
    ...OF_CHECKDATA,
    id: 'redirect.6',
    level: 'shipped',
    rule: 'The API key is sent to another port of the same host, too.',
    guess: 'dropped, because another port is another origin',
    expected: 'the same Authorization',
    answers: [({ secureUrl }) => redirectTo(307, `${secureUrl}${elsewhere}`), () => CHECKS_TAKEN],
    judge: all(
      followed((request, first) => {
        const key = fieldOf(request, 'authorization');
        return unless(key === fieldOf(first, 'authorization'), `Authorization: ${key}`);
      }),
      goesOn,
    ),
  },
  {
    ...OF_CHECKDATA,
    id: 'redirect.7',
    level: 'shipped',
    rule: 'A request that follows a redirect names the previous URL in Referer.',
    guess: 'only browsers send Referer',
    expected: 'Referer',
    answers: [() => redirectTo(307, elsewhere), () => CHECKS_TAKEN],
    judge: all(
      followed((request) => unless(fieldOf(request, 'referer')?.endsWith(TARGET) === true, `Referer: ${fieldOf(request, 'referer')}`)),
      goesOn,
    ),
  },
  {
    ...OF_CHECKDATA,
    id: 'redirect.8',
    level: 'shipped',
    rule: `A loop of redirects ends after ${MOST_REDIRECTED} requests.`,
    expected: `${MOST_REDIRECTED} requests, then check data at the next interval`,
    answers: Array.from({ length: MOST_REDIRECTED }, () => () => redirectTo(307, elsewhere)),
    judge: ({ requests, next }) => {
      const followedCount = requests.filter(({ target }) => target === elsewhere).length;
      return unless(followedCount === MOST_REDIRECTED - 1 && next.target !== elsewhere, `${followedCount + 1} requests or more`);
    },
  },
  {
    ...GOES_ON,
    id: 'redirect.9',
    level: 'shipped',
    rule: 'A redirect without Location ends the request.',
    answers: constant(plain({ status: 302 })),
  },
  {
    ...GOES_ON,
    id: 'redirect.10',
    level: 'shipped',
    rule: 'The base URL stays as configured after a redirect with 301 or 308.',
    guess: 'a permanent redirect is remembered',
    answers: [() => redirectTo(308, elsewhere), () => CHECKS_TAKEN],
    judge: goesOn,
  },
];

const SPREAD_MS = 600;
const PADDED = jsonAnswer(200, { received_checks: 1, padding: 'x'.repeat(200_000) });
const EARLY = jsonAnswer(400, { error: CREDENTIALS_OR_HOST });

export const CONNECTIONS: readonly PushCase[] = [
  {
    ...ON_SAME_CONNECTION,
    id: 'connection.1',
    level: 'shipped',
    rule: 'The agent keeps one connection for all its requests.',
    guess: 'one connection for each push',
    answers: constant(CHECKS_TAKEN),
  },
  { ...ON_SAME_CONNECTION, id: 'connection.2', level: 'shipped', rule: 'The connection is kept after a status of failure.', answers: constant(htmlAnswer(500)) },
  {
    ...ON_NEW_CONNECTION,
    id: 'connection.3',
    level: 'server',
    rule: 'Connection: close is obeyed: the next request has a new connection.',
    why: 'nginx closes every connection after 1000 requests.',
    answers: constant(sent(jsonAnswer(200, { received_checks: 1 }, { Connection: 'close' }), { end: 'close' })),
  },
  {
    ...ON_NEW_CONNECTION,
    id: 'connection.4',
    level: 'server',
    rule: 'A connection that the server closes between two requests costs nothing.',
    why: 'nginx closes connections that are idle for 65 s.',
    answers: constant(sent(CHECKS_TAKEN, { end: 'close' })),
  },
  {
    ...ON_NEW_CONNECTION,
    id: 'connection.5',
    level: 'shipped',
    rule: 'A push whose connection ends without an answer is lost, not repeated.',
    guess: 'repeated at once, as HTTP clients do on a reused connection',
    answers: constant(rawBytes('', 'close')),
  },
  { ...ON_NEW_CONNECTION, id: 'connection.6', level: 'shipped', rule: 'A push whose connection is reset is lost, not repeated.', answers: constant(rawBytes('', 'reset')) },
  { ...ON_NEW_CONNECTION, id: 'connection.7', level: 'shipped', rule: 'An answer that is cut off counts as none.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"received', 'close')) },
  { ...ON_NEW_CONNECTION, id: 'connection.8', level: 'shipped', rule: 'An answer that is not HTTP ends the connection.', answers: constant(rawBytes('hello\r\n\r\n', 'keep')) },
  {
    ...ON_NEW_CONNECTION,
    id: 'connection.9',
    level: 'shipped',
    rule: 'An answer without a length ends with its connection.',
    answers: constant(rawBytes('HTTP/1.1 200 OK\r\n\r\n{"received_checks":1}', 'close')),
  },
  { ...ON_NEW_CONNECTION, id: 'connection.10', level: 'shipped', rule: 'After an answer in HTTP/1.0 the connection is not used again.', answers: constant(rawBytes('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}', 'keep')) },
  { ...ON_SAME_CONNECTION, id: 'connection.11', level: 'server', rule: 'An answer in chunks is read.', why: 'PHP behind nginx answers in chunks.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n{"received_checks":1\r\n1\r\n}\r\n0\r\n\r\n')) },
  { ...ON_SAME_CONNECTION, id: 'connection.12', level: 'shipped', rule: 'An answer in gzip is read.', answers: constant(zipped(200, { received_checks: 1 })) },
  { ...ON_SAME_CONNECTION, id: 'connection.13', level: 'shipped', rule: 'An answer of 200 KB is read to its end.', answers: constant(PADDED) },
  { ...ON_SAME_CONNECTION, id: 'connection.14', level: 'shipped', rule: 'An answer that arrives byte by byte is read.', answers: constant(sent(jsonAnswer(200, { received_checks: 1 }), { overMs: SPREAD_MS })) },
  { ...ON_SAME_CONNECTION, id: 'connection.15', level: 'shipped', rule: 'Interim answers (100, 102, 103) are skipped.', guess: 'a client that did not ask for 100 Continue takes it for the answer', answers: constant(rawBytes('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')) },
  { ...ON_SAME_CONNECTION, id: 'connection.16', level: 'shipped', rule: 'Lines may end without a carriage return, and the reason may be missing.', answers: constant(rawBytes('HTTP/1.1 200\nContent-Length: 2\n\n{}')) },
  { ...ON_SAME_CONNECTION, id: 'connection.17', level: 'shipped', rule: 'The same Content-Length twice counts once.', guess: 'refused as request smuggling', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}')) },
  { ...ON_NEW_CONNECTION, id: 'connection.18', level: 'shipped', rule: 'Two different lengths are not accepted.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ')) },
  { ...ON_SAME_CONNECTION, id: 'connection.19', level: 'shipped', rule: 'With both chunks and a length, the chunks count.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n')) },
  { ...ON_NEW_CONNECTION, id: 'connection.20', level: 'shipped', rule: 'A transfer encoding other than chunked is not accepted.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n')) },
  { ...ON_NEW_CONNECTION, id: 'connection.21', level: 'shipped', rule: 'Bytes after the answer end the connection.', answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n')) },
  {
    ...OF_CHECKDATA,
    id: 'connection.22',
    level: 'shipped',
    rule: 'An answer that comes before the body is complete counts.',
    expected: 'check data again',
    early: EARLY,
    answers: constant(EARLY),
    judge: goesOn,
  },
  {
    ...OF_CHECKDATA,
    id: 'connection.23',
    level: 'server',
    rule: 'An agent gives up an answer that does not come, closes the connection and goes on.',
    why: 'Otherwise a server that hangs once loses its hosts for good.',
    guess: 'with the default configuration after 30 s or more; it is one second less than the interval',
    expected: 'the connection closed, then check data again',
    answers: constant(rawBytes('', 'hold')),
    judge: all(goesOn, dialsAgain, ({ heldMs }) => unless(heldMs !== undefined, 'no time limit')),
  },
  {
    ...OF_CHECKDATA,
    id: 'connection.24',
    level: 'shipped',
    rule: 'The time limit includes the body: an answer that stops within it is given up, too.',
    guess: 'each byte extends the time',
    expected: 'the connection closed, then check data again',
    answers: constant(rawBytes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"re', 'hold')),
    judge: all(goesOn, dialsAgain, ({ heldMs }) => unless(heldMs !== undefined, 'no time limit')),
  },
];

const SECURE = [({ secureUrl, target }) => redirectTo(307, `${secureUrl}${target}`), () => sent(CHECKS_TAKEN, { end: 'close' })] satisfies readonly AnswerMaker[];

/** Cases that lead the agent to the port for TLS with a redirect. */
export const TLS_CASES: readonly PushCase[] = [
  {
    ...OF_CHECKDATA,
    id: 'tls.1',
    level: 'shipped',
    rule: 'A self-signed certificate is accepted unless verify-server-certificate is on.',
    guess: 'refused by default',
    expected: 'a request over TLS',
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls !== undefined, 'no TLS')), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.2',
    level: 'shipped',
    rule: 'TLS 1.3 is used if the server has it.',
    expected: 'TLSv1.3',
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls?.protocol === 'TLSv1.3', tls?.protocol)), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.3',
    level: 'server',
    rule: 'TLS 1.2 is used if the server has nothing newer.',
    why: 'The default installation offers 1.2 and 1.3.',
    expected: 'TLSv1.2',
    tls: { maxVersion: 'TLSv1.2' },
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls?.protocol === 'TLSv1.2', tls?.protocol)), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.4',
    level: 'shipped',
    rule: 'The agent sends no client certificate.',
    guess: 'that of Auto-TLS',
    expected: 'no certificate',
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls?.hasCertificate === false, 'a certificate')), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.5',
    level: 'shipped',
    rule: 'An agent that does not verify certificates offers no application protocol, so it never speaks HTTP/2.',
    guess: 'h2 and http/1.1, as clients in Go do',
    expected: 'no ALPN',
    tls: { alpn: ['h2', 'http/1.1'] },
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls?.offeredAlpn.length === 0, tls?.offeredAlpn.join(', '))), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.6',
    level: 'shipped',
    rule: 'A later connection does not resume the TLS session.',
    guess: 'resumed with a ticket',
    expected: 'a full handshake',
    answers: SECURE,
    judge: all(followed(({ tls }) => unless(tls?.isResumed === false, 'a resumed session')), goesOn),
  },
  {
    ...OF_CHECKDATA,
    id: 'tls.7',
    level: 'shipped',
    rule: 'An agent that offers HTTP/2, as one that verifies certificates does, sends the same push over it.',
    expected: 'a POST over HTTP/2 with the same body',
    tls: { alpn: ['h2', 'http/1.1'] },
    answers: SECURE,
    judge: all(
      followed(({ tls, version, body }, first) => {
        if (tls?.offeredAlpn.includes('h2') !== true) return { untried: 'the agent does not offer HTTP/2' };
        return unless(version === 'HTTP/2' && body.equals(first.body), version);
      }),
      goesOn,
    ),
  },
];
