import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { type Probe, probe } from './wire.ts';

const certificates = join(import.meta.dirname, 'certificates');
const handshakes = { resumed: 0, full: 0 };
const protocols: unknown[] = [];
const server = createServer(
  { key: readFileSync(join(certificates, 'server.key')), cert: readFileSync(join(certificates, 'server.pem')) },
  (request, response) => request.resume().on('end', () => response.end('{"received_checks":1}')),
).on('secureConnection', (socket) => {
  handshakes[socket.isSessionReused() ? 'resumed' : 'full']++;
  protocols.push(socket.alpnProtocol);
});
const open: Probe[] = [];
let port = 0;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  for (const { transport } of open) await transport.close();
  server.close();
});

function agent(tls: { verify: boolean; caFile: string | undefined }, host = '127.0.0.1'): Probe {
  const made = probe({ baseUrl: `https://${host}:${port}`, tls });
  open.push(made);
  return made;
}

const ACCEPTED = { kind: 'answer', status: 200 };

describe('a TLS target', () => {
  it('is refused when nobody vouches for its certificate', async () => {
    const { ending } = await agent({ verify: true, caFile: undefined }).push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
  });

  it('is trusted with the authority that signed it, by address and by name', async () => {
    const caFile = join(certificates, 'authority.pem');
    expect((await agent({ verify: true, caFile }).push(0)).ending).toMatchObject(ACCEPTED);
    expect((await agent({ verify: true, caFile }, 'localhost').push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('is taken as it is when verification is switched off', async () => {
    expect((await agent({ verify: false, caFile: undefined }).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('is offered HTTP/1.1 by ALPN if it is verified, and nothing if not', async () => {
    protocols.length = 0;
    await agent({ verify: true, caFile: join(certificates, 'authority.pem') }).push(0);
    await agent({ verify: false, caFile: undefined }).push(0);
    expect(protocols).toEqual(['http/1.1', false]);
  });

  it('sees a full handshake for every connection: the real agent does not resume sessions', async () => {
    handshakes.resumed = 0;
    const agents = agent({ verify: false, caFile: undefined });
    for (const number of [0, 1, 2]) await agents.push(number);
    expect(handshakes.resumed).toBe(0);
  });

  it('cannot be asked with an authority file that is none', () => {
    const caFile = join(certificates, 'missing.pem');
    expect(() => agent({ verify: true, caFile })).toThrow(UserError);
    expect(() => agent({ verify: true, caFile })).toThrow(caFile);
  });

  it('answers plain HTTP with a failure, not with silence', async () => {
    const plain = probe({ baseUrl: `http://127.0.0.1:${port}` });
    open.push(plain);
    expect((await plain.push(0)).ending.kind).toBe('failure');
  });
});
