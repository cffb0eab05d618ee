import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { READ, REFUSED } from './answer-samples.ts';
import { accept, client, closedInTheEnd, httpAnswer, probe, type RawServer, serve, turns, until } from './wire.ts';

afterEach(() => void vi.useRealTimers());

const ACCEPTED = { kind: 'answer', status: 200, body: '{"received_checks":1}' };

describe('answers over a socket', () => {
  it.each(READ)(
    'with %s are accepted, and the connection is kept exactly when Go keeps it',
    async (_title, answer, expected) => {
      const { status, body, keepsAlive, hasSurplus } = expected;
      const server = await serve((socket) => {
        socket.write(answer, 'latin1');
        if (!keepsAlive) socket.end();
      });
      const agent = client(server);
      for (const _ of [1, 2]) expect((await agent.push(0)).ending).toEqual({ kind: 'answer', status, body });
      expect(server.sockets).toHaveLength(keepsAlive && !hasSurplus ? 1 : 2);
    },
  );

  it.each(REFUSED)('with %s are malformed, and the next request opens a new connection', async (_title, answer) => {
    const server = await serve((socket, request, number) => {
      if (number > 1) accept(socket, request, number);
      else socket.write(answer, 'latin1');
    });
    const agent = client(server);
    expect((await agent.push(0)).ending).toEqual({ kind: 'failure', failure: 'malformed_answer' });
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.sockets).toHaveLength(2);
  });

  it('with a protocol switch are awaited forever, as by the real agent', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nab');
    });
    const agent = client(server);
    let ended = false;
    void agent.push(0).then(() => {
      ended = true;
    });
    await until(() => server.requests.length === 1);
    await turns(50);
    expect(ended).toBe(false);
  });
});

describe('a connection', () => {
  it('is closed if the server sends data while it is idle', async () => {
    const server = await serve((socket, request, number) => {
      accept(socket, request, number);
      setImmediate(() => socket.write(httpAnswer(500, 'unasked')));
    });
    const agent = client(server);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    await until(() => server.sockets[0]?.destroyed === true);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.sockets).toHaveLength(2);
  });

  it('that was reset while idle causes no failure: the request goes over a new one', async () => {
    const server = await serve(accept);
    const agent = client(server);
    await agent.push(0);
    server.sockets[0]?.resetAndDestroy();
    // The event loop does not turn between the reset and the request.
    const { ending, traffic } = await agent.push(0);
    expect(ending).toEqual(ACCEPTED);
    expect(traffic.sentBytes).toBe(server.requests[1]?.length);
  });

  it('that closes after the request was sent is not reopened to repeat the request', async () => {
    const server = await serve((socket, request, number) => {
      if (number === 2) socket.end();
      else accept(socket, request, number);
    });
    const agent = client(server);
    await agent.push(0);
    expect((await agent.push(0)).ending).toEqual({ kind: 'failure', failure: 'connection_reset' });
    expect(server.requests).toHaveLength(2);
  });
});

describe.each(['http', 'https'])('an answer that arrives before the request is written, over %s', (scheme) => {
  const LARGE = 'x'.repeat(16 << 20);
  const overTls = scheme === 'https';
  const tls = { verify: false, ca: undefined };
  const agentOf = ({ port }: RawServer) => client({ port }, { baseUrl: `${scheme}://127.0.0.1:${port}`, tls });

  it('is counted, and its connection closes if the server does not read the rest of the request', async () => {
    const sockets: Socket[] = [];
    const server = await serve(() => {}, { pauseOnConnect: true, overTls });
    const agent = agentOf(server);
    const push = agent.push(0, LARGE);
    await until(() => server.sockets.length === 1);
    for (const socket of server.sockets) sockets.push(socket);
    sockets[0]?.write(httpAnswer(413, 'too large'));
    expect((await push).ending).toEqual({ kind: 'answer', status: 413, body: 'too large' });
    const second = agent.push(0, '{}');
    await until(() => server.sockets.length === 2);
    server.sockets[1]?.write(httpAnswer(200, '{}'));
    expect((await second).ending).toMatchObject({ status: 200 });
  });

  it('leaves the connection open if the server reads the rest of the request in time', async () => {
    // Fake timers: a slow machine must not exceed the time limit.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await serve(() => {}, { pauseOnConnect: true, overTls });
    const agent = agentOf(server);
    const push = agent.push(0, LARGE);
    await until(() => server.sockets.length === 1);
    server.sockets[0]?.write(httpAnswer(200, '{}'));
    server.sockets[0]?.resume();
    expect((await push).ending).toMatchObject({ status: 200 });
    const second = agent.push(0, '{}');
    await until(() => server.requests.length === 2);
    server.sockets[0]?.write(httpAnswer(200, '{}'));
    expect((await second).ending).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(1);
  });

  it('is ignored once the request is aborted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const server = await serve(() => {}, { pauseOnConnect: true, overTls });
    const agent = agentOf(server);
    void agent.push(0, LARGE);
    await until(() => server.sockets.length === 1);
    server.sockets[0]?.write(httpAnswer(413, 'too large'));
    // The answer has arrived, and a timer limits the writing of the rest of the request.
    await until(() => vi.getTimerCount() > 0);
    agent.transport.abort(0);
    const second = agent.push(0, '{}');
    vi.runAllTimers();
    await until(() => server.sockets.length === 2);
    expect(agent.endings).toEqual([]);
    server.sockets[1]?.write(httpAnswer(200, '{}'));
    expect((await second).ending).toMatchObject({ status: 200 });
    expect(agent.endings).toHaveLength(1);
  });

  it('that redirects makes the whole push start again at the new address', async () => {
    const server = await serve(accept, { pauseOnConnect: true, overTls });
    const agent = agentOf(server);
    const push = agent.push(0, LARGE);
    await until(() => server.sockets.length === 1);
    server.sockets[0]?.write(httpAnswer(307, '', 'Location: /b\r\n'));
    await until(() => server.sockets.length === 2);
    server.sockets[1]?.resume();
    expect((await push).ending).toEqual(ACCEPTED);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.startsWith('POST /b ')).toBe(true);
    expect(server.requests[0]?.endsWith(`\r\n\r\n${LARGE}`)).toBe(true);
  });
});

describe('redirects', () => {
  const redirect = (status: number, location: string): string => httpAnswer(status, '', `Location: ${location}\r\n`);
  const path = '/agentconnector/submit_checkdata.json';

  it.each([301, 302, 303])(
    'with %i turn the push into a GET without a body, as the real agent does',
    async (status) => {
      const server = await serve((socket, request) =>
        socket.write(request.startsWith('POST') ? redirect(status, '/login?a=1#part') : httpAnswer(200, '{}')),
      );
      const { ending, traffic } = await client(server, { apiKey: 'KEY' }).push(0);
      expect(ending).toMatchObject({ status: 200 });
      expect(server.requests[1]?.split('\r\n')).toEqual([
        'GET /login?a=1 HTTP/1.1',
        `Host: 127.0.0.1:${server.port}`,
        'User-Agent: openITCOCKPIT Agent/3.6.1',
        'Authorization: X-OITC-API KEY',
        `Referer: http://127.0.0.1:${server.port}${path}`,
        ...['Accept-Encoding: gzip', '', ''],
      ]);
      expect(server.sockets).toHaveLength(1);
      expect(traffic.sentBytes).toBe(server.requests.join('').length);
    },
  );

  it.each([307, 308])('with %i repeat the push', async (status) => {
    const server = await serve((socket, request) =>
      socket.write(request.startsWith('POST /b') ? httpAnswer(200, '{}') : redirect(status, '/b')),
    );
    await client(server, { apiKey: 'KEY' }).push(0, '{"a":1}');
    expect(server.requests[1]?.split('\r\n')).toEqual([
      'POST /b HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'User-Agent: openITCOCKPIT Agent/3.6.1',
      ...['Content-Length: 7', 'Authorization: X-OITC-API KEY', 'Content-Type: application/json'],
      `Referer: http://127.0.0.1:${server.port}${path}`,
      ...['Accept-Encoding: gzip', '', '{"a":1}'],
    ]);
  });

  it('stop after ten requests, with the status of the last answer', async () => {
    const server = await serve((socket) => socket.write(redirect(307, path)));
    expect((await client(server).push(0)).ending).toMatchObject({ status: 307 });
    expect(server.requests).toHaveLength(10);
  });

  it('lead to another port of the host, over a connection that is also kept', async () => {
    const other = await serve(accept);
    const server = await serve((socket) => socket.write(redirect(307, `http://127.0.0.1:${other.port}${path}`)));
    const agent = client(server, { sharedConnections: 1 });
    for (const number of [0, 0, 1]) expect((await agent.push(number)).ending).toEqual(ACCEPTED);
    expect([server.sockets.length, other.sockets.length]).toEqual([1, 2]);
  });

  it.each([
    ['another host', 'http://localhost:PORT/'],
    ['another scheme', 'ftp://127.0.0.1/'],
    ['nowhere', 'http://['],
    ['an address that Go rejects', 'http://127.1:PORT/'],
    ['a percent-encoded host', 'http://127.0.0.%31:PORT/'],
    ['a scheme without a host', 'http:/a'],
    ['a broken escape', '/%zz'],
    ['a part that looks like a scheme', '1:a'],
    ['an empty location', ''],
  ])('to %s are not followed', async (_title, location) => {
    const server = await serve((socket) => socket.write(redirect(302, location.replace('PORT', String(server.port)))));
    expect((await client(server).push(0)).ending).toMatchObject({ status: 302 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['../a', '/a'],
    ['?a=b c&d=\u00e9%zz', `${path}?a=b c&d=\u00e9%zz`],
    ['#part', path],
    ["/a'b(c)*!%7e[d]", "/a'b(c)*!%7e[d]"],
    ["/a'b(c)*!%7e|", '/a%27b%28c%29%2A%21~%7C'],
    ['/a/%2e%2e/./b/../c/..', '/a/%2e%2e/'],
    ['/a\\b', '/a%5Cb'],
    ['/a//b', '/a//b'],
    ['///a//b', '///a//b'],
    ['./x:y', '/agentconnector/x:y'],
    ['HTTP://u@127.0.0.1:PORT', '/'],
    ['/a?', '/a?'],
  ])('to %s request the path that Go derives from it', async (location, target) => {
    const server = await serve((socket, request) => {
      if (request.startsWith('POST'))
        socket.write(redirect(302, location.replace('PORT', String(server.port))), 'utf8');
      else socket.write(httpAnswer(200, '{}'));
    });
    expect((await client(server).push(0)).ending).toMatchObject({ status: 200 });
    expect(Buffer.from(server.requests[1]?.split(' HTTP/1.1')[0] ?? '', 'latin1').toString()).toBe(`GET ${target}`);
  });

  it('to bytes that are not UTF-8 request these bytes percent-encoded', async () => {
    const server = await serve((socket, request) => {
      if (request.startsWith('POST')) socket.write(redirect(302, '/\xe4'), 'latin1');
      else socket.write(httpAnswer(200, '{}'));
    });
    await client(server).push(0);
    expect(server.requests[1]).toMatch(/^GET \/%E4 HTTP/);
  });

  it.each([
    ['cut', 'Content-Length: 9\r\n\r\nab', true],
    ['in invalid chunks', 'Transfer-Encoding: chunked\r\n\r\nxy\r\n', false],
    ['longer than 2 KiB, and never arrives', 'Content-Length: 2049\r\n\r\n', false],
    ['of unknown length, and longer than 2 KiB', `\r\n${'x'.repeat(2049)}`, false],
  ])('whose body is %s are still followed, over a new connection', async (_title, rest, ends) => {
    const server = await serve((socket, request) => {
      if (!request.startsWith('POST')) socket.write(httpAnswer(200, '{}'));
      else socket.write(`HTTP/1.1 302 X\r\nLocation: /a\r\n${rest}`, () => ends && socket.end());
    });
    expect((await client(server).push(0)).ending).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  it('whose connection closes without an answer repeat their GET', async () => {
    const server = await serve((socket, request, number) => {
      if (request.startsWith('POST')) socket.write(redirect(302, '/'));
      else if (number === 2) socket.end();
      else socket.write(httpAnswer(200, '{}'));
    });
    expect((await client(server).push(0)).ending).toMatchObject({ status: 200 });
    expect(server.requests.map((request) => request.slice(0, 5))).toEqual(['POST ', 'GET /', 'GET /']);
  });

  it('whose connections always close without an answer send their GET only twice', async () => {
    const server = await serve((socket, request, number) => {
      if (request.startsWith('POST')) socket.write(redirect(302, '/'));
      else if (number < 10) socket.end();
    });
    expect((await client(server).push(0)).ending).toEqual({ kind: 'failure', failure: 'connection_reset' });
    expect(server.requests.map((request) => request.slice(0, 5))).toEqual(['POST ', 'GET /', 'GET /']);
  });

  it('whose connection closes after the answer are followed over a new one, even with a body', async () => {
    const server = await serve((socket, _request, number) => {
      if (number === 1) socket.end(redirect(307, path));
      else accept(socket, '', number);
    });
    expect((await client(server).push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests.map((request) => request.slice(0, 5))).toEqual(['POST ', 'POST ']);
  });

  it('with a leading zero in the port go over a separate connection', async () => {
    const server = await serve((socket, request, number) => {
      if (request.startsWith('GET')) accept(socket, '', number);
      else socket.write(redirect(302, `http://127.0.0.1:0${server.port}/a`));
    });
    const agent = client(server);
    for (let push = 0; push < 2; push++) expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests[1]).toContain(`\r\nHost: 127.0.0.1:0${server.port}\r\n`);
    expect(server.sockets).toHaveLength(2);
  });

  it.each([
    ['no URL', 'http://127.0.0.1:1.0/', 'x', 2],
    ['no URL, without a body', 'http://127.0.0.1:1.0/', '', 1],
    ['a URL elsewhere', 'http://localhost/', 'x', 1],
  ])('to %s keep or close the connection as Go does', async (_title, location, body, connections) => {
    const server = await serve((socket) => socket.write(httpAnswer(302, body, `Location: ${location}\r\n`)));
    const agent = client(server);
    for (let push = 0; push < 2; push++) expect((await agent.push(0)).ending).toMatchObject({ status: 302 });
    expect(server.sockets).toHaveLength(connections);
  });

  it('are not followed if the request is aborted right after the answer', async () => {
    const server = await serve((socket) => socket.write(redirect(302, '/a')));
    const heard: string[] = [];
    const settings = { baseUrl: `http://127.0.0.1:${server.port}` };
    const agent = probe(settings, {
      request: (_agent, bytes) => heard.push(bytes.toString('latin1', 0, 4)),
      redirected: () => queueMicrotask(() => agent.transport.abort(0)),
    });
    closedInTheEnd(agent.transport);
    void agent.push(0);
    await until(() => server.requests.length === 1);
    await turns(10);
    expect(heard).toEqual(['POST']);
  });

  it('can be aborted on the way', async () => {
    const other = await serve(() => {});
    const server = await serve((socket) => socket.write(redirect(307, `http://127.0.0.1:${other.port}/`)));
    const agent = client(server);
    void agent.push(0);
    await until(() => other.requests.length === 1);
    expect(agent.transport.abort(0).sentBytes).toBe([...server.requests, ...other.requests].join('').length);
    await until(() => other.sockets[0]?.destroyed === true);
  });
});
