import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../../src/base/protocol/push.ts';
import { waitAtLeast } from '../../../src/server/injection/misbehave.ts';
import type { MonitoringServer } from '../../../src/server/start.ts';
import { faultsOf } from '../faults/faults-of.ts';
import { open, push, send } from '../push-client.ts';
import { own, startWith } from './faulty-server.ts';

const authorize = (server: MonitoringServer) => push(server.url, 'register_agent', own);
const enroll = (server: MonitoringServer, agentuuid = 'new') =>
  push(server.url, 'register_agent', { agentuuid, password: '' });
const submit = (server: MonitoringServer) =>
  send(server.url, { path: ENDPOINT_PATHS.submit_checkdata, body: JSON.stringify(own) });

describe('a single answer', () => {
  it('is delayed by the added latency', async () => {
    const server = await startWith([{ do: 'latency', delay: '30ms' }]);
    const start = performance.now();
    expect((await authorize(server)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(29);
  });

  it.each([
    { body: 'json', type: 'application/json', text: /^\{"error":/ },
    { body: 'html', type: 'text/html', text: /^<html>/ },
    { body: 'empty', type: undefined, text: /^$/ },
  ] as const)(
    'can be an error with a body of kind $body, without processing the request',
    async ({ body, type, text }) => {
      const server = await startWith([{ do: 'status', status: 502, body, operations: ['register'] }]);
      const enrollment = JSON.stringify({ agentuuid: 'new', password: '' });
      const answer = await send(server.url, { path: ENDPOINT_PATHS.register_agent, body: enrollment });
      expect([answer.status, answer.type]).toEqual([502, type]);
      expect(answer.text).toMatch(text);
      expect(server.counts().registrations).toBe(1);
      expect((await submit(server)).status).toBe(200);
    },
  );

  it('can be a reset before the request is processed', async () => {
    const server = await startWith([{ do: 'reset' }]);
    await expect(enroll(server)).rejects.toThrow('ECONNRESET');
    expect(server.counts()).toMatchObject({ registrations: 1, withheld: 1 });
  });

  it('can be a reset after the request is processed, which counts as received but not acknowledged', async () => {
    const server = await startWith([{ do: 'reset', processed: true }]);
    await expect(enroll(server)).rejects.toThrow('ECONNRESET');
    expect(server.counts()).toMatchObject({ registrations: 2, withheld: 1 });
    expect(server.observations().operations.register).toMatchObject({ received: 1, acknowledged: 0 });
  });

  it('can end in the middle of its body', async () => {
    const server = await startWith([{ do: 'half-answer' }]);
    await expect(submit(server)).rejects.toThrow('aborted');
    expect(server.observations().operations.checkdata).toMatchObject({ received: 1, acknowledged: 0 });
  });

  it('can have another content type', async () => {
    const server = await startWith([{ do: 'content-type', contentType: 'text/plain' }]);
    expect(await submit(server)).toMatchObject({ status: 200, type: 'text/plain', text: '{"received_checks":0}' });
  });

  it('can name another agent', async () => {
    const server = await startWith([{ do: 'wrong-uuid' }]);
    const { status, body } = await enroll(server);
    expect([status, body.agentuuid]).toEqual([201, '00000000-0000-4000-8000-000000000000']);
    expect((await submit(server)).text).toBe('{"received_checks":0}');
  });

  it('can have an empty password, which leaves the agent unregistered until it asks again', async () => {
    const server = await startWith([{ do: 'empty-password' }]);
    expect(await enroll(server)).toEqual({ status: 201, body: { agentuuid: 'new', password: '' } });
    expect((await authorize(server)).status).toBe(200);
    server.setFaults([]);
    expect((await enroll(server)).body.password).toHaveLength(128);
  });

  it('can be sent slowly', async () => {
    const server = await startWith([{ do: 'drip', bytesPerSecond: 150 }]);
    const start = performance.now();
    expect((await submit(server)).text).toBe('{"received_checks":0}');
    // 21 bytes take 140 ms.
    expect(performance.now() - start).toBeGreaterThan(139);
  });

  it('is not affected at paths outside the endpoints', async () => {
    const server = await startWith([{ do: 'reset' }]);
    expect((await send(server.url, { path: '/other' })).status).toBe(404);
  });
});

describe('a frozen server', () => {
  it('answers nothing until it thaws, and then all waiting requests', async () => {
    const server = await startWith([{ do: 'freeze' }]);
    const answers = Promise.all([authorize(server), submit(server)]);
    await expect.poll(() => server.counts().requestsInFlight).toBe(2);
    expect(server.counts().receivedBytes).toBe(0);
    server.setFaults([]);
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('notices when it thaws that a client has left', async () => {
    const server = await startWith([{ do: 'freeze' }]);
    const socket = await open(server.port);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    await expect.poll(() => server.counts().requestsInFlight).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => server.counts().openConnections).toBe(0);
    server.setFaults([]);
    await expect.poll(() => server.counts().aborted).toBe(1);
  });

  it('answers waiting requests when it stops', async () => {
    const server = await startWith([{ do: 'freeze' }]);
    const answer = authorize(server);
    await expect.poll(() => server.counts().requestsInFlight).toBe(1);
    await server.stop();
    expect((await answer).status).toBe(200);
  });
});

describe('a server that stops accepting', () => {
  it('leaves new connections unanswered until it accepts again', async () => {
    const server = await startWith([{ do: 'stop-accepting' }]);
    const answers = Promise.all([authorize(server), submit(server)]);
    await expect.poll(() => server.counts().openConnections).toBe(2);
    expect(server.counts().requestsInFlight).toBe(0);
    server.setFaults([]);
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('can be stopped while connections are waiting', async () => {
    const server = await startWith([{ do: 'stop-accepting' }]);
    const socket = await open(server.port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await expect.poll(() => server.counts().openConnections).toBe(1);
    await server.stop();
    await closed;
  });
});

it('a connection limit resets connections above it', async () => {
  const server = await startWith([{ do: 'connection-limit', connections: 1 }]);
  const first = await open(server.port);
  await expect.poll(() => server.counts().openConnections).toBe(1);
  await expect(authorize(server)).rejects.toThrow(/ECONNRESET|socket hang up/);
  first.destroy();
  await expect.poll(() => server.counts().openConnections).toBe(0);
  expect((await authorize(server)).status).toBe(200);
});

describe('an outage', () => {
  it('resets all connections, refuses new ones, and ends on the same port with all agents still known', async () => {
    const server = await startWith([]);
    const socket = await open(server.port);
    const broken = new Promise((resolve) => socket.once('error', resolve));
    await expect.poll(() => server.counts().openConnections).toBe(1);
    server.setFaults(faultsOf({ do: 'outage' }));
    expect(await broken).toMatchObject({ code: 'ECONNRESET' });
    await expect(authorize(server)).rejects.toThrow('ECONNREFUSED');
    server.setFaults([]);
    await expect.poll(() => authorize(server).catch(() => undefined)).toMatchObject({ status: 200 });
  });

  it('ends when its time has passed', async () => {
    const server = await startWith([{ do: 'outage', for: '20ms' }]);
    await expect.poll(() => authorize(server).catch(() => undefined)).toMatchObject({ status: 200 });
  });

  it('does not prevent the server from stopping', async () => {
    const server = await startWith([{ do: 'outage', for: '1h' }]);
    await server.stop();
    server.setFaults([]);
    await expect(authorize(server)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a server that forgets agents', () => {
  it('lets an agent enroll again, and no longer knows its old password', async () => {
    const server = await startWith([{ do: 'forget' }]);
    expect((await authorize(server)).status).toBe(404);
    expect((await enroll(server, 'a')).status).toBe(201);
  });

  it('selects the same share of agents for the same seed', async () => {
    const registrations = Array.from({ length: 200 }, (_, i) => ({ uuid: `${i}`, password: 'p' }));
    const remaining = async (seed: number) => {
      const server = await startWith([{ do: 'forget', share: 0.5 }], { registrations, seed });
      const answers = registrations.map(({ uuid, password }) =>
        push(server.url, 'register_agent', { agentuuid: uuid, password }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const [first, again, other] = await Promise.all([remaining(1), remaining(1), remaining(2)]);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first?.filter((status) => status === 404).length).toBeGreaterThan(60);
    expect(first?.filter((status) => status === 200).length).toBeGreaterThan(60);
  });
});

const openAnswer = () => new EventEmitter() as unknown as ServerResponse;

it('a fractional delay never ends early, however late in a turn of the event loop it starts', async () => {
  const early: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const endOfTurn = performance.now() + 2;
    while (performance.now() < endOfTurn);
    await Promise.all(
      [0.3, 1.9, 3.7, 5.2].map(async (delayMs) => {
        const from = performance.now();
        await waitAtLeast(delayMs, openAnswer());
        if (performance.now() - from < delayMs) early.push(delayMs);
      }),
    );
  }
  expect(early).toEqual([]);
});

it('a delay ends when the client leaves', async () => {
  const answer = openAnswer();
  const ended = waitAtLeast(3_600_000, answer);
  answer.emit('close');
  await ended;
  expect(answer.listenerCount('close')).toBe(0);
});
