import { once } from 'node:events';
import { connect } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import { DEFAULT_SETTINGS } from '../../src/server/settings.ts';
import { type ServerThread, startServerThread } from '../../src/workers/server-thread.ts';
import { endIdleThreads } from '../../src/workers/threads.ts';
import { push } from '../server/push-client.ts';

let server: ServerThread | undefined;
afterEach(async () => {
  await server?.stop().catch(() => {});
});

describe('the embedded server at the end of a run', () => {
  it('reports all arrivals, including those of clients that did not wait for their answer', async () => {
    server = await startServerThread(DEFAULT_SETTINGS);
    await push(server.url, 'register_agent', { agentuuid: 'patient', password: '' });
    for (let n = 0; n < 20; n++) await pushAndLeave(server.url, { agentuuid: `hasty ${n}`, password: '' });
    const account = await server.observe();
    expect(account?.arrivals.uuids.toSorted()).toEqual(
      ['patient', ...Array.from({ length: 20 }, (_, n) => `hasty ${n}`)].toSorted(),
    );
    expect(account?.observations.operations.register.received).toBe(21);
    expect(await server.observe()).toEqual(account);
  });

  it('does not delay the caller beyond its time limit', async () => {
    // The time limit expires immediately, before any answer.
    server = await startServerThread(DEFAULT_SETTINGS, (_, act) => {
      act();
      return () => {};
    });
    expect(await server.observe()).toBeUndefined();
    await server.stop();
  });

  it('does not delay the caller if its thread has ended', async () => {
    await endIdleThreads();
    const started = once(process, 'worker') as Promise<[Worker]>;
    server = await startServerThread(DEFAULT_SETTINGS);
    const [worker] = await started;
    await worker.terminate();
    expect(await server.observe()).toBeUndefined();
    await expect(server.stop()).rejects.toThrow();
  });
});

/** Sends a whole request and closes the connection immediately. */
async function pushAndLeave(url: string, document: object): Promise<void> {
  const body = JSON.stringify(document);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = `POST ${ENDPOINT_PATHS.register_agent} HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n`;
  await new Promise((sent) => socket.write(head + body, sent));
  socket.destroy();
}
