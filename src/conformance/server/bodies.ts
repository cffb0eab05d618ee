import { gzipSync } from 'node:zlib';
import { casesOf } from '../case.ts';
import { JSON_TYPED, REFUSED, SUCCESS, status } from '../expectation.ts';
import type { ConformanceRequest } from '../request.ts';
import { freshText, getsOf, pushOf, type ServerCase, type ServerFixture, toEach, withHeaders } from './fixture.ts';

const { written, shipped, note } = casesOf<ServerCase>();

/** A registration with these bytes as its body. */
function withBody(fixture: ServerFixture, body: string | Buffer, type = 'application/json'): ConformanceRequest {
  return withHeaders(fixture, pushOf(fixture, 'register_agent', Buffer.from(body)), { 'Content-Type': type });
}

/** A registration with its usual body, changed. */
function changed(fixture: ServerFixture, change: (text: string) => string | Buffer): ConformanceRequest {
  return withBody(fixture, change(freshText(fixture)));
}

const bodyGets = getsOf<string>(withBody);
const changedGets = getsOf(changed);
const typeGets = getsOf((fixture, type: string) => withBody(fixture, freshText(fixture), type));

export const BODIES: readonly ServerCase[] = [
  written('body.1', 'A body that is not JSON gets a status from 400 to 499 at each endpoint.', {
    ask: (fixture) => toEach(fixture, withBody(fixture, '{"agentuuid":"a')),
    expect: REFUSED,
  }),
  shipped('body.2', 'It gets 400.', {
    presumes: REFUSED,
    ...bodyGets(status(400), '{"agentuuid":"a'),
  }),
  note('body.3', 'That answer is JSON.', {
    guess: 'JSON, as all other answers',
    observed: 'an HTML page, unless the request has `Accept: application/json`',
    muster: { shipped: 'an HTML page' },
    presumes: REFUSED,
    ...bodyGets(JSON_TYPED, '{"agentuuid":"a'),
  }),
  shipped('body.4', 'An empty body counts as one without members: 400.', bodyGets(status(400), '')),
  shipped('body.5', 'An array, a string, a number or `null` as the whole body gets 400.', {
    ...bodyGets(status(400), '[]', '"text"', '7', 'null'),
  }),
  written('body.6', 'White space around the document does not matter.', {
    source: 'JSON, RFC 8259',
    ...changedGets(SUCCESS, (text) => `\r\n\t ${text.replaceAll(',', ' ,\n')} \n`),
  }),
  shipped('body.7', 'Comments, a comma at the end, single quotes and `NaN` are not JSON: 400.', {
    ...changedGets(
      status(400),
      (text) => `/* a */${text}`,
      (text) => text.replace('}', ',}'),
      (text) => text.replaceAll('"', "'"),
      (text) => text.replace('}', ',"x":NaN}'),
    ),
  }),
  shipped('body.8', 'A second document after the first gets 400.', {
    ...changedGets(status(400), (text) => `${text}\n${text}`),
  }),
  shipped('body.9', 'A byte order mark before the document gets 400.', {
    guess: 'skipped',
    ...changedGets(status(400), (text) => `\ufeff${text}`),
  }),
  shipped('body.10', 'UTF-16 gets 400.', {
    ...changedGets(status(400), (text) => Buffer.from(text, 'utf16le')),
  }),
  shipped('body.11', 'Control characters in strings, without escapes, get 400.', {
    ...changedGets(status(400), (text) => text.replace('muster', 'a\u0001b')),
  }),
  note('body.12', 'A body packed with gzip is read, or gets a status from 400 to 499.', {
    ask: (fixture) => {
      const body = gzipSync(freshText(fixture));
      return [{ ...withHeaders(fixture, withBody(fixture, body), { 'Content-Encoding': 'gzip' }), body }];
    },
    expect: { text: 'a status from 200 to 499', holds: ({ status }) => status >= 200 && status < 500 },
  }),
  shipped('type.1', '`application/json; charset=utf-8` is JSON.', {
    ...typeGets(SUCCESS, 'application/json; charset=utf-8'),
  }),
  shipped('type.2', '`APPLICATION/JSON` is JSON.', typeGets(SUCCESS, 'APPLICATION/JSON')),
  shipped('type.3', '`text/json` is JSON.', typeGets(SUCCESS, 'text/json')),
  shipped('type.4', 'With `text/plain`, all members count as missing: 400.', {
    guess: 'read as JSON, or 415',
    ...typeGets(status(400), 'text/plain'),
  }),
  shipped('type.5', 'Without a type, all members count as missing: 400.', {
    guess: 'read as JSON',
    muster: { documented: 'read as JSON' },
    ask: (fixture) => [withHeaders(fixture, withBody(fixture, freshText(fixture)), { 'Content-Type': undefined })],
    expect: status(400),
  }),
  shipped('type.6', '`application/vnd.api+json` is not JSON: 400.', {
    guess: 'read as JSON',
    ...typeGets(status(400), 'application/vnd.api+json'),
  }),
  shipped('type.7', 'A form registers an agent.', {
    guess: '400 or 415',
    muster: { documented: '400' },
    ask: (fixture) => [
      withBody(fixture, `agentuuid=${fixture.fresh[0]}&password=`, 'application/x-www-form-urlencoded'),
    ],
    expect: SUCCESS,
  }),
];
