import { afterEach, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { push, send } from './push-client.ts';

const AGENT = { agentuuid: 'of-a-page', password: '', hostname: '', ipaddress: '' };
let server: MonitoringServer;

afterEach(() => server.stop());

describe.each(['documented', 'shipped'] as const)(
  'a web page in a browser, at a server of the %s dialect,',
  (dialect) => {
    it.each(['http://evil.example', 'null', 'http://127.0.0.1'])('registers no agent: Origin %s', async (origin) => {
      server = await startMonitoringServer({ dialect });
      // What a page may send without a preflight request: a body without a type, and a key in the query.
      const path = `${ENDPOINT_PATHS.register_agent}?apikey=x`;
      const answer = await send(server.url, { path, headers: { Origin: origin }, body: JSON.stringify(AGENT) });
      expect([answer.status, answer.text]).toEqual([
        403,
        '{"error":"This server rejects requests from web pages: send no Origin"}',
      ]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect((await push(server.url, 'register_agent', AGENT)).status).toBe(201);
    });
  },
);

it('a web page in a browser cannot control a server, because the preflight request is refused', async () => {
  server = await startMonitoringServer({ dialect: 'documented', admin: { port: 0, token: 't' } });
  const headers = { Origin: 'http://evil.example', 'Access-Control-Request-Headers': 'authorization' };
  const asked = await send(server.adminUrl ?? '', { method: 'OPTIONS', path: '/faults', headers });
  expect(asked.status).toBe(401);
  expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});
