import { ENDPOINT_PATHS } from '../../base/protocol/push.ts';
import { casesOf } from '../case.ts';
import { ANSWERED, EMPTY_BODY, header, JSON_TYPED, json, not, REFUSED, SUCCESS, status } from '../expectation.ts';
import type { ConformanceRequest } from '../request.ts';
import {
  getsOf,
  registration,
  registrationDocument,
  type ServerCase,
  type ServerFixture,
  serverRequest,
  toEach,
  withHeaders,
} from './fixture.ts';

const { written, agent, shipped, note } = casesOf<ServerCase>();

/** A request to the registration with another method. */
function withMethod(fixture: ServerFixture, method: string): ConformanceRequest {
  const { body, ...rest } = registration(fixture);
  return method === 'GET' || method === 'HEAD' || body === undefined ? { ...rest, method } : { ...rest, method, body };
}

/** A registration at another path. */
function at(fixture: ServerFixture, path: string): ConformanceRequest {
  return serverRequest(fixture, path, registrationDocument(fixture));
}

const PATH = ENDPOINT_PATHS.register_agent;

const pathGets = getsOf(at);
const methodGets = getsOf(withMethod);

export const METHODS_AND_PATHS: readonly ServerCase[] = [
  written('method.1', 'GET gets 405 at the endpoints for registration and check data.', {
    ask: (fixture) => toEach(fixture, withMethod(fixture, 'GET')).slice(0, 2),
    expect: status(405),
  }),
  written('method.2', 'PUT, PATCH and DELETE get 405.', {
    ...methodGets(status(405), 'PUT', 'PATCH', 'DELETE'),
  }),
  written('method.3', 'Its `message` is "Method Not Allowed".', {
    presumes: status(405),
    ...methodGets(json({ message: 'Method Not Allowed' }), 'GET'),
  }),
  written('method.4', 'Its `url` is the path that was asked for.', {
    ask: (fixture) => [withMethod(fixture, 'GET')],
    presumes: status(405),
    expect: ({ prefix }) => json({ url: `${prefix}${PATH}` }),
  }),
  written('method.5', 'Its `code` is the number 405.', {
    presumes: status(405),
    ...methodGets(json({ code: 405 }), 'GET'),
  }),
  written('method.6', 'The answer has the type application/json.', {
    presumes: status(405),
    ...methodGets(JSON_TYPED, 'GET'),
  }),
  shipped('method.7', 'Its `url` has the query.', {
    guess: 'the path alone',
    ask: (fixture) => [{ ...withMethod(fixture, 'GET'), target: `${fixture.prefix}${PATH}?a=b` }],
    presumes: ({ prefix }) =>
      json({ url: { text: 'that path', test: (url) => String(url).startsWith(`${prefix}${PATH}`) } }),
    expect: ({ prefix }) => json({ url: `${prefix}${PATH}?a=b` }),
  }),
  note('method.8', 'An answer 405 has `Allow`.', {
    source: 'RFC 9110',
    guess: 'as the standard says',
    observed: 'no',
    muster: { documented: 'no', shipped: 'no' },
    presumes: status(405),
    ...methodGets(header('Allow', /POST/), 'GET'),
  }),
  shipped('method.9', 'HEAD gets 405.', methodGets(status(405), 'HEAD')),
  note('method.10', 'An unknown method gets a status from 400 to 499.', methodGets(REFUSED, 'BREW')),
  note('method.11', 'OPTIONS gets no 5xx.', methodGets(ANSWERED, 'OPTIONS')),
  shipped('method.12', '`X-HTTP-Method-Override: PUT` makes a POST get 405.', {
    guess: 'the header has no effect',
    muster: { documented: 'no effect' },
    ask: (fixture) => [withHeaders(fixture, registration(fixture), { 'X-HTTP-Method-Override': 'PUT' })],
    expect: status(405),
  }),
  agent('method.13', 'A GET registers nobody.', {
    why: 'An agent that follows a redirect sends a GET.',
    ask: (fixture) => [{ ...registration(fixture), method: 'GET' }, registration(fixture)],
    judged: 'last',
    expect: not(403),
  }),
  note('method.14', 'An answer to HEAD has no body.', {
    source: 'RFC 9110',
    rounds: (fixture) => [[[withMethod(fixture, 'HEAD'), { await: 'answer', bodyless: true }, { pauseMs: 200 }]]],
    judge: ([conversation]) =>
      conversation === undefined || conversation.unreadBytes === 0
        ? undefined
        : `${conversation.unreadBytes} bytes after the head`,
    expected: EMPTY_BODY.text,
  }),
  agent('path.1', 'A query after the path does not matter.', {
    why: 'Agents keep the query of the URL in their configuration.',
    ...pathGets(SUCCESS, `${PATH}?site=a&x`),
  }),
  shipped('path.2', 'An unknown action gets 404; or 403, if the user of the key is no administrator.', {
    guess: '404',
    ...pathGets(status(403, 404), '/agentconnector/register_agents.json'),
  }),
  shipped('path.3', 'Without `.json`, the path gets 405.', {
    guess: '404',
    muster: { documented: '404' },
    ...pathGets(status(405), PATH.replace('.json', '')),
  }),
  shipped('path.4', 'With `.html`, it gets 200 and a page.', {
    guess: '404',
    muster: { documented: '404' },
    ...pathGets(status(200), PATH.replace('.json', '.html')),
  }),
  shipped('path.5', 'With a slash at its end, it is unknown, too.', pathGets(status(403, 404), `${PATH}/`)),
  shipped('path.6', 'In capital letters, it is unknown, too.', pathGets(status(403, 404), PATH.toUpperCase())),
  shipped('path.7', '`/Agentconnector/…` reaches the endpoint.', {
    guess: '404, as in capital letters',
    muster: { documented: '404' },
    ...pathGets(SUCCESS, PATH.replace('a', 'A')),
  }),
  shipped('path.8', 'Two slashes at its start reach the endpoint.', {
    guess: '404 or a redirect',
    muster: { documented: '404' },
    ...pathGets(SUCCESS, `/${PATH}`),
  }),
  shipped('path.9', 'Further names after the endpoint reach it: `/register_agent/x/y.json`.', {
    guess: '404',
    muster: { documented: '404' },
    ...pathGets(SUCCESS, PATH.replace('.json', '/x/y.json')),
  }),
  note('path.10', 'Escaped letters reach the endpoint: `/%61gentconnector/…`.', {
    source: 'RFC 3986; server 5.3.0, observed',
    muster: { documented: '404' },
    ...pathGets(SUCCESS, PATH.replace('/a', '/%61')),
  }),
  note('path.11', 'A whole URL on the request line reaches the endpoint.', {
    source: 'RFC 9112',
    muster: { documented: '404', shipped: '404' },
    ask: (fixture) => {
      const one = registration(fixture);
      return [{ ...one, target: `http://${fixture.host}${one.target}` }];
    },
    expect: SUCCESS,
  }),
];
