import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createListener } from '../../src/http/listener.ts';

const NOBODY = 65_534;
const PORT = 83;

it.skipIf(isOpenToAll(PORT))('a port that this user may not open is refused with one sentence', async () => {
  // What root may do is not taken from the user, but from what this process counts as until the test is over.
  if (process.geteuid?.() === 0) {
    process.seteuid?.(NOBODY);
    onTestFinished(() => process.seteuid?.(0));
  }
  await expect(createListener({ host: '127.0.0.1', port: PORT }, () => {}).open()).rejects.toThrow(
    `Muster cannot listen on 127.0.0.1:${PORT}: this user may not open that port; choose one from 1024 up`,
  );
});

function isOpenToAll(port: number): boolean {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) <= port;
  } catch {
    return process.platform !== 'linux';
  }
}
