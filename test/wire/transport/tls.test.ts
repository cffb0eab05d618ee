import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/wire/transport/transport.ts';
import { CREDENTIALS, listen, type Probe, probe, SETTINGS, turns, until } from './wire.ts';

const certificates = join(import.meta.dirname, 'certificates');
/** SHA-256 of the received bodies. */
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

/** What a ClientHello offers (RFC 8446, section 4.1.2): hexadecimal numbers, in their order. */
type Offer = { readonly suites: readonly string[]; readonly extensions: ReadonlyMap<string, Buffer> };

function offerIn(record: Buffer): Offer {
  const recordAndMessageHead = 5 + 4;
  let at = recordAndMessageHead + 2 + 32;
  at += 1 + record.readUInt8(at);
  const suitesEnd = at + 2 + record.readUInt16BE(at);
  const suites = numbersIn(record.subarray(at + 2, suitesEnd));
  at = suitesEnd + 1 + record.readUInt8(suitesEnd);
  const end = at + 2 + record.readUInt16BE(at);
  const extensions = new Map<string, Buffer>();
  for (at += 2; at < end; at += 4 + record.readUInt16BE(at + 2)) {
    extensions.set(record.toString('hex', at, at + 2), record.subarray(at + 4, at + 4 + record.readUInt16BE(at + 2)));
  }
  return { suites, extensions };
}

function numbersIn(bytes: Buffer | undefined): readonly string[] {
  return bytes?.toString('hex').match(/..../g) ?? [];
}

/** The JA4 fingerprint of a ClientHello with a server name. */
function ja4({ suites, extensions }: Offer): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
  const alpn = extensions.get('0010')?.toString('latin1', 3) ?? '00';
  const protocol = alpn[0] + (alpn.startsWith('h2') ? '2' : (alpn.at(-1) ?? ''));
  const named = [...extensions.keys()].filter((name) => !['0000', '0010'].includes(name)).toSorted();
  const signatures = numbersIn(extensions.get('000d')).slice(1);
  const counts = [suites, [...extensions.keys()]].map(({ length }) => String(length).padStart(2, '0')).join('');
  return `t13d${counts}${protocol}_${hash(suites.toSorted().join(','))}_${hash(`${named.join(',')}_${signatures.join(',')}`)}`;
}

const ACCEPTED = { kind: 'answer', status: 200 };

describe('a TLS target', () => {
  function agent(tls: { verify: boolean; ca: string | undefined }, host = '127.0.0.1'): Probe {
    const made = probe({ baseUrl: `https://${host}:${port}`, tls });
    open.push(made);
    return made;
  }

  it('is refused if no known authority signed its certificate', async () => {
    const { ending } = await agent({ verify: true, ca: undefined }).push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
  });

  it('is trusted with the authority that signed its certificate, by address and by name', async () => {
    const ca = readFileSync(join(certificates, 'authority.pem'), 'utf8');
    expect((await agent({ verify: true, ca }).push(0)).ending).toMatchObject(ACCEPTED);
    expect((await agent({ verify: true, ca }, 'localhost').push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('is accepted with any certificate if verification is off', async () => {
    expect((await agent({ verify: false, ca: undefined }).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('without HTTP/2 is used over HTTP/1.1, through ALPN if it is verified', async () => {
    protocols.length = 0;
    await agent({ verify: true, ca: readFileSync(join(certificates, 'authority.pem'), 'utf8') }).push(0);
    await agent({ verify: false, ca: undefined }).push(0);
    expect(protocols).toEqual(['http/1.1', false]);
  });

  it('gets a full handshake for every connection: the real agent does not resume sessions', async () => {
    handshakes.resumed = 0;
    const agents = agent({ verify: false, ca: undefined });
    for (const number of [0, 1, 2]) await agents.push(number);
    expect(handshakes.resumed).toBe(0);
  });

  async function helloOf(tls: { verify: boolean; ca: undefined }): Promise<Offer> {
    const hello = Promise.withResolvers<Buffer>();
    const server = createTcpServer((socket) => {
      socket.once('data', (data) => {
        hello.resolve(Buffer.from(data));
        socket.destroy();
      });
    });
    try {
      const made = probe({ baseUrl: `https://localhost:${await listen(server)}`, tls });
      open.push(made);
      const end = made.push(0);
      const offer = offerIn(await hello.promise);
      await end;
      return offer;
    } finally {
      server.close();
    }
  }

  it("is offered what the real agent offers, even if OpenSSL's settings permit more", async () => {
    const ciphers = tls.DEFAULT_CIPHERS;
    tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
    try {
      const offer = await helloOf({ verify: false, ca: undefined });
      expect(offer.suites).toEqual('1301 1302 1303 c02b c02f c02c c030 cca9 cca8 c009 c013 c00a c014'.split(' '));
      expect(numbersIn(offer.extensions.get('000a')).slice(1)).toEqual('11ec 001d 0017 0018 0019'.split(' '));
      expect(numbersIn(offer.extensions.get('000d')).slice(1)).toEqual(
        '0804 0403 0807 0805 0806 0401 0501 0601 0503 0603 0201 0203'.split(' '),
      );
      expect(offer.extensions.get('002b')?.toString('hex')).toBe('0403040303');
      // The certificate status is requested; there is no ticket, and no ALPN.
      const others = [...offer.extensions.keys()].filter((name) => ['0005', '0010', '0016', '0023'].includes(name));
      expect(others).toEqual(['0005']);
      expect(ja4(offer)).toBe('t13d131000_f57a46bbacb6_7f3f8df39190');
    } finally {
      tls.DEFAULT_CIPHERS = ciphers;
    }
  });

  it('is offered HTTP/2 and HTTP/1.1 through ALPN if it is verified', async () => {
    const offer = await helloOf({ verify: true, ca: undefined });
    expect(offer.extensions.get('0010')?.toString('latin1')).toBe('\0\x0c\x02h2\x08http/1.1');
    expect(ja4(offer)).toBe('t13d1311h2_f57a46bbacb6_7f3f8df39190');
  });

  it('is trusted if its own certificate is, without the authority that signed it', async () => {
    const ca = CREDENTIALS.cert.toString();
    expect((await agent({ verify: true, ca }).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('gets a close_notify when an agent aborts a request', async () => {
    const ends: Buffer[] = [];
    const silent = tls.createServer({ ...CREDENTIALS, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.on('error', () => {}).on('data', () => {});
    });
    const silentPort = await listen(silent);
    let fromAgent = 0;
    const wire = createTcpServer((socket) => {
      const onward = connect(silentPort, '127.0.0.1');
      socket
        .on('error', () => {})
        .pipe(onward)
        .on('error', () => {})
        .pipe(socket);
      socket.on('data', (data: Buffer) => {
        fromAgent++;
        ends.push(data);
      });
    });
    try {
      const made = probe({
        baseUrl: `https://127.0.0.1:${await listen(wire)}`,
        tls: { verify: false, ca: undefined },
      });
      open.push(made);
      void made.push(0);
      // The ClientHello, the key exchange with Finished, and the request.
      await until(() => fromAgent >= 3);
      await turns(3);
      made.transport.abort(0);
      await until(() => fromAgent >= 4);
      const ALERT = 21;
      expect(ends.at(-1)?.[0]).toBe(ALERT);
    } finally {
      wire.close();
      silent.close();
    }
  });

  it('gets the short requests of many agents from one buffer, because TLS copies them when they are written', async () => {
    const buffers = new Set<ArrayBufferLike>();
    let ended = 0;
    const transport = createTransport(
      { ...SETTINGS, baseUrl: `https://127.0.0.1:${port}`, tls: { verify: false, ca: undefined } },
      {
        started: () => {},
        buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
        openBody: () => ({
          roomBytes: 2,
          write: (out, offset) => {
            buffers.add(out.buffer);
            return offset + out.write('{}', offset, 'latin1');
          },
        }),
        ended: () => {
          ended++;
        },
      },
    );
    const pushAll = async (): Promise<void> => {
      ended = 0;
      for (let agent = 0; agent < 20; agent++) transport.send(agent, 'submit_checkdata');
      await until(() => ended === 20);
    };
    await pushAll();
    // Once connected, all of them write within one turn of the event loop.
    buffers.clear();
    await pushAll();
    await transport.close();
    expect(buffers.size).toBe(1);
  });

  it('receives long bodies completely, from many agents at the same time', async () => {
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

  it('fails a plain HTTP request instead of leaving it unanswered', async () => {
    const plain = probe({ baseUrl: `http://127.0.0.1:${port}` });
    open.push(plain);
    expect((await plain.push(0)).ending.kind).toBe('failure');
  });
});
