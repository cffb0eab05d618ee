import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { agents, ESTABLISHED, proxyTo, startProxy } from './proxies.ts';
import { accept, CREDENTIALS, closedInTheEnd, httpAnswer, listen, serve, turns, until } from './wire.ts';

const CA = readFileSync(join(import.meta.dirname, 'certificates', 'authority.pem'), 'utf8');
const VERIFYING = { verify: true, ca: CA };
const ACCEPTED = { kind: 'answer', status: 200 };

describe('requests for a server with TLS', () => {
  const secure = { baseUrl: 'https://Mon.example:8443' };

  it.each([
    ['', ''],
    ['user:pass@', 'Proxy-Authorization: Basic dXNlcjpwYXNz\r\n'],
  ])("go through a tunnel that is requested as by Go's client, with %j in the URL", async (user, line) => {
    const server = await serve(accept, { overTls: true });
    const proxy = await proxyTo(server);
    const { push } = agents(proxy, secure, `http://${user}127.0.0.1:PORT`);
    for (const _ of [1, 2]) expect((await push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.heads).toEqual([
      `CONNECT Mon.example:8443 HTTP/1.1\r\nHost: Mon.example:8443\r\nUser-Agent: Go-http-client/1.1\r\n${line}\r\n`,
    ]);
    expect(server.requests[0]).toMatch(
      /^POST \/agentconnector\/submit_checkdata\.json HTTP\/1\.1\r\nHost: Mon\.example:8443\r\n/,
    );
    expect(server.requests[0]).not.toMatch(/Proxy/);
  });

  it.each([
    ['https://mon.example', 'mon.example:443'],
    ['https://[::1]:444', '[::1]:444'],
  ])('to %s request a tunnel to %s', async (baseUrl, name) => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }));
    await agents(proxy, { baseUrl }).push(0);
    expect(proxy.heads[0]).toMatch(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n`);
  });

  it('carry bodies of any size completely', async () => {
    const sizes: number[] = [];
    const server = await serve(
      (socket, request) => {
        sizes.push(request.length - request.indexOf('\r\n\r\n') - 4);
        accept(socket, request, 0);
      },
      { overTls: true },
    );
    const { push } = agents(await proxyTo(server), secure);
    for (const size of [1, 40_000, 1_000_000]) expect((await push(0, 'x'.repeat(size))).ending).toMatchObject(ACCEPTED);
    expect(sizes).toEqual([1, 40_000, 1_000_000]);
  });

  it('go over HTTP/2 through the tunnel if a verified server accepts it', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...CREDENTIALS, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      request.resume().on('end', () => response.end('{"received_checks":1}'));
    });
    const sessions: ServerHttp2Session[] = [];
    server.on('session', (session) => sessions.push(session));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closedInTheEnd({
      close: async () => {
        for (const session of sessions) session.destroy();
        server.close();
      },
    });
    const proxy = closedInTheEnd(await startProxy({ leadsTo: (server.address() as AddressInfo).port }));
    const { push } = agents(proxy, { baseUrl: 'https://127.0.0.1:8443', tls: VERIFYING });
    for (const size of [10, 60_000]) expect((await push(0, 'x'.repeat(size))).ending).toMatchObject(ACCEPTED);
    expect([versions, proxy.heads.length]).toEqual([['2.0', '2.0'], 1]);
  });

  it('verify the certificate of the server, not of the proxy, by the name in the URL', async () => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }));
    const tls = VERIFYING;
    const at = (host: string) => agents(proxy, { baseUrl: `https://${host}:8443`, tls });
    expect((await at('127.0.0.1').push(0)).ending).toMatchObject(ACCEPTED);
    expect((await at('mon.example').push(0)).ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
  });

  it('go through an https proxy, even one that chooses HTTP/2', async () => {
    const server = await serve(accept, { overTls: true });
    const proxy = await proxyTo(server, { tls: { ALPNProtocols: ['h2', 'http/1.1'] } });
    const agent = agents(proxy, { baseUrl: 'https://127.0.0.1:8443', tls: VERIFYING }, 'https://127.0.0.1:PORT');
    expect((await agent.push(0, 'x'.repeat(50_000))).ending).toMatchObject(ACCEPTED);
    expect(proxy.heads[0]).toMatch(/^CONNECT 127\.0\.0\.1:8443 /);
  });

  it('send nothing to an untrusted https proxy', async () => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }), { tls: {} });
    const { push } = agents(proxy, { ...secure, tls: { verify: true, ca: undefined } }, 'https://127.0.0.1:PORT');
    expect((await push(0)).ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(proxy.heads).toEqual([]);
  });

  it.each([
    ['of HTTP/1.0', 'HTTP/1.0 200 Connection established\r\n\r\n'],
    ['without a reason', 'HTTP/1.1 200\r\n\r\n'],
    ['with bare line feeds', 'HTTP/1.1 200 OK\n\n'],
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['with a body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['that closes', 'HTTP/1.1 200 OK\r\nConnection: close\r\nProxy-Connection: close\r\n\r\n'],
    ['followed by other bytes', 'HTTP/1.1 200 OK\r\n\r\nGARBAGE'],
    ['with a long head', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('proceed after a tunnel answer %s', async (_title, answer) => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }), {
      answers: (socket, _head, leadOn) => {
        socket.write(answer);
        leadOn();
      },
    });
    expect((await agents(proxy, secure).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('proceed after a tunnel answer that arrives byte by byte', async () => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }), {
      answers: async (socket, _head, leadOn) => {
        for (const byte of ESTABLISHED) {
          socket.write(byte);
          await turns(2);
        }
        leadOn();
      },
    });
    expect((await agents(proxy, secure).push(0)).ending).toMatchObject(ACCEPTED);
  });

  const said = (text: string) => (socket: Socket) => void socket.write(text);

  it.each<[string, (socket: Socket) => void, RegExp]>([
    [
      '407',
      said('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n'),
      /answered HTTP\/1.1 407 Proxy Authentication Required$/,
    ],
    ['502', said('HTTP/1.1 502 Bad Gateway\r\n\r\n'), /answered HTTP\/1.1 502 Bad Gateway$/],
    ['201', said('HTTP/1.1 201 Created\r\n\r\n'), /answered HTTP\/1.1 201 Created$/],
    [
      'an interim answer',
      said('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
      /answered HTTP\/1.1 100 Continue$/,
    ],
    ['a redirect', said('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n'), /answered HTTP\/1.1 302 Found$/],
    ['something other than HTTP', said('SSH-2.0-OpenSSH_9\r\n'), /answered without HTTP$/],
    ['an invalid field', said('HTTP/1.1 200 OK\r\nnone\r\n\r\n'), /answered with an invalid HTTP head$/],
    ['an endless head', said(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(300_000)}`), /answered with an endless head$/],
    ['its end', (socket) => socket.end(), /the proxy ended the connection$/],
    ['a reset', (socket) => socket.resetAndDestroy(), /ECONNRESET$/],
  ])('are proxy_failed if the proxy answers with %s', async (_title, answers, reason) => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }), { answers });
    const { push } = agents(proxy, secure);
    const { ending, seen } = await push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(seen.reason).toMatch(/^never connected, because the proxy did not open a tunnel: /);
    expect(seen.reason).toMatch(reason);
    await until(() => proxy.sockets[0]?.destroyed === true);
    // The next request tries again.
    await push(0);
    expect(proxy.heads).toHaveLength(2);
  });

  it('are proxy_failed if the proxy has not answered for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const proxy = await proxyTo(await serve(accept, { overTls: true }), { answers: () => {} });
    const { push, endings } = agents(proxy, secure);
    const pushed = push(0);
    await until(() => proxy.heads.length === 1);
    vi.advanceTimersByTime(59_999);
    await turns(100);
    expect(endings).toEqual([]);
    vi.advanceTimersByTime(2);
    const { ending, seen } = await pushed;
    expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(seen.reason).toMatch(/the proxy has not answered for a minute$/);
  });

  it("keep the proxy's answer", async () => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }), {
      answers: said('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n<html>'),
    });
    const { seen } = await agents(proxy, secure).push(0);
    expect(seen).toMatchObject({ head: 'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"', body: '<html>' });
  });

  it('are proxy_failed if the proxy is down or has no address', async () => {
    const gone = createServer();
    const port = await listen(gone);
    gone.close();
    for (const settings of [secure, { baseUrl: 'http://mon.example' }]) {
      const { ending, seen } = await agents({ port }, settings).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
      expect(seen.reason).toMatch(/ECONNREFUSED/);
      const nameless = agents({ port }, { ...settings, addresses: [] }, 'http://proxy.invalid:PORT');
      expect((await nameless.push(0)).ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    }
  });

  it("get the server's failures once the tunnel is open", async () => {
    const answers = (socket: Socket): void => {
      socket.write(ESTABLISHED);
      socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')).resume();
    };
    const proxy = await proxyTo(await serve(), { answers });
    expect((await agents(proxy, secure).push(0)).ending).toMatchObject({ failure: 'tls_failed' });
  });

  it('that are aborted leave their tunnel pending, which then serves the next request', async () => {
    const waiting: (() => void)[] = [];
    const proxy = await proxyTo(await serve(accept, { overTls: true }), {
      answers: (socket, _head, leadOn) => {
        waiting.push(() => {
          socket.write(ESTABLISHED);
          leadOn();
        });
      },
    });
    const { transport, push } = agents(proxy, secure);
    void push(0);
    await until(() => waiting.length === 1);
    transport.abort(0);
    expect(transport.lastEvidence(0).reason).toBe('never connected, because the proxy did not open a tunnel');
    const second = push(0);
    await until(() => waiting.length === 2);
    waiting[0]?.();
    expect((await second).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(2);
  });

  it('close the connection to the proxy when their agent ends', async () => {
    const proxy = await proxyTo(await serve(accept, { overTls: true }));
    const { transport, push } = agents(proxy, secure);
    await push(0);
    transport.disconnect(0);
    await until(() => proxy.sockets[0]?.destroyed === true);
  });

  it('are redirected through another tunnel', async () => {
    const server = await serve(
      (socket, request) => {
        if (request.includes('agentconnector'))
          socket.write(httpAnswer(307, '', 'Location: https://mon.example:444/x\r\n'));
        else accept(socket, request, 0);
      },
      { overTls: true },
    );
    const proxy = await proxyTo(server);
    const { push } = agents(proxy, { baseUrl: 'https://mon.example' });
    for (const _ of [1, 2]) expect((await push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.heads.map((head) => head.split(' ')[1])).toEqual(['mon.example:443', 'mon.example:444']);
  });
});
