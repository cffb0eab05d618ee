import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { createSecureContext, TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import type { Address } from '../../../src/base/kernel/address.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';
import type { TlsAcceptor, TlsSetup } from '../../../src/wire/web-server/tls/tls-acceptor.ts';
import { createFleet, exchange, get } from './fleet.ts';

const forgotten: number[] = [];

/** Admits every client. */
const acceptor: TlsAcceptor = {
  accept: (socket, _, { certificateChain, key }, { admitted }) => {
    const secureContext = createSecureContext({ cert: certificateChain, key });
    admitted(new TLSSocket(socket, { isServer: true, secureContext }));
  },
  forget: (agent) => forgotten.push(agent),
};

function getOverTls(at: Address, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ...at, path, rejectUnauthorized: false, agent: false } as const;
    request(options, (response) => resolve(text(response)))
      .on('error', reject)
      .end();
  });
}

it('an agent changes from plain HTTP to TLS and back on the same port, and its cached TLS context is dropped', async () => {
  const { certificate, key } = await selfSigned(['localhost']);
  const tls: TlsSetup = { certificateChain: certificate, key, clientCa: undefined, level: 'lax' };
  const body = Buffer.alloc(200_000, 'x');
  const { servers, setup, addressOf, calls } = createFleet({ checkdata: () => body }, {}, acceptor);
  await servers.open([[0, setup(0)]]);
  await exchange(addressOf(0), get('/'));
  servers.apply(0, setup(0, { tls }));
  await expect.poll(() => servers.listening()).toBe(1);
  expect(await getOverTls(addressOf(0), '/')).toBe(body.toString());
  expect(await getOverTls(addressOf(0), '/nope')).toBe('404 page not found\n');
  servers.apply(0, setup(0));
  await expect.poll(() => servers.listening()).toBe(1);
  expect(await exchange(addressOf(0), get('/'))).toMatch(/^HTTP\/1.1 200 /);
  expect(forgotten).toEqual([0, 0]);
  expect(calls.map(({ given }) => given[2])).toEqual(['ok', 'ok', 'http_404', 'ok']);
});
