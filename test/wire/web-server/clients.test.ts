import { execFile, execFileSync } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgent } from './fleet.ts';

const run = promisify(execFile);

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe('node:http', () => {
  it('sends a hundred requests over one connection, and gets each body completely', async () => {
    const body = 'x'.repeat(200_000);
    const { at } = await openAgent({ basicAuth: 'a:b' }, { checkdata: () => Buffer.from(body) });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const localPorts = new Set<number | undefined>();
    for (let i = 0; i < 100; i++) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request({ ...at, agent, auth: 'a:b' }, resolve)
          .on('error', reject)
          .end();
      });
      localPorts.add(response.socket.localPort);
      expect(await text(response)).toBe(body);
    }
    expect(localPorts.size).toBe(1);
  });
});

describe.skipIf(!hasCurl())('curl (skipped if curl is not installed)', () => {
  const curl = (...args: readonly string[]) =>
    run('curl', ['--silent', '--show-error', '--max-time', '30', '--write-out', '\n%{http_code}', ...args]);

  it('reads check data with a password', async () => {
    const { at } = await openAgent({ basicAuth: 'user:pa:ss' });
    const url = `http://${at.host}:${at.port}/`;
    expect((await curl('--user', 'user:pa:ss', url)).stdout).toBe('{}\n200');
    expect((await curl('--user', 'user:pa', url)).stdout).toBe('Forbidden\n\n403');
  });

  it('pushes a configuration, and sends its body only after a 100 Continue', async () => {
    const { at, calls } = await openAgent({ configPush: true });
    const configuration = Buffer.alloc(300_000, '; padding\n').toString();
    const body = JSON.stringify({ configuration: Buffer.from(configuration).toString('base64') });
    const pushing = curl(
      '--header',
      'Expect: 100-continue',
      '--data-binary',
      '@-',
      `http://${at.host}:${at.port}/config`,
    );
    pushing.child.stdin?.end(body);
    expect((await pushing).stdout).toBe('\n200');
    expect(calls[0]?.given[1]).toEqual({ configuration, customChecks: '', exporters: '' });
  });

  it('fails a TLS handshake with an agent without TLS, as the monitoring server expects', async () => {
    const { at } = await openAgent();
    await expect(curl('--insecure', `https://${at.host}:${at.port}/`)).rejects.toMatchObject({ code: 35 });
  });

  it('gets an answer over HTTP/1.0', async () => {
    const { at } = await openAgent({}, { checkdata: () => Buffer.alloc(5000, 'x') });
    expect((await curl('--http1.0', `http://${at.host}:${at.port}/`)).stdout).toBe(`${'x'.repeat(5000)}\n200`);
  });
});
