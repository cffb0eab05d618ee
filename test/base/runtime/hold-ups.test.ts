import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { watchHoldUps } from '../../../src/base/runtime/event-loop.ts';

it('all connections that waited at one port while the loop was busy have waited, not the first alone', async () => {
  const watch = watchHoldUps();
  const waited: number[] = [];
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    waited.push(watch.heldUpMs());
    accepted.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const { promise: turned, resolve } = Promise.withResolvers<void>();
  setImmediate(resolve);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  await turned;
  await expect.poll(() => waited.length).toBe(20);
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
  watch.stop();
  expect(waited.filter((heldUpMs) => heldUpMs > 100)).toHaveLength(20);
});
