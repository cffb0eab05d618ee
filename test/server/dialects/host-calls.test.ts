import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MonitoringServer, startMonitoringServer } from '../../../src/server/start.ts';
import { draws } from '../../draws.ts';
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
  int: { bind_port: 3333 },
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
    ['/hosts/add.json', undefined, 200, {}],
    ['/hosts/add.json', { Host: { ...HOST, container_id: -1 } }, 400, { error: { container_id: expect.any(Object) } }],
    ['/hosts/add.json', { Host: { ...HOST, container_id: 2.7 } }, 400, { error: { container_id: expect.any(Object) } }],
    [
      '/hosts/add.json',
      { Host: { ...HOST, container_id: true } },
      400,
      { error: { container_id: expect.any(Object) } },
    ],
    [
      '/hosts/add.json',
      { Host: { ...HOST, name: '', tags: 't'.repeat(256) } },
      400,
      { error: { name: expect.any(Object), tags: expect.any(Object) } },
    ],
    ['/hosts/add.json', { Host: { ...HOST, hosttemplate_id: -1 } }, 404, { message: 'Invalid host template' }],
    ['/hosts/add.json', { Host: { ...HOST, hosttemplate_id: 999 } }, 404, { message: 'Invalid host template' }],
    ['/hosts/add.json', { Host: { ...HOST, name: 'n'.repeat(256) } }, 400, { error: { name: expect.any(Object) } }],
    ['/hosts/add.json', { Host: { ...HOST, tags: 't'.repeat(256) } }, 400, { error: { tags: expect.any(Object) } }],
    ['/hosts/loadContainers.json', undefined, 405, { message: 'Method Not Allowed' }],
    ['/agentconnector/push.json', undefined, 405, { message: 'Method Not Allowed' }],
    ['/agentconnector/config.json?hostId=999', undefined, 404, { message: 'Not Found' }],
    ['/hosts/notMonitored.json?sort=Hosts.nothing', undefined, 500, { message: 'An Internal Error Has Occurred.' }],
    ['/hosts/index.json?sort=1', undefined, 500, { code: 500 }],
    ['/hosts/notMonitored.json?page=two', undefined, 500, { code: 500 }],
    ['/hosts/notMonitored.json?filter[Hosts.id]=x', undefined, 500, { code: 500 }],
  ])('answer %s with %j as a released server does', async (path, body, status, answer) => {
    expect(await call(path, body)).toMatchObject({ status, body: answer });
  });

  it('sort hosts by a column and a direction, in pages of 25 for a limit below one', async () => {
    const named = (name: string) => call('/hosts/add.json', { Host: { ...HOST, name, description: 'sorted' } });
    const names = Array.from({ length: 26 }, (_, index) => `sorted-${String.fromCharCode(122 - index)}`);
    const ids = [];
    for (const name of names) ids.push((await named(name)).body.id);
    const listed = async (query: string): Promise<readonly string[]> => {
      const { body } = await call(`/hosts/notMonitored.json?filter[Hosts.description]=sorted&limit=-1&${query}`);
      return body.all_hosts.map(({ Host }: { Host: { name: string } }) => Host.name);
    };
    expect(await listed('sort=Hosts.name')).toEqual(names.toReversed().slice(0, 25));
    expect(await listed('sort=Hosts.name&direction=desc')).toEqual(names.slice(0, 25));
    for (const id of ids) await call(`/hosts/delete/${id}.json?angular=true`, {});
  });

  it.each([AGENT.agentuuid, AGENT.agentuuid.toUpperCase()])(
    'take the agent %s from a deleted host, but keep its registration until that is deleted, too',
    async (agentuuid) => {
      const sent = { ...AGENT, agentuuid };
      const { body: registered } = await push(server.url, 'register_agent', sent);
      const pushNow = () =>
        push(server.url, 'submit_checkdata', { ...sent, password: registered.password, checkdata: {} });
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
      expect((await push(server.url, 'register_agent', sent)).status).toBe(403);
      expect((await call(`/agentconnector/delete_push_agent/${agent.id}.json?angular=true`, {})).status).toBe(200);
      expect((await push(server.url, 'register_agent', sent)).status).toBe(201);
      const [again] = (await call('/agentconnector/push.json?angular=true')).body.agents;
      await call(`/agentconnector/delete_push_agent/${again.id}.json?angular=true`, {});
    },
  );

  const list = async (query: string) => (await call(`/hosts/notMonitored.json?angular=true${query}`)).body.all_hosts;

  it('take hosts of one name and any container twice, cut descriptions to 255 characters, and list by id and page', async () => {
    const description = `a mark ${'ä'.repeat(300)}`;
    const add = async (host: object) => (await call('/hosts/add.json', { Host: { ...HOST, ...host } })).body.id;
    const [one, other, hidden] = [await add({ description }), await add({}), await add({ container_id: 999 })];
    expect(new Set([one, other, hidden]).size).toBe(3);
    const [{ Host }] = await list(`&filter%5BHosts.id%5D=${one}`);
    expect([Host.description.length, Host.allow_edit]).toEqual([255, true]);
    expect(await list('&filter%5BHosts.description%5D=A%20MARK')).toMatchObject([{ Host: { id: one } }]);
    expect(await list(`&filter%5BHosts.id%5D=${hidden}`)).toEqual([]);
    expect(await list('&page=99&limit=1000000')).toEqual([]);
    const shown = await call(`/agentconnector/config.json?angular=true&hostId=${hidden}`);
    expect(shown.body).toMatchObject({ host: { id: hidden, container_id: 999 }, isNewConfig: true });
    expect((await call(`/hosts/delete/${hidden}.json`, {})).status).toBe(200);
  });

  it.each([
    ['bind_address', { string: { bind_address: 'web-1' } }],
    ['bind_port', { int: { bind_port: 0 } }],
    ['check_interval', { int: { bind_port: 1, check_interval: 7201 } }],
    ['push_timeout', { int: { bind_port: 1, push_timeout: 1.5 } }],
    ['username', { bool: { use_http_basic_auth: true } }],
    ['ssl_keyfile', { bool: { use_https: true } }],
  ])('refuse a configuration whose %s is outside its limits', async (name, wrong) => {
    const { id } = (await call('/hosts/add.json', { Host: HOST })).body;
    const config = { string: { bind_address: '::' }, bool: {}, int: {}, ...wrong };
    const answer = await call('/agentconnector/config.json?angular=true', { hostId: id, config });
    expect(answer).toMatchObject({ status: 400, body: { error: { [name]: expect.any(Object) } } });
    const portless = { ...PUSH_CONFIG, int: {} };
    expect(await call('/agentconnector/config.json?angular=true', { hostId: id, config: portless })).toMatchObject({
      status: 400,
      body: { error: [] },
    });
  });

  it('create a service as often as it is asked for, at the host that it names itself', async () => {
    const { body: registered } = await push(server.url, 'register_agent', { ...AGENT, agentuuid: 'services' });
    const sent = {
      ...AGENT,
      agentuuid: 'services',
      password: registered.password,
      checkdata: { memory: {}, agent: {} },
    };
    await push(server.url, 'submit_checkdata', sent);
    const add = async () => {
      const { id } = (await call('/hosts/add.json', { Host: HOST })).body;
      await call('/agentconnector/config.json?angular=true', { hostId: id, config: PUSH_CONFIG });
      return id;
    };
    const [one, other] = [await add(), await add()];
    const { agents } = (await call('/agentconnector/push.json?angular=true&limit=1000')).body;
    const id = agents.find(({ uuid }: { uuid: string }) => uuid === 'services').id;
    await call('/agentconnector/select_agent.json', { pushagent: { host_id: one, id } });
    const path = (host: number) => `/agentconnector/create_services.json?angular=true&hostId=${host}`;
    const offered = Object.values((await call(path(one))).body.services);
    const [service] = offered;
    expect((await call(path(other), { services: [service, service] })).body.services._ids).toEqual([1, 2]);
    expect(Object.values((await call(path(one))).body.services)).toHaveLength(offered.length - 1);
    const partly = await call(path(one), { services: [{ host_id: 999, name: 'x' }, service] });
    expect(partly).toMatchObject({ status: 400, body: { success: false } });
    expect((await call(path(one), { services: [service] })).body.services._ids).toEqual([4]);
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
          config: { string: PUSH_CONFIG.string, bool: value, int: { bind_port: value, check_interval: value } },
          pushagent: value,
          services: value,
        };
        for (const body of [value ?? {}, members]) expect((await call(to, body)).status).toBeLessThan(500);
      }),
      { numRuns: draws(20) },
    );
  });
});

describe('a user without rights in a container', () => {
  let server: MonitoringServer;

  beforeAll(async () => {
    const restricted = [
      { id: 5, right: 'read' as const },
      { id: 6, right: 'none' as const },
    ];
    server = await startMonitoringServer({ dialect: 'shipped', hostAssignment: { kind: 'manual' }, restricted });
  });

  afterAll(() => server.stop());

  async function call(path: string, body?: unknown) {
    const headers = { Authorization: 'X-OITC-API', 'Content-Type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const { status, text } = await send(server.url, { method, path, headers, body: JSON.stringify(body) ?? '' });
    return { status, body: JSON.parse(text) };
  }

  it.each([
    ['read', 5, [false], [true]],
    ['none', 6, [], []],
    ['none, because it is missing', 999, [], []],
  ])(
    '%s: adds, configures and assigns there, and deletes neither host nor registration',
    async (_, container, listed, shown) => {
      const uuid = `agent-${container}`;
      await push(server.url, 'register_agent', { ...AGENT, agentuuid: uuid });
      const agentsNow = async (): Promise<readonly { id: number; uuid: string; allow_edit: boolean }[]> =>
        (await call('/agentconnector/push.json?angular=true&limit=1000')).body.agents;
      const agent = (await agentsNow()).find((one) => one.uuid === uuid);
      const added = await call('/hosts/add.json', { Host: { ...HOST, container_id: container } });
      const { id } = added.body;
      const steps = [
        added,
        await call('/agentconnector/config.json?angular=true', { hostId: id, config: PUSH_CONFIG }),
        await call('/agentconnector/select_agent.json', { pushagent: { host_id: id, id: agent?.id } }),
        await call(`/hosts/delete/${id}.json`, {}),
        await call(`/hosts/delete/${id}.json?angular=true`, {}),
        await call(`/agentconnector/delete_push_agent/${agent?.id}.json?angular=true`, {}),
      ];
      expect(steps.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403, 403]);
      const { all_hosts } = (await call(`/hosts/notMonitored.json?filter%5BHosts.id%5D=${id}`)).body;
      expect(all_hosts.map(({ Host }: { Host: { allow_edit: boolean } }) => Host.allow_edit)).toEqual(listed);
      const own = (await agentsNow()).filter((one) => one.uuid === uuid);
      expect(own.map(({ allow_edit }) => allow_edit)).toEqual(shown);
    },
  );

  it('is told the containers in which it may edit', async () => {
    const { containers } = (await call('/hosts/loadContainers.json?angular=true')).body;
    const ids = containers.map(({ key }: { key: number }) => key);
    expect([ids.includes(4), ids.includes(5), ids.includes(6), ids.includes(999)]).toEqual([true, false, false, false]);
  });
});
