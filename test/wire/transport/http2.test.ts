import { createHash } from 'node:crypto';
import type { ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { userAgentOf } from '../../../src/base/protocol/agent-versions.ts';
import type { Traffic } from '../../../src/base/protocol/exchange.ts';
import { accept, against, answer, CANCEL, client, frame, type Request, serve } from './http2-server.ts';
import { CREDENTIALS, closedInTheEnd, listen, turns, until } from './wire.ts';

const ACCEPTED = { kind: 'answer', status: 200, body: '{"received_checks":1}' };
const reset = (failure: string) => ({ kind: 'failure', failure });

describe('a connection over HTTP/2', () => {
  it("starts with the real agent's bytes, and sends its header fields in the real agent's order", async () => {
    const { server, agent } = await against(accept);
    const firsts: Buffer[] = [];
    const tap = createTcpServer();
    closedInTheEnd(tap);
    const plain = createTlsServer({ ...CREDENTIALS, ALPNProtocols: ['h2'] }, (socket) => {
      socket.once('data', (data: Buffer) => {
        firsts.push(data);
        socket.destroy();
      });
    });
    closedInTheEnd(plain);
    await client({ port: await listen(plain) }).push(0);
    // Preface, SETTINGS (no push, 4 MiB a stream, frames of 16 KiB, heads of 10 MiB), WINDOW_UPDATE of 1 GiB.
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n').toString('hex');
    const settings = '000018040000000000' + '000200000000' + '000400400000' + '000500004000' + '000600a00000';
    const update = '00000408000000000040000000';
    expect(firsts[0]?.toString('hex').slice(0, 140)).toBe(preface + settings + update);
    await agent.push(0, '{"a":1}');
    expect(server.requests[0]?.head).toEqual([
      ...[':authority', `localhost:${server.port}`, ':method', 'POST'],
      ...[':path', '/agentconnector/submit_checkdata.json', ':scheme', 'https'],
      ...['content-type', 'application/json', 'authorization', 'X-OITC-API', 'user-agent', 'openITCOCKPIT Agent/3.6.1'],
      ...['content-length', '7', 'accept-encoding', 'gzip'],
    ]);
    expect(server.requests[0]?.body).toBe('{"a":1}');
  });

  it('carries the user agent of the release, or that of the Go client for a release that has none', async () => {
    const server = await serve(accept);
    await client(server, { userAgent: userAgentOf('3.5.0') }).push(0);
    await client(server, { userAgent: userAgentOf('3.0.10') }).push(0);
    const [newer, older] = server.requests.map(({ head }) => head);
    expect(newer?.slice(newer.indexOf('user-agent'))).toEqual(
      expect.arrayContaining(['user-agent', 'openITCOCKPIT Agent/3.5.0', 'content-length', 'accept-encoding', 'gzip']),
    );
    expect(older?.slice(-4)).toEqual(['accept-encoding', 'gzip', 'user-agent', 'Go-http-client/2.0']);
  });

  it("carries all requests of one agent, and no other agent's", async () => {
    const { server, agent } = await against(accept);
    for (const number of [0, 1, 0, 0]) expect((await agent.push(number)).ending).toEqual(ACCEPTED);
    const streams = server.requests.map(({ connection, stream }) => [connection, stream.id]);
    expect(streams).toEqual([
      [1, 1],
      [2, 1],
      [1, 3],
      [1, 5],
    ]);
  });

  it('carries long bodies completely, from many agents at the same time', async () => {
    const { server, agent } = await against(accept);
    const bodies = Array.from({ length: 8 }, (_, number) => String(number).repeat(100_000 + number));
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    for (let round = 0; round < 2; round++) {
      await Promise.all(bodies.map((body, number) => agent.push(number, body)));
    }
    const came = server.requests.map(({ body }) => sha(body));
    expect(came.toSorted()).toEqual([...bodies, ...bodies].map(sha).toSorted());
  });

  it('serves one agent at a time if agents share connections', async () => {
    const waiting: Request[] = [];
    const server = await serve((request) => waiting.push(request));
    const agent = client(server, { sharedConnections: 2 });
    const ends = [0, 1, 2, 3].map((number) => agent.push(number));
    await until(() => waiting.length === 2);
    await turns(5);
    expect(agent.started).toEqual([0, 1]);
    for (const request of waiting.splice(0)) accept(request);
    await until(() => waiting.length === 2);
    for (const request of waiting) accept(request);
    for (const { ending } of await Promise.all(ends)) expect(ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(2);
  });

  it('is not offered if certificates are not verified', async () => {
    const protocols: unknown[] = [];
    const server = createTlsServer({ ...CREDENTIALS, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      protocols.push(socket.alpnProtocol);
      socket.destroy();
    });
    closedInTheEnd(server);
    const port = await listen(server);
    await client({ port }, { tls: { verify: false, ca: undefined } }).push(0);
    await client({ port }).push(0);
    expect(protocols).toEqual([false, 'h2']);
  });

  it('is counted separately from one over HTTP/1.1', async () => {
    let connections = 0;
    const server = createTlsServer(
      { ...CREDENTIALS, ALPNCallback: () => (connections++ < 2 ? 'h2' : 'http/1.1') },
      (socket) => {
        socket.on('error', () => {}).once('data', () => socket.destroy());
      },
    );
    closedInTheEnd(server);
    const port = await listen(server);
    const agents = client({ port }, { baseUrl: `https://127.0.0.1:${port}` });
    for (const number of [0, 1, 2]) await agents.push(number);
    expect(agents.transport.addresses()).toMatchObject([{ connections: 3, protocols: { http1: 1, http2: 2 } }]);
    const blind = client({ port }, { baseUrl: `https://localhost:${port}`, tls: { verify: false, ca: undefined } });
    await blind.push(0);
    expect(blind.transport.addresses()).toHaveLength(1);
    expect(blind.transport.addresses()[0]).not.toHaveProperty('protocols');
  });

  it('is closed without a GOAWAY when an agent disconnects, and the next request opens a new one', async () => {
    const { server, agent } = await against(accept);
    await agent.push(0);
    agent.transport.disconnect(0);
    await until(() => server.sessions[0]?.destroyed === true);
    expect(server.signs).toEqual([]);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(2);
  });

  it('that the server has closed is replaced without a failure', async () => {
    const { server, agent } = await against(accept);
    await agent.push(0);
    server.connections[0]?.end();
    await until(() => server.sessions[0]?.destroyed === true);
    await turns(5);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
  });

  it('serves later requests from dials that outlast their own, and only one stays open', async () => {
    const held: Socket[] = [];
    const { server } = await against(accept);
    const gate = createTcpServer((socket) => {
      socket.on('error', () => {});
      held.push(socket);
    });
    closedInTheEnd(gate);
    const agent = client({ port: await listen(gate) });
    void agent.push(0);
    await until(() => held.length === 1);
    agent.transport.abort(0);
    const end = agent.push(0);
    await until(() => held.length === 2);
    let closed = 0;
    for (const socket of held) {
      const onward = connect(server.port, '127.0.0.1');
      socket
        .pipe(onward)
        .on('error', () => {})
        .pipe(socket);
      socket.on('close', () => {
        closed++;
      });
    }
    expect((await end).ending).toEqual(ACCEPTED);
    await until(() => closed === 1);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(closed).toBe(1);
    for (const socket of held) socket.destroy();
  });
});

describe('an answer over HTTP/2', () => {
  it('is read after interim answers, and its trailer is ignored', async () => {
    const { agent } = await against(({ stream }) => {
      stream.additionalHeaders({ ':status': 103 });
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'received-checks': '2' }));
      stream.end('{"received_checks":1}');
    });
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
  });

  it('is unpacked, however gzip is capitalized', async () => {
    const { agent } = await against(({ stream }) => {
      stream.respond({ ':status': 200, 'content-encoding': 'GZip' });
      stream.end(gzipSync('{"received_checks":1}'));
    });
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
  });

  it('without a body has an empty one', async () => {
    const { agent } = await against(({ stream }) => stream.respond({ ':status': 500 }, { endStream: true }));
    expect((await agent.push(0)).ending).toEqual({ kind: 'answer', status: 500, body: '' });
  });

  it.each([
    ['a body of more than 1 MiB', ({ stream }: Request) => answer(stream, 200, 'x'.repeat((1 << 20) + 1))],
    ['fewer bytes than it states', ({ stream }: Request) => answer(stream, 200, '{}', { 'content-length': '5' })],
  ])('with %s is malformed, and the connection stays', async (_, reply) => {
    const { server, agent } = await against((request) => (request.number === 1 ? reply(request) : accept(request)));
    expect((await agent.push(0)).ending).toEqual(reset('malformed_answer'));
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(1);
  });

  it('with a head of more than 256 KiB is malformed, even if it is compressed to a few bytes', async () => {
    const long = { 'x-0': 'y'.repeat(3000) };
    const { agent } = await against(({ stream, number }) => {
      const fields = Array.from({ length: number === 1 ? 100 : 20 }, () => long['x-0']);
      answer(stream, 200, '{}', { 'x-0': fields as unknown as string });
    });
    expect((await agent.push(0)).ending).toEqual(reset('malformed_answer'));
    expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
  });

  it('whose head violates HTTP/2 is malformed, is not requested again, and leaves the connection open', async () => {
    const { server, agent } = await against((request) => {
      // HEADERS with `:status` 200 and `connection: close`.
      const fields = `88000a${Buffer.from('connection').toString('hex')}05${Buffer.from('close').toString('hex')}`;
      if (request.number < 3) request.raw(frame(request, 1, 4, fields));
      else accept(request);
    });
    for (const ending of [reset('malformed_answer'), reset('malformed_answer'), ACCEPTED]) {
      expect((await agent.push(0)).ending).toEqual(ending);
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  // HEADERS with `:status` 200 and the field of the static table that says how long the body is, then one byte of it.
  const begun = (request: Request) => frame(request, 1, 4, '880f0d0139') + frame(request, 0, 0, '7b');
  const trailer = '0001610162';
  it.each([
    ['a reset with PROTOCOL_ERROR', 'malformed_answer', 2, (of: Request) => begun(of) + frame(of, 3, 0, '00000001')],
    ['a reset with INTERNAL_ERROR', 'connection_reset', 1, (of: Request) => begun(of) + frame(of, 3, 0, '00000002')],
    ['a reset with NO_ERROR', 'connection_reset', 1, (of: Request) => begun(of) + frame(of, 3, 0, '00000000')],
    ['a second head', 'malformed_answer', 2, (of: Request) => frame(of, 1, 4, '88') + frame(of, 1, 5, '88')],
    ['an open trailer', 'malformed_answer', 2, (of: Request) => frame(of, 1, 4, '88') + frame(of, 1, 4, trailer)],
  ])('that %s cuts fails as %s, and %i connections serve it and the next one', async (_, failure, count, bytes) => {
    const { server, agent } = await against((request) => {
      if (request.number === 1) request.raw(bytes(request));
      else accept(request);
    });
    expect((await agent.push(0)).ending).toEqual(reset(failure));
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect([server.requests.length, server.connections.length]).toEqual([2, count]);
  });

  it('that is not HTTP/2 is malformed, and the next request opens a new connection', async () => {
    let connections = 0;
    const server = createTlsServer({ ...CREDENTIALS, ALPNProtocols: ['h2'] }, (socket) => {
      connections++;
      socket.on('error', () => {});
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    closedInTheEnd(server);
    const agent = client({ port: await listen(server) });
    for (let time = 0; time < 2; time++) expect((await agent.push(0)).ending).toEqual(reset('malformed_answer'));
    expect(connections).toBe(2);
  });

  it('that arrives before the body is complete counts; the rest of the body is not sent, and the connection stays', async () => {
    for (const status of [200, 413]) {
      let early: ServerHttp2Stream | undefined;
      const { server, agent } = await against(accept, {
        settings: { initialWindowSize: 10 },
        early: (stream) => {
          if (stream.id !== 1) return;
          early = stream.pause();
          answer(stream, status, '{}');
        },
      });
      const { ending } = await agent.push(0, 'x'.repeat(100_000));
      expect(ending).toEqual({ kind: 'answer', status, body: '{}' });
      await until(() => early?.closed === true);
      expect(early?.rstCode).toBe(status === 200 ? CANCEL : 0);
      await agent.push(0, '{}');
      expect(server.connections).toHaveLength(1);
    }
  });

  it('and its request are counted in bytes above TLS', async () => {
    const { server, agent } = await against(accept);
    const ends: { traffic: Traffic }[] = [];
    for (const body of ['x'.repeat(50_000), '{}', '{}']) ends.push(await agent.push(0, body));
    await agent.push(0);
    const { in: taken, out: given } = server.traffic(1);
    const sum = (key: 'sentBytes' | 'receivedBytes') => ends.reduce((all, { traffic }) => all + traffic[key], 0);
    expect(ends[0]?.traffic.sentBytes).toBeGreaterThan(50_000);
    // The last push is short, and not in the sums.
    expect(taken - sum('sentBytes')).toBeGreaterThan(10);
    expect(taken - sum('sentBytes')).toBeLessThan(200);
    expect(given - sum('receivedBytes')).toBeGreaterThan(10);
    expect(given - sum('receivedBytes')).toBeLessThan(200);
  });
});

describe('a request over HTTP/2', () => {
  it("is not sent if its head exceeds the server's limit, and the connection stays", async () => {
    const { server, agent } = await against(accept, { settings: { maxHeaderListSize: 64 } });
    // The server's settings arrive at the latest with its first answer.
    await agent.push(0);
    const sent = server.requests.length;
    const { ending, seen } = await agent.push(0);
    expect(ending).toEqual(reset('connection_failed'));
    expect(seen.reason).toBe("never sent, because the head is larger than the server's MAX_HEADER_LIST_SIZE");
    expect([server.requests.length, server.connections.length]).toEqual([sent, 1]);
  });
});

describe('redirects over HTTP/2', () => {
  it('are followed over the same connection, as a GET without the body or by repeating the body', async () => {
    const { server, agent } = await against((request) => {
      const [status, location] = [[307, '/there'] as const, [303, '/gone'] as const][request.number - 1] ?? [];
      if (status === undefined) accept(request);
      else answer(request.stream, status, 'elsewhere', { location });
    });
    expect((await agent.push(0, '{"a":1}')).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(1);
    const lines = server.requests.map(({ headers, body }) => `${headers[':method']} ${headers[':path']} ${body}`);
    expect(lines).toEqual(['POST /agentconnector/submit_checkdata.json {"a":1}', 'POST /there {"a":1}', 'GET /gone ']);
    const referers = server.requests.map(({ head }) => head.slice(head.indexOf('user-agent') + 2).slice(0, 2));
    const base = `https://localhost:${server.port}`;
    expect(referers.slice(1)).toEqual([
      ['referer', `${base}/agentconnector/submit_checkdata.json`],
      ['referer', `${base}/there`],
    ]);
    expect(server.requests[2]?.head).not.toContain('content-type');
  });

  it('are followed even if their body is long, cut or missing', async () => {
    const { server, agent } = await against((request) => {
      const { stream, number } = request;
      if (number % 2 === 0) {
        accept(request);
        return;
      }
      stream.respond({ ':status': 302, location: '/there' }, { endStream: number === 5 });
      if (number === 1) stream.write('x'.repeat(5000));
      else if (number === 3) stream.write('x', () => stream.close(2));
    });
    for (let time = 0; time < 3; time++) expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(1);
  });

  it('lead from one protocol to the other and back', async () => {
    const { server } = await against(accept);
    const other = createHttpsServer(CREDENTIALS, (request, response) => {
      request.resume().on('end', () => {
        response.writeHead(307, { location: `https://localhost:${server.port}/there` });
        response.end();
      });
    });
    closedInTheEnd(other);
    const agent = client({ port: await listen(other) });
    for (let time = 0; time < 2; time++) expect((await agent.push(0, '{"b":2}')).ending).toEqual(ACCEPTED);
    expect(server.requests.map(({ body, connection }) => [body, connection])).toEqual([
      ['{"b":2}', 1],
      ['{"b":2}', 1],
    ]);
  });
});
