import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TlsLevel } from '../../../../src/base/protocol/pull.ts';
import type { TlsSetup } from '../../../../src/wire/web-server/tls/tls-acceptor.ts';
import { type Authority, type Issued, makeAuthority, SHORT_KEY } from '../authority.ts';

import { type Gate, openGate } from './gate.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

let authority: Authority;
let foreign: Authority;
let agent: Issued;
let mutual: TlsSetup;
let oneSided: TlsSetup;
const gates: Gate[] = [];

beforeAll(async () => {
  authority = await makeAuthority();
  foreign = await makeAuthority();
  agent = await authority.issue();
  mutual = setupOf(authority.certificate);
  oneSided = setupOf(undefined);
});

afterEach(async () => {
  vi.useRealTimers();
  for (const gate of gates.splice(0)) await gate.close();
});

function setupOf(clientCa: string | undefined, level: TlsLevel = 'lax'): TlsSetup {
  return { certificateChain: agent.certificate + authority.certificate, key: agent.key, clientCa, level };
}

async function open(setup: TlsSetup, limits: Parameters<typeof openGate>[1] = {}): Promise<Gate> {
  const gate = await openGate(setup, limits);
  gates.push(gate);
  return gate;
}

type Client = ConnectionOptions & { readonly identity?: Issued };

function clientOf(gate: Gate, { identity, ...options }: Client): TLSSocket {
  return connect({
    host: '127.0.0.1',
    port: gate.port,
    rejectUnauthorized: false,
    ...(identity && { cert: identity.certificate, key: identity.key }),
    ...options,
  });
}

/** The result of one request: status line and body, or the alert or code of the error. */
async function ask(gate: Gate, client: Client = {}): Promise<string> {
  const socket = clientOf(gate, client);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(REQUEST);
  const failure = new Promise<string>((resolve) =>
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(alertOf(error) ?? error.code ?? '')),
  );
  const end = once(socket, 'close').then(() =>
    text === '' ? 'closed' : `${text.split('\r\n')[0]} ${text.split('\r\n\r\n')[1]}`,
  );
  return Promise.race([failure, end]);
}

function alertOf({ message }: Error): string | undefined {
  return /alert [a-z ]+/.exec(message)?.[0];
}

async function sayPlainly(gate: Gate, ...parts: readonly string[]): Promise<string> {
  const socket = connectPlainly(gate.port, '127.0.0.1').setNoDelay();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'connect');
  for (const part of parts) {
    socket.write(part, 'latin1');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, 'close').catch(() => {});
  return text;
}

const SERVED = 'HTTP/1.1 200 OK served';

describe('TLS', () => {
  it('serves any client if the agent requires no certificate', async () => {
    const gate = await open(oneSided);
    expect(await ask(gate)).toBe(SERVED);
  });

  it("admits the authority's own certificate, which the monitoring server presents", async () => {
    const gate = await open(mutual);
    expect(await ask(gate, { identity: authority })).toBe(SERVED);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('admits another certificate of that authority (%s)', async (maxVersion) => {
    const gate = await open(mutual);
    expect(await ask(gate, { identity: await authority.issue(), maxVersion })).toBe(SERVED);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('admits a short key, as Go does (%s)', async (maxVersion) => {
    const gate = await open(mutual);
    const identity = await authority.issue(30, SHORT_KEY);
    expect(await ask(gate, { identity, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' })).toBe(SERVED);
  });

  it('admits the certificate of an authority whose key may only sign certificates', async () => {
    const signing = await makeAuthority('CN=a', 'certificates');
    const other = await makeAuthority('CN=b', 'certificates');
    const gate = await open(setupOf(authority.certificate + signing.certificate));
    expect(await ask(gate, { identity: signing })).toBe(SERVED);
    expect(await ask(gate, { identity: other })).toContain('alert');
  });

  it("presents its own certificate followed by the authority's", async () => {
    const gate = await open(mutual);
    const client = clientOf(gate, { identity: authority });
    await once(client, 'secureConnect');
    const chain = client.getPeerCertificate(true);
    expect([chain.subject.CN, chain.issuerCertificate.subject.CN]).toEqual(['subject', 'muster.agentserver.oitc']);
    client.destroy();
  });

  it.each([
    ['TLSv1.3', 'alert certificate required'],
    ['TLSv1.2', 'alert handshake failure'],
  ] as const)("sends the real agent's alert to a client without a certificate (%s)", async (maxVersion, code) => {
    const gate = await open(mutual);
    expect(await ask(gate, { maxVersion })).toBe(code);
    expect(gate.served()).toBe(0);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'refuses certificates of other authorities, and expired ones (%s)',
    async (maxVersion) => {
      const gate = await open(mutual);
      const refused = [foreign, await foreign.issue(), await authority.issue(0.5)];
      for (const identity of refused) expect(await ask(gate, { identity, maxVersion })).not.toContain('served');
      expect(gate.served()).toBe(0);
    },
  );

  it.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    "reports the problem of a certificate with the real agent's alerts (TLS 1.3, %s)",
    async (ciphers) => {
      const gate = await open(mutual);
      const foreignLeaf = await foreign.issue();
      expect(await ask(gate, { ciphers })).toBe('alert certificate required');
      expect(await ask(gate, { ciphers, identity: foreign })).toBe('alert unknown ca');
      expect(await ask(gate, { ciphers, identity: foreignLeaf })).toBe('alert unknown ca');
      expect(await ask(gate, { ciphers, identity: await authority.issue(0.5) })).toBe('alert certificate expired');
    },
  );

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('reports how each handshake ended (%s)', async (maxVersion) => {
    const gate = await open(mutual);
    const clients: readonly Client[] = [
      { identity: authority },
      {},
      { identity: foreign },
      { identity: await foreign.issue() },
      { identity: await authority.issue(0.5) },
    ];
    const expected = ['admitted', 'certificate_required', 'unknown_ca', 'unknown_ca', 'certificate_expired'];
    for (const [index, client] of clients.entries()) {
      await ask(gate, { ...client, maxVersion });
      await expect.poll(() => gate.ends).toEqual(expected.slice(0, index + 1));
    }
  });

  it('reports why clients completed no handshake', async () => {
    const gate = await open(mutual, { handshakeMs: 200 });
    await sayPlainly(gate, REQUEST);
    await sayPlainly(gate, 'SSH-2.0-x\r\n');
    expect(gate.ends).toEqual(['plain_http', 'not_tls']);
    await ask(gate, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' });
    await expect.poll(() => gate.ends.at(-1)).toBe('handshake_failed');
    await sayPlainly(gate, '\u0016\u0003\u0001\u0001\u0000');
    await expect.poll(() => gate.ends.at(-1)).toBe('handshake_timeout');
    const leaving = connectPlainly(gate.port, '127.0.0.1');
    leaving.write(Buffer.from([0x16, 3, 1, 1, 0]), () => leaving.resetAndDestroy());
    await expect.poll(() => gate.ends.at(-1)).toBe('broken off');
    const silent = connectPlainly(gate.port, '127.0.0.1');
    await expect.poll(() => gate.sockets.size).toBe(1);
    silent.destroy();
    await expect.poll(() => gate.sockets.size).toBe(0);
    expect(gate.ends).toEqual(['plain_http', 'not_tls', 'handshake_failed', 'handshake_timeout', 'broken off']);
  });

  it('closes refused connections', async () => {
    const gate = await open(mutual);
    for (let n = 0; n < 5; n++) await ask(gate, { identity: foreign });
    await Promise.all([...gate.sockets].map((socket) => once(socket, 'close')));
    expect(gate.sockets.size).toBe(0);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('gives a refused client no session to resume (%s)', async (maxVersion) => {
    const gate = await open(mutual);
    const client = clientOf(gate, { identity: foreign, maxVersion }).on('error', () => {});
    let sessions = 0;
    client.on('session', () => sessions++);
    await new Promise((resolve) => client.once('close', resolve));
    expect(sessions).toBe(0);
  });

  it('admits no client with a session from before its authority was replaced', async () => {
    const gate = await open(mutual);
    const client = clientOf(gate, { identity: authority }).resume();
    const [session] = await once(client, 'session');
    client.destroy();
    expect(await ask(gate, { identity: authority, session })).toBe(SERVED);
    gate.let(setupOf(foreign.certificate));
    expect(await ask(gate, { identity: authority, session })).toBe('alert unknown ca');
  });

  it('answers plain HTTP with a bare 400 and closes', async () => {
    const gate = await open(mutual);
    const answer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';
    expect(await sayPlainly(gate, REQUEST)).toBe(answer);
    expect(await sayPlainly(gate, 'PO', 'ST /config HTTP/1.1\r\n\r\n')).toBe(answer);
  });

  it.each([['SSH-2.0-x\r\n'], ['\u0080\u002e\u0001\u0003\u0001'], ['DELETE / HTTP/1.1\r\n\r\n']])(
    'closes without an answer on other input: %j',
    async (words) => {
      const gate = await open(mutual);
      expect(await sayPlainly(gate, words)).toBe('');
    },
  );

  it('closes if a client leaves before its protocol is known', async () => {
    const gate = await open(mutual);
    const socket = connectPlainly(gate.port, '127.0.0.1');
    socket.end('GE').resume();
    await once(socket, 'close');
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('closes if a client leaves during its %s handshake', async (version) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const gate = await open(mutual);
    const socket = connectPlainly({ host: '127.0.0.1', port: gate.port, allowHalfOpen: true }).resume();
    const hello = new Duplex({
      read: () => {},
      write: (bytes, _, done) => {
        socket.end(bytes);
        done();
      },
    });
    connect({ socket: hello, minVersion: version, maxVersion: version }).on('error', () => {});
    await once(socket, 'close');
    await expect.poll(() => gate.ends).toEqual(['broken off']);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('reads a client to its end before it answers: %s', async (version) => {
    const gate = await open(oneSided);
    gate.serve((stream) => stream.resume().once('end', () => setImmediate(() => stream.end('answer'))));
    const client = clientOf(gate, { minVersion: version, maxVersion: version });
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
    });
    client.end(REQUEST);
    await once(client, 'close');
    expect(text).toBe('answer');
  });

  it('accepts a handshake that arrives in pieces', async () => {
    const gate = await open(oneSided);
    const near = connectPlainly(gate.port, '127.0.0.1').setNoDelay();
    const dribbling = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        near.write(chunk.subarray(0, 1));
        setImmediate(() => near.write(chunk.subarray(1), done));
      },
      final: (done) => near.end(done),
    });
    near.on('data', (chunk) => dribbling.push(chunk)).on('close', () => dribbling.push(null));
    const client = connect({ socket: dribbling, rejectUnauthorized: false });
    client.write(REQUEST);
    const [answer] = await once(client, 'data');
    expect(String(answer)).toContain('200 OK');
    client.destroy();
    near.destroy();
  });

  it('closes a client that does not finish its handshake in time', async () => {
    const gate = await open(mutual, { handshakeMs: 20 });
    const silent = connectPlainly(gate.port, '127.0.0.1');
    const begun = connectPlainly(gate.port, '127.0.0.1');
    begun.write(Buffer.from([0x16, 3, 1, 1, 0]));
    await Promise.all([once(silent.resume(), 'close'), once(begun.resume(), 'close')]);
  });

  it('keeps an admitted client beyond the time limit of the handshake', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gate = await open(oneSided, { handshakeMs: 200 });
    const client = clientOf(gate, {});
    await once(client, 'secureConnect');
    const silent = connectPlainly(gate.port, '127.0.0.1');
    await expect.poll(() => gate.sockets.size).toBe(2);
    vi.advanceTimersByTime(200);
    await once(silent.resume(), 'close');
    client.write(REQUEST);
    const [answer] = await once(client, 'data');
    expect(String(answer)).toContain('200 OK');
    client.destroy();
  });

  it('speaks HTTP/1.1 only', async () => {
    const gate = await open(oneSided);
    const client = clientOf(gate, { ALPNProtocols: ['h2', 'http/1.1'] });
    await once(client, 'secureConnect');
    expect(client.alpnProtocol).toBe('http/1.1');
    client.destroy();
  });

  it('applies a new setup from the next connection on', async () => {
    const gate = await open(oneSided);
    expect(await ask(gate)).toBe(SERVED);
    gate.let(mutual);
    expect(await ask(gate)).not.toContain('served');
    gate.tls.forget(0);
    expect(await ask(gate, { identity: authority })).toBe(SERVED);
  });

  it('serves agents whose TLS context was evicted for others', async () => {
    const gate = await open(oneSided, { keptAgents: 1 });
    for (const agent of [0, 1, 0]) {
      gate.as(agent);
      expect(await ask(gate)).toBe(SERVED);
    }
  });

  it('serves clients while many others are idle, before and after the handshake', async () => {
    const gate = await open(mutual);
    const idle = Array.from({ length: 300 }, () => connectPlainly(gate.port, '127.0.0.1').on('error', () => {}));
    const inside = Array.from({ length: 100 }, () => clientOf(gate, { identity: authority }).on('error', () => {}));
    await Promise.all(inside.map((client) => once(client, 'secureConnect')));
    expect(await ask(gate, { identity: authority })).toBe(SERVED);
    for (const client of [...idle, ...inside]) client.destroy();
  });
});

describe('the TLS levels', () => {
  const taken = async (level: TlsLevel, options: Client) => {
    const gate = await open(setupOf(undefined, level));
    const client = clientOf(gate, options);
    const inside = once(client, 'secureConnect').then(() => [client.getProtocol(), client.getCipher().name]);
    const outcome = await inside.catch(() => 'refused');
    client.destroy();
    return outcome;
  };

  it.each([
    ['lax', 'TLSv1.2', 'ECDHE-ECDSA-AES128-SHA'],
    ['lax', 'TLSv1.2', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
    ['lax', 'TLSv1.3', 'TLS_AES_128_GCM_SHA256'],
    ['intermediate', 'TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['intermediate', 'TLSv1.3', 'TLS_CHACHA20_POLY1305_SHA256'],
    ['modern', 'TLSv1.3', 'TLS_AES_256_GCM_SHA384'],
  ] as const)('%s accepts %s with %s', async (level, version, ciphers) => {
    const options = { minVersion: version, maxVersion: version, ciphers };
    expect(await taken(level, options)).toEqual([version, ciphers]);
  });

  it.each([
    ['lax', 'TLSv1.1', 'ALL@SECLEVEL=0'],
    ['lax', 'TLSv1.2', 'ECDHE-ECDSA-AES128-SHA256'],
    ['intermediate', 'TLSv1.1', 'ALL@SECLEVEL=0'],
    ['intermediate', 'TLSv1.2', 'ECDHE-ECDSA-AES128-SHA'],
    ['modern', 'TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ] as const)('%s refuses %s with %s', async (level, version, ciphers) => {
    const options = { minVersion: version, maxVersion: version, ciphers };
    expect(await taken(level, options)).toBe('refused');
  });

  it.each([
    ['lax', 'P-521', true],
    ['intermediate', 'P-384', true],
    ['intermediate', 'P-521', false],
    ['modern', 'X25519', true],
    ['modern', 'P-521', false],
  ] as const)('%s and curve %s: accepted %s', async (level, ecdhCurve, isTaken) => {
    expect((await taken(level, { ecdhCurve })) !== 'refused').toBe(isTaken);
  });
});
