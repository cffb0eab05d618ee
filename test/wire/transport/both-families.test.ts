import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TransportSettings } from '../../../src/wire/transport/transport.ts';
import { httpAnswer, type Probe, probe, type RawServer, rawServer, turns, until } from './wire.ts';

const hasSix = await new Promise<boolean>((resolve) => {
  const server = createServer().once('error', () => resolve(false));
  server.listen(0, '::1', () => server.close(() => resolve(true)));
});

const FOUR = ['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => [address, '127.0.0.1'] as const);
const BOTH = new Map([['::1', '::1'], ...FOUR]);

const open: { close(): unknown }[] = [];
let server: RawServer;
let agent: Probe;

function start(settings: Partial<TransportSettings> = {}): void {
  agent = probe({
    baseUrl: `http://mon.example:${server.port}`,
    addresses: ['::1', '127.0.0.1'],
    reachedFrom: BOTH,
    ...settings,
  });
  open.push({ close: () => agent.transport.close() });
}

async function alsoAt(host: string): Promise<Socket[]> {
  const accepted: Socket[] = [];
  const other: Server = createServer((socket) => {
    accepted.push(socket.on('data', () => socket.write(httpAnswer(200, '{}'))).on('error', () => {}));
  });
  open.push({
    close: () => {
      for (const socket of accepted) socket.destroy();
      other.close();
    },
  });
  other.listen(server.port, host);
  await once(other, 'listening');
  return accepted;
}

const FULL = `
const { workerData: { lock, port }, parentPort } = require('node:worker_threads');
require('node:net').createServer(() => {}).listen({ port, host: '::1', backlog: 1 }, () => {
  parentPort.postMessage('listening');
  Atomics.wait(lock, 0, 0);
});`;

/** Listens on ::1 in a thread that never accepts, and fills its accept queue, so that further dials get no answer. */
async function fullQueue(): Promise<void> {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(FULL, { eval: true, workerData: { lock, port: server.port } });
  open.push({
    close: () => {
      Atomics.notify(lock, 0);
      return thread.terminate();
    },
  });
  await once(thread, 'message');
  for (let place = 0; place < 2; place++) {
    const socket = dial(server.port, '::1').on('error', () => {});
    open.push({ close: () => socket.destroy() });
    await once(socket, 'connect');
  }
}

beforeEach(async () => {
  server = await rawServer((socket) => socket.write(httpAnswer(200, '{}')));
  open.push(server);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((part) => part.close()));
});

describe.skipIf(!hasSix)('a name with ::1 and 127.0.0.1', () => {
  it('resolves to ::1 only, while ::1 serves', async () => {
    const atSix = await alsoAt('::1');
    start();
    expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
    vi.advanceTimersByTime(1000);
    await turns(10);
    expect([atSix.length, server.sockets.length]).toEqual([1, 0]);
  });

  it('falls back to 127.0.0.1 immediately if ::1 refuses', async () => {
    start();
    expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
    expect(agent.transport.addresses()).toMatchObject([
      { address: '::1', connections: 0, failedDials: 1 },
      { address: '127.0.0.1', connections: 1, failedDials: 0 },
    ]);
  });

  it('falls back to 127.0.0.1 after 300 ms if the accept queue of ::1 is full', async () => {
    await fullQueue();
    start();
    const ended = agent.push(0);
    vi.advanceTimersByTime(298);
    await turns(20);
    expect(server.sockets).toHaveLength(0);
    vi.advanceTimersByTime(5);
    expect((await ended).ending).toMatchObject({ status: 200 });
  });

  it('does not fall back from a full accept queue of ::1 if no descriptor is left for a second dial', async () => {
    await fullQueue();
    start({ spareDials: 0 });
    void agent.push(0);
    vi.advanceTimersByTime(305);
    await turns(20);
    expect(server.sockets).toHaveLength(0);
  });

  it('also falls back to 127.0.0.1 for agents that share connections', async () => {
    await fullQueue();
    start({ sharedConnections: 1, spareDials: 1 });
    const ended = agent.push(0);
    vi.advanceTimersByTime(305);
    expect((await ended).ending).toMatchObject({ status: 200 });
  });
});

describe.skipIf(!hasSix)('a name with several addresses of both families', () => {
  it('reaches the only address that serves, even if other addresses refuse first', async () => {
    start({ addresses: ['::1', '127.0.0.3', '127.0.0.1', '127.0.0.2'] });
    for (let push = 0; push < 8; push++) {
      expect((await agent.push(push)).ending).toMatchObject({ status: 200 });
    }
    const counts = new Map(agent.transport.addresses().map((counted) => [counted.address, counted]));
    expect(counts.get('::1')).toMatchObject({ connections: 0, failedDials: 8 });
    expect(counts.get('127.0.0.1')).toMatchObject({ connections: 8, failedDials: 0 });
    for (const refused of ['127.0.0.2', '127.0.0.3']) {
      expect(counts.get(refused)?.connections).toBe(0);
      expect(counts.get(refused)?.failedDials).toBeGreaterThan(0);
    }
  });

  it('rotates dials over the addresses of the first family, and never leaves it while it serves', async () => {
    const others = [await alsoAt('127.0.0.2'), await alsoAt('127.0.0.3'), await alsoAt('::1')];
    start({ addresses: ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1'], reachedFrom: new Map(FOUR) });
    for (let push = 0; push < 20; push++) {
      expect((await agent.push(push)).ending).toMatchObject({ status: 200 });
    }
    await until(() => server.sockets.length + others.flat().length === 20);
    expect(others[2]).toHaveLength(0);
    for (const { length } of [server.sockets, ...others.slice(0, 2)]) expect(length).toBeGreaterThan(2);
  });
});
