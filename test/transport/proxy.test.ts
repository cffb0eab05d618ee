import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { proxyOf } from '../../src/agent/proxy.ts';
import { takesConnections } from '../../src/transport/reachability.ts';
import type { TransportSettings } from '../../src/transport/transport.ts';
import { ESTABLISHED, startProxy, type TestProxy } from './proxies.ts';
import {
  CREDENTIALS,
  httpAnswer,
  listen,
  type Probe,
  probe,
  type RawServer,
  type Reply,
  rawServer,
  SETTINGS,
  turns,
  until,
} from './wire.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

function later<T extends { close(): Promise<void> }>(part: T): T {
  open.push(part);
  return part;
}

const CA = readFileSync(join(import.meta.dirname, 'certificates', 'authority.pem'), 'utf8');
const TRUSTING = { verify: false, ca: undefined };
const VERIFYING = { verify: true, ca: CA };
const accept: Reply = (socket) => socket.write(httpAnswer(200, '{"received_checks":1}'));
const ACCEPTED = { kind: 'answer', status: 200 };

const serve = async (reply: Reply = accept, overTls = false): Promise<RawServer> =>
  later(await rawServer(reply, { overTls }));
const proxyTo = async (
  server: RawServer,
  options: Partial<Parameters<typeof startProxy>[0]> = {},
): Promise<TestProxy> => later(await startProxy({ leadsTo: server.port, ...options }));

/** Agents whose requests go through a proxy, here at `http://127.0.0.1:PORT` unless another URL is given. */
function agents(
  proxy: { readonly port: number },
  settings: Partial<TransportSettings> & { baseUrl: string },
  url = 'http://127.0.0.1:PORT',
): Probe {
  const made = probe({ tls: TRUSTING, ...settings, proxy: proxyOf(url.replace('PORT', String(proxy.port))) });
  open.push(made.transport);
  return made;
}

describe('requests for a server without TLS', () => {
  it('go to the proxy with the whole URL in their first line, byte for byte as those of the real agent', async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    await agents(proxy, { baseUrl: 'http://Mon.example:80/pre?q=a b', apiKey: 'KEY' }).push(0, '{"checkdata":{}}');
    expect(proxy.heads).toEqual([
      [
        'POST http://Mon.example:80/pre/agentconnector/submit_checkdata.json?q=a b HTTP/1.1',
        'Host: Mon.example:80',
        'User-Agent: openITCOCKPIT Agent/3.6.1',
        'Content-Length: 16',
        'Authorization: X-OITC-API KEY',
        'Content-Type: application/json',
        'Accept-Encoding: gzip',
        '',
        '',
      ].join('\r\n'),
    ]);
  });

  it('show user and password of the proxy behind all other fields', async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    await agents(proxy, { baseUrl: 'http://mon.example' }, 'http://u:p%40@127.0.0.1:PORT').push(0);
    expect(proxy.heads[0]).toMatch(/\r\nAccept-Encoding: gzip\r\nProxy-Authorization: Basic dTpwQA==\r\n\r\n$/);
  });

  it('share the connection of their agent, and get another one after an answer that closes it', async () => {
    const server = await serve((socket, _request, number) => {
      if (number < 3) accept(socket, '', 0);
      else socket.end(httpAnswer(200, '{}', 'Connection: close\r\n'));
    });
    const proxy = await proxyTo(server);
    const { push } = agents(proxy, { baseUrl: 'http://mon.example' });
    for (let round = 0; round < 4; round++) expect((await push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets).toHaveLength(2);
  });

  it('are redirected over the same connection, whatever port that leads to, and show all again', async () => {
    const server = await serve((socket, request) => {
      if (request.includes('agentconnector'))
        socket.write(httpAnswer(302, '', 'Location: http://mon.example:81/else?x\r\n'));
      else accept(socket, request, 0);
    });
    const proxy = await proxyTo(server);
    const agent = agents(proxy, { baseUrl: 'http://mon.example', apiKey: 'KEY' }, 'http://u:p@127.0.0.1:PORT');
    expect((await agent.push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets).toHaveLength(1);
    expect(server.requests[1]).toBe(
      [
        'GET http://mon.example:81/else?x HTTP/1.1',
        'Host: mon.example:81',
        'User-Agent: openITCOCKPIT Agent/3.6.1',
        'Authorization: X-OITC-API KEY',
        'Referer: http://mon.example/agentconnector/submit_checkdata.json',
        'Accept-Encoding: gzip',
        'Proxy-Authorization: Basic dTpw',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it('have the status that the proxy answers with, as that of a server', async () => {
    const server = await serve((socket) => socket.write(httpAnswer(407, '{}', 'Proxy-Authenticate: Basic\r\n')));
    const agent = agents(server, { baseUrl: 'http://mon.example' });
    expect((await agent.push(0)).ending).toMatchObject({ kind: 'answer', status: 407 });
  });

  it('go over TLS to a proxy that wants it, which is judged by its own name', async () => {
    const server = await serve();
    const proxy = await proxyTo(server, { tls: {} });
    const settings = { baseUrl: 'http://mon.example', tls: VERIFYING };
    expect((await agents(proxy, settings, 'https://127.0.0.1:PORT').push(0)).ending).toMatchObject(ACCEPTED);
    const { ending, seen } = await agents(proxy, settings, 'https://proxy.example:PORT').push(1);
    expect([ending, seen.reason]).toEqual([
      { kind: 'failure', failure: 'proxy_failed' },
      expect.stringMatching(/proxy\.example/),
    ]);
  });

  it('fail where such a proxy chooses HTTP/2, which verifying agents offer it', async () => {
    const proxy = await proxyTo(await serve(), { tls: { ALPNProtocols: ['h2', 'http/1.1'] } });
    const settings = { baseUrl: 'http://mon.example', tls: VERIFYING };
    const { ending, seen } = await agents(proxy, settings, 'https://127.0.0.1:PORT').push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(seen.reason).toMatch(/^the proxy chose HTTP\/2/);
    expect(proxy.heads).toEqual([]);
  });
});

describe('requests for a server with TLS', () => {
  const secure = { baseUrl: 'https://Mon.example:8443' };

  it.each([
    ['', ''],
    ['user:pass@', 'Proxy-Authorization: Basic dXNlcjpwYXNz\r\n'],
  ])('go through a tunnel that is asked for in the name of Go, with %j in the URL', async (user, line) => {
    const server = await serve(accept, true);
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
  ])('to %s ask for %s', async (baseUrl, name) => {
    const proxy = await proxyTo(await serve(accept, true));
    await agents(proxy, { baseUrl }).push(0);
    expect(proxy.heads[0]).toMatch(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n`);
  });

  it('carry bodies of any size, whole', async () => {
    const sizes: number[] = [];
    const server = await serve((socket, request) => {
      sizes.push(request.length - request.indexOf('\r\n\r\n') - 4);
      accept(socket, request, 0);
    }, true);
    const { push } = agents(await proxyTo(server), secure);
    for (const size of [1, 40_000, 1_000_000]) expect((await push(0, 'x'.repeat(size))).ending).toMatchObject(ACCEPTED);
    expect(sizes).toEqual([1, 40_000, 1_000_000]);
  });

  it('go over HTTP/2 through the tunnel where a verified server takes it', async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...CREDENTIALS, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      request.resume().on('end', () => response.end('{"received_checks":1}'));
    });
    const sessions: ServerHttp2Session[] = [];
    server.on('session', (session) => sessions.push(session));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    later({
      close: async () => {
        for (const session of sessions) session.destroy();
        server.close();
      },
    });
    const proxy = later(await startProxy({ leadsTo: (server.address() as AddressInfo).port }));
    const { push } = agents(proxy, { baseUrl: 'https://127.0.0.1:8443', tls: VERIFYING });
    for (const size of [10, 60_000]) expect((await push(0, 'x'.repeat(size))).ending).toMatchObject(ACCEPTED);
    expect([versions, proxy.heads.length]).toEqual([['2.0', '2.0'], 1]);
  });

  it('trust the certificate of the server, by the name in the URL, and not that of the proxy', async () => {
    const proxy = await proxyTo(await serve(accept, true));
    const tls = VERIFYING;
    const at = (host: string) => agents(proxy, { baseUrl: `https://${host}:8443`, tls });
    expect((await at('127.0.0.1').push(0)).ending).toMatchObject(ACCEPTED);
    expect((await at('mon.example').push(0)).ending).toEqual({ kind: 'failure', failure: 'tls_failed' });
  });

  it('go through a proxy that is spoken to over TLS itself, even one that chooses HTTP/2', async () => {
    const server = await serve(accept, true);
    const proxy = await proxyTo(server, { tls: { ALPNProtocols: ['h2', 'http/1.1'] } });
    const agent = agents(proxy, { baseUrl: 'https://127.0.0.1:8443', tls: VERIFYING }, 'https://127.0.0.1:PORT');
    expect((await agent.push(0, 'x'.repeat(50_000))).ending).toMatchObject(ACCEPTED);
    expect(proxy.heads[0]).toMatch(/^CONNECT 127\.0\.0\.1:8443 /);
  });

  it('send nothing to a proxy over TLS that is not to be trusted', async () => {
    const proxy = await proxyTo(await serve(accept, true), { tls: {} });
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
    ['with something behind it', 'HTTP/1.1 200 OK\r\n\r\nGARBAGE'],
    ['with a long head', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('are led on by an answer %s', async (_title, answer) => {
    const proxy = await proxyTo(await serve(accept, true), {
      answers: (socket, _head, leadOn) => {
        socket.write(answer);
        leadOn();
      },
    });
    expect((await agents(proxy, secure).push(0)).ending).toMatchObject(ACCEPTED);
  });

  it('are led on by an answer that comes byte by byte', async () => {
    const proxy = await proxyTo(await serve(accept, true), {
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
    ['what is no HTTP', said('SSH-2.0-OpenSSH_9\r\n'), /answered with what is no HTTP$/],
    ['a field that is none', said('HTTP/1.1 200 OK\r\nnone\r\n\r\n'), /answered with a head that is no HTTP$/],
    [
      'a head without end',
      said(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(300_000)}`),
      /answered with a head that has no end$/,
    ],
    ['its end', (socket) => socket.end(), /the proxy ended the connection$/],
    ['a reset', (socket) => socket.resetAndDestroy(), /ECONNRESET$/],
  ])('are proxy_failed if the proxy answers with %s', async (_title, answers, reason) => {
    const proxy = await proxyTo(await serve(accept, true), { answers });
    const { push } = agents(proxy, secure);
    const { ending, seen } = await push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(seen.reason).toMatch(/^never connected, as the proxy did not open the way: /);
    expect(seen.reason).toMatch(reason);
    await until(() => proxy.sockets[0]?.destroyed === true);
    // The next one tries again.
    await push(0);
    expect(proxy.heads).toHaveLength(2);
  });

  it('keep what the proxy answered', async () => {
    const proxy = await proxyTo(await serve(accept, true), {
      answers: said('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n<html>'),
    });
    const { seen } = await agents(proxy, secure).push(0);
    expect(seen).toMatchObject({ head: 'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"', body: '<html>' });
  });

  it('are proxy_failed where the proxy is not there, or has no address', async () => {
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

  it('are the failures of the server once the way is open', async () => {
    const answers = (socket: Socket): void => {
      socket.write(ESTABLISHED);
      socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')).resume();
    };
    const proxy = await proxyTo(await serve(), { answers });
    expect((await agents(proxy, secure).push(0)).ending).toMatchObject({ failure: 'tls_failed' });
  });

  it('that are given up leave the proxy its time: what it opens then serves the next one', async () => {
    const waiting: (() => void)[] = [];
    const proxy = await proxyTo(await serve(accept, true), {
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
    expect(transport.lastSeen().reason).toBe('never connected, as the proxy did not open the way');
    const second = push(0);
    await until(() => waiting.length === 2);
    waiting[0]?.();
    expect((await second).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(2);
  });

  it('close the connection to the proxy when their agent ends', async () => {
    const proxy = await proxyTo(await serve(accept, true));
    const { transport, push } = agents(proxy, secure);
    await push(0);
    transport.disconnect(0);
    await until(() => proxy.sockets[0]?.destroyed === true);
  });

  it('are redirected through another tunnel', async () => {
    const server = await serve((socket, request) => {
      if (request.includes('agentconnector'))
        socket.write(httpAnswer(307, '', 'Location: https://mon.example:444/x\r\n'));
      else accept(socket, request, 0);
    }, true);
    const proxy = await proxyTo(server);
    const { push } = agents(proxy, { baseUrl: 'https://mon.example' });
    for (const _ of [1, 2]) expect((await push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.heads.map((head) => head.split(' ')[1])).toEqual(['mon.example:443', 'mon.example:444']);
  });
});

describe('a SOCKS proxy', () => {
  /** Says one of these after each piece that comes, and leads on after the last. */
  async function socks(server: RawServer, replies: readonly string[]) {
    const asked: string[] = [];
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      let next = 0;
      const onData = (chunk: Buffer): void => {
        asked.push(chunk.toString('hex'));
        socket.write(Buffer.from(replies[next++] ?? '', 'hex'));
        if (next < replies.length) return;
        socket.off('data', onData);
        const onward = rawConnection(server.port, socket);
        socket.pipe(onward).pipe(socket);
      };
      socket.on('data', onData);
    });
    const port = await listen(proxy);
    later({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        proxy.close();
      },
    });
    return { port, asked };
  }

  function rawConnection(port: number, socket: Socket): Socket {
    const onward = connectTo(port);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    return onward;
  }

  const OPEN = '05000001000000000000';

  it.each([
    [
      'http://mon.example',
      'socks5://127.0.0.1:PORT',
      ['0500', OPEN],
      ['050100', '050100030b6d6f6e2e6578616d706c650050'],
    ],
    ['https://10.0.0.1', 'socks5h://127.0.0.1:PORT', ['0500', OPEN], ['050100', '050100010a00000101bb']],
    [
      'http://[::1]:81',
      'socks5://127.0.0.1:PORT',
      ['0500', `05000004${'00'.repeat(18)}`],
      ['050100', `05010004${'00'.repeat(15)}010051`],
    ],
    [
      'http://10.0.0.1',
      'socks5://u:p@127.0.0.1:PORT',
      ['0502', '0100', OPEN],
      ['05020002', '0101750170', '050100010a0000010050'],
    ],
    ['http://10.0.0.1', 'socks5://u:p@127.0.0.1:PORT', ['0500', OPEN], ['05020002', '050100010a0000010050']],
  ] as const)('leads to %s as %s, and is asked as by the real agent', async (baseUrl, url, replies, expected) => {
    const server = await serve(accept, baseUrl.startsWith('https'));
    const proxy = await socks(server, replies);
    const { push } = agents(proxy, { baseUrl }, url);
    for (const _ of [1, 2]) expect((await push(0, 'x'.repeat(30_000))).ending).toMatchObject(ACCEPTED);
    expect(proxy.asked).toEqual(expected);
    expect(server.requests[0]).toMatch(/^POST \/agentconnector/);
  });

  it.each([
    ['no method', ['05ff', ''], /takes no authentication that it is offered$/],
    ['a wrong password', ['0502', '0101', ''], /refused user and password$/],
    ['a refusal', ['0500', '05050001000000000000', ''], /answered connection refused$/],
    ['HTTP', ['485454502f312e31', ''], /speaks version 72, not 5$/],
  ])('fails with %s', async (_title, replies, reason) => {
    const proxy = await socks(await serve(), replies);
    const { ending, seen } = await agents(proxy, { baseUrl: 'http://mon.example' }, 'socks5://u:p@127.0.0.1:PORT').push(
      0,
    );
    expect([ending, seen.reason]).toEqual([
      { kind: 'failure', failure: 'proxy_failed' },
      expect.stringMatching(reason),
    ]);
  });
});

describe('an agent that is configured on its own', () => {
  it('goes through the proxy that is named there, and without one as the environment says', async () => {
    const server = await serve();
    const [own, other] = [await proxyTo(server), await proxyTo(server)];
    const otherwise = proxyOf(`http://127.0.0.1:${other.port}`);
    const made = probe({ tls: TRUSTING, baseUrl: `http://127.0.0.1:${server.port}`, otherwise });
    open.push(made.transport);
    for (const agent of [0, 1, 2]) await made.push(agent);
    made.transport.reconfigure(0, { apiKey: 'OWN', proxy: `http://127.0.0.1:${own.port}` });
    made.transport.reconfigure(1, { apiKey: '', proxy: '' });
    made.transport.reconfigure(3, { apiKey: 'OWN', proxy: `http://127.0.0.1:${own.port}` });
    for (const agent of [0, 1, 2, 3]) expect((await made.push(agent)).ending).toMatchObject(ACCEPTED);
    expect([own.heads.length, other.heads.length]).toEqual([2, 1]);
    expect(own.heads[0]).toMatch(/^POST http:\/\/127.*X-OITC-API OWN\r\n/s);
    made.transport.reconfigure(0, { apiKey: '', proxy: undefined });
    await made.push(0);
    expect([own.heads.length, server.requests.at(-1)?.slice(0, 6)]).toEqual([2, 'POST /']);
  });
});

describe('the way to a target', () => {
  const reaches = (url: string, proxy: string, withinMs = 10_000) =>
    takesConnections(
      { url, proxy: proxyOf(proxy), addresses: ['127.0.0.1'], loopbackOnly: true, resolver: SETTINGS.resolver },
      withinMs,
    );

  it('is there if the proxy opens it, or takes requests itself', async () => {
    const server = await serve();
    const answers = (socket: Socket, _head: string, leadOn: () => void) => {
      socket.write(ESTABLISHED);
      leadOn();
    };
    const [plain, secure] = [await proxyTo(server, { answers }), await proxyTo(server, { answers, tls: {} })];
    expect(await reaches('https://mon.example', `http://127.0.0.1:${plain.port}`)).toBe(true);
    expect(await reaches('https://mon.example', `https://127.0.0.1:${secure.port}`)).toBe(true);
    expect(await reaches('http://mon.example', `http://127.0.0.1:${plain.port}`)).toBe(true);
    expect(plain.heads).toHaveLength(1);
  });

  it('is not there if the proxy refuses it', async () => {
    const answers = (socket: Socket) => void socket.write('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const proxy = await proxyTo(await serve(), { answers });
    expect(await reaches('https://mon.example', `http://127.0.0.1:${proxy.port}`, 10)).toBe(false);
  });
});
