import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServed, READ_TOKEN, serveFleet, TOKEN } from './served-fleet.ts';

afterEach(closeServed);

/** Sends raw bytes, which no client would send, and returns the complete response. */
async function exchange(url: string, head: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  return text(socket);
}

const BEARER = `Authorization: Bearer ${TOKEN}`;

describe('the control API', () => {
  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another' }],
    ['the token in another scheme', { authorization: `Basic ${TOKEN}` }],
    ['a part of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ])('reveals nothing without the token: with %s', async (_, headers) => {
    const { api } = await serveFleet();
    for (const path of ['/api/v1/fleet', '/api/v1/openapi.json', '/api/nothing']) {
      const answer = await fetch(`${api.url}${path}`, { headers });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/^Authorization: expected Bearer/) });
    }
  });

  it.each([
    ['Host: muster.example'],
    ['Host: 127.0.0.1.muster.example'],
    ['Host: localhost.muster.example:80'],
    ['Host: 10.0.0.1'],
    ['Host:'],
  ])('rejects a page on a name that resolves to it, even with the token: %s', async (host) => {
    const { api } = await serveFleet();
    const answer = await exchange(api.url, ['GET /api/v1/fleet HTTP/1.1', host, BEARER]);
    expect(answer).toMatch(/^HTTP\/1.1 403 [\s\S]*"detail":"Host: expected/);
  });

  it.each([['localhost'], ['LOCALHOST:1'], ['[::1]:9'], ['127.0.0.9']])(
    'answers to a loopback name with any port, as through a tunnel: %s',
    async (host) => {
      const { api } = await serveFleet();
      const answer = await exchange(api.url, ['GET /api/v1/fleet HTTP/1.1', `Host: ${host}`, BEARER]);
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  it('answers to any address, and to no name, if it listens beyond loopback', async () => {
    const { api } = await serveFleet({ host: '0.0.0.0' });
    const url = api.url.replace('0.0.0.0', '127.0.0.1');
    const ask = (host: string) => exchange(url, ['GET /api/v1/fleet HTTP/1.1', `Host: ${host}`, BEARER]);
    expect(await ask('192.0.2.7:80')).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('[2001:db8::1]')).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('muster.example')).toMatch(/^HTTP\/1.1 403 /);
  });

  it('answers under its public URLs, through a proxy that keeps the Host or replaces it, and to their pages', async () => {
    const publicUrls = [new URL('https://muster.example'), new URL('http://fleet:9500')];
    const { api } = await serveFleet({ publicUrls });
    const ask = (...head: string[]) => exchange(api.url, ['GET /api/v1/fleet HTTP/1.1', ...head, BEARER]);
    const own = `Host: ${new URL(api.url).host}`;
    for (const host of ['Host: muster.example', 'Host: Muster.example:443', 'Host: fleet:9500', own])
      expect(await ask(host, 'Origin: https://muster.example')).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('Host: fleet')).toMatch(/^HTTP\/1.1 200 /);
    for (const origin of ['http://muster.example', 'https://muster.example:8443', 'https://other.example', 'null'])
      expect(await ask(own, `Origin: ${origin}`)).toMatch(/^HTTP\/1.1 403 [\s\S]*--public-url/);
    expect(await ask('Host: other.example')).toMatch(/^HTTP\/1.1 403 [\s\S]*--public-url/);
  });

  it('rejects pages from other origins, and accepts its own', async () => {
    const { api, ask } = await serveFleet();
    for (const origin of ['http://muster.example', 'null', 'https://localhost', 'http://127.0.0.1:1'])
      expect((await ask('/api/v1/fleet', { headers: { origin } })).status).toBe(403);
    expect((await ask('/api/v1/fleet', { headers: { origin: api.url } })).status).toBe(200);
  });

  it('lets no page read its answers, and rejects preflight requests', async () => {
    const { ask } = await serveFleet();
    const headers = { origin: 'http://muster.example', 'access-control-request-method': 'DELETE' };
    const answer = await ask('/api/v1/events', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each([
    ['invalid JSON', '{'],
    ['two values', '{} {}'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a duplicate name', '{"do":"restart","do":"reboot"}'],
    ['a duplicate name in a nested object', '{"do":"restart","repeat":{"every":"1m","every":"2m"}}'],
    ['a duplicate name in escaped form', '{"do":"restart","d\\u006f":"reboot"}'],
    ['thousands of values', JSON.stringify(Array(2000).fill(0))],
    ['deeply nested values', `${'['.repeat(30)}${']'.repeat(30)}`],
  ])('rejects a body with %s', async (_, body) => {
    const { ask } = await serveFleet();
    const headers = { 'content-type': 'application/json' };
    const answer = await ask('/api/v1/events', { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/^The body: expected .*, found .*\.$/) });
  });

  it.each([
    ['an empty list', '{"do":"restart","cohort":[]}', /cohort: expected/],
    ['an empty object', '{"do":"restart","repeat":{}}', /repeat\.every: expected/],
    [
      'a name of 60,000 characters',
      `{"do":"restart","name":"${'x'.repeat(60_000)}"}`,
      /name: expected a name of up to 100/,
    ],
    ['nothing', '', /^The body: expected JSON, found nothing\.$/],
  ])('says what is wrong with a body with %s', async (_, body, sentence) => {
    const { ask } = await serveFleet();
    const headers = { 'content-type': 'application/json' };
    const answer = await ask('/api/v1/events', { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringMatching(sentence) }),
    ]);
  });

  it('rejects a body that a form could send', async () => {
    const { ask } = await serveFleet();
    const headers = { 'content-type': 'text/plain' };
    const answer = await ask('/api/v1/events', { method: 'POST', headers, body: '{"do":"restart"}' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      detail: expect.stringMatching(/^Content-Type: expected application\/json/),
    });
  });

  it('rejects a body larger than 64 KiB, announced or not', async () => {
    const { api, ask } = await serveFleet();
    const body = JSON.stringify({ do: 'x'.repeat(70_000) });
    const headers = { 'content-type': 'application/json' };
    expect((await ask('/api/v1/events', { method: 'POST', headers, body })).status).toBe(413);
    const chunk = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`;
    const head = ['POST /api/v1/events HTTP/1.1', 'Host: localhost', BEARER, 'Transfer-Encoding: chunked'];
    expect(await exchange(api.url, head, chunk)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('forbids caches to keep its answers, and browsers to guess their type', async () => {
    const { api, ask } = await serveFleet();
    for (const { headers } of [await ask('/api/v1/fleet'), await fetch(`${api.url}/api/v1/fleet`)])
      expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff']);
  });

  it('lets a token that may only read change nothing', async () => {
    const { ask } = await serveFleet();
    const authorization = `Bearer ${READ_TOKEN}`;
    expect((await ask('/api/v1/fleet', { headers: { authorization } })).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/api/v1/events'],
      ['POST', '/api/v1/events?dryRun=true'],
      ['PUT', '/api/v1/scenario'],
      ['DELETE', '/api/v1/events/cable'],
    ] as const) {
      const body = method === 'DELETE' ? undefined : '{"do":"restart"}';
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await ask(path, { method, headers, ...(body !== undefined && { body }) });
      expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ code: 'read_only' })]);
    }
  });

  it('answers another method with 405 and the methods of the path, as a problem document', async () => {
    const { ask } = await serveFleet();
    const answer = await ask('/api/v1/events/cable', { method: 'PATCH' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'DELETE']);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'The path has no such method.',
      status: 405,
      code: 'method_not_allowed',
      detail: '/api/v1/events/cable: expected DELETE, found PATCH.',
    });
    expect((await ask('/api/v1/events', { method: 'PUT' })).status).toBe(405);
  });

  it('knows no route whose path has another character for its dot', async () => {
    const { ask } = await serveFleet();
    expect((await ask('/api/v1/openapi.json', { method: 'PATCH' })).status).toBe(405);
    expect((await ask('/api/v1/openapi-json')).status).toBe(404);
  });

  it('reports an unknown route in one sentence', async () => {
    const { ask } = await serveFleet();
    const answer = await ask('/api/agent');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      detail: 'The API has no GET /api/agent; /api/v1/openapi.json lists its routes.',
    });
  });
});
