import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { ENDPOINT_PATHS } from '../../src/base/protocol/push.ts';
import type { MonitoringServerSettings } from '../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { faultsOf } from './faults/faults-of.ts';

const CERTIFICATES = `${import.meta.dirname}/../wire/transport/certificates`;
const given = {
  kind: 'given',
  certificate: readFileSync(`${CERTIFICATES}/server.pem`, 'utf8'),
  key: readFileSync(`${CERTIFICATES}/server.key`, 'utf8'),
} as const;
const own = { agentuuid: 'a', password: 'p' };

async function start(settings: Partial<MonitoringServerSettings> = {}) {
  const registrations = [{ uuid: 'a', password: 'p' }];
  const server = await startMonitoringServer({ registrations, tls: { kind: 'self_signed' }, ...settings });
  onTestFinished(() => server.stop());
  return server;
}

/** One push on a new connection, by a client that verifies the server. */
function push(
  { port, certificate }: MonitoringServer,
  hostname = '127.0.0.1',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const path = ENDPOINT_PATHS.submit_checkdata;
    const trust = { ca: certificate, agent: false } as const;
    const sent = request({ hostname, port, path, method: 'POST', ...trust }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.on('error', reject).end(JSON.stringify(own));
  });
}

async function secure({ port, certificate = '' }: MonitoringServer, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ca: certificate, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

describe('a server with a self-signed certificate', () => {
  it.each(['127.0.0.1', 'localhost'])('is trusted at %s by a client that trusts the certificate', async (hostname) => {
    const server = await start();
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    expect(await push(server, hostname)).toEqual({ status: 200, body: '{"received_checks":0}' });
  });

  it('uses TLS 1.2 or newer, and HTTP/1.1 even if a client also offers HTTP/2', async () => {
    const server = await start();
    const old = secure(server, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await expect(old).rejects.toThrow();
    const socket = await secure(server, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect([socket.getProtocol(), socket.alpnProtocol]).toEqual(['TLSv1.3', 'http/1.1']);
    socket.destroy();
  });

  it('keeps running if a client does not use TLS, or leaves during the handshake', async () => {
    const server = await start();
    const plain = connectTcp(server.port, '127.0.0.1', () => plain.write('GET / HTTP/1.1\r\n\r\n'));
    await new Promise((resolve) => plain.on('error', () => {}).on('close', resolve));
    const short = connectTcp(server.port, '127.0.0.1', () => short.write(Buffer.from([0x16, 3, 1])));
    await expect.poll(() => server.counts().openConnections).toBe(1);
    short.resetAndDestroy();
    await expect.poll(() => server.counts().openConnections).toBe(0);
    expect((await push(server)).status).toBe(200);
  });

  it('resets connections and cuts answers as it does without TLS', async () => {
    const server = await start({ faults: faultsOf({ do: 'reset' }) });
    await expect(push(server)).rejects.toThrow(/ECONNRESET|socket hang up/);
    server.setFaults(faultsOf({ do: 'half-answer' }));
    await expect(push(server)).rejects.toThrow('aborted');
    const socket = await secure(server);
    const broken = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
    server.setFaults(faultsOf({ do: 'outage' }));
    await broken;
    expect(server.counts()).toMatchObject({ withheld: 2, openConnections: 0 });
  });

  it('answers received requests when it stops', async () => {
    const server = await start();
    const socket = await secure(server);
    const received = text(socket);
    const body = JSON.stringify(own);
    socket.write(
      `POST ${ENDPOINT_PATHS.submit_checkdata} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => server.counts().receivedBytes).toBeGreaterThan(0);
    await server.stop();
    expect(await received).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a server with a given certificate', () => {
  it('presents that certificate', async () => {
    const server = await start({ tls: given });
    const socket = await secure(server, { rejectUnauthorized: false });
    const pem = socket.getPeerX509Certificate()?.toString();
    expect(given.certificate).toContain(pem?.trim());
    socket.destroy();
  });

  it('refuses to start if certificate and key do not match', async () => {
    const { certificate } = await start();
    await expect(start({ tls: { ...given, certificate: certificate ?? '' } })).rejects.toThrow(UserError);
    await expect(start({ tls: { ...given, key: 'no key' } })).rejects.toThrow(
      'The TLS certificate and key cannot be used',
    );
  });
});
