import { describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { muster } from './muster.ts';

/** Starts `muster serve` on a free port; `url` resolves once it listens. */
function serve(args: readonly string[] = []) {
  const url = Promise.withResolvers<string>();
  let stop = () => {};
  let stderr = '';
  const end = runMuster(['serve', '--listen', '127.0.0.1:0', ...args], {
    stdout: { write: (text) => url.resolve(text.trim()) },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    cwd: import.meta.dirname,
    onInterrupt: (listener) => {
      stop = listener;
      return () => undefined;
    },
  });
  return { url: url.promise, stop: () => stop(), end, words: () => stderr };
}

const AGENT = {
  agentuuid: '6a3c5a3e-1f0b-4f59-9b1e-0d8d2c7a1b11',
  password: '',
  hostname: 'h',
  ipaddress: '127.0.0.1',
};

function register(url: string, key: string): Promise<Response> {
  return fetch(`${url}/agentconnector/register_agent.json`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `X-OITC-API ${key}` },
    body: JSON.stringify(AGENT),
  });
}

describe('serve', () => {
  it('answers agents until it is interrupted, and then says how many there were', async () => {
    const server = serve();
    expect((await register(await server.url, 'any')).status).toBe(201);
    server.stop();
    expect(await server.end).toBe(0);
    expect(server.words()).toContain('agents registered: 1');
  });

  it('demands the key it was given', async () => {
    const server = serve(['--api-key', 'right']);
    const url = await server.url;
    expect((await register(url, 'right')).ok).toBe(true);
    expect((await register(url, 'wrong')).ok).toBe(false);
    server.stop();
    await server.end;
  });

  it('ends with 104 where it cannot listen', async () => {
    expect(await muster(['serve', '--listen', 'nowhere'])).toMatchObject({ code: 104, stdout: '' });
  });
});
