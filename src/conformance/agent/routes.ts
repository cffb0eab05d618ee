import { isMembers, jsonIn } from '../../base/protocol/exact-json.ts';
import { headerOf } from '../../wire/transport/raw-answer.ts';
import { casesOf } from '../case.ts';
import { answer, EMPTY_BODY, type Expectation, header, JSON_TYPED, json, status } from '../expectation.ts';
import type { AgentCase } from './agent-case.ts';
import { bodyIs, errorBody, gets, requestTo } from './fixture.ts';

const { written, server, shipped } = casesOf<AgentCase>();

const OBJECT = { text: 'an object', test: isMembers };
const NAMES: Expectation = {
  text: 'an array of strings',
  holds: ({ body }) => {
    const names = jsonIn(body.toString('utf8'));
    return Array.isArray(names) && names.every((name) => typeof name === 'string');
  },
};
const REFUSED_METHOD = status(405);

export const ROUTES: readonly AgentCase[] = [
  written('route.1', 'GET / gets 200 and JSON.', gets('GET /', answer(status(200), JSON_TYPED, json({})))),
  server('route.2', 'Check data has the member agent.', {
    why: 'The server takes the agent for unreachable otherwise.',
    needs: 'checkdata',
    ...gets('GET /', json({ agent: OBJECT })),
  }),
  written('route.3', 'GET /packages gets 200 and JSON with Stats.', {
    ...gets('GET /packages', answer(status(200), JSON_TYPED, json({ Stats: OBJECT }))),
  }),
  shipped('route.4', 'GET /prometheus gets the names of exporters as an array.', {
    ...gets('GET /prometheus', answer(status(200), JSON_TYPED, NAMES)),
  }),
  shipped('route.5', 'An exporter that does not exist gets 200 and the text "Unknown exporter".', {
    guess: '404',
    ...gets('GET /prometheus?exporter=muster-conform', answer(status(200), bodyIs('Unknown exporter'))),
  }),
  shipped('route.6', 'An empty exporter counts as none: the names are listed.', {
    guess: 'an exporter with an empty name, which does not exist',
    ...gets('GET /prometheus?exporter=', NAMES),
  }),
  shipped('route.7', 'A scrape is text/plain, without a charset.', {
    needs: 'exporter',
    ask: (fixture) => [
      requestTo(fixture, `GET /prometheus?exporter=${encodeURIComponent(fixture.exporters[0] ?? '')}`),
    ],
    expect: answer(status(200), header('Content-Type', /^text\/plain$/)),
  }),
  shipped('route.8', 'An unknown path gets 404 and the text "404 page not found".', {
    ...gets('GET /muster-conform', errorBody(404, '404 page not found')),
  }),
  shipped('route.9', 'A slash at the end makes another path: /packages/ gets 404.', {
    guess: 'the same as /packages, or a redirect to it',
    ...gets('GET /packages/', status(404)),
  }),
  shipped('route.10', 'Paths are case-sensitive.', gets('GET /Packages', status(404))),
  shipped('route.11', 'A path that is not clean gets 301 to the clean one.', {
    guess: '404',
    ...gets('GET //packages', answer(status(301), header('Location', /^\/packages$/))),
  }),
  shipped('route.12', 'Such a redirect keeps the query.', {
    presumes: status(301),
    ...gets('GET /./prometheus?exporter=a%20b', header('Location', /^\/prometheus\?exporter=a%20b$/)),
  }),
  shipped('route.13', 'Escaped letters in a path are the letters.', gets('GET /%70ackages', status(200))),
  shipped('route.14', 'A whole URL in the request line is served by its path, whatever its host.', {
    guess: '400, because the agent is no proxy',
    ...gets('GET http://muster.invalid/packages', status(200)),
  }),
  shipped('route.15', 'A query that a path does not know is ignored.', gets('GET /?muster=conform', status(200))),
];

export const METHODS: readonly AgentCase[] = [
  shipped('method.1', 'HEAD gets 405.', {
    guess: 'the head of the answer to GET',
    ...gets('HEAD /', REFUSED_METHOD),
  }),
  shipped('method.2', 'OPTIONS gets 405.', {
    guess: '204 with the methods in Allow',
    ...gets('OPTIONS /', REFUSED_METHOD),
  }),
  shipped('method.3', 'POST, PUT, PATCH and DELETE get 405 where only GET is known.', {
    ask: (fixture) => ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => requestTo(fixture, `${method} /packages`)),
    expect: REFUSED_METHOD,
  }),
  shipped('method.4', 'A 405 has no Allow.', {
    guess: 'Allow with the known methods, as HTTP demands',
    presumes: REFUSED_METHOD,
    ...gets('PUT /', header('Allow', undefined)),
  }),
  shipped('method.5', 'A 405 has an empty body.', {
    guess: 'a text, as 404 has one',
    presumes: REFUSED_METHOD,
    ...gets('PUT /', EMPTY_BODY),
  }),
  shipped('method.6', 'Methods are case-sensitive.', {
    muster: '400',
    ...gets('get /', REFUSED_METHOD),
  }),
  shipped('method.7', 'An unknown path gets 404, whatever the method.', gets('DELETE /muster-conform', status(404))),
  shipped('method.8', 'OPTIONS * gets 200.', {
    guess: '405, as for every path',
    ...gets('OPTIONS *', answer(status(200), EMPTY_BODY)),
  }),
];

const MAX_WITH_LENGTH_BYTES = 2048;

/** The names of the headers, but for what ends the body. */
function headersAre(...names: readonly string[]): Expectation {
  return {
    text: `the headers ${names.join(', ')}, and Content-Length or Transfer-Encoding`,
    holds: ({ headers }) =>
      headers
        .map(([name]) => name)
        .filter((name) => !/^(content-length|transfer-encoding)$/i.test(name))
        .sort()
        .join() === [...names].sort().join(),
  };
}

export const ANSWERS: readonly AgentCase[] = [
  shipped('answer.1', 'An answer has no headers but Content-Type, Date and that of its length.', {
    guess: 'also Server and Cache-Control',
    ...gets('GET /packages', headersAre('Content-Type', 'Date')),
  }),
  shipped('answer.2', `A body of up to ${MAX_WITH_LENGTH_BYTES} bytes has a length.`, {
    ...gets('GET /prometheus', {
      text: 'Content-Length',
      holds: ({ body, framing }) => framing === 'length' || body.length > MAX_WITH_LENGTH_BYTES,
    }),
  }),
  shipped('answer.3', `A body of more than ${MAX_WITH_LENGTH_BYTES} bytes comes in chunks.`, {
    guess: 'a length, because the agent has the whole document',
    needs: 'large',
    ...gets('GET /', { text: 'chunks', holds: ({ framing }) => framing === 'chunks' }),
  }),
  shipped('answer.4', 'Answers are never compressed.', {
    guess: 'with gzip if the client accepts it',
    ...gets('GET /', header('Content-Encoding', undefined), ['Accept-Encoding', 'gzip, deflate, br']),
  }),
  shipped('answer.5', 'Conditions and ranges are ignored.', {
    ...gets(
      'GET /packages',
      status(200),
      ['If-None-Match', '*'],
      ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
      ['Range', 'bytes=0-1'],
    ),
  }),
  shipped('answer.6', 'Accept is ignored.', {
    guess: '406, or a page for browsers',
    ...gets('GET /packages', answer(status(200), JSON_TYPED), ['Accept', 'text/html']),
  }),
  shipped('answer.7', 'JSON ends without a line feed.', {
    ...gets('GET /packages', { text: 'no line feed at the end', holds: ({ body }) => body.at(-1) !== 0x0a }),
  }),
  shipped('answer.8', 'The text of an error is text/plain; charset=utf-8, with `nosniff`.', {
    presumes: status(404),
    ...gets(
      'GET /muster-conform',
      answer(header('Content-Type', /^text\/plain; charset=utf-8$/), header('X-Content-Type-Options', /^nosniff$/)),
    ),
  }),
  shipped('answer.9', 'Date has the form of HTTP.', {
    ...gets('GET /prometheus', {
      text: 'Date such as Sun, 06 Nov 1994 08:49:37 GMT',
      holds: (fixture) => /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(headerOf(fixture, 'date') ?? ''),
    }),
  }),
];
