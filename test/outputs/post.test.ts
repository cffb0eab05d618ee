import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { post } from '../../src/outputs/post.ts';

const PROXIES = { httpProxy: '', httpsProxy: '', noProxy: '' };

async function failureAt(path: string, limitMs: number): Promise<unknown> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const { signal } = new AbortController();
  return post({ url, proxies: PROXIES, headers: {}, tls: {} }, Buffer.from('{}'), {
    limitMs,
    signal,
    read: async ({ statusCode }) => statusCode,
  });
}

it('a receiver that does not answer costs its limit, and its failure says so without the path', async () => {
  expect(await failureAt('/secret', 40)).toEqual({ failure: 'no complete answer within 40ms' });
});

it('a user that is not percent-encoded is a failure without the user, no exception', async () => {
  const receiver = { url: 'http://a%zz:secret@127.0.0.1:9/', proxies: PROXIES, headers: {}, tls: {} };
  const { signal } = new AbortController();
  const posted = await post(receiver, Buffer.from('{}'), { limitMs: 1000, signal, read: async () => 0 });
  expect(posted).toEqual({ failure: 'URI malformed' });
});
