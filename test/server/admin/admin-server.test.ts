import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { OPERATIONS } from '../../../src/base/protocol/operations.ts';
import type { MonitoringServerSettings } from '../../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { push, type Sent, send } from '../push-client.ts';

const own = { agentuuid: 'a', password: 'p' };

async function start(settings: Partial<MonitoringServerSettings> = {}) {
  const admin = { port: 0, token: 'secret' };
  const server = await startMonitoringServer({ registrations: [{ uuid: 'a', password: 'p' }], admin, ...settings });
  onTestFinished(() => server.stop());
  return server;
}

async function ask(server: MonitoringServer, method: string, path: string, document?: unknown) {
  const headers = { Authorization: 'Bearer secret' };
  const sent: Sent = { method, path, headers, body: document === undefined ? '' : JSON.stringify(document) };
  const { status, text } = await send(server.adminUrl ?? '', sent);
  return { status, body: JSON.parse(text) };
}

const authorize = (server: MonitoringServer) => push(server.url, 'register_agent', own);

describe('the admin endpoint', () => {
  it('is off by default, and listens on a separate loopback port', async () => {
    expect((await startAndStop({ admin: undefined })).adminUrl).toBeUndefined();
    const { url, adminUrl } = await start();
    expect(adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(adminUrl).not.toBe(url);
  });

  it('requires a non-empty token', async () => {
    await expect(start({ admin: { port: 0, token: '' } })).rejects.toThrow(UserError);
  });

  it('refuses requests without its token on every path', async () => {
    const { adminUrl = '' } = await start();
    for (const Authorization of ['', 'secret', 'Bearer wrong', 'Bearer ', 'Basic secret']) {
      for (const path of ['/faults', '/arrivals', '/none']) {
        expect((await send(adminUrl, { method: 'GET', path, headers: { Authorization } })).status).toBe(401);
      }
    }
  });

  it('sets faults while the server runs, shows them with their defaults, and removes them', async () => {
    const server = await start();
    const { status, body } = await ask(server, 'PUT', '/faults', [{ do: 'status', status: 503 }]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { do: 'status', status: 503, body: 'json', share: 1, operations: [...OPERATIONS], at: '0s' },
    ]);
    expect((await ask(server, 'GET', '/faults')).body).toEqual(body);
    expect((await authorize(server)).status).toBe(503);
    await ask(server, 'PUT', '/faults', []);
    expect((await authorize(server)).status).toBe(200);
  });

  it('ends an outage, during which nothing else is reachable', async () => {
    const server = await start();
    await ask(server, 'PUT', '/faults', [{ do: 'outage' }]);
    await expect(authorize(server)).rejects.toThrow('ECONNREFUSED');
    await ask(server, 'PUT', '/faults', []);
    await expect.poll(() => authorize(server).catch(() => undefined)).toMatchObject({ status: 200 });
  });

  it('names each invalid fault, and leaves the faults unchanged', async () => {
    const server = await start();
    await ask(server, 'PUT', '/faults', [{ do: 'wrong-uuid' }]);
    const { status, body } = await ask(server, 'PUT', '/faults', [{ do: 'explode' }, { do: 'reset', share: 2 }]);
    expect(status).toBe(400);
    expect(body.error).toContain('0.do: expected one of latency, status,');
    expect(body.error).toContain('1.share: expected a share such as 30% or 0.3, found the number 2');
    expect((await ask(server, 'GET', '/faults')).body).toMatchObject([{ do: 'wrong-uuid' }]);
    const headers = { Authorization: 'Bearer secret' };
    const malformed = await send(server.adminUrl ?? '', { method: 'PUT', path: '/faults', headers, body: '[' });
    expect([malformed.status, malformed.text]).toEqual([
      400,
      '{"error":"The body is not JSON of at most 60000 values"}',
    ]);
  });

  it('assigns the given hosts, or all hosts', async () => {
    const server = await start({ hostAssignment: { kind: 'manual' } });
    for (const agentuuid of ['x', 'y', 'z']) await push(server.url, 'register_agent', { agentuuid, password: '' });
    expect((await ask(server, 'POST', '/hosts', { uuids: ['x', 'a'] })).body).toEqual({ assigned: 1 });
    expect((await ask(server, 'POST', '/hosts')).body).toEqual({ assigned: 2 });
    expect((await ask(server, 'POST', '/hosts', { uuid: 'x' })).status).toBe(400);
  });

  it('shows counts, observations and arrivals', async () => {
    const server = await start();
    await authorize(server);
    expect((await ask(server, 'GET', '/counts')).body).toMatchObject({ answers: { register_agent: { 200: 1 } } });
    expect((await ask(server, 'GET', '/observations')).body).toMatchObject({
      operations: { authorize: { received: 1 } },
    });
    const { body } = await ask(server, 'GET', '/arrivals');
    expect(body).toMatchObject({ uuids: ['a'], received: [0, 1, 0, 0], acknowledged: [0, 1, 0, 0] });
  });

  it('answers any other request with 404', async () => {
    const server = await start();
    expect((await ask(server, 'DELETE', '/faults')).status).toBe(404);
  });
});

async function startAndStop(settings: Partial<MonitoringServerSettings>) {
  const server = await start(settings);
  await server.stop();
  return server;
}
