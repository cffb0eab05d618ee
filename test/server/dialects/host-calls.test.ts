import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { push, send } from '../push-client.ts';

const AGENT = {
  agentuuid: 'b894bb01-3e24-4a73-87b4-286ee497c81a',
  password: '',
  hostname: 'web-1',
  ipaddress: '10.0.0.7',
};
const HOST = { name: 'web-1', address: '10.0.0.7', container_id: 1, hosttemplate_id: 2 };
const PUSH_CONFIG = {
  string: { bind_address: '0.0.0.0', push_oitc_server_url: 'http://mon', push_oitc_api_key: '-' },
  bool: { enable_push_mode: true },
};

describe('the host calls of the shipped dialect', () => {
  let server: MonitoringServer;

  beforeAll(async () => {
    server = await startMonitoringServer({ dialect: 'shipped', hostAssignment: { kind: 'manual' } });
  });

  afterAll(async () => {
    expect(server.counts().internalErrors).toBe(0);
    await server.stop();
  });

  async function call(path: string, body?: unknown) {
    const headers = { Authorization: 'X-OITC-API', 'Content-Type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const { status, text } = await send(server.url, { method, path, headers, body: JSON.stringify(body) ?? '' });
    return { status, body: JSON.parse(text) };
  }

  // Statuses and texts seen on a released server, 5.3.0.
  it.each([
    ['/hosts/add.json', { Host: {} }, 400, { error: { container_id: { empty: 'This field cannot be left empty' } } }],
    [
      '/hosts/add.json',
      { Host: { ...HOST, address: '' } },
      400,
      { error: { address: { _empty: expect.any(String) } } },
    ],
    ['/hosts/delete/999.json?angular=true', {}, 404, { message: 'Invalid host' }],
    ['/agentconnector/delete_push_agent/999.json', {}, 404, { message: 'Push Agent config not found' }],
    ['/agentconnector/config.json?angular=true', { hostId: 999, config: PUSH_CONFIG }, 404, { message: 'Not Found' }],
    ['/agentconnector/select_agent.json?angular=true', { pushagent: { host_id: 999, id: 1 } }, 404, { code: 404 }],
    ['/agentconnector/create_services.json?angular=true&hostId=999', undefined, 404, { code: 404 }],
    ['/hosts/disabled.json', undefined, 200, { all_hosts: [] }],
    ['/hosts/add.json', undefined, 405, { message: 'Method Not Allowed' }],
  ])('answer %s with %j as a released server does', async (path, body, status, answer) => {
    expect(await call(path, body)).toMatchObject({ status, body: answer });
  });

  it('take the agent from a deleted host, but keep its registration until that is deleted, too', async () => {
    const { body: registered } = await push(server.url, 'register_agent', AGENT);
    const pushNow = () =>
      push(server.url, 'submit_checkdata', { ...AGENT, password: registered.password, checkdata: {} });
    const { id } = (await call('/hosts/add.json', { Host: HOST })).body;
    const [agent] = (await call('/agentconnector/push.json?angular=true')).body.agents;
    const pushagent = { host_id: id, id: agent.id, agent_uuid: agent.uuid };
    const select = () => call('/agentconnector/select_agent.json?angular=true', { pushagent });
    expect((await select()).status).toBe(404);
    expect((await call('/agentconnector/config.json?angular=true', { hostId: id, config: PUSH_CONFIG })).status).toBe(
      200,
    );
    expect((await select()).status).toBe(200);
    expect((await pushNow()).status).toBe(200);
    expect((await call(`/hosts/delete/${id}.json?angular=true`, {})).status).toBe(200);
    expect((await pushNow()).status).toBe(400);
    expect((await push(server.url, 'register_agent', AGENT)).status).toBe(403);
    expect((await call(`/agentconnector/delete_push_agent/${agent.id}.json?angular=true`, {})).status).toBe(200);
    expect((await push(server.url, 'register_agent', AGENT)).status).toBe(201);
  });

  it('answer whatever JSON they get', async () => {
    const { id } = (await call('/hosts/add.json', { Host: HOST })).body;
    const odd = fc.oneof(fc.json(), fc.constant('{"toString":1,"valueOf":1}')).map((text) => JSON.parse(text));
    const paths = ['/hosts/add.json', '/agentconnector/config.json', '/agentconnector/select_agent.json'];
    const path = fc.constantFrom(...paths, `/agentconnector/create_services.json?hostId=${id}`);
    await fc.assert(
      fc.asyncProperty(path, odd, async (to, value) => {
        const members = {
          Host: { ...HOST, name: value },
          hostId: value,
          config: value,
          pushagent: value,
          services: value,
        };
        for (const body of [value ?? {}, members]) expect((await call(to, body)).status).toBeLessThan(500);
      }),
      { numRuns: 40 },
    );
  });
});
