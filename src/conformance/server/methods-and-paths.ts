import { ENDPOINT_PATHS } from '../../base/protocol/push.ts';
import { HOLDS } from '../case.ts';
import { ANSWERED, EMPTY_BODY, header, JSON_TYPED, json, not, REFUSED, SUCCESS, status } from '../expectation.ts';
import type { ConformanceRequest } from '../request.ts';
import {
  registration,
  registrationDocument,
  type ServerCase,
  type ServerGiven,
  serverRequest,
  toEach,
  withHeaders,
} from './given.ts';

/** A request to the registration with another method. */
function withMethod(given: ServerGiven, method: string): ConformanceRequest {
  const { body, ...rest } = registration(given);
  return method === 'GET' || method === 'HEAD' || body === undefined ? { ...rest, method } : { ...rest, method, body };
}

/** A registration at another path. */
function at(given: ServerGiven, path: string): ConformanceRequest {
  return serverRequest(given, path, registrationDocument(given));
}

const PATH = ENDPOINT_PATHS.register_agent;

export const METHODS_AND_PATHS: readonly ServerCase[] = [
  {
    id: 'method.1',
    level: 'written',
    rule: 'GET gets 405 at the endpoints for registration and check data.',
    ask: (given) => toEach(given, withMethod(given, 'GET')).slice(0, 2),
    judged: 'each',
    expect: status(405),
  },
  {
    id: 'method.2',
    level: 'written',
    rule: 'PUT, PATCH and DELETE get 405.',
    ask: (given) => ['PUT', 'PATCH', 'DELETE'].map((method) => withMethod(given, method)),
    judged: 'each',
    expect: status(405),
  },
  {
    id: 'method.3',
    level: 'written',
    rule: 'Its `message` is "Method Not Allowed".',
    ask: (given) => [withMethod(given, 'GET')],
    presumes: status(405),
    expect: json({ message: 'Method Not Allowed' }),
  },
  {
    id: 'method.4',
    level: 'written',
    rule: 'Its `url` is the path that was asked for.',
    ask: (given) => [withMethod(given, 'GET')],
    presumes: status(405),
    expect: ({ prefix }) => json({ url: `${prefix}${PATH}` }),
  },
  {
    id: 'method.5',
    level: 'written',
    rule: 'Its `code` is the number 405.',
    ask: (given) => [withMethod(given, 'GET')],
    presumes: status(405),
    expect: json({ code: 405 }),
  },
  {
    id: 'method.6',
    level: 'written',
    rule: 'The answer has the type application/json.',
    ask: (given) => [withMethod(given, 'GET')],
    presumes: status(405),
    expect: JSON_TYPED,
  },
  {
    id: 'method.7',
    level: 'shipped',
    rule: 'Its `url` has the query.',
    guess: 'the path alone',
    ask: (given) => [{ ...withMethod(given, 'GET'), target: `${given.prefix}${PATH}?a=b` }],
    presumes: ({ prefix }) =>
      json({ url: { text: 'that path', test: (url) => String(url).startsWith(`${prefix}${PATH}`) } }),
    expect: ({ prefix }) => json({ url: `${prefix}${PATH}?a=b` }),
  },
  {
    id: 'method.8',
    level: 'note',
    rule: 'An answer 405 has `Allow`.',
    source: 'RFC 9110',
    guess: 'as the standard says',
    observed: 'no',
    muster: { documented: 'no', shipped: 'no' },
    ask: (given) => [withMethod(given, 'GET')],
    presumes: status(405),
    expect: header('Allow', /POST/),
  },
  {
    id: 'method.9',
    level: 'shipped',
    rule: 'HEAD gets 405.',
    ask: (given) => [withMethod(given, 'HEAD')],
    expect: status(405),
  },
  {
    id: 'method.10',
    level: 'note',
    rule: 'An unknown method gets a status from 400 to 499.',
    ask: (given) => [withMethod(given, 'BREW')],
    expect: REFUSED,
  },
  {
    id: 'method.11',
    level: 'note',
    rule: 'OPTIONS gets no 5xx.',
    ask: (given) => [withMethod(given, 'OPTIONS')],
    expect: ANSWERED,
  },
  {
    id: 'method.12',
    level: 'shipped',
    rule: '`X-HTTP-Method-Override: PUT` makes a POST get 405.',
    guess: 'the header has no effect',
    muster: { documented: 'no effect' },
    ask: (given) => [withHeaders(given, registration(given), { 'X-HTTP-Method-Override': 'PUT' })],
    expect: status(405),
  },
  {
    id: 'method.13',
    level: 'agent',
    rule: 'A GET registers nobody.',
    why: 'An agent that follows a redirect sends a GET.',
    ask: (given) => [{ ...registration(given), method: 'GET' }, registration(given)],
    expect: not(403),
  },
  {
    id: 'method.14',
    level: 'note',
    rule: 'An answer to HEAD has no body.',
    source: 'RFC 9110',
    play: (given) => [[[withMethod(given, 'HEAD'), { await: 'answer', bodyless: true }, { pauseMs: 200 }]]],
    judge: ([heard]) =>
      heard === undefined || heard.unreadBytes === 0 ? HOLDS : `${heard.unreadBytes} bytes after the head`,
    expected: EMPTY_BODY.text,
  },
  {
    id: 'path.1',
    level: 'agent',
    rule: 'A query after the path does not matter.',
    why: 'Agents keep the query of the URL in their configuration.',
    ask: (given) => [at(given, `${PATH}?site=a&x`)],
    expect: SUCCESS,
  },
  {
    id: 'path.2',
    level: 'shipped',
    rule: 'An unknown action gets 404; or 403, if the user of the key is no administrator.',
    guess: '404',
    ask: (given) => [at(given, '/agentconnector/register_agents.json')],
    expect: status(403, 404),
  },
  {
    id: 'path.3',
    level: 'shipped',
    rule: 'Without `.json`, the path gets 405.',
    guess: '404',
    muster: { documented: '404' },
    ask: (given) => [at(given, PATH.replace('.json', ''))],
    expect: status(405),
  },
  {
    id: 'path.4',
    level: 'shipped',
    rule: 'With `.html`, it gets 200 and a page.',
    guess: '404',
    muster: { documented: '404' },
    ask: (given) => [at(given, PATH.replace('.json', '.html'))],
    expect: status(200),
  },
  {
    id: 'path.5',
    level: 'shipped',
    rule: 'With a slash at its end, it is unknown, too.',
    ask: (given) => [at(given, `${PATH}/`)],
    expect: status(403, 404),
  },
  {
    id: 'path.6',
    level: 'shipped',
    rule: 'In capital letters, it is unknown, too.',
    ask: (given) => [at(given, PATH.toUpperCase())],
    expect: status(403, 404),
  },
  {
    id: 'path.7',
    level: 'shipped',
    rule: '`/Agentconnector/…` reaches the endpoint.',
    guess: '404, as in capital letters',
    muster: { documented: '404' },
    ask: (given) => [at(given, PATH.replace('a', 'A'))],
    expect: SUCCESS,
  },
  {
    id: 'path.8',
    level: 'shipped',
    rule: 'Two slashes at its start reach the endpoint.',
    guess: '404 or a redirect',
    muster: { documented: '404' },
    ask: (given) => [at(given, `/${PATH}`)],
    expect: SUCCESS,
  },
  {
    id: 'path.9',
    level: 'shipped',
    rule: 'Further names after the endpoint reach it: `/register_agent/x/y.json`.',
    guess: '404',
    muster: { documented: '404' },
    ask: (given) => [at(given, PATH.replace('.json', '/x/y.json'))],
    expect: SUCCESS,
  },
  {
    id: 'path.10',
    level: 'note',
    rule: 'Escaped letters reach the endpoint: `/%61gentconnector/…`.',
    source: 'RFC 3986; server 5.3.0, observed',
    muster: { documented: '404' },
    ask: (given) => [at(given, PATH.replace('/a', '/%61'))],
    expect: SUCCESS,
  },
  {
    id: 'path.11',
    level: 'note',
    rule: 'A whole URL on the request line reaches the endpoint.',
    source: 'RFC 9112',
    muster: { documented: '404', shipped: '404' },
    ask: (given) => {
      const one = registration(given);
      return [{ ...one, target: `http://${given.host}${one.target}` }];
    },
    expect: SUCCESS,
  },
];
