import { once } from 'node:events';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PullClient, PullRequest } from '../../../src/base/protocol/pull.ts';
import { makeAuthority, openSigner } from '../../../src/wire/poller/authority.ts';
import { createPullClient } from '../../../src/wire/transport/pull-client.ts';
import { certificateRequest } from '../poller/certificate-request.ts';
import { httpAnswer, listen, type RawServer, type Reply, rawServer } from './wire.ts';

const TIMEOUT_MS = 60_000;
const credentials = await makeAuthority({ systemId: 'a', keyType: 'ecdsa-p256', nowMs: Date.now() });
const stranger = await makeAuthority({ systemId: 'b', keyType: 'ecdsa-p256', nowMs: Date.now() });
const agent = await certificateRequest();
const leaf = await (await openSigner(credentials, Date.now)).sign(agent.csr);
const secureServer = createServer(
  { cert: leaf, key: agent.key, ca: credentials.certificate, requestCert: true },
  (request, response) => {
    const socket = request.socket as TLSSocket;
    const { subject } = socket.getPeerCertificate();
    const { alpnProtocol } = socket;
    response.end(JSON.stringify({ subject: subject.CN, alpnProtocol, host: request.headers.host }));
  },
);
const client = createPullClient({ credentials, timeoutMs: TIMEOUT_MS });
const raws: RawServer[] = [];
let securePort = 0;

beforeAll(async () => {
  securePort = await listen(secureServer);
});

afterEach(async () => {
  for (const raw of raws.splice(0)) await raw.close();
});

afterAll(() => {
  client.close();
  secureServer.closeAllConnections();
  secureServer.close();
});

function requestTo(port: number, parts: Partial<PullRequest> = {}): PullRequest {
  const address = { host: '127.0.0.1', port };
  return { address, secure: false, path: '/', basicAuth: undefined, body: undefined, ...parts };
}

async function raw(reply: Reply): Promise<RawServer> {
  const server = await rawServer(reply);
  raws.push(server);
  return server;
}

function ask(port: number, parts: Partial<PullRequest> = {}, by: PullClient = client) {
  return by.request(requestTo(port, parts)).ending;
}

describe('the client of a pulling monitoring server', () => {
  it('sends the head that the shipped server sends, with and without a body', async () => {
    const server = await raw((socket) => socket.write(httpAnswer(200, '{}')));
    await ask(server.port);
    const heads: string[] = [];
    const written = (head: string) => void heads.push(head.replaceAll('\n', '\r\n'));
    await ask(server.port, { path: '/config', basicAuth: 'me:se:cret', body: '{"a":1}', written });
    const common = `Host: 127.0.0.1:${server.port}\r\nUser-Agent: GuzzleHttp/7\r\nContent-Type: application/json\r\n`;
    const authorization = `Authorization: Basic ${Buffer.from('me:se:cret').toString('base64')}\r\n`;
    expect(server.requests).toEqual([
      `GET / HTTP/1.1\r\n${common}\r\n`,
      `POST /config HTTP/1.1\r\n${common}${authorization}Content-Length: 7\r\n\r\n{"a":1}`,
    ]);
    expect(
      heads.map((head) => `${head}\r\n\r\n{"a":1}`),
      'as it is told',
    ).toEqual(server.requests.slice(1));
  });

  it('opens a connection for each request and closes it after the answer', async () => {
    const server = await raw((socket) => socket.write(httpAnswer(200, '{}')));
    for (let n = 0; n < 3; n++) await ask(server.port);
    expect(server.sockets).toHaveLength(3);
    await Promise.all(server.sockets.map((socket) => socket.destroyed || once(socket, 'close')));
  });

  it('reports the bytes on the wire, and returns status and body as received', async () => {
    const answer = httpAnswer(403, 'Forbidden – nö\n');
    const server = await raw((socket) => socket.write(answer));
    expect(await ask(server.port)).toEqual({
      kind: 'answer',
      status: 403,
      body: 'Forbidden – nö\n',
      sentBytes: server.requests[0]?.length,
      receivedBytes: Buffer.byteLength(answer),
    });
  });

  it('reads an answer in chunks of any size', async () => {
    const server = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n');
      setImmediate(() => socket.write('4\r\n":1}\r\n0\r\n\r\n'));
    });
    expect(await ask(server.port)).toMatchObject({ status: 200, body: '{"a":1}' });
  });

  it('presents its certificate, offers HTTP/1.1, and accepts any certificate of the peer', async () => {
    const ending = await ask(securePort, { secure: true });
    if (ending.kind !== 'answer') throw new Error(ending.failure);
    // Bytes above TLS.
    const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${securePort}\r\nUser-Agent: GuzzleHttp/7\r\n`;
    expect(ending.sentBytes).toBe(`${head}Content-Type: application/json\r\n\r\n`.length);
    expect(JSON.parse(ending.body)).toMatchObject({
      subject: 'a.agentserver.oitc',
      alpnProtocol: 'http/1.1',
      host: `127.0.0.1:${securePort}`,
    });
  });

  it.each([undefined, stranger])(
    'is rejected after the handshake if its certificate is not from the CA',
    async (other) => {
      const foreign = createPullClient({ credentials: other, timeoutMs: TIMEOUT_MS });
      const ending = await ask(securePort, { secure: true }, foreign);
      expect(ending).toMatchObject({ kind: 'failure', inHandshake: false });
    },
  );

  it('notices during the handshake that a peer speaks plain HTTP or closes', async () => {
    const wrongVersion = createTcpServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const closing = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
    for (const server of [wrongVersion, closing]) {
      const ending = await ask(await listen(server), { secure: true });
      expect(ending).toMatchObject({ kind: 'failure', inHandshake: true });
      server.close();
    }
  });

  it('classifies failures', async () => {
    const reset = await raw((socket) => socket.resetAndDestroy());
    const garbage = await raw((socket) => socket.write('no HTTP at all\r\n\r\n'));
    const cut = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{'));
    const broken = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"agent":1}');
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    const gone = await raw(() => {});
    await gone.close();
    raws.pop();
    const endings = await Promise.all([reset, garbage, cut, broken, gone].map(({ port }) => ask(port)));
    const failures = endings.map((ending) => ending.kind === 'failure' && ending.failure);
    expect(failures).toEqual([
      'connection_reset',
      'malformed_answer',
      'connection_reset',
      'connection_reset',
      'connection_refused',
    ]);
    expect(endings).toMatchObject(endings.map(() => ({ inHandshake: false })));
  });

  it('shows the whole answer, or what arrived instead of one', async () => {
    const whole = await raw((socket) =>
      socket.write('HTTP/1.1 401 Go away\r\nX-Why: no key\r\nContent-Length: 2\r\n\r\nno'),
    );
    const garbage = await raw((socket) => socket.write('no HTTP at all\r\n\r\nmore'));
    const cut = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{'));
    const hangUp = await raw((socket) => socket.end());
    const seen = await Promise.all(
      [whole, garbage, cut, hangUp].map(async ({ port }) => {
        const call = client.request(requestTo(port));
        await call.ending;
        return call.evidence();
      }),
    );
    expect(seen).toEqual([
      { reason: '', head: 'HTTP/1.1 401 Go away\nX-Why: no key\nContent-Length: 2', body: 'no' },
      { reason: expect.stringMatching(/^the answer is not valid HTTP.*HPE_/), head: 'no HTTP at all', body: 'more' },
      {
        reason: expect.stringMatching(/^cut after 40 bytes of an answer: ended by the peer$/),
        head: 'HTTP/1.1 200 OK\nContent-Length: 10',
        body: '{',
      },
      {
        reason: expect.stringMatching(/^never answered, though the request was sent: ended by the peer$/),
        head: '',
        body: '',
      },
    ]);
  });

  it('reports how far an aborted request got', async () => {
    for (const [secure, reason] of [
      [false, 'never answered, though the request was sent'],
      [true, 'never connected, because the TLS handshake did not complete'],
    ] as const) {
      const silent = createTcpServer((socket) => socket.once('data', () => call.abort()));
      const call = client.request(requestTo(await listen(silent), { secure }));
      await call.ending;
      expect(call.evidence()).toEqual({ reason, head: '', body: '' });
      silent.close();
    }
    const gone = await raw(() => {});
    await gone.close();
    raws.pop();
    const refused = client.request(requestTo(gone.port));
    await refused.ending;
    expect(refused.evidence().reason).toBe(`never connected: connect ECONNREFUSED 127.0.0.1:${gone.port}`);
  });

  it('stops reading an endless answer', async () => {
    const endless = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = (): void => void socket.write(Buffer.alloc(1 << 20, 0x20), (error) => error || more());
      more();
    });
    expect(await ask(endless.port)).toMatchObject({ kind: 'failure', failure: 'malformed_answer' });
  });

  it('gives up a peer that does not answer in time, and closes the connection', async () => {
    const server = await raw(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let isOver = false;
    const asked = ask(server.port).finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(2);
    expect(await asked).toMatchObject({ kind: 'failure', failure: 'timeout' });
    await Promise.all(server.sockets.map((socket) => socket.destroyed || once(socket, 'close')));
  });

  it('cancels pending requests at any stage when it closes or is told to', async () => {
    const silent = await raw(() => {});
    const own = createPullClient({ credentials, timeoutMs: TIMEOUT_MS });
    const calls = [requestTo(silent.port), requestTo(silent.port, { secure: true })].map((request) =>
      own.request(request),
    );
    calls[0]?.abort();
    own.close();
    const endings = await Promise.all(calls.map(({ ending }) => ending));
    expect(endings).toMatchObject(endings.map(() => ({ kind: 'failure', failure: 'canceled' })));
  });
});
