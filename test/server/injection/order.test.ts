import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS, type Endpoint } from '../../../src/base/protocol/push.ts';
import { DEFAULT_SETTINGS } from '../../../src/server/settings.ts';
import { faultsOf } from '../faults/faults-of.ts';
import { push, send } from '../push-client.ts';
import { own, startWith } from './faulty-server.ts';

function raw(endpoint: Endpoint, document: object): string {
  const body = JSON.stringify(document);
  return `POST ${ENDPOINT_PATHS[endpoint]} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Opens a connection. The result of `end` is everything received, and how the connection ended. */
async function client(port: number) {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  let received = '';
  let error = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    error = cause.code ?? '';
  });
  const end = new Promise<{ received: string; error: string }>((resolve) => {
    socket.on('close', () => resolve({ received, error }));
  });
  return { socket, end };
}

describe('answers to pipelined requests', () => {
  it('are sent before the reset of a later request breaks the connection', async () => {
    const server = await startWith([
      { do: 'latency', operations: ['authorize'], delay: '30ms' },
      { do: 'reset', operations: ['checkdata'] },
    ]);
    const { socket, end } = await client(server.port);
    socket.write(raw('register_agent', own) + raw('submit_checkdata', own));
    const { received, error } = await end;
    expect(received.match(/HTTP\/1.1 200 /g)).toHaveLength(1);
    expect(error).toBe('ECONNRESET');
    expect(server.counts()).toMatchObject({ withheld: 1, answers: { register_agent: { 200: 1 } } });
  });

  it('are all sent if the requests arrived before a stop, and the last one says close', async () => {
    const server = await startWith([]);
    const { socket, end } = await client(server.port);
    await expect.poll(() => server.counts().openConnections).toBe(1);
    socket.write(raw('register_agent', own) + raw('submit_checkdata', own));
    await server.stop();
    const { received, error } = await end;
    expect(error).toBe('');
    expect(received.match(/HTTP\/1.1 200 /g)).toHaveLength(2);
    expect(received.indexOf('Connection: close')).toBeGreaterThan(received.lastIndexOf('HTTP/1.1'));
  });
});

describe('an empty password', () => {
  it.each(['documented', 'shipped'] as const)(
    'does not change the other answers of the %s dialect',
    async (dialect) => {
      const server = await startWith([{ do: 'empty-password' }], { apiKey: 'right', dialect });
      const register = async (document: object, key = 'right') => {
        const headers = { 'Content-Type': 'application/json', Authorization: `X-OITC-API ${key}` };
        return send(server.url, {
          path: ENDPOINT_PATHS.register_agent,
          headers,
          body: JSON.stringify({ password: '', ...document }),
        });
      };
      expect((await register({ agentuuid: 'new' }, 'wrong')).status).toBe(401);
      expect((await register({ agentuuid: 'a' })).status).toBe(403);
      expect((await register({ agentuuid: 'x'.repeat(38) })).status).toBe(400);
      const waiting = await register({ agentuuid: 'new' });
      expect([waiting.status, JSON.parse(waiting.text)]).toMatchObject([201, { agentuuid: 'new', password: '' }]);
      expect(server.counts().registrations).toBe(1);
    },
  );
});

describe('a server that is frozen longer than its request timeout', () => {
  const timeouts = { ...DEFAULT_SETTINGS.timeouts, headMs: 400, requestMs: 400, idleMs: 20 };

  it('also answers large requests that it had not read yet', async () => {
    const server = await startWith([{ do: 'freeze', for: '1s' }], { timeouts });
    const document = { ...own, checkdata: 'x'.repeat(2_000_000) };
    expect((await push(server.url, 'submit_checkdata', document)).status).toBe(200);
  });

  it('keeps idle connections', async () => {
    const server = await startWith([], { timeouts: { ...timeouts, idleMs: 200 } });
    const { socket, end } = await client(server.port);
    socket.write(raw('register_agent', own));
    await new Promise((resolve) => socket.once('data', resolve));
    server.setFaults(faultsOf({ do: 'freeze' }));
    const ended = end.then(() => 'closed');
    const longEnough = new Promise((resolve) => setTimeout(resolve, 600, 'open'));
    expect(await Promise.race([ended, longEnough])).toBe('open');
  });
});

describe('a slow answer', () => {
  it('keeps its rate even if a portion is not a whole number of bytes, and can end in the middle', async () => {
    const server = await startWith([{ do: 'drip', bytesPerSecond: 15 }, { do: 'half-answer' }]);
    const start = performance.now();
    const answer = send(server.url, { path: ENDPOINT_PATHS.submit_checkdata, body: JSON.stringify(own) });
    await expect(answer).rejects.toThrow('aborted');
    // Ten of 21 bytes.
    expect(performance.now() - start).toBeGreaterThan(666);
  });

  it('pauses while the server is frozen', async () => {
    const server = await startWith([{ do: 'drip', bytesPerSecond: 100 }]);
    const { socket } = await client(server.port);
    const bytes = new Promise<number>((resolve) => {
      socket.write(raw('submit_checkdata', own));
      socket.once('data', () => {
        server.setFaults(faultsOf({ do: 'freeze', for: '400ms' }));
        const start = performance.now();
        socket.once('data', () => resolve(performance.now() - start));
      });
    });
    expect(await bytes).toBeGreaterThan(399);
    socket.destroy();
  });
});
