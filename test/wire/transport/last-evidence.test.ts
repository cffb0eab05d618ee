import { execFileSync } from 'node:child_process';
import type { webcrypto } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { loadX509 } from '../../../src/wire/http/tls.ts';
import { isInstalled } from '../web-server/openssl.ts';
import { CREDENTIALS, httpAnswer, listen, type Probe, probe, type Reply, rawServer, until } from './wire.ts';

const open: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

async function against(reply: Reply, options = {}) {
  const server = await rawServer(reply, options);
  open.push(server);
  const agent = probe({ baseUrl: `http://127.0.0.1:${server.port}` });
  open.push(agent.transport);
  return { server, agent };
}

it('reports each request as it is sent, and each redirect', async () => {
  const server = await rawServer((socket, _request, number) => {
    const location = ['Location: /there\r\n', 'Location: /gone\r\n'][number - 1] ?? '';
    socket.write(httpAnswer([307, 303][number - 1] ?? 500, `answer ${number}`, location));
  });
  open.push(server);
  const heard: [number, string][] = [];
  const agent = probe(
    { baseUrl: `http://127.0.0.1:${server.port}` },
    {
      request: (by, bytes) => heard.push([by, bytes.toString()]),
      redirected: (by, { head, body }) => heard.push([by, `${head.split('\r\n')[0]} ${body}`]),
    },
  );
  open.push(agent.transport);
  await agent.push(3, '{"a":1}');
  const [first = '', second = '', third = ''] = server.requests;
  expect(second).toMatch(/^POST \/there [\s\S]*\{"a":1\}$/);
  expect(third).toMatch(/^GET \/gone /);
  const answers = ['HTTP/1.1 307 X answer 1', 'HTTP/1.1 303 X answer 2'];
  expect(heard).toEqual([first, answers[0], second, answers[1], third].map((text) => [3, text]));
});

describe('the recorded exchange', () => {
  it('is the head of the answer as received, and its body, in one piece or in many', async () => {
    const text = httpAnswer(500, 'sorry', 'Server: nginx\r\n');
    const head = text.slice(0, text.indexOf('\r\n\r\n'));
    for (const pieceBytes of [text.length, 7, head.length + 4]) {
      const { agent } = await against(async (socket) => {
        socket.setNoDelay(true);
        for (let at = 0; at < text.length; at += pieceBytes) {
          socket.write(text.slice(at, at + pieceBytes));
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      });
      expect((await agent.push(0)).seen).toEqual({ reason: '', head, body: 'sorry' });
      expect(agent.transport.lastEvidence(0), 'is not known later').toEqual({ reason: '', head: '', body: '' });
    }
  });

  it('starts empty for each exchange, even if the parser already knows the head', async () => {
    const { agent } = await against((socket, _request, number) => socket.write(httpAnswer(500, `no ${number}`)));
    const heads = [await agent.push(0), await agent.push(0)].map(({ seen }) => [seen.head.split('\r\n')[0], seen.body]);
    expect(heads).toEqual([
      ['HTTP/1.1 500 X', 'no 1'],
      ['HTTP/1.1 500 X', 'no 2'],
    ]);
  });

  it('starts empty for each exchange, even if answers arrive in pieces', async () => {
    const { agent } = await against((socket, _request, number) => {
      const text = httpAnswer(500, 'no', `Number: ${number}\r\n`);
      socket.setNoDelay(true).write(text.slice(0, -1));
      setTimeout(() => socket.write(text.slice(-1)), 5);
    });
    const heads = [await agent.push(0), await agent.push(0)].map(({ seen }) => /Number: \d/.exec(seen.head)?.[0]);
    expect(heads).toEqual(['Number: 1', 'Number: 2']);
  });

  it('contains what arrived instead of an answer', async () => {
    const { agent } = await against((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'));
    const { ending, seen } = await agent.push(0);
    expect(ending).toMatchObject({ failure: 'malformed_answer' });
    expect(seen).toMatchObject({ reason: expect.stringContaining('not valid HTTP'), head: 'SSH-2.0-OpenSSH_9.6\r\n' });
  });

  it.each<[string, Reply, { reason: RegExp; head: string }]>([
    [
      'nothing',
      (socket) => socket.end(),
      { reason: /^never answered, though the request was sent: ended by/, head: '' },
    ],
    [
      'half a head',
      (socket) => socket.end('HTTP/1.1 500 X\r\nA: b'),
      { reason: /^cut after 20 bytes/, head: 'HTTP/1.1 500 X\r\nA: b' },
    ],
  ])('of a connection that ends after %s reports how far it got', async (_title, reply, { reason, head }) => {
    const { agent } = await against(reply);
    const { seen } = await agent.push(0);
    expect(seen.reason).toMatch(reason);
    expect(seen.head).toBe(head);
  });

  it('names the address that refused', async () => {
    const { server, agent } = await against(() => {});
    await server.close();
    open.splice(0, 1);
    expect((await agent.push(0)).seen.reason).toBe(`never connected: connect ECONNREFUSED 127.0.0.1:${server.port}`);
  });
});

describe('an aborted exchange', () => {
  async function givenUp(agent: Probe, when: () => boolean, body?: string): Promise<string> {
    void agent.push(0, body);
    await until(when);
    agent.transport.abort(0);
    return agent.transport.lastEvidence(0).reason;
  }

  it('reports that it was never connected', async () => {
    const { agent } = await against(() => {});
    expect(await givenUp(agent, () => true)).toBe('never connected');
  });

  it('reports an incomplete TLS handshake', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket.resume()));
    const agent = probe({ baseUrl: `https://127.0.0.1:${await listen(server)}` });
    open.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    open.push(agent.transport);
    const hello = () => (sockets[0]?.bytesRead ?? 0) > 0;
    expect(await givenUp(agent, hello)).toBe('never connected, because the TLS handshake did not complete');
  });

  it('reports that it was never answered', async () => {
    const { server, agent } = await against(() => {});
    const reason = await givenUp(agent, () => server.requests.length === 1);
    expect(reason).toBe('never answered, though the request was sent');
  });

  it('reports that the server did not accept the request', async () => {
    const { server, agent } = await against(() => {}, { pauseOnConnect: true });
    const reason = await givenUp(agent, () => server.sockets.length === 1, 'x'.repeat(32 << 20));
    expect(reason).toMatch(/^never answered, because \d+ bytes of the request were not accepted$/);
  });

  it('reports that its answer was cut', async () => {
    const { server, agent } = await against((socket) => socket.write('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nhal'));
    void agent.push(0);
    await until(() => server.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { receivedBytes } = agent.transport.abort(0);
    expect(agent.transport.lastEvidence(0)).toEqual({
      reason: `cut after ${receivedBytes} bytes of an answer`,
      head: 'HTTP/1.1 500 X\r\nContent-Length: 9',
      body: 'hal',
    });
  });
});

describe('a refused TLS server', () => {
  const certificates = join(import.meta.dirname, 'certificates');

  async function refusal(credentials: { key: Buffer; cert: Buffer }, ca: Buffer | undefined, host = '127.0.0.1') {
    const server = createTlsServer({ ...credentials, ciphers: 'DEFAULT@SECLEVEL=0' });
    server.on('tlsClientError', () => {});
    open.push({ close: () => void server.close() });
    const tls = { verify: true, ca: ca?.toString() };
    const agent = probe({ baseUrl: `https://${host}:${await listen(server)}`, tls });
    open.push(agent.transport);
    const { ending, seen } = await agent.push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
    return seen.reason;
  }

  const NAMED = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  // Quicker than RSA keys.
  const ELLIPTIC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

  it('is reported with its certificate, and with the check that refused it', async () => {
    const reason = await refusal(CREDENTIALS, undefined);
    expect(reason).toMatch(
      /^UNABLE_TO_\w+: .*; certificate CN=.*, issued by CN=.*, valid .* to .*, SHA-256 [0-9A-F:]+$/,
    );
  });

  it('is reported with the names in its certificate', async () => {
    const ca = readFileSync(join(certificates, 'authority.pem'));
    const server = createTlsServer(CREDENTIALS);
    open.push({ close: () => void server.close() });
    const baseUrl = `https://elsewhere.example:${await listen(server)}`;
    const agent = probe({ baseUrl, tls: { verify: true, ca: ca.toString() } });
    open.push(agent.transport);
    const { ending, seen } = await agent.push(0);
    expect(ending).toMatchObject({ failure: 'tls_failed' });
    expect(seen.reason).toMatch(/^NAME_MISMATCH: .*elsewhere\.example.*localhost.*; certificate CN=/);
  });

  it('is reported with the refused certificate of its chain, if that is not its own', async () => {
    const [authority, middle, own] = await Promise.all([keyPair(), keyPair(), keyPair()]);
    const ca = await issued({ name: 'Authority', keys: authority, by: 'Authority', signing: authority });
    const over = { notBefore: new Date('2024-01-01'), notAfter: new Date('2024-02-01') };
    const expired = await issued({ name: 'Middle', keys: middle, by: 'Authority', signing: authority, ...over });
    const leaf = await issued({ name: 'Own', keys: own, by: 'Middle', signing: middle });
    const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
    const pem = `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`;
    const credentials = { key: Buffer.from(pem), cert: Buffer.from(`${leaf}\n${expired}\n`) };
    expect(await refusal(credentials, Buffer.from(ca))).toMatch(
      /^CERT_HAS_EXPIRED: .*; certificate CN=Middle, issued by CN=Authority, valid .* 2024 GMT, SHA-256 .*, in the chain of CN=Own$/,
    );
  });

  it.runIf(isInstalled('openssl')).each([
    ['an RSA key of 768 bits', ['-newkey', 'rsa:768', '-sha256', ...NAMED], /RSA_KEY_SIZE: the RSA key has 768 bits/],
    ['a common name alone', ELLIPTIC, /NAME_MISMATCH: .*only a common name/],
    ['a signature over SHA-1', [...ELLIPTIC, '-sha1', ...NAMED], /WEAK_SIGNATURE: .*sha1.* is too weak/i],
    [
      'a purpose other than serving',
      [...ELLIPTIC, ...NAMED, '-addext', 'extendedKeyUsage=clientAuth'],
      /INVALID_PURPOSE/,
    ],
  ])('is reported for %s', async (_title, words, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
    open.push({ close: () => rmSync(folder, { recursive: true }) });
    const run = (...all: string[]) => execFileSync('openssl', all, { cwd: folder, stdio: 'pipe' });
    const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority'];
    run('req', '-x509', '-nodes', ...ELLIPTIC, ...authority);
    const subject = ['-subj', '/CN=weak'];
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key'];
    run('req', '-x509', '-nodes', '-keyout', 'own.key', '-out', 'own.pem', ...subject, ...signed, ...words);
    const read = (name: string) => readFileSync(join(folder, name));
    const reason = await refusal({ key: read('own.key'), cert: read('own.pem') }, read('ca.pem'));
    expect(reason).toMatch(expected);
    expect(reason).toContain('certificate CN=weak, issued by CN=authority');
  });
});

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

type Issued = {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly by: string;
  readonly signing: webcrypto.CryptoKeyPair;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
};

/** A certificate in PEM, usable for an authority or a server. */
async function issued({ name, keys, by, signing, ...times }: Issued): Promise<string> {
  const x509 = await loadX509();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${by}`,
    ...times,
    publicKey: keys.publicKey,
    signingKey: signing.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  });
  return certificate.toString('pem');
}
