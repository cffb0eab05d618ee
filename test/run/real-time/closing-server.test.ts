import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { finishedRun } from './finished-run.ts';
import { total } from './sums.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server that closes each connection directly after its answer without announcing it, as some proxies do. */
async function serverThatCloses(): Promise<string> {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk;
      const [head = '', body = ''] = received.split('\r\n\r\n');
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
      const { agentuuid } = JSON.parse(body) as { agentuuid: string };
      const registers = head.includes('register_agent');
      const answer = registers ? JSON.stringify({ agentuuid, password: 'secret' }) : '{"received_checks":1}';
      const status = registers ? '201 Created' : '200 OK';
      // Later requests come too late.
      socket.removeAllListeners('data').on('data', () => socket.resetAndDestroy());
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`);
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
}

describe('a connection that is closed directly after the answer to a registration', () => {
  for (const identities of ['ephemeral', join(folder, 'fleet.db')]) {
    it(`loses hardly any first push, with ${identities === 'ephemeral' ? 'passwords in memory' : 'an identity file'}`, async () => {
      const summary = await finishedRun(`
target: { url: "${await serverThatCloses()}" }
fleet: { agents: 30, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${identities} }
phases: [{ name: enroll, duration: 1s, register: { over: 200ms } }]`);
      expect(total(summary, 'register', 'succeeded')).toBe(30);
      expect(total(summary, 'checkdata', 'started')).toBe(30);
      // A delayed server closes the connection later than it sends the answer.
      expect(total(summary, 'checkdata', 'failed')).toBeLessThan(10);
    });
  }
});
