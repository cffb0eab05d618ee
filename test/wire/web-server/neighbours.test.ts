import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Address } from '../../../src/base/kernel/address.ts';
import { createFleet, dial, exchange, get, openAgent, received } from './fleet.ts';

const LARGE = Buffer.alloc(12 * 1024 * 1024, 'x');
const AT_ONCE = { readMs: 60_000, writeMs: 60_000, idleMs: 60_000 };

async function openTwo() {
  const checkdata = (agent: number) => (agent === 0 ? LARGE : Buffer.from('{"agent":1}'));
  const fleet = createFleet({ checkdata }, { timeouts: AT_ONCE });
  await fleet.servers.open([0, 1].map((agent) => [agent, fleet.setup(agent)]));
  return { ...fleet, neighbor: () => exchange(fleet.addressOf(1), get('/')) };
}

/** A client that requests more than the kernel buffers, and reads only the beginning. */
async function slowReader(at: Address) {
  const socket = dial(at);
  socket.write(get('/'));
  await once(socket, 'readable');
  return socket;
}

describe('another agent answers', () => {
  it.each([
    ['sends its head byte by byte', 'GET / HTTP/1.1\r\nHo'],
    ['sends nothing', ''],
    ['sends garbage', '\x00\x01\x02\xff'.repeat(1000)],
    ['announces a body and does not send it', 'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
    ['sends many requests without reading', get('/').repeat(1000)],
  ])('while a client %s', async (_, bytes) => {
    const { addressOf, neighbor } = await openTwo();
    const hostile = dial(addressOf(0)).on('error', () => {});
    hostile.pause().write(bytes, 'latin1');
    await once(hostile, 'connect');
    expect(await neighbor()).toContain('{"agent":1}');
    hostile.destroy();
  });

  it('while hundreds of idle connections stay open', async () => {
    const { addressOf, neighbor } = await openTwo();
    const idle = Array.from({ length: 400 }, () => dial(addressOf(0)));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect(await neighbor()).toContain('{"agent":1}');
    expect(idle.filter(({ closed }) => closed)).toEqual([]);
    for (const socket of idle) socket.destroy();
  });
});

describe('a slow reader', () => {
  it('gets the bytes of the time of its request, while others get answers from the same buffer', async () => {
    const body = Buffer.alloc(LARGE.length);
    const { at } = await openAgent({}, { checkdata: () => body, packages: () => body.fill('b') });
    body.fill('a');
    const socket = await slowReader(at);
    expect(await exchange(at, get('/packages'))).toMatch(/b{1000}/);
    socket.end();
    const text = await received(socket);
    expect(text).toContain(`c00000\r\n${'a'.repeat(1000)}`);
    expect(text.match(/a{1000}/g)).toHaveLength(Math.floor(LARGE.length / 1000));
    expect(text).not.toContain('b'.repeat(10));
  });

  it('is closed at the write timeout, and counted as gone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { addressOf, neighbor, calls } = await openTwo();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const socket = await slowReader(addressOf(0));
    vi.advanceTimersByTime(AT_ONCE.writeMs - 1);
    expect(await neighbor()).toContain('{"agent":1}');
    expect(calls.map(({ given }) => given[0])).toEqual([1]);
    vi.advanceTimersByTime(1);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(calls[1]?.given.slice(0, 3)).toEqual([0, 'serve-checkdata', 'client_gone']);
    expect(await neighbor()).toContain('{"agent":1}');
    expect((await received(socket)).length).toBeLessThan(LARGE.length);
  });

  it('that has read its answer in time keeps its connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { addressOf, calls } = await openTwo();
    const socket = await slowReader(addressOf(0));
    const all = received(socket);
    while (calls.length === 0) await new Promise(setImmediate);
    vi.advanceTimersByTime(AT_ONCE.writeMs + 1);
    socket.end(get('/nope'));
    expect(await all).toContain('404 page not found');
    expect(calls.map(({ given }) => given[2])).toEqual(['ok', 'http_404']);
  });

  it('that leaves is immediately counted as gone', async () => {
    const { addressOf, calls } = await openTwo();
    (await slowReader(addressOf(0))).resetAndDestroy();
    await expect.poll(() => calls.map(({ given }) => given[2])).toEqual(['client_gone']);
  });
});

it('only one answer is made for a client that sends a thousand requests without reading', async () => {
  let made = 0;
  const checkdata = () => {
    made++;
    return LARGE;
  };
  const { at } = await openAgent({}, { checkdata });
  const socket = dial(at);
  socket.pause().write(get('/').repeat(1000));
  await once(socket, 'readable');
  expect(await exchange(at, get('/packages'))).toMatch(/^HTTP\/1.1 200 /);
  expect(made).toBe(1);
  socket.destroy();
});

it('a client is not read further while its requests wait for their answers', async () => {
  const csrs: ((csr: string) => void)[] = [];
  const csr = () => new Promise<string>((resolve) => csrs.push(resolve));
  const { at, calls } = await openAgent({ autoTls: true }, { csr });
  const asked = async (count: number) => {
    while (csrs.length < count) await new Promise(setImmediate);
  };
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  };
  const first = get('/autotls').repeat(3);
  const socket = dial(at);
  const all = received(socket);
  socket.write(first);
  await asked(1);
  socket.end(get('/').repeat(1000));
  for (const count of [1, 2, 3]) {
    await asked(count);
    await turns();
    csrs[count - 1]?.('csr');
  }
  expect((await all).match(/HTTP\/1.1 200 OK/g)).toHaveLength(1003);
  const read = calls.map(({ given }) => (given[4] as { receivedBytes: number }).receivedBytes);
  expect(read.slice(0, 2)).toEqual([first.length, 0]);
});

describe('a reload of one agent', () => {
  it("closes all of the agent's connections, and no other agent's", async () => {
    const { servers, setup, addressOf, neighbor } = await openTwo();
    const [idle, other] = [dial(addressOf(0)), dial(addressOf(1))];
    await Promise.all([once(idle, 'connect'), once(other, 'connect')]);
    const own = [idle, await slowReader(addressOf(0))];
    await neighbor();
    servers.apply(0, setup(0));
    await Promise.all(own.map(received));
    other.end(get('/'));
    expect(await received(other)).toContain('{"agent":1}');
  });

  it("does not interrupt a poller that is reading another agent's answer", async () => {
    const { servers, setup, addressOf } = await openTwo();
    const poller = await slowReader(addressOf(0));
    servers.apply(1, setup(1));
    poller.end();
    expect((await received(poller)).length).toBeGreaterThan(LARGE.length);
  });
});

describe('a served request', () => {
  it('is reported once, by route, with its outcome and its bytes', async () => {
    const { at, calls } = await openAgent({ configPush: true, autoTls: true });
    const asked = ['/', '/packages', '/prometheus?exporter=a', '/config', '/autotls', '/nope', '//'];
    for (const path of asked) await exchange(at, get(path));
    await exchange(at, 'GET / HTTP/1.1\r\n\r\n');
    await exchange(at, 'GARBAGE\r\n\r\n');
    expect(calls.map(({ given }) => given.slice(0, 3))).toEqual([
      [0, 'serve-checkdata', 'ok'],
      [0, 'serve-packages', 'ok'],
      [0, 'serve-prometheus', 'ok'],
      [0, 'serve-config', 'ok'],
      [0, 'serve-autotls', 'ok'],
      [0, 'serve-other', 'http_404'],
      [0, 'serve-other', 'http_301'],
      [0, 'serve-other', 'http_400'],
    ]);
    expect(calls[0]?.given[4]).toEqual({ sentBytes: 109, receivedBytes: get('/').length });
  });

  it('with a wrong password belongs to the requested route', async () => {
    const { at, calls } = await openAgent({ basicAuth: 'a:b' });
    await exchange(at, get('/packages'));
    expect(calls.map(({ given }) => given.slice(1, 3))).toEqual([['serve-packages', 'http_403']]);
  });

  it('is reported with its share of all bytes of its connection', async () => {
    const { at, calls } = await openAgent();
    const requests = get('/') + get('/nope') + get('/packages');
    const socket = dial(at);
    socket.end(requests);
    await received(socket);
    const traffic = calls.map(({ given }) => given[4] as { sentBytes: number; receivedBytes: number });
    expect(traffic.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)).toBe(requests.length);
    expect(traffic.reduce((sum, { sentBytes }) => sum + sentBytes, 0)).toBe(socket.bytesRead);
  });
});
