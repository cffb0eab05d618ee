import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { draws } from '../draws.ts';
import { push } from './push-client.ts';

const own = { agentuuid: 'known', password: 'secret' };

/** Sends the bytes, closes the sending side, and returns everything received until the server also closes. */
function deliver(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // A reset is an acceptable answer to garbage.
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

const fieldName = fc.oneof(
  fc.constantFrom('agentuuid', 'password', 'hostname', 'ipaddress', 'checkdata', '__proto__', 'constructor'),
  fc.string(),
);
const wrongValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(1e308, -0, 2 ** 64, '', '\u0000', 'known', 'secret', [], {}, [[]], { length: 1 }),
);
const packageDocument = fc.dictionary(
  fc.constantFrom('Pending', 'Stats', 'WindowsUpdates', 'LinuxPackages', '__proto__'),
  fc.oneof(
    wrongValue,
    fc.constant({ OperatingSystem: 'windows' }),
    fc.constant(false),
    fc.constant([{ KBArticleIDs: 1 }]),
  ),
);
const document = fc
  .array(fc.tuple(fieldName, fc.oneof(wrongValue, packageDocument)), { maxLength: 6 })
  .map((members) => members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`))
  .map((members) => `{${members.join(',')}}`);
const credentialed = document.map((text) => `{"agentuuid":"known","password":"secret",${text.slice(1)}`);
const text = fc.oneof(
  document,
  credentialed,
  fc.json(),
  fc.string(),
  fc.constantFrom(
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    `{"checkdata":${'9'.repeat(50_000)}}`,
    '"\\ud800"',
    '\u{feff}{}',
  ),
);

type Shape = { method: string; path: string; type: string; text: string; lengthError: number; cut: number };
const request = fc
  .record<Shape>({
    method: fc.constantFrom(
      'POST',
      'POST',
      'POST',
      'GET',
      'PUT',
      'DELETE',
      'OPTIONS',
      'HEAD',
      'PATCH',
      'TRACE',
      'NONSENSE',
    ),
    path: fc.oneof(
      fc.constantFrom(...Object.values(ENDPOINT_PATHS)),
      fc.constantFrom(
        '/',
        '*',
        '//',
        '/agentconnector/',
        '/agentconnector/register_agent',
        '/%00',
        '/?apikey',
        'http://x/y',
      ),
      fc.stringMatching(/^\/[!-~]{0,20}$/),
    ),
    type: fc.constantFrom(
      'application/json',
      'APPLICATION/JSON;;;',
      '',
      'text/json, text/html',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=',
      'application/json\t',
    ),
    text,
    lengthError: fc.constantFrom(0, 0, 0, 1, -1, 1000),
    cut: fc.constantFrom(0, 0, 0, 1, 30),
  })
  .map(rawRequest);

function rawRequest({ method, path, type, text: body, lengthError, cut }: Shape): Buffer {
  const length = Math.max(0, Buffer.byteLength(body) + lengthError);
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: X-OITC-API\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
  const whole = Buffer.from(head + body);
  return whole.subarray(0, whole.length - cut);
}

const bytes = fc.oneof(
  { weight: 8, arbitrary: request },
  { weight: 2, arbitrary: fc.array(request, { maxLength: 5 }).map((requests) => Buffer.concat(requests)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array)) },
);

describe.each(['documented', 'shipped'] as const)('the %s dialect, for any input,', (dialect) => {
  let server: MonitoringServer;
  beforeAll(async () => {
    server = await startMonitoringServer({
      dialect,
      verify: true,
      registrations: [{ uuid: 'known', password: 'secret' }],
    });
  });
  afterAll(() => server.stop());

  it('answers or closes, has no internal error, and serves the next agent', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (input) => {
        const answer = await deliver(server.port, input);
        expect(answer === '' || /^HTTP\/1\.1 [2-5]\d\d /.test(answer)).toBe(true);
        expect(server.counts().internalErrors).toBe(0);
      }),
      { numRuns: draws(120) },
    );
    expect((await push(server.url, 'register_agent', own)).status).toBe(200);
    await expect.poll(() => server.counts().openConnections).toBe(0);
  });
});
