import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createHostServer } from '../../src/provisioning/server.ts';

afterEach(() => vi.useRealTimers());

it('waits five seconds after a stop for a request that the server does not answer, and no longer', async () => {
  const hung = createServer();
  await once(hung.listen(0, '127.0.0.1'), 'listening');
  const { port } = hung.address() as AddressInfo;
  const stopping = new AbortController();
  const server = createHostServer({
    ...{ url: `http://127.0.0.1:${port}`, apiKey: '', tls: { verify: true, ca: undefined } },
    ...{ turn: async () => {}, signal: stopping.signal },
  });
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
    hung.closeAllConnections();
    hung.close();
  }
});
