import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { configure } from '../../src/provisioning/requests.ts';
import { createHostServer } from '../../src/provisioning/server.ts';
import { draws } from '../draws.ts';
import { agentsFor } from './fleet.ts';

afterEach(() => vi.useRealTimers());

/** The library has a clock of its own, which faked timers reach only if nothing has used it before. */
const undiciTimers: { tick(ms: number): void } = createRequire(import.meta.url)('undici/lib/util/timers.js');

async function hungServer() {
  const hung = createServer();
  await once(hung.listen(0, '127.0.0.1'), 'listening');
  const { port } = hung.address() as AddressInfo;
  const stopping = new AbortController();
  const server = createHostServer({
    url: `http://127.0.0.1:${port}`,
    apiKey: '',
    tls: { verify: true, ca: undefined },
    awaitTurn: async () => {},
    signal: stopping.signal,
  });
  const end = () => {
    hung.closeAllConnections();
    hung.close();
  };
  return { hung, server, stopping, end };
}

it('waits as long for an answer as a default installation may take, 300 seconds', async () => {
  const { hung, server, end } = await hungServer();
  try {
    let change: unknown;
    const received = once(hung, 'request');
    const changed = server.change({ path: '/hosts/add.json', body: {} }).then((answer) => {
      change = answer;
    });
    await received;
    await new Promise(setImmediate);
    // Its timers begin with its next tick.
    undiciTimers.tick(1000);
    undiciTimers.tick(297_000);
    await new Promise(setImmediate);
    expect(change).toBeUndefined();
    undiciTimers.tick(5000);
    await changed;
    expect(change).toMatchObject({ kind: 'unanswered' });
  } finally {
    end();
  }
});

it('waits five seconds after a stop for a request that the server does not answer, and no longer', async () => {
  const { hung, server, stopping, end } = await hungServer();
  try {
    const received = once(hung, 'request');
    let change: unknown;
    const changed = server.change({ path: '/hosts/add.json', body: {} }).then((answer) => {
      change = answer;
    });
    await received;
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    stopping.abort();
    await vi.advanceTimersByTimeAsync(4999);
    await new Promise(setImmediate);
    expect(change).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await changed;
    expect(change).toEqual({ kind: 'unanswered', reason: 'no answer within 5 s after the stop' });
  } finally {
    end();
  }
});

it('takes whatever JSON a server answers, or refuses it with a sentence', async () => {
  let answer = '';
  const odd = createServer((_, response) => response.end(answer));
  await once(odd.listen(0, '127.0.0.1'), 'listening');
  const { port } = odd.address() as AddressInfo;
  const server = createHostServer({
    url: `http://127.0.0.1:${port}`,
    apiKey: '',
    tls: { verify: true, ca: undefined },
    awaitTurn: async () => {},
    signal: new AbortController().signal,
  });
  const value = fc.oneof(fc.jsonValue(), fc.array(fc.record({ Host: fc.jsonValue(), id: fc.jsonValue() })));
  const members = { all_hosts: value, agents: value, containers: value, services: value, host: value };
  const body = fc.oneof(
    fc.json(),
    fc.record(members, { requiredKeys: [] }).map((row) => JSON.stringify(row)),
  );
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      answer = text;
      const calls = [
        ...[server.containers(), server.markedHosts(), server.host(1), server.pushAgents(), server.offeredServices(1)],
        server.change({ path: '/hosts/add.json', body: {} }),
      ];
      for (const end of await Promise.allSettled(calls))
        if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(UserError);
    }),
    { numRuns: draws(40) },
  );
  odd.close();
  odd.closeAllConnections();
});

it.each([
  [0.5, 1],
  [30, 30],
  [10_800, 7200],
])(
  'configures an agent that reports every %d s with an interval that the server takes, %d s',
  (intervalSeconds, taken) => {
    const [agent] = agentsFor(1);
    if (agent === undefined) throw new Error('expected an agent');
    const { body } = configure(1, { ...agent, settings: { ...agent.settings, intervalSeconds } });
    expect(body).toMatchObject({ config: { int: { check_interval: taken } } });
  },
);
