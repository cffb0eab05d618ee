import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS, type Endpoint } from '../../../src/base/protocol/push.ts';
import { DEFAULT_SETTINGS } from '../../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { push, send } from '../push-client.ts';

const known = { uuid: '11111111-1111-4111-8111-111111111111', password: 'f'.repeat(128) };
const own = { agentuuid: known.uuid, password: known.password };
const packages = { Pending: false, Stats: { OperatingSystem: 'linux' }, LinuxPackages: [] };
const fieldsMissing = { error: 'Field uuid or password is missing in POST data' };
const badPackages = { success: false, error: 'Error while processing package information' };

let server: MonitoringServer;
beforeAll(async () => {
  server = await startMonitoringServer({ registrations: [known] });
});
afterAll(() => server.stop());

type Row = { claim: string; endpoint: Endpoint; document: unknown; status: number; body: unknown };

// What the cases of conformance check of this dialect, in test/conformance/server/embedded-server.test.ts, is not repeated here.

const register: Omit<Row, 'endpoint'>[] = [
  { claim: 'confirms a uuid with its password', document: own, status: 200, body: own },
  {
    claim: 'treats values of other types as missing',
    document: { agentuuid: ['a'], password: '' },
    status: 400,
    body: fieldsMissing,
  },
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
];

const packageInfo: Omit<Row, 'endpoint'>[] = [
  {
    claim: 'accepts a package document',
    document: { checkdata: packages, ...own },
    status: 200,
    body: { success: true, error: '' },
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

  it.each(Object.values(ENDPOINT_PATHS))('%s answers a body that is not JSON with 400', async (path) => {
    for (const body of ['{', '{"agentuuid":"x",}', '{"checkdata":{"a":[}}', 'agentuuid=x', '{}{}']) {
      const answer = await send(server.url, { path, body });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        400,
        expect.objectContaining({ error: expect.any(String) }),
      ]);
    }
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
