import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS, type Endpoint } from '../../../src/base/protocol/push.ts';
import { DEFAULT_SETTINGS } from '../../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { push, send } from '../push-client.ts';

const known = { uuid: '11111111-1111-4111-8111-111111111111', password: 'f'.repeat(128) };
const own = { agentuuid: known.uuid, password: known.password };
const packages = { Pending: false, Stats: { OperatingSystem: 'linux' }, LinuxPackages: [] };
const fieldsMissing = { error: 'Field uuid or password is missing in POST data' };
const badCredentials = { error: 'Invalid credentials or host not found' };
const badPackages = { success: false, error: 'Error while processing package information' };

let server: MonitoringServer;
beforeAll(async () => {
  server = await startMonitoringServer({ registrations: [known] });
});
afterAll(() => server.stop());

type Row = { claim: string; endpoint: Endpoint; document: unknown; status: number; body: unknown };

const register: Omit<Row, 'endpoint'>[] = [
  {
    claim: 'refuses a known uuid with an empty password',
    document: { ...own, password: '' },
    status: 403,
    body: { error: 'The given UUID is already registed with a password!' },
  },
  { claim: 'confirms a uuid with its password', document: own, status: 200, body: own },
  {
    claim: 'does not find a known uuid with a wrong password',
    document: { ...own, password: 'x' },
    status: 404,
    body: { error: 'No Agent found for given UUID and password' },
  },
  {
    claim: 'does not find an unknown uuid with a password',
    document: { agentuuid: 'none', password: 'x' },
    status: 404,
    body: { error: 'No Agent found for given UUID and password' },
  },
  { claim: 'refuses a missing uuid', document: { password: '' }, status: 400, body: fieldsMissing },
  { claim: 'refuses a missing password', document: { agentuuid: 'none' }, status: 400, body: fieldsMissing },
  {
    claim: 'treats null as missing',
    document: { agentuuid: 'none', password: null },
    status: 400,
    body: fieldsMissing,
  },
  {
    claim: 'treats an empty uuid as missing',
    document: { agentuuid: '', password: '' },
    status: 400,
    body: fieldsMissing,
  },
  {
    claim: 'treats values of other types as missing',
    document: { agentuuid: ['a'], password: '' },
    status: 400,
    body: fieldsMissing,
  },
  { claim: 'treats an array as a document without fields', document: [], status: 400, body: fieldsMissing },
  {
    claim: 'refuses a uuid that is too long',
    document: { agentuuid: 'a'.repeat(38), password: '' },
    status: 400,
    body: { error: 'The uuid is longer than 37 characters' },
  },
];

const checkdata: Omit<Row, 'endpoint'>[] = [
  {
    claim: 'counts the received checks',
    document: { checkdata: { agent: {}, cpu: {}, users: [] }, ...own },
    status: 200,
    body: { received_checks: 3 },
  },
  { claim: 'accepts a push without checks', document: own, status: 200, body: { received_checks: 0 } },
  {
    claim: 'refuses a wrong password',
    document: { checkdata: {}, ...own, password: 'x' },
    status: 400,
    body: badCredentials,
  },
  {
    claim: 'refuses an unknown uuid',
    document: { checkdata: {}, agentuuid: 'none', password: 'x' },
    status: 400,
    body: badCredentials,
  },
  { claim: 'refuses missing credentials', document: { checkdata: {} }, status: 400, body: badCredentials },
];

const packageInfo: Omit<Row, 'endpoint'>[] = [
  {
    claim: 'accepts a package document',
    document: { checkdata: packages, ...own },
    status: 200,
    body: { success: true, error: '' },
  },
  {
    claim: 'accepts an empty document without doing anything',
    document: { checkdata: {}, ...own },
    status: 200,
    body: { success: true, error: '' },
  },
  {
    claim: 'refuses a wrong password',
    document: { checkdata: packages, ...own, password: 'x' },
    status: 400,
    body: badPackages,
  },
  {
    claim: 'refuses a pending document',
    document: { checkdata: { ...packages, Pending: true }, ...own },
    status: 400,
    body: badPackages,
  },
  {
    claim: 'refuses a document that does not say whether it is pending',
    document: { checkdata: { Stats: packages.Stats }, ...own },
    status: 400,
    body: badPackages,
  },
  {
    claim: 'refuses an unknown operating system',
    document: { checkdata: { Pending: false, Stats: { OperatingSystem: 'plan9' } }, ...own },
    status: 400,
    body: badPackages,
  },
  {
    claim: 'refuses text instead of a document',
    document: { checkdata: 'packages', ...own },
    status: 400,
    body: badPackages,
  },
];

const rows: Row[] = [
  ...register.map((row) => ({ ...row, endpoint: 'register_agent' as const })),
  ...checkdata.map((row) => ({ ...row, endpoint: 'submit_checkdata' as const })),
  ...packageInfo.map((row) => ({ ...row, endpoint: 'submit_package_info' as const })),
];

describe('the documented dialect', () => {
  it.each(rows)('$endpoint $claim', async ({ endpoint, document, status, body }) => {
    expect(await push(server.url, endpoint, document)).toEqual({ status, body });
  });

  it('registers an unknown agent under a password of 64 random bytes and then accepts its pushes', async () => {
    const { status, body } = await push(server.url, 'register_agent', { agentuuid: 'fresh', password: '' });
    expect(status).toBe(201);
    expect(body).toEqual({ agentuuid: 'fresh', password: expect.stringMatching(/^[0-9a-f]{128}$/) });
    const pushed = await push(server.url, 'submit_checkdata', { checkdata: { agent: {} }, ...body });
    expect(pushed).toEqual({ status: 200, body: { received_checks: 1 } });
  });

  it('gives exactly one 201 to concurrent registrations of one uuid', async () => {
    const attempts = Array.from({ length: 20 }, () =>
      push(server.url, 'register_agent', { agentuuid: 'contended', password: '' }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(19).fill(403)]);
  });

  it.each(Object.values(ENDPOINT_PATHS))('%s answers other methods with 405', async (path) => {
    const answer = await send(server.url, { method: 'GET', path });
    expect(answer).toMatchObject({ status: 405, type: 'application/json' });
    expect(JSON.parse(answer.text)).toEqual({ message: 'Method Not Allowed', url: path, code: 405 });
  });

  it('answers an unknown path with 404', async () => {
    const answer = await send(server.url, { path: '/agentconnector/unknown.json' });
    expect(answer.status).toBe(404);
  });

  it.each(Object.values(ENDPOINT_PATHS))('%s answers a body that is not JSON with 400', async (path) => {
    for (const body of ['{', '{"agentuuid":"x",}', '{"checkdata":{"a":[}}', 'agentuuid=x', '{}{}']) {
      const answer = await send(server.url, { path, body });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        400,
        expect.objectContaining({ error: expect.any(String) }),
      ]);
    }
  });

  it('requires the API key if it is set', async () => {
    const guarded = await startMonitoringServer({ apiKey: 'secret', registrations: [known] });
    const path = ENDPOINT_PATHS.register_agent;
    const body = JSON.stringify(own);
    const statusWith = async (headers: Record<string, string>, query = '') =>
      (await send(guarded.url, { path: path + query, headers, body })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ Authorization: 'X-OITC-API' })).toBe(401);
    expect(await statusWith({ Authorization: 'X-OITC-API wrong' })).toBe(401);
    expect(await statusWith({ Authorization: 'X-OITC-API secret' })).toBe(200);
    expect(await statusWith({}, '?apikey=secret')).toBe(200);
    expect(await statusWith({ Authorization: 'X-OITC-API secret' }, '?apikey=wrong')).toBe(401);
    await guarded.stop();
  });

  it('counts the characters of a uuid, not its UTF-16 code units', async () => {
    const server = await startMonitoringServer();
    const statusOf = async (characters: number) =>
      (await push(server.url, 'register_agent', { agentuuid: '\u{1f600}'.repeat(characters), password: '' })).status;
    expect([await statusOf(37), await statusOf(38)]).toEqual([201, 400]);
    expect(server.arrivals().uuids).toEqual(['\u{1f600}'.repeat(37)]);
    await server.stop();
  });

  it('refuses agents above its capacity', async () => {
    const small = await startMonitoringServer({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 1000, agents: 1 } });
    const statuses = [];
    for (const agentuuid of ['a', 'b']) {
      statuses.push((await push(small.url, 'register_agent', { agentuuid, password: '' })).status);
    }
    expect(statuses).toEqual([201, 503]);
    await small.stop();
  });
});
