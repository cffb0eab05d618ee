import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from '../../src/server/settings.ts';
import { startMonitoringServer } from '../../src/server/start.ts';
import { exchange, open, push, send } from './push-client.ts';

const known = { uuid: 'known', password: 'p' };
const own = { agentuuid: 'known', password: 'p' };

async function start(settings: Partial<MonitoringServerSettings> = {}) {
  const server = await startMonitoringServer({ registrations: [known], ...settings });
  onTestFinished(() => server.stop());
  return server;
}

function rawPush(document: object, headers: readonly string[] = []): string {
  const body = JSON.stringify(document);
  const head = [
    `POST ${ENDPOINT_PATHS.submit_checkdata} HTTP/1.1`,
    'Host: x',
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

describe('starting', () => {
  it('picks a free port and includes it in the URL', async () => {
    const server = await start();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it('reports a port in use in one sentence', async () => {
    const { port } = await start();
    const second = startMonitoringServer({ port });
    await expect(second).rejects.toThrow(UserError);
    await expect(second).rejects.toThrow(`127.0.0.1:${port}: the port is in use`);
  });

  it('reports an address that the machine lacks in one sentence', async () => {
    await expect(startMonitoringServer({ host: '192.0.2.1' })).rejects.toThrow(
      'no interface of this machine has this address',
    );
  });
});

describe('bodies', () => {
  it('above the limit get a 413 that the client can read while it is still sending', async () => {
    const server = await start({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 1000 } });
    const path = ENDPOINT_PATHS.submit_checkdata;
    const answer = await send(server.url, { path, body: Buffer.alloc(5_000_000, ' ') });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text).error).toContain('1000 bytes');
    const chunked = await send(server.url, {
      path,
      headers: { 'Transfer-Encoding': 'chunked' },
      body: Buffer.alloc(5_000_000, ' '),
    });
    expect(chunked.status).toBe(413);
    expect(server.counts().answers.submit_checkdata).toEqual({ 413: 2 });
  });

  it.each([
    ['Content-Length', {}],
    ['chunks', { 'Transfer-Encoding': 'chunked' }],
  ])("may have exactly the limit's size, by their %s", async (_name, headers) => {
    const server = await start({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 1000 } });
    const statusOf = async (sizeBytes: number): Promise<number> => {
      const body = JSON.stringify(own).padEnd(sizeBytes);
      return (await send(server.url, { path: ENDPOINT_PATHS.register_agent, headers, body })).status;
    };
    expect([await statusOf(1000), await statusOf(1001)]).toEqual([200, 413]);
  });

  it('above the limit are not requested from a client that waits for a 100 Continue', async () => {
    const server = await start({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 10 } });
    const socket = await open(server.port);
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  const unfinished = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${body}`;

  it('share a memory budget, and get a 503 above it until other requests are answered', async () => {
    const server = await start({ limits: { ...DEFAULT_SETTINGS.limits, bodyBytes: 1000, allBodiesBytes: 1500 } });
    const first = await open(server.port);
    first.write(unfinished('x'.repeat(900)));
    await expect.poll(() => server.counts().requestsInFlight).toBe(1);
    const second = { path: '/', body: 'x'.repeat(900) };
    const refused = await send(server.url, second);
    expect([refused.status, typeof JSON.parse(refused.text).error]).toEqual([503, 'string']);
    first.destroy();
    await expect.poll(() => server.counts().aborted).toBe(1);
    expect((await send(server.url, second)).status).toBe(404);
    expect((await send(server.url, second)).status).toBe(404);
  });

  it('that arrive too slowly get a 408', async () => {
    const timeouts = { ...DEFAULT_SETTINGS.timeouts, headMs: 20, requestMs: 20 };
    const server = await start({ timeouts });
    const unfinished = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{';
    // On a busy machine the time may pass before the head is read: then the answer is the same, but the request is not counted.
    const giveUp = async (): Promise<number> => {
      expect(await exchange(server.port, unfinished)).toMatch(/^HTTP\/1.1 408 /);
      return server.counts().aborted;
    };
    await expect.poll(giveUp).toBe(1);
  });

  it('that the client abandons are counted, and do not affect the server', async () => {
    const server = await start();
    const socket = await open(server.port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    await expect.poll(() => server.counts().openConnections).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => server.counts().aborted).toBe(1);
    expect((await push(server.url, 'register_agent', own)).status).toBe(200);
  });
});

describe('connections', () => {
  it('are kept for any number of requests, and pipelined ones are answered in order', async () => {
    const server = await start();
    const requests = [{ a: 1 }, { a: 1, b: 2 }, {}].map((checkdata, i) =>
      rawPush({ checkdata, ...own }, i === 2 ? ['Connection: close'] : []),
    );
    const answers = await exchange(server.port, requests.join(''));
    expect(answers.match(/received_checks":\d/g)).toEqual([
      'received_checks":1',
      'received_checks":2',
      'received_checks":0',
    ]);
  });

  it('are closed after the idle time', async () => {
    const server = await start({ timeouts: { ...DEFAULT_SETTINGS.timeouts, idleMs: 1 } });
    expect(await exchange(server.port, rawPush(own))).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('stopping', () => {
  it('answers pending requests, and asks the client to close', async () => {
    const server = await start();
    const request = rawPush({ checkdata: { a: 1 }, ...own });
    const answer = new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1');
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
      socket.write(request.slice(0, -5));
      void expect
        .poll(() => server.counts().requestsInFlight)
        .toBe(1)
        .then(() => {
          void server.stop();
          socket.write(request.slice(-5));
        });
    });
    expect(await answer).toMatch(/^HTTP\/1.1 200 [\s\S]*Connection: close[\s\S]*received_checks":1/);
    await server.stop();
  });

  it('closes connections without a pending request', async () => {
    const server = await start();
    const fresh = await open(server.port);
    const closed = new Promise((resolve) => fresh.once('close', resolve));
    await expect.poll(() => server.counts().openConnections).toBe(1);
    await server.stop();
    await closed;
  });

  it('waits no longer than the drain time', async () => {
    const server = await start({ timeouts: { ...DEFAULT_SETTINGS.timeouts, drainMs: 10 } });
    const stuck = exchange(server.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    await expect.poll(() => server.counts().requestsInFlight).toBe(1);
    await server.stop();
    expect(await stuck).toBe('');
  });
});

it('the server counts what it received and answered', async () => {
  const server = await start();
  await push(server.url, 'register_agent', own);
  await push(server.url, 'submit_checkdata', { checkdata: {} });
  const { answers, receivedBytes, registrations, internalErrors } = server.counts();
  expect(answers).toMatchObject({ register_agent: { 200: 1 }, submit_checkdata: { 400: 1 }, other: {} });
  expect(receivedBytes).toBe(JSON.stringify(own).length + '{"checkdata":{}}'.length);
  expect([registrations, internalErrors]).toEqual([1, 0]);
});
