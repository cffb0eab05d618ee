import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIALS, listen, type Probe, probe } from './wire.ts';

const certificates = join(import.meta.dirname, 'certificates');
/** Of the bodies that came. */
const digests: string[] = [];
const handshakes = { resumed: 0, full: 0 };
const protocols: unknown[] = [];
const server = createServer(CREDENTIALS, (request, response) => {
  const sha = createHash('sha256');
  request
    .on('data', (chunk) => sha.update(chunk))
    .on('end', () => {
      digests.push(sha.digest('hex'));
      response.end('{"received_checks":1}');
    });
}).on('secureConnection', (socket) => {
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

/** The extension supported_versions of a ClientHello (RFC 8446, sections 4.1.2 and 4.2.1). */
function offeredVersions(record: Buffer): readonly number[] {
  const recordAndMessageHead = 5 + 4;
  let at = recordAndMessageHead + 2 + 32;
  at += 1 + record.readUInt8(at);
  at += 2 + record.readUInt16BE(at);
  at += 1 + record.readUInt8(at);
  const end = at + 2 + record.readUInt16BE(at);
  for (at += 2; at < end; at += 4 + record.readUInt16BE(at + 2)) {
    if (record.readUInt16BE(at) !== 43) continue;
    const count = record.readUInt8(at + 4) / 2;
    return Array.from({ length: count }, (_, n) => record.readUInt16BE(at + 5 + 2 * n));
  }
  return [];
}

const ACCEPTED = { kind: 'answer', status: 200 };

describe('a TLS target', () => {
  function agent(tls: { verify: boolean; ca: string | undefined }, host = '127.0.0.1'): Probe {
    const made = probe({ baseUrl: `https://${host}:${port}`, tls });
    open.push(made);
    return made;
  }

  it('is refused when nobody vouches for its certificate', async () => {
    const { ending } = await agent({ verify: true, ca: undefined }).push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
  });

  it('is trusted with the authority that signed it, by address and by name', async () => {
    const ca = readFileSync(join(certificates, 'authority.pem'), 'utf8');
    expect((await agent({ verify: true, ca }).push(0)).ending).toMatchObject(ACCEPTED);
    expect((await agent({ verify: true, ca }, 'localhost').push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('is taken as it is when verification is switched off', async () => {
    expect((await agent({ verify: false, ca: undefined }).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('is offered HTTP/1.1 by ALPN if it is verified, and nothing if not', async () => {
    protocols.length = 0;
    await agent({ verify: true, ca: readFileSync(join(certificates, 'authority.pem'), 'utf8') }).push(0);
    await agent({ verify: false, ca: undefined }).push(0);
    expect(protocols).toEqual(['http/1.1', false]);
  });

  it('sees a full handshake for every connection: the real agent does not resume sessions', async () => {
    handshakes.resumed = 0;
    const agents = agent({ verify: false, ca: undefined });
    for (const number of [0, 1, 2]) await agents.push(number);
    expect(handshakes.resumed).toBe(0);
  });

  it('is offered TLS 1.2 and 1.3, also where the settings of OpenSSL permit older ones', async () => {
    const ciphers = tls.DEFAULT_CIPHERS;
    tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
    const hello = Promise.withResolvers<Buffer>();
    const server = createTcpServer((socket) => {
      socket.once('data', (data) => {
        hello.resolve(Buffer.from(data));
        socket.destroy();
      });
    });
    try {
      const made = probe({ baseUrl: `https://127.0.0.1:${await listen(server)}` });
      open.push(made);
      const end = made.push(0);
      expect(offeredVersions(await hello.promise)).toEqual([0x0304, 0x0303]);
      await end;
    } finally {
      tls.DEFAULT_CIPHERS = ciphers;
      server.close();
    }
  });

  it('receives long bodies whole, from many agents at once', async () => {
    const bodies = Array.from({ length: 8 }, (_, number) => String(number).repeat(100_000 + number));
    const agents = agent({ verify: false, ca: undefined });
    digests.length = 0;
    const ends = await Promise.all(bodies.map((body, number) => agents.push(number, body)));
    for (const [number, { ending, traffic }] of ends.entries()) {
      expect(ending).toMatchObject(ACCEPTED);
      expect(traffic.sentBytes).toBeGreaterThan(100_000 + number);
    }
    const sent = bodies.map((body) => createHash('sha256').update(body).digest('hex'));
    expect(digests.toSorted()).toEqual(sent.toSorted());
  });

  it('answers plain HTTP with a failure, not with silence', async () => {
    const plain = probe({ baseUrl: `http://127.0.0.1:${port}` });
    open.push(plain);
    expect((await plain.push(0)).ending.kind).toBe('failure');
  });
});
