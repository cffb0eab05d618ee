import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Address, addressText } from '../../../src/base/kernel/address.ts';
import { createFleet, dial, exchange, get, openAgent, received } from './fleet.ts';

async function occupy(at: Address): Promise<Server> {
  const server = createServer().listen(at);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

it('hundreds of agents listen, and each answers for itself', async () => {
  const count = 600;
  const fleet = createFleet({ checkdata: (agent) => Buffer.from(`${agent}`) });
  await fleet.servers.open(Array.from({ length: count }, (_, agent) => [agent, fleet.setup(agent)]));
  expect(fleet.servers.listening()).toBe(count);
  const asked = [0, 1, 299, 599];
  const answers = await Promise.all(asked.map((agent) => exchange(fleet.addressOf(agent), get('/'))));
  expect(answers.map((answer) => Number(answer.split('\r\n\r\n')[1]))).toEqual(asked);
});

it('if one address is unavailable, all are closed, and the error names agent and address', async () => {
  const fleet = createFleet({}, { nameOf: (agent) => `agent ${agent + 1000}` });
  await occupy(fleet.addressOf(1));
  await expect(fleet.servers.open([0, 1, 2].map((agent) => [agent, fleet.setup(agent)]))).rejects.toThrow(
    `The web server of agent 1001 cannot be opened: Muster cannot listen on ${addressText(fleet.addressOf(1))}: the port is in use`,
  );
  expect(fleet.servers.listening()).toBe(0);
  await Promise.all(
    [0, 2].map((agent) => expect(once(dial(fleet.addressOf(agent)), 'connect')).rejects.toThrow('REFUSED')),
  );
});

it('a connection with one of the last descriptors of the process is closed, and counted as refused for that reason', async () => {
  const short = await openAgent({}, {}, { fileDescriptors: 0 });
  expect(await exchange(short.at, get('/'))).toBe('');
  expect(short.heard).toEqual(['accepted', 'no_file_descriptor']);
  const enough = await openAgent({}, {}, { fileDescriptors: Number.POSITIVE_INFINITY });
  expect(await exchange(enough.at, get('/'))).toContain('200 OK');
  expect(enough.heard).toEqual(['accepted']);
});

it('a reload may change port and password', async () => {
  const fleet = createFleet();
  const { servers, setup, addressOf } = fleet;
  await servers.open([[0, setup(0)]]);
  servers.apply(0, { ...setup(1), basicAuth: 'a:b' });
  await expect.poll(() => servers.listening()).toBe(1);
  await expect(once(dial(addressOf(0)), 'connect')).rejects.toThrow('REFUSED');
  expect(await exchange(addressOf(1), get('/'))).toMatch(/^HTTP\/1.1 403 /);
});

it('a reload retries its port until it is free', async () => {
  const { servers, setup, addressOf, calls } = createFleet({}, { reopening: { pauseMs: 10, tries: 100_000 } });
  const holder = await occupy(addressOf(0));
  servers.apply(0, setup(0));
  await new Promise((resolve) => holder.close(resolve));
  await expect.poll(() => servers.listening()).toBe(1);
  expect(calls).toEqual([]);
});

it('a reload gives up its port after the configured number of tries, and reports the reason', async () => {
  const { servers, setup, addressOf, calls } = createFleet({}, { reopening: { pauseMs: 1, tries: 3 } });
  await occupy(addressOf(0));
  servers.apply(0, setup(0));
  await expect.poll(() => calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ port: 'failed', given: [0, expect.stringContaining('the port is in use')] });
});

it('of two consecutive reloads, the last one takes effect', async () => {
  const { servers, setup, addressOf } = createFleet();
  for (const agent of [0, 1, 2]) servers.apply(7, setup(agent));
  await expect.poll(() => servers.listening()).toBe(1);
  expect(await exchange(addressOf(2), get('/'))).toMatch(/^HTTP\/1.1 200 /);
  await expect(once(dial(addressOf(0)), 'connect')).rejects.toThrow('REFUSED');
});

it('an agent delivers its pending answer when its web server is switched off', async () => {
  const { servers, at } = await openAgent();
  const socket = dial(at);
  const all = received(socket);
  socket.write(get('/'));
  await once(socket, 'readable');
  servers.apply(0, undefined);
  expect(await all).toMatch(/^HTTP\/1.1 200 /);
  expect(servers.listening()).toBe(0);
  await expect(once(dial(at), 'connect')).rejects.toThrow('REFUSED');
});

it('an agent whose host is gone resets its connections and stops listening', async () => {
  const { servers, at } = await openAgent();
  const socket = dial(at);
  await once(socket, 'connect');
  await expect.poll(() => exchange(at, get('/'))).toMatch(/^HTTP\/1.1 200 /);
  const broken = once(socket, 'error');
  servers.close(0);
  expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });
  expect(servers.listening()).toBe(0);
  await expect(once(dial(at), 'connect')).rejects.toThrow('REFUSED');
});

it('a stop answers pending requests, and ignores later reloads', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { servers, at, setup } = await openAgent({ autoTls: true }, { csr: () => promise });
  const [waiting, idle] = [dial(at), dial(at)];
  const answers = Promise.all([received(waiting), received(idle)]);
  waiting.write(get('/autotls'));
  await Promise.all([once(waiting, 'connect'), once(idle, 'connect')]);
  await exchange(at, get('/'));
  const stopped = servers.stop(60_000);
  servers.apply(0, setup(0));
  resolve('csr');
  expect(await answers).toEqual([expect.stringContaining('{"csr":"csr"}'), '']);
  await stopped;
  expect(servers.listening()).toBe(0);
});

it('a stop waits for a pending answer until its time limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { servers, at } = await openAgent({ autoTls: true }, { csr: () => new Promise(() => {}) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  };
  const socket = dial(at);
  const answer = received(socket);
  socket.write(get('/autotls'));
  await once(socket, 'connect');
  await exchange(at, get('/'));
  let isStopped = false;
  void servers.stop(10_000).then(() => {
    isStopped = true;
  });
  vi.advanceTimersByTime(9_999);
  await turns();
  expect(isStopped).toBe(false);
  vi.advanceTimersByTime(1);
  await turns();
  expect(isStopped).toBe(true);
  expect(await answer).toBe('');
});
