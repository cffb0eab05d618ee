import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { AgentDocuments } from '../../../src/base/protocol/agent-files.ts';
import { type Behavior, dial, exchange, get, openAgent, post, received } from './fleet.ts';

const b64 = (text: string) => Buffer.from(text).toString('base64');
const CONFIGURATION = b64('[default]\ninterval = 5\n');
const ON = { configPush: true, autoTls: true };

/** Status and body of the answer, and the stored and reported values. */
async function push(path: string, body: string, behavior: Behavior = {}) {
  const { at, calls } = await openAgent(ON, behavior);
  const answer = await exchange(at, post(path, body));
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const stored = calls.find(({ port: name }) => name.startsWith('store'))?.given[1];
  return { status: Number(head.split(' ')[1]), text, stored, told: calls.map(({ port: name }) => name) };
}

describe('POST /config', () => {
  it.each([
    [
      'all three fields',
      { configuration: CONFIGURATION, customcheck_configuration: b64('; a'), prometheus_exporter: b64('; b') },
      '; a',
      '; b',
    ],
    ['the two documented fields', { configuration: CONFIGURATION, customcheck_configuration: b64('; a') }, '; a', ''],
    ['one field', { configuration: CONFIGURATION }, '', ''],
    ['names in capitals', { CONFIGURATION, Prometheus_Exporter: b64('; b') }, '', '; b'],
    ['a long s in a name', { configuration: CONFIGURATION, 'cu\u017Ftomcheck_configuration': b64('; a') }, '; a', ''],
    ['unknown members of any type', { configuration: CONFIGURATION, interval: [1, { a: null }] }, '', ''],
    ['null', { configuration: CONFIGURATION, customcheck_configuration: null }, '', ''],
    [
      'line breaks in base64',
      { configuration: `\r\n${CONFIGURATION.slice(0, 5)}\n${CONFIGURATION.slice(5)}\r\n` },
      '',
      '',
    ],
  ])('accepts %s, and empties the files of missing fields', async (_, body, customChecks, exporters) => {
    expect(await push('/config', JSON.stringify(body))).toMatchObject({
      status: 200,
      stored: { configuration: '[default]\ninterval = 5\n', customChecks, exporters },
    });
  });

  it('accepts white space around the JSON', async () => {
    expect(await push('/config', ` \n{"configuration":"${CONFIGURATION}"}\t\r\n`)).toMatchObject({ status: 200 });
  });

  it('uses the last non-null value of a repeated field, and accepts only strings', async () => {
    const twice = (last: string) => `{"configuration":"${CONFIGURATION}","\\u0063onfiguration":${last}}`;
    expect(await push('/config', twice('null'))).toMatchObject({ status: 200 });
    expect(await push('/config', `{"configuration":5,"configuration":"${CONFIGURATION}"}`)).toMatchObject({
      status: 500,
    });
  });

  it('accepts JSON nested 10,000 deep, and no deeper', async () => {
    const nested = (depth: number) =>
      `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"configuration":"${CONFIGURATION}"}`;
    expect(await push('/config', nested(10_000))).toMatchObject({ status: 200 });
    expect(await push('/config', nested(10_001))).toMatchObject({ status: 500 });
  });

  it('accepts characters outside ASCII', async () => {
    const { stored } = await push('/config', JSON.stringify({ configuration: b64('; grün ✓') }));
    expect(stored).toMatchObject({ configuration: '; grün ✓' });
  });

  it('accepts bytes that are not UTF-8, and returns them unchanged', async () => {
    const body = JSON.stringify({ configuration: Buffer.from('; gr\xfcn', 'latin1').toString('base64') });
    let documents: AgentDocuments = { configuration: '', customChecks: '', exporters: '' };
    const { at } = await openAgent(ON, {
      storeDocuments: async (_, given) => {
        documents = given;
      },
      documents: () => documents,
    });
    await exchange(at, post('/config', body));
    expect(await exchange(at, get('/config'))).toContain(body.slice(0, -1));
  });

  it.each([
    '',
    'hello',
    'null',
    '[]',
    '1',
    '"x"',
    'true',
    '{}',
    '{"configuration":null}',
    '{"configuration":""}',
    '{"configuration":1}',
    '{"configuration":{}}',
    `{"configuration":"${CONFIGURATION}"`,
    `{"configuration":"${CONFIGURATION}"}{}`,
    `\u{feff}{"configuration":"${CONFIGURATION}"}`,
    `{"configuration":"${CONFIGURATION}","customcheck_configuration":7}`,
    `{"configuration":"${CONFIGURATION}","prometheus_exporter":[]}`,
    `{"configuration":"${CONFIGURATION}","customcheck_configuration":"W2R"}`,
    `{"configuration":"${CONFIGURATION}","prometheus_exporter":"?"}`,
    ...['W2R', 'W2Rd=', 'W2Rd====', 'W===', 'W2R=d', 'W2 d', 'W2-_', '====', '\\u0000', 'W2Rd\\t'].map(
      (text) => `{"configuration":"${text}"}`,
    ),
  ])('refuses %j', async (body) => {
    const { status, text, stored, told } = await push('/config', body);
    expect({ status, text, stored, told }).toEqual({
      status: 500,
      text: 'invalid json or base64 string\n',
      stored: undefined,
      told: ['served'],
    });
  });

  it('answers once the documents are stored, and reloads once the answer is sent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const order: string[] = [];
    const { at } = await openAgent(ON, {
      storeDocuments: () => {
        order.push('store');
        return promise;
      },
      served: (_, operation, outcome) => order.push(`${operation} ${outcome}`),
      reload: () => order.push('reload'),
    });
    const socket = dial(at);
    const answer = received(socket);
    socket.end(post('/config', JSON.stringify({ configuration: CONFIGURATION })));
    await expect.poll(() => order).toEqual(['store']);
    expect(socket.bytesRead).toBe(0);
    resolve();
    expect(await answer).toBe('HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n');
    expect(order).toEqual(['store', 'serve-config ok', 'reload']);
  });

  it('reloads even if the client has left before its answer', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { at, calls } = await openAgent(ON, { storeDocuments: () => promise });
    const socket = dial(at);
    socket.write(post('/config', JSON.stringify({ configuration: CONFIGURATION })), () => socket.resetAndDestroy());
    await received(socket);
    resolve();
    await expect.poll(() => calls.map(({ port: name }) => name)).toEqual(['served', 'reload']);
    expect(calls[0]?.given.slice(0, 3)).toEqual([0, 'serve-config', 'client_gone']);
  });

  it('releases a client with `Connection: close` if the push ends the agent', async () => {
    const reload = (agent: number) => fleet.servers.close(agent);
    const fleet: Awaited<ReturnType<typeof openAgent>> = await openAgent(ON, { reload });
    const body = JSON.stringify({ configuration: CONFIGURATION });
    const socket = dial(fleet.at);
    socket.resume().write(post('/config', body, 'Connection: close'));
    await once(socket, 'end');
    await fleet.servers.stop(0);
    socket.destroy();
  });

  it('answers 500 and does not reload if the documents cannot be stored', async () => {
    const body = JSON.stringify({ configuration: CONFIGURATION });
    const { status, text, told } = await push('/config', body, {
      storeDocuments: () => Promise.reject(new Error('full')),
    });
    expect({ status, text, told }).toEqual({ status: 500, text: 'internal server error\n', told: ['served'] });
  });

  it('refuses a body above the size limit, and accepts one at the limit', async () => {
    const body = JSON.stringify({ configuration: CONFIGURATION });
    const limits = { allBodiesBytes: 100_000, bodyBytes: body.length };
    const { at } = await openAgent(ON, {}, { limits });
    expect(await exchange(at, post('/config', body))).toMatch(/^HTTP\/1.1 200 /);
    expect(await exchange(at, post('/config', `${body} `))).toMatch(/^HTTP\/1.1 500 [\s\S]*\ncould not read body\n$/);
  });

  it('refuses a body while pending bodies leave no room for it', async () => {
    const body = JSON.stringify({ configuration: CONFIGURATION });
    const { at } = await openAgent(ON, {}, { limits: { allBodiesBytes: 500, bodyBytes: 500 } });
    const holder = dial(at);
    holder.write(`POST /config HTTP/1.1\r\nHost: x\r\nContent-Length: 400\r\n\r\n${' '.repeat(290)}`);
    await expect.poll(() => exchange(at, post('/config', body))).toMatch(/\ncould not read body\n$/);
    holder.destroy();
    await expect.poll(() => exchange(at, post('/config', body))).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('POST /autotls', () => {
  it.each([
    ['{"signed":"a\\/b\\n","ca":"c"}', { signed: 'a/b\n', ca: 'c' }],
    ['{"SIGNED":"a"}', { signed: 'a', ca: '' }],
    ['{}', { signed: '', ca: '' }],
    ['null', { signed: '', ca: '' }],
  ])('stores the files of %s without checking them', async (body, stored) => {
    const result = await push('/autotls', body);
    expect(result).toMatchObject({ status: 200, stored, told: ['storeCertificates', 'served', 'reload'] });
  });

  it.each(['', 'hello', '[]', '{"signed":1}', '{"ca":{}}'])('refuses %j', async (body) => {
    const { status, text, told } = await push('/autotls', body);
    expect({ status, text, told }).toEqual({ status: 500, text: 'internal server error\n', told: ['served'] });
  });

  it('answers 500 if the files cannot be written', async () => {
    const behavior = { storeCertificates: () => Promise.reject(new Error('full')) };
    expect(await push('/autotls', '{}', behavior)).toMatchObject({ status: 500, text: 'internal server error\n' });
  });

  it.each([
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n5;ext=1\r\n{"ca"\r\n5\r\n:"c"}\r\n0\r\nTrailer: y\r\n\r\n', 200],
    ['an invalid chunk size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n', 500],
    ['chunks without an end', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 500],
    ['less than announced', 'Content-Length: 50\r\n\r\nhello', 500],
  ])('reads %s', async (_, rest, status) => {
    const { at } = await openAgent(ON);
    const answer = await exchange(at, `POST /autotls HTTP/1.1\r\nHost: x\r\n${rest}`);
    expect(answer).toMatch(status === 200 ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 500 [\s\S]*\ncould not read body\n$/);
  });
});

it('GET /autotls answers 500 if no signing request can be made', async () => {
  const { at } = await openAgent(ON, { csr: () => Promise.reject(new Error('no key')) });
  expect(await exchange(at, 'GET /autotls HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/\ninternal server error\n$/);
});
