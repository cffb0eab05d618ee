import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../../src/base/protocol/push.ts';
import { phpJson } from '../../../src/server/dialects/framework-answers.ts';
import type { MonitoringServerSettings } from '../../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { type Sent, send } from '../push-client.ts';

const { register_agent: register, submit_checkdata: checkdata, submit_package_info: packages } = ENDPOINT_PATHS;
const known = { uuid: 'known', password: 'secret' };
const own = { agentuuid: 'known', password: 'secret' };
const key = { Authorization: 'X-OITC-API key' };
const json = { ...key, 'Content-Type': 'application/json' };
const framework = (message: string, url: string, code: number) =>
  `{"message":"${message}","url":"${url.replaceAll('/', '\\/')}","code":${code},"_csrfToken":null}`;
const missing = '{"error":"Field uuid or password is missing in POST data","_csrfToken":null}';
const badCredentials = '{"error":"Invalid credentials or host not found","_csrfToken":null}';
const badPackages = '{"success":false,"error":"Error while processing package information","_csrfToken":null}';
const goodPackages = '{"success":true,"error":"","_csrfToken":null}';
const windows = { Pending: false, Stats: { OperatingSystem: 'windows' } };

let server: MonitoringServer;
beforeAll(async () => {
  server = await startShipped();
});
afterAll(() => server.stop());

function startShipped(settings: Partial<MonitoringServerSettings> = {}) {
  return startMonitoringServer({ dialect: 'shipped', apiKey: 'key', registrations: [known], ...settings });
}

type Row = Omit<Sent, 'body'> & { claim: string; body?: unknown; status: number; text: string | RegExp; type?: string };

/** In the server's order of evaluation: each row breaks one rule and, if possible, later ones. */
const rows: Row[] = [
  {
    claim: 'malformed JSON gets an HTML page before any other check',
    path: '/none',
    headers: { 'Content-Type': 'application/json' },
    body: '{',
    status: 400,
    text: /^<!DOCTYPE html>/,
    type: 'text/html; charset=UTF-8',
  },
  {
    claim: 'malformed JSON gets JSON if the client asks for it',
    path: register,
    headers: { ...json, Accept: 'application/json' },
    body: '{"a":[}',
    status: 400,
    text: '{"message":"Bad Request","url":"\\/agentconnector\\/register_agent.json","code":400}',
  },
  {
    claim: 'the JSON type is recognized in any case and with parameters',
    path: register,
    headers: { ...key, 'Content-Type': 'Text/JSON; charset=x' },
    body: '{',
    status: 400,
    text: /^<!DOCTYPE html>/,
  },
  {
    claim: 'a POST without the key scheme fails the CSRF check',
    path: register,
    headers: { 'Content-Type': 'application/json' },
    body: own,
    status: 403,
    text: framework('Missing or incorrect CSRF cookie type.', register, 403),
  },
  {
    claim: 'a wrong key gets a 401 with an empty body',
    path: register,
    body: own,
    status: 401,
    text: '',
    headers: { ...json, Authorization: 'X-OITC-API wrong' },
  },
  {
    claim: 'an empty key gets 401',
    path: register,
    headers: { ...json, Authorization: 'X-OITC-API' },
    body: own,
    status: 401,
    text: '',
  },
  { claim: 'a GET without a key gets 401', method: 'GET', path: register, headers: {}, status: 401, text: '' },
  {
    claim: 'the key in the query overrides the one in the header',
    path: `${register}?apikey=wrong`,
    headers: json,
    body: own,
    status: 401,
    text: '',
  },
  {
    claim: 'the key in a cookie overrides the one in the header',
    path: register,
    body: own,
    status: 401,
    text: '',
    headers: { ...json, Cookie: 'a=b; Authorization=X-OITC-API%20wrong' },
  },
  {
    claim: 'a key only in the query is accepted',
    path: `${register}?apikey=key`,
    headers: { 'Content-Type': 'application/json' },
    body: own,
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  },
  {
    claim: 'an unknown action is not found',
    path: '/agentconnector/none.json',
    headers: json,
    body: {},
    status: 404,
    text: framework('Not Found', '/agentconnector/none.json', 404),
  },
  {
    claim: 'another method is refused with the target in the escapes of URLs, markup and JSON',
    method: 'GET',
    path: `${checkdata}?a=<b>&c="`,
    headers: key,
    status: 405,
    text: framework('Method Not Allowed', `${checkdata}?a=%3Cb%3E\\u0026amp;c=%22`, 405),
  },
  {
    claim: 'an action without its extension is refused with an HTML page',
    path: '/agentconnector/register_agent',
    headers: json,
    body: own,
    status: 405,
    text: /^<!DOCTYPE html>[\s\S]*Method Not Allowed/,
  },

  ...[
    { claim: 'refuses a missing uuid', body: { password: '' } },
    { claim: 'refuses a missing password', body: { agentuuid: 'x' } },
    { claim: 'treats null as missing', body: { agentuuid: null, password: '' } },
    { claim: 'treats a scalar as a document without fields', body: '5' },
    { claim: 'treats an empty body as a document without fields', body: '' },
  ].map((row) => ({ ...row, path: register, headers: json, status: 400, text: missing })),
  {
    claim: 'ignores JSON under another content type',
    path: register,
    headers: { ...key, 'Content-Type': 'text/plain' },
    body: own,
    status: 400,
    text: missing,
  },
  {
    claim: 'reads form fields',
    path: register,
    headers: { ...key, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'agentuuid=known&password=secret',
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  },
  {
    claim: 'refuses a known uuid with an empty password',
    path: register,
    headers: json,
    body: { ...own, password: '' },
    status: 403,
    text: '{"error":"The given UUID is already registed with a password!","_csrfToken":null}',
  },
  {
    claim: 'names the rule that an empty uuid breaks',
    path: register,
    headers: json,
    body: { agentuuid: '', password: '' },
    status: 400,
    text: '{"error":{"uuid":{"_empty":"This field cannot be left empty"}},"_csrfToken":null}',
  },
  {
    claim: 'names the rules that a list as host name breaks',
    path: register,
    headers: json,
    body: { agentuuid: 'listed', password: '', hostname: [] },
    status: 400,
    text: '{"error":{"hostname":{"scalar":"The provided value must be scalar","maxLength":"The provided value must be at most `255` characters long"}},"_csrfToken":null}',
  },
  {
    claim: 'names the addresses in headers that are too long',
    path: register,
    headers: { ...json, 'X-Forwarded-For': '1'.repeat(256), 'Client-IP': '1'.repeat(255) },
    body: { agentuuid: 'forwarded', password: '' },
    status: 400,
    text: '{"error":{"http_x_forwarded_for":{"maxLength":"The provided value must be at most `255` characters long"}},"_csrfToken":null}',
  },
  ...[
    { path: register, body: { agentuuid: ['x'], password: '' } },
    { path: register, body: { agentuuid: 'known', password: {} } },
    { path: checkdata, body: { ...own, password: [] } },
  ].map((row) => ({
    ...row,
    claim: `fails with 500 on ${JSON.stringify(row.body)}`,
    headers: json,
    status: 500,
    text: framework('An Internal Error Has Occurred.', row.path, 500),
  })),
  ...['KNOWN  ', 'knówn', 'ｋnown\u0000'].map((agentuuid) => ({
    claim: `takes ${JSON.stringify(agentuuid)} for the uuid known, and compares passwords likewise`,
    path: register,
    headers: json,
    body: { agentuuid, password: 'SECRET ' },
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  })),
  ...[' known', 'known\t'].map((agentuuid) => ({
    claim: `does not take ${JSON.stringify(agentuuid)} for the uuid known`,
    path: register,
    headers: json,
    body: { agentuuid, password: 'secret' },
    status: 404,
    text: /No Agent found/,
  })),
  ...[
    '//agentconnector/register_agent.json',
    '/Agentconnector/register_agent/1.json',
    '/agentconnector/register%5Fagent.json',
  ].map((path) => ({
    claim: 'reaches the action',
    path,
    headers: { ...json, Authorization: 'X-OITC-API KEY' },
    body: own,
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  })),
  ...(
    [
      ['/agentconnector/register_agent.html', 200, /^<!DOCTYPE html>/],
      ['/agentconnector/register_agent.pdf', 405, /^<!DOCTYPE html>/],
      ['/agentconnector/register_agent/', 405, /^\{"message":"Method Not Allowed","url":"[^"]*","code":405\}$/],
      ['/agentconnector//register_agent.json', 404, /"code":404\}$/],
      ['/AGENTCONNECTOR/register_agent.json', 404, /"code":404,"_csrfToken":null\}$/],
    ] as const
  ).map(([path, status, text]) => ({
    claim: `gets ${status}`,
    path,
    status,
    text,
    body: own,
    headers: { ...json, Accept: 'application/json' },
  })),
  ...(
    [
      ['?x=apikey', {}, 401],
      ['?apikey=%20KEY%20', {}, 200],
      ['?apikey[]=key', key, 500],
      ['', { ...key, 'X-HTTP-Method-Override': 'PUT' }, 405],
      ['', { ...key, 'X-HTTP-Method-Override': 'NONE' }, 400],
    ] as const
  ).map(([query, headers, status]) => ({
    claim: `with ${JSON.stringify(headers)} gets ${status}`,
    path: `${register}${query}`,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: own,
    status,
    text: /^/,
  })),
  {
    claim: 'reads the parts of a form, of which the last one of a name counts',
    path: register,
    headers: { ...key, 'Content-Type': 'multipart/form-data; boundary="b"' },
    body: ['agentuuid', 'agentuuid', 'password']
      .map(
        (name, n) =>
          `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${['none', 'known', 'secret'][n]}\r\n`,
      )
      .join('')
      .concat('--b--\r\n'),
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  },
  {
    claim: 'compares no list of a form',
    path: register,
    headers: { ...key, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'agentuuid[]=known&password=secret',
    status: 500,
    text: framework('An Internal Error Has Occurred.', register, 500),
  },
  {
    claim: 'names every column that is too long',
    path: register,
    headers: json,
    status: 400,
    body: { agentuuid: 'x'.repeat(38), password: '', hostname: 'x'.repeat(256), ipaddress: 'é'.repeat(255) },
    text: '{"error":{"uuid":{"maxLength":"The provided value must be at most `37` characters long"},"hostname":{"maxLength":"The provided value must be at most `255` characters long"}},"_csrfToken":null}',
  },
  {
    claim: 'registers any scalar, and returns it as sent',
    path: register,
    headers: json,
    body: { agentuuid: 12.5, password: '' },
    status: 201,
    text: /^\{"agentuuid":12\.5,"password":"[0-9a-f]{128}","_csrfToken":null\}$/,
  },
  {
    claim: 'then knows that scalar as a string',
    path: register,
    headers: json,
    body: { agentuuid: '12.5', password: '' },
    status: 403,
    text: /already/,
  },
  {
    claim: 'escapes the uuid in its answer',
    path: register,
    headers: json,
    body: { agentuuid: `</"'&é😀\\`, password: '' },
    status: 201,
    text: /^\{"agentuuid":"\\u003C\\\/\\u0022\\u0027\\u0026\\u00e9\\ud83d\\ude00\\\\",/,
  },
  {
    claim: 'confirms credentials without repeating them',
    path: register,
    headers: json,
    body: own,
    status: 200,
    text: '{"success":true,"_csrfToken":null}',
  },
  {
    claim: 'finds no agent for a wrong password',
    path: register,
    headers: json,
    body: { ...own, password: 'x' },
    status: 404,
    text: '{"error":"No Agent found for given UUID and password","_csrfToken":null}',
  },

  {
    claim: 'counts services of exported hosts, of which there are none',
    path: checkdata,
    headers: json,
    body: { checkdata: { agent: {}, cpu: {}, prometheus_exporters: [], users: [] }, ...own },
    status: 200,
    text: '{"success":true,"received_checks":0,"_csrfToken":null}',
  },
  {
    claim: 'accepts a push without checks',
    path: checkdata,
    headers: json,
    body: own,
    status: 200,
    text: '{"success":true,"received_checks":0,"_csrfToken":null}',
  },
  {
    claim: 'refuses wrong credentials',
    path: checkdata,
    headers: json,
    body: { ...own, password: 'x' },
    status: 400,
    text: badCredentials,
  },
  {
    claim: 'treats missing credentials as empty',
    path: checkdata,
    headers: json,
    body: {},
    status: 400,
    text: badCredentials,
  },
  {
    claim: 'accepts check data that exceeds the column',
    path: checkdata,
    headers: json,
    body: { checkdata: 'x'.repeat(16_777_215), ...own },
    status: 200,
    text: '{"success":true,"received_checks":0,"_csrfToken":null}',
  },

  {
    claim: 'refuses wrong credentials',
    path: packages,
    headers: json,
    body: { ...own, password: 'x' },
    status: 400,
    text: badPackages,
  },
  ...[undefined, null, [], {}, false, 0, '', '0'].map((empty) => ({
    claim: `accepts ${JSON.stringify(empty)} as an empty document`,
    path: packages,
    headers: json,
    body: { checkdata: empty, ...own },
    status: 200,
    text: goodPackages,
  })),
  ...['text', 7, true].map((scalar) => ({
    claim: `fails with 500 on ${JSON.stringify(scalar)} as a document`,
    path: packages,
    headers: json,
    body: { checkdata: scalar, ...own },
    status: 500,
    text: framework('An Internal Error Has Occurred.', packages, 500),
  })),
  ...[undefined, null, true, 1, 'x', ['x']].map((pending) => ({
    claim: `refuses ${JSON.stringify(pending)} as Pending`,
    path: packages,
    headers: json,
    body: { checkdata: { ...windows, Pending: pending }, ...own },
    status: 400,
    text: badPackages,
  })),
  {
    claim: 'refuses an unknown operating system',
    path: packages,
    headers: json,
    status: 400,
    text: badPackages,
    body: { checkdata: { Pending: false, Stats: { OperatingSystem: 'freebsd' } }, ...own },
  },
  {
    claim: 'fails with 500 on a Windows update without articles',
    path: packages,
    headers: json,
    body: { checkdata: { ...windows, WindowsUpdates: [{ KBArticleIDs: null }] }, ...own },
    status: 500,
    text: framework('An Internal Error Has Occurred.', packages, 500),
  },
  {
    claim: 'accepts a document',
    path: packages,
    headers: json,
    body: { checkdata: windows, ...own },
    status: 200,
    text: goodPackages,
  },
];

describe('the shipped dialect', () => {
  it.each(rows)(
    '$path $claim',
    async ({ method = 'POST', path = '/', headers = {}, body = '', status, text, type }) => {
      const bytes = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await send(server.url, { method, path, headers, body: bytes });
      expect(answer.text).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
      expect(answer.status).toBe(status);
      if (type !== undefined) expect(answer.type).toBe(type);
      else if (answer.text.startsWith('{')) expect(answer.type).toBe('application/json');
    },
  );

  it('has no package endpoint before release 5.5', async () => {
    const old = await startShipped({ version: '5.3' });
    const answer = await send(old.url, { path: packages, headers: json, body: JSON.stringify(own) });
    expect([answer.status, answer.text]).toEqual([404, framework('Not Found', packages, 404)]);
    await old.stop();
  });

  it('requires no key if none is set, but still the key scheme', async () => {
    const keyless = await startShipped({ apiKey: '' });
    const statusWith = async (headers: Record<string, string>) =>
      (
        await send(keyless.url, {
          path: register,
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: '{}',
        })
      ).status;
    expect(await statusWith({ Authorization: 'X-OITC-API' })).toBe(400);
    expect(await statusWith({})).toBe(403);
    await keyless.stop();
  });
});

describe.each(['documented', 'shipped'] as const)('host assignment in the %s dialect', (dialect) => {
  const enroll = async (url: string) => {
    const answer = await send(url, { path: register, headers: json, body: '{"agentuuid":"new","password":""}' });
    const { agentuuid, password } = JSON.parse(answer.text);
    return { agentuuid, password };
  };
  const submit = async (url: string, credentials: object) => {
    const body = JSON.stringify({ checkdata: { agent: {} }, ...credentials });
    return (await send(url, { path: checkdata, headers: json, body })).status;
  };

  it('is manual: it refuses pushes of new agents, not of known ones, until the operator assigns a host', async () => {
    const manual = await startShipped({ dialect, hostAssignment: { kind: 'manual' } });
    const credentials = await enroll(manual.url);
    expect(await submit(manual.url, credentials)).toBe(400);
    expect(await submit(manual.url, own)).toBe(200);
    expect(manual.assignHosts(['new', 'unknown'])).toBe(1);
    expect(await submit(manual.url, credentials)).toBe(200);
    await manual.stop();
  });

  it('is delayed: it refuses the pushes of an agent until the delay has passed', async () => {
    const delayed = await startShipped({ dialect, hostAssignment: { kind: 'delayed', delayMs: 3_600_000 } });
    expect(await submit(delayed.url, await enroll(delayed.url))).toBe(400);
    await delayed.stop();
    const prompt = await startShipped({ dialect, hostAssignment: { kind: 'delayed', delayMs: 0 } });
    expect(await submit(prompt.url, await enroll(prompt.url))).toBe(200);
    await prompt.stop();
  });
});

it('PHP-style JSON text decodes to the same value', () => {
  const sameValue = fc.property(fc.jsonValue(), (value) => {
    expect(JSON.parse(phpJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
  });
  fc.assert(sameValue);
});
