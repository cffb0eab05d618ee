import { API_KEY_SCHEME as SCHEME } from '../../base/protocol/push.ts';
import { casesOf } from '../case.ts';
import { EMPTY_BODY, not, REFUSED, SUCCESS, status } from '../expectation.ts';
import {
  checkdata,
  getsOf,
  needing,
  otherCase,
  registration,
  type ServerCase,
  type ServerFixture,
  withHeaders,
} from './fixture.ts';

const { agent, shipped, note } = casesOf<ServerCase>();

/** A first registration with other headers, and with a query. */
function withKey(fixture: ServerFixture, headers: Readonly<Record<string, string | undefined>>, query = '') {
  const one = withHeaders(fixture, registration(fixture), headers);
  return { ...one, target: `${one.target}${query}` };
}

const keyGets = getsOf<Readonly<Record<string, string | undefined>>>(withKey);

export const KEYS: readonly ServerCase[] = needing(
  ['key'],
  [
    agent('key.1', 'A registration with a wrong API key gets a status from 400 to 499.', {
      why: 'Everybody could register. A redirect to a login page makes agents read HTML.',
      ...keyGets(REFUSED, { Authorization: `${SCHEME} wrong` }),
    }),
    note('key.16', 'Check data with a wrong API key gets a status from 400 to 499.', {
      guess: 'accepted: the written API authenticates by the password alone',
      needs: ['key', 'assigned'],
      ask: (fixture) => [withHeaders(fixture, checkdata(fixture), { Authorization: `${SCHEME} wrong` })],
      expect: REFUSED,
    }),
    shipped('key.2', 'A wrong API key gets 401.', {
      guess: '405, which the agent logs as a wrong key',
      presumes: REFUSED,
      ...keyGets(status(401), { Authorization: `${SCHEME} wrong` }),
    }),
    shipped('key.3', 'That answer has an empty body.', {
      guess: 'JSON with `error`',
      presumes: REFUSED,
      ...keyGets(EMPTY_BODY, { Authorization: `${SCHEME} wrong` }),
    }),
    shipped('key.4', 'An empty API key gets 401.', {
      presumes: REFUSED,
      ...keyGets(status(401), { Authorization: SCHEME }),
    }),
    shipped('key.5', 'A request without `Authorization` gets 403.', {
      guess: '401',
      muster: { documented: '401' },
      presumes: REFUSED,
      ...keyGets(status(403), { Authorization: undefined }),
    }),
    agent('key.6', 'A request without `Authorization`, or with an empty key, registers nobody.', {
      why: 'Everybody could register.',
      ...keyGets(not(200, 201), { Authorization: undefined }, { Authorization: SCHEME }),
    }),
    agent('key.7', 'A registration with a wrong key does not take the UUID.', {
      why: 'With the right key, the agent would get 403 forever.',
      ask: (fixture) => [withKey(fixture, { Authorization: `${SCHEME} wrong` }), registration(fixture)],
      judged: 'last',
      expect: not(403),
    }),
    note('key.8', 'A key in other letter case is wrong.', {
      guess: 'compared exactly',
      observed: 'accepted: the database ignores case',
      muster: { shipped: 'accepted' },
      ask: (fixture) => [withKey(fixture, { Authorization: `${SCHEME} ${otherCase(fixture.apiKey)}` })],
      expect: REFUSED,
    }),
    shipped('key.9', 'The scheme counts in its letter case: `x-oitc-api` is none.', {
      guess: 'in any case, as RFC 9110 says',
      ask: (fixture) => [withKey(fixture, { Authorization: `${SCHEME.toLowerCase()} ${fixture.apiKey}` })],
      expect: REFUSED,
    }),
    shipped('key.10', 'Blanks around the key do not count.', {
      ask: (fixture) => [withKey(fixture, { Authorization: `${SCHEME}   ${fixture.apiKey}  ` })],
      expect: SUCCESS,
    }),
    shipped('key.11', 'The key may be in the query, as `apikey`.', {
      ask: (fixture) => [
        withKey(fixture, { Authorization: undefined }, `?apikey=${encodeURIComponent(fixture.apiKey)}`),
      ],
      expect: SUCCESS,
    }),
    shipped('key.12', 'Of two keys, that in the query counts.', {
      guess: 'the header',
      ask: (fixture) => [withKey(fixture, {}, '?apikey=wrong')],
      expect: REFUSED,
    }),
    shipped('key.13', 'A query such as `?x=apikey`, without a key, gets 401.', {
      guess: 'as any request without a key: 403',
      ask: (fixture) => [withKey(fixture, { Authorization: undefined }, '?x=apikey')],
      presumes: REFUSED,
      expect: status(401),
    }),
    shipped('key.14', 'A key directly after the scheme counts.', {
      guess: 'refused: a blank is missing',
      ask: (fixture) => [withKey(fixture, { Authorization: `${SCHEME}${fixture.apiKey}` })],
      expect: SUCCESS,
    }),
    shipped('key.15', 'The key may be in a cookie named `Authorization`.', {
      guess: 'no cookies',
      ask: (fixture) => [
        withKey(fixture, { Authorization: `${SCHEME} wrong`, Cookie: `Authorization=${SCHEME}%20${fixture.apiKey}` }),
      ],
      expect: SUCCESS,
    }),
  ],
);
