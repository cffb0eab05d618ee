import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createHostServer } from '../../src/provisioning/server.ts';

afterEach(() => vi.useRealTimers());

async function hungServer() {
  const hung = createServer();
  await once(hung.listen(0, '127.0.0.1'), 'listening');
  const { port } = hung.address() as AddressInfo;
  const stopping = new AbortController();
  const server = createHostServer({
    ...{ url: `http://127.0.0.1:${port}`, apiKey: '', tls: { verify: true, ca: undefined } },
    ...{ turn: async () => {}, signal: stopping.signal },
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
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    let change: unknown;
    const received = once(hung, 'request');
    const changed = server.change({ path: '/hosts/add.json', body: {} }).then((answer) => {
      change = answer;
    });
    await received;
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(299_000);
    await new Promise(setImmediate);
    expect(change).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5000);
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
