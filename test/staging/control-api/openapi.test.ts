import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import type { LiveAgents } from '../../../src/run/live-agents.ts';
import { createApp } from '../../../src/staging/control-api/app.ts';
import type { AttachedRun } from '../../../src/staging/control-api/controlled-run.ts';
import { applied, closeServed, type ServedFleet, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

type JsonPart = { readonly [name: string]: unknown };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'query' | 'path';
    readonly required?: boolean;
  }[];
  readonly responses: Readonly<Record<string, { readonly content: JsonPart }>>;
};
type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: JsonPart };
};

async function documentOf({ ask }: ServedFleet): Promise<OpenApi> {
  return (await (await ask('/api/v1/openapi.json')).json()) as OpenApi;
}

/** A fake fleet whose agents report values of every kind. */
const WORK: Partial<LiveAgents & Omit<AttachedRun, 'agents'>> = {
  details: async () => ({
    atMs: 5000,
    uuid: 'a uuid',
    code: 0x24,
    busy: true,
    version: '3.4.0',
    last: { operation: 'checkdata', outcome: 'http_503', endedMs: 4100, serviceMs: 3 },
    webServer: {
      address: { host: '127.0.0.1', port: 20_003 },
      isListening: true,
      tls: 'mutual',
      autoTls: true,
      basicAuth: false,
      configPush: true,
      configured: { atMs: 2000 },
      last: { operation: 'serve-checkdata', outcome: 'ok', endedMs: 4000, serviceMs: 1 },
    },
    history: [{ code: 3, atMs: 1000 }],
    actions: [
      { kind: 'disconnect', how: 'cable' },
      { kind: 'retarget', url: 'http://127.0.0.1:8081/?key=1', apiKey: 'secret' },
    ],
    seen: {
      request: {
        kind: 'request',
        agent: 3,
        phase: 'steady',
        operation: 'checkdata',
        atMs: 4000,
        head: 'POST /',
        body: '{}',
      },
      answer: {
        kind: 'answer',
        agent: 3,
        phase: 'steady',
        operation: 'checkdata',
        atMs: 4100,
        outcome: 'ok',
        serviceMs: 3,
        head: 'HTTP/1.1 200 OK',
        body: '{}',
      },
    },
  }),
  document: async () => Buffer.from('{"cpu":{"cpu_total_percentage":4},"disks":{"error":"too late"}}'),
  addEvent: async ({ event }) => ({ event, count: 3, agents: [0, 1, 2], isFinal: true }),
  endEvent: async (name) => {
    if (name === 'over') throw new UserError('event over: expected an event that has not ended, found one that is.');
    return { name, atMs: 7000, count: 2 };
  },
  changes: async () => ({ next: '0', missed: 0, changes: [] }),
};

const EVENTS = '[{ do: disconnect, name: cable, for: 10s }, { do: restart, name: over }]';

const json = (body: string | object, method = 'POST'): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** For each status of each operation except 401 and 403, a request with that answer. `raising`: sent to a fleet that is not up yet. */
const REQUESTS: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
  'get /api/v1/fleet 400': ['/api/v1/fleet?cohrt=1'],
  'get /api/v1/fleet 200': ['/api/v1/fleet'],
  'get /api/v1/scenario 400': ['/api/v1/scenario?cohrt=1'],
  'get /api/v1/scenario 200': ['/api/v1/scenario'],
  'put /api/v1/scenario 200': ['/api/v1/scenario?dryRun=true', json({ text: 'fleet: { agents: 41 }' }, 'PUT')],
  'put /api/v1/scenario 400': ['/api/v1/scenario', json({ txt: 'fleet: { agents: 41 }' }, 'PUT')],
  'put /api/v1/scenario 409': ['raising /api/v1/scenario', json({ text: 'fleet: { agents: 41 }' }, 'PUT')],
  'put /api/v1/scenario 413': ['/api/v1/scenario', json({ text: 'x'.repeat(70_000) }, 'PUT')],
  'get /api/v1/openapi.json 400': ['/api/v1/openapi.json?cohrt=1'],
  'get /api/v1/openapi.json 200': ['/api/v1/openapi.json'],
  'get /api/v1/agents 200': ['/api/v1/agents?cohort=30%25&limit=7&draw=cable'],
  'get /api/v1/agents 400': ['/api/v1/agents?cohort=stat=x'],
  'get /api/v1/agents 409': ['raising /api/v1/agents'],
  'get /api/v1/agents/states 400': ['/api/v1/agents/states?cohrt=1'],
  'get /api/v1/agents/states 200': ['/api/v1/agents/states'],
  'get /api/v1/agents/states 409': ['raising /api/v1/agents/states'],
  'get /api/v1/agents/health 400': ['/api/v1/agents/health?cohrt=1'],
  'get /api/v1/agents/health 200': ['/api/v1/agents/health'],
  'get /api/v1/agents/health 409': ['raising /api/v1/agents/health'],
  'get /api/v1/cohorts 200': ['/api/v1/cohorts?cohort=state=refused'],
  'get /api/v1/cohorts 400': ['/api/v1/cohorts?cohort=('],
  'get /api/v1/cohorts 409': ['raising /api/v1/cohorts?cohort=1'],
  'get /api/v1/agents/{index} 200': ['/api/v1/agents/3'],
  'get /api/v1/agents/{index} 400': ['/api/v1/agents/three'],
  'get /api/v1/agents/{index} 404': ['/api/v1/agents/40'],
  'get /api/v1/agents/{index} 409': ['raising /api/v1/agents/3'],
  'get /api/v1/agents/{index}/documents/{document} 200': ['/api/v1/agents/3/documents/checkdata'],
  'get /api/v1/agents/{index}/documents/{document} 400': ['/api/v1/agents/3/documents/all'],
  'get /api/v1/agents/{index}/documents/{document} 404': ['/api/v1/agents/40/documents/packages'],
  'get /api/v1/agents/{index}/documents/{document} 409': ['raising /api/v1/agents/3/documents/packages'],
  'get /api/v1/agents/{index}/host 200': ['/api/v1/agents/3/host'],
  'get /api/v1/agents/{index}/host 400': ['/api/v1/agents/-3/host'],
  'get /api/v1/agents/{index}/host 404': ['/api/v1/agents/40/host'],
  'get /api/v1/agents/{index}/host 409': ['raising /api/v1/agents/3/host'],
  'get /api/v1/figures 200': ['/api/v1/figures?resolution=second&from=2026-01-01T00:00:00Z'],
  'get /api/v1/figures 400': ['/api/v1/figures?resolution=day'],
  'get /api/v1/events 400': ['/api/v1/events?cohrt=1'],
  'get /api/v1/events 200': ['/api/v1/events'],
  'post /api/v1/events 200': ['/api/v1/events?dryRun=true', json({ do: 'scale', to: 0.5 })],
  'post /api/v1/events 201': ['/api/v1/events', json({ do: 'reboot', for: '1m', cohort: '0..2' })],
  'post /api/v1/events 400': ['/api/v1/events', json({ do: 'dance' })],
  'post /api/v1/events 409': ['/api/v1/events', json({ do: 'restart', name: 'cable' })],
  'post /api/v1/events 413': ['/api/v1/events', json('x'.repeat(70_000))],
  'delete /api/v1/events/{name} 200': ['/api/v1/events/cable', { method: 'DELETE' }],
  'delete /api/v1/events/{name} 400': [`/api/v1/events/${'x'.repeat(2000)}`, { method: 'DELETE' }],
  'delete /api/v1/events/{name} 404': ['/api/v1/events/nobody', { method: 'DELETE' }],
  'delete /api/v1/events/{name} 409': ['/api/v1/events/over', { method: 'DELETE' }],
  'get /api/v1/changes 400': ['/api/v1/changes?cohrt=1'],
  'get /api/v1/changes 200': ['/api/v1/changes'],
  'get /api/v1/changes 409': ['/api/v1/changes'],
};

const REFUSED = ['401', '403'];

async function serveAll(): Promise<{ up: ServedFleet; raising: ServedFleet }> {
  const up = await serveFleet({ events: EVENTS, apply: async () => applied() }, WORK);
  up.run.started(new Date(Date.now() - 5000));
  const agents = { unregistered: 1, waiting: 0, refused: 2, registered: 3, authorized: 34 };
  const workers = [{ shard: 0, loopUtilization: 0.1, cpuMs: 20, gcMs: 1, listening: 0, stalls: [] }];
  const state = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS, workers };
  const counts = { planned: 2, started: 2, succeededWithin: 2, sentBytes: 9, receivedBytes: 9 };
  const series = {
    phase: 'steady',
    operation: 'checkdata',
    ...counts,
    dropped: {},
    outcomes: { ok: 2 },
    histograms: {},
  } as const;
  up.run.add([{ ...state, second: 0, series: [series] }]);
  return { up, raising: await serveFleet({ raising: true }) };
}

/** Returns a part of the document in which no object allows additional properties. */
function strict(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(strict);
  if (typeof part !== 'object' || part === null) return part;
  const own = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, strict(value)]));
  if (typeof own.$ref === 'string') return { $ref: own.$ref.replace('#/components/schemas/', '#/$defs/') };
  return 'properties' in own && !('additionalProperties' in own) && !('allOf' in own)
    ? { ...own, additionalProperties: false }
    : own;
}

function schemaOf({ components }: OpenApi, schema: unknown): z.ZodType {
  const whole = { $defs: strict(components.schemas), ...(strict(schema) as object) };
  return z.fromJSONSchema(whole as Parameters<typeof z.fromJSONSchema>[0]);
}

async function expectAsWritten(
  answer: Response,
  described: Operation['responses'][string],
  api: OpenApi,
): Promise<void> {
  const [[type = '', { schema } = { schema: {} }] = []] = Object.entries(described.content) as [
    string,
    { schema: unknown },
  ][];
  expect(answer.headers.get('content-type')?.split(';')[0]).toBe(type);
  if (!type.endsWith('json')) return answer.body?.cancel();
  const { success, error } = schemaOf(api, schema).safeParse(await answer.json());
  expect(success, error?.message).toBe(true);
}

type Call = (values: Readonly<Record<string, unknown>>, body?: object) => Promise<unknown>;

/** A client as a generator makes it: from nothing but the document. */
function clientOf(api: OpenApi, { ask }: ServedFleet): Readonly<Record<string, Call>> {
  const calls = Object.entries(api.paths).flatMap(([path, of]) =>
    Object.entries(of).map(([method, operation]): [string, Call] => [
      operation.operationId,
      async (values, body) => {
        const { parameters = [], responses } = operation;
        const query = parameters.filter((one) => one.in === 'query' && values[one.name] !== undefined);
        const search = new URLSearchParams(query.map(({ name }) => [name, String(values[name])]));
        const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
        const init = body === undefined ? { method: method.toUpperCase() } : json(body, method.toUpperCase());
        const answer = await ask(`${at}?${search}`, init);
        const content = Object.values(responses[String(answer.status)]?.content ?? {}) as { schema: unknown }[];
        const value = schemaOf(api, content[0]?.schema).parse(await answer.json()) as { code: string; detail: string };
        if (!answer.ok) throw new Error(`${value.code}: ${value.detail}`);
        return value;
      },
    ]),
  );
  return Object.fromEntries(calls);
}

describe('the OpenAPI document', () => {
  it('contains exactly the routes of the server', async () => {
    const { up } = await serveAll();
    const { paths } = await documentOf(up);
    const written = Object.entries(paths).flatMap(([path, of]) => Object.keys(of).map((method) => `${method} ${path}`));
    const routes = createApp(up.run.fleet).routes.filter(({ path }) => path !== '/*');
    const served = routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(served)].sort()).toEqual(written.sort());
  });

  it('describes the answer of every operation with each of its statuses', async () => {
    const { up, raising } = await serveAll();
    const api = await documentOf(up);
    const operations = Object.entries(api.paths).flatMap(([path, of]) =>
      Object.entries(of).flatMap(([method, { responses }]) =>
        Object.entries(responses).map(([status, described]) => ({
          name: `${method} ${path} ${status}`,
          status,
          described,
        })),
      ),
    );
    const asked = operations.filter(({ status }) => !REFUSED.includes(status));
    expect(asked.map(({ name }) => name).sort()).toEqual(Object.keys(REQUESTS).sort());
    for (const { name, status, described } of operations) {
      const [method = '', path = ''] = name.split(' ');
      const [wanted, init] = REQUESTS[name] ?? [path, { method: method.toUpperCase() }];
      const ask = wanted.startsWith('raising ') ? raising.ask : up.ask;
      // The number of listeners is limited.
      const listeners = name === 'get /api/v1/changes 409' ? 32 : 0;
      await Promise.all(Array.from({ length: listeners }, () => up.ask('/api/v1/changes')));
      const refusedBy = { 401: { authorization: 'none' }, 403: { origin: 'http://muster.example' } };
      const headers = { ...init?.headers, ...refusedBy[status as unknown as keyof typeof refusedBy] };
      const answer = await ask(wanted.replace('raising ', ''), { ...init, headers });
      expect(`${name.replace(/\d+$/, '')}${answer.status}`).toBe(name);
      await expectAsWritten(answer, described, api);
    }
  });

  it('has no operation that ignores a parameter or a body', async () => {
    const { up } = await serveAll();
    const bodies: Readonly<Record<string, RequestInit>> = {
      POST: json({ do: 'restart' }),
      PUT: json({ text: 'fleet: { agents: 41 }' }, 'PUT'),
    };
    const { paths } = await documentOf(up);
    const routes = Object.entries(paths).flatMap(([path, of]) => Object.keys(of).map((name) => [name, path] as const));
    for (const [name, path] of routes) {
      const method = name.toUpperCase();
      const at = path.replace('{index}', '3').replace('{document}', 'checkdata').replace('{name}', 'cable');
      const answer = await up.ask(`${at}?dryrun=true`, bodies[method] ?? { method });
      expect([name, path, answer.status]).toEqual([name, path, 400]);
      expect(JSON.stringify(await answer.json())).toMatch(/dryrun.{1,3}: expected (no parameter|a parameter named)/);
    }
    expect((await up.ask('/api/v1/events/cable', json('{}', 'DELETE'))).status).toBe(400);
    const meant = await (await up.ask('/api/v1/agents?cohrt=role=web')).json();
    expect(meant).toMatchObject({ detail: expect.stringMatching(/did you mean cohort\?\.?$/) });
  });

  it('generates a client with a function for each operation, whose answers are what it says', async () => {
    const { up } = await serveAll();
    const api = await documentOf(up);
    const client = clientOf(api, up);
    expect(Object.keys(client)).toHaveLength(Object.values(api.paths).flatMap(Object.keys).length);
    expect(await client.getFleet?.({})).toMatchObject({ name: 'served', health: { isWell: false } });
    expect(await client.listAgents?.({ cohort: '0..9', health: 'refused', limit: 1 })).toMatchObject({ next: '7' });
    expect(await client.getAgent?.({ index: 3 })).toMatchObject({ index: 3, health: { state: 'reporting' } });
    expect(await client.addEvent?.({ dryRun: true }, { do: 'restart' })).toMatchObject({
      hits: { count: 3 },
      note: null,
    });
    expect(await client.endEvent?.({ name: 'cable', dryRun: true })).toMatchObject({ name: 'cable', count: 2 });
    await expect(client.getAgent?.({ index: 40 })).rejects.toThrow(
      /^not_found: Agent 40: expected an index from 0 to 39/,
    );
  });

  it('accepts the same event entries as the server', async () => {
    const { up } = await serveAll();
    const api = await documentOf(up);
    const entry = schemaOf(api, { $ref: '#/components/schemas/EventEntry' });
    for (const body of [
      { do: 'restart' },
      { do: 'stop', for: '5s', at: 'now' },
      { do: 'scale', to: 0.2, cohort: '30%' },
    ]) {
      expect(entry.safeParse(body).error?.message).toBeUndefined();
      expect((await up.ask('/api/v1/events?dryRun=true', json(body))).status).toBe(200);
    }
    for (const body of [
      { do: 'dance' },
      { do: 'end', event: 'cable' },
      { do: 'restart', for: '5s' },
      { do: 'stop', for: 5 },
    ]) {
      expect(entry.safeParse(body).success).toBe(false);
      expect((await up.ask('/api/v1/events?dryRun=true', json(body))).status).toBe(400);
    }
  });
});
