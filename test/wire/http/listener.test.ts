import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { NotYetError } from '../../../src/base/kernel/errors.ts';
import { createListener, hasLastDescriptor } from '../../../src/wire/http/listener.ts';

const NOBODY = 65_534;
const PORT = 83;

it.skipIf(isOpenToAll(PORT))('a port that this user may not open is refused with one sentence', async () => {
  // If the test runs as root, the process drops its effective user until the test ends.
  if (process.geteuid?.() === 0) {
    process.seteuid?.(NOBODY);
    onTestFinished(() => process.seteuid?.(0));
  }
  await expect(createListener({ host: '127.0.0.1', port: PORT }, () => {}).open()).rejects.toThrow(
    `Muster cannot listen on 127.0.0.1:${PORT}: this user may not open that port; choose 1024 or higher`,
  );
});

it('an address of no interface, which may come up later, is refused with the addresses that there are', async () => {
  const opening = createListener({ host: '192.0.2.1', port: 0 }, () => {}).open();
  await expect(opening).rejects.toThrow(NotYetError);
  await expect(opening).rejects.toThrow(
    /^Muster cannot listen on 192\.0\.2\.1:0: no interface of this machine has this address; theirs are .*127\.0\.0\.1.*; correct it if it is mistyped\.$/,
  );
});

it.skipIf(process.platform !== 'linux')(
  'a connection has one of the last descriptors if fewer than 32 remain above its own',
  async () => {
    const accepted = Promise.withResolvers<Socket>();
    const listener = createListener({ host: '127.0.0.1', port: 0 }, accepted.resolve);
    const client = connect({ host: '127.0.0.1', port: await listener.open() });
    const socket = await accepted.promise;
    onTestFinished(() => {
      listener.down();
      client.destroy();
      socket.destroy();
    });
    const limits = Array.from({ length: 70_000 }, (_, limit) => limit);
    const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
    expect(limits.find((limit) => !hasLastDescriptor(socket, limit))).toBe(fd + 33);
    expect(hasLastDescriptor(socket, Number.POSITIVE_INFINITY)).toBe(false);
  },
);

it('failed attempts to open a port in use leave no warnings or listeners behind', async () => {
  const [taken, warnings] = [createListener({ host: '127.0.0.1', port: 0 }, () => {}), [] as string[]];
  const port = await taken.open();
  const heed = (warning: Error) => warnings.push(warning.message);
  process.on('warning', heed);
  const listener = createListener({ host: '127.0.0.1', port }, () => {});
  for (let tries = 0; tries < 30; tries++) await expect(listener.open()).rejects.toThrow('the port is in use');
  taken.down();
  await expect.poll(() => listener.open().catch(() => 0)).toBe(port);
  listener.down();
  process.off('warning', heed);
  expect(warnings).toEqual([]);
});

function isOpenToAll(port: number): boolean {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) <= port;
  } catch {
    return process.platform !== 'linux';
  }
}
