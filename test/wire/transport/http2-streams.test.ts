import type { ServerHttp2Stream } from 'node:http2';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  accept,
  against,
  answer,
  client,
  goaway,
  PROTOCOL_ERROR,
  REFUSED_STREAM,
  type Request,
  roundTrips,
  serve,
} from './http2-server.ts';
import { closedInTheEnd, listen, until } from './wire.ts';

/** A PING frame with eight zeros (RFC 9113, section 6.7). */
const PING = `000008060000000000${'00'.repeat(8)}`;
const ACCEPTED = { kind: 'answer', status: 200, body: '{"received_checks":1}' };
const reset = (failure: string) => ({ kind: 'failure', failure });

describe('an aborted request over HTTP/2', () => {
  it('resets its stream, sends a PING unless the server showed a sign of life, and keeps the connection', async () => {
    const { server, agent } = await against((request) => {
      if (request.body === '{}') accept(request);
    });
    const giveUp = async () => {
      const before = server.requests.length;
      void agent.push(0, 'silence');
      await until(() => server.requests.length > before);
      const resets = server.signs.length;
      const traffic = agent.transport.abort(0);
      expect(traffic.sentBytes).toBeGreaterThan(20);
      await until(() => server.signs.length > resets);
      await roundTrips(server.sessions[0]);
    };
    await giveUp();
    expect(server.signs.toSorted()).toEqual(['PING', 'RST 8']);
    // The server's last sign of life is the answer to the PING.
    await giveUp();
    expect(server.signs.toSorted()).toEqual(['PING', 'RST 8', 'RST 8']);
    await agent.push(0, '{}');
    await giveUp();
    expect(server.signs.toSorted()).toEqual(['PING', 'PING', 'RST 8', 'RST 8', 'RST 8']);
    expect(server.connections).toHaveLength(1);
  });

  it('sends no PING if the server has opened its window since', async () => {
    const { server, agent } = await against(() => {});
    void agent.push(0, 'x'.repeat(60_000));
    await until(() => server.requests.length === 1);
    await roundTrips(server.sessions[0]);
    agent.transport.abort(0);
    await until(() => server.signs.length > 0);
    await roundTrips(server.sessions[0]);
    expect(server.signs).toEqual(['RST 8']);
  });

  it("counts as an open stream until a sign of life; at the server's stream limit the next request opens a connection", async () => {
    const server = await serve(() => {}, { settings: { maxConcurrentStreams: 2 } });
    const sockets: Socket[] = [];
    let frozen: Socket | undefined;
    const gate = createTcpServer((socket) => {
      sockets.push(socket);
      const onward = connect(server.port, '127.0.0.1');
      onward.on('data', (data) => socket !== frozen && socket.write(data));
      socket
        .on('error', () => {})
        .pipe(onward)
        .on('error', () => {});
      closedInTheEnd({ close: () => [socket, onward].map((one) => one.destroy()) });
    });
    closedInTheEnd(gate);
    const agent = client({ port: await listen(gate) });
    for (const count of [1, 2, 3]) {
      void agent.push(0, '{}');
      await until(() => server.requests.length === count);
      if (count === 1) await roundTrips(server.sessions[0]);
      [frozen] = sockets;
      agent.transport.abort(0);
      await until(() => server.signs.filter((sign) => sign === 'RST 8').length === count);
    }
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    // One per connection.
    expect(server.signs.filter((sign) => sign === 'PING')).toHaveLength(2);
  });

  it('reports how far it got, and shows what had arrived', async () => {
    const evidenceOf = async (body: string, reply: (request: Request) => void, options = {}) => {
      const { server, agent } = await against(reply, options);
      void agent.push(0, body);
      await until(() => server.sessions.length === 1);
      await roundTrips(server.sessions[0]);
      agent.transport.abort(0);
      return agent.transport.lastEvidence(0);
    };
    const stuck = await evidenceOf('x'.repeat(200_000), () => {}, {
      early: (stream: ServerHttp2Stream) => stream.pause(),
    });
    expect(stuck.reason).toMatch(/^never answered, because \d+ bytes of the request were not accepted$/);
    const silent = await evidenceOf('{}', () => {});
    expect(silent).toEqual({ reason: 'never answered, though the request was sent', head: '', body: '' });
    const cut = await evidenceOf('{}', ({ stream }) => {
      stream.respond({ ':status': 200, 'x-by': 'me', date: 'today' });
      stream.write('{"rec');
    });
    expect(cut.reason).toMatch(/^cut after \d+ bytes of an answer$/);
    expect(cut).toMatchObject({ head: 'HTTP/2 200\r\nx-by: me\r\ndate: today', body: '{"rec' });
  });
});

describe('the recorded exchange over HTTP/2', () => {
  it('is the head and the body of the answer', async () => {
    const { agent } = await against(({ stream }) => answer(stream, 500, 'sorry', { server: 'nginx', date: 'today' }));
    const { seen } = await agent.push(0);
    expect(seen).toEqual({ reason: '', head: 'HTTP/2 500\r\nserver: nginx\r\ndate: today', body: 'sorry' });
  });

  it('includes each request as it is sent, and each redirect', async () => {
    const server = await serve((request) => {
      const { stream, number } = request;
      if (number === 1) stream.close(REFUSED_STREAM);
      else if (number === 2) answer(stream, 303, 'see there', { location: '/there', date: 'today' });
      else accept(request);
    });
    const heard: string[] = [];
    const agent = client(
      server,
      { apiKey: 'schlüssel' },
      {
        request: (by, bytes) => heard.push(`${by} ${bytes.toString()}`),
        redirected: (by, { head, body }) => heard.push(`${by} ${head} ${body}`),
      },
    );
    await agent.push(3, '{"a":1}');
    const first = [
      `3 :authority: localhost:${server.port}`,
      ...[':method: POST', ':path: /agentconnector/submit_checkdata.json', ':scheme: https'],
      ...['content-type: application/json', 'authorization: X-OITC-API schlüssel'],
      ...['user-agent: openITCOCKPIT Agent/3.6.1', 'content-length: 7', 'accept-encoding: gzip', '', '{"a":1}'],
    ].join('\r\n');
    expect(heard.slice(0, 3)).toEqual([first, first, '3 HTTP/2 303\r\nlocation: /there\r\ndate: today see there']);
    expect(heard[3]).toMatch(/^3 :authority: localhost:\d+\r\n:method: GET\r\n:path: \/there\r\n/);
    const key = Buffer.from(server.requests[1]?.headers.authorization ?? '', 'latin1').toString();
    expect(key).toBe('X-OITC-API schlüssel');
  });
});

describe('a stream without an answer', () => {
  it('is sent again over the same connection if it was refused: immediately, then after a second', async () => {
    const at: number[] = [];
    const { server, agent } = await against((request) => {
      at.push(performance.now());
      if (request.number < 3) request.stream.close(REFUSED_STREAM);
      else accept(request);
    });
    const { ending, traffic } = await agent.push(0, '{"a":1}');
    expect(ending).toEqual(ACCEPTED);
    expect(traffic.sentBytes).toBeGreaterThan(3 * 7);
    expect(server.requests.map(({ body, connection }) => [body, connection])).toEqual(
      Array.from({ length: 3 }, () => ['{"a":1}', 1]),
    );
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThan(990);
  });

  it('is not sent again once its request was aborted', async () => {
    const { server, agent } = await against(({ stream }) => stream.close(REFUSED_STREAM));
    void agent.push(0, 'first');
    await until(() => server.requests.length === 2);
    await roundTrips(server.sessions[0]);
    agent.transport.abort(0);
    const { reason, head } = agent.transport.lastEvidence(0);
    expect([reason, head]).toEqual(['never answered, because it was refused 2 times', '']);
    // A third try of the first request would arrive before that of the next one.
    void agent.push(0, 'next');
    await until(() => server.requests.length === 5);
    agent.transport.abort(0);
    expect(server.requests.map(({ body }) => body)).toEqual(['first', 'first', 'next', 'next', 'next']);
    expect(agent.endings).toEqual([]);
  });

  it('is sent again over a new connection if the server reports a protocol error, even after a PING', async () => {
    const { server, agent } = await against((request) => {
      if (request.number === 2) {
        request.raw(PING);
        request.stream.close(PROTOCOL_ERROR);
      } else accept(request);
    });
    for (let time = 0; time < 2; time++) expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
    await until(() => server.sessions[0]?.destroyed === true);
  });

  it('is sent again over a new connection if a GOAWAY says that the server did not process it', async () => {
    const { server, agent } = await against((request) => {
      if (request.number === 2) request.raw(goaway(1, 0));
      else accept(request);
    });
    for (let time = 0; time < 2; time++) expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('fails if it was the first, and the GOAWAY reports an error', async () => {
    const { server, agent } = await against((request) => {
      if (request.number === 1) request.raw(goaway(0, 2));
      else accept(request);
    });
    expect((await agent.push(0)).ending).toEqual(reset('connection_reset'));
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(2);
  });

  it('gets its answer despite a GOAWAY that includes it, and then the connection closes', async () => {
    const { server, agent } = await against((request) => {
      request.raw(goaway(request.stream.id ?? 0, 0));
      accept(request);
    });
    for (let time = 0; time < 2; time++) expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    await until(() => server.sessions.every(({ destroyed }) => destroyed));
  });

  it.each([
    ['INTERNAL_ERROR', 2, /^never answered, though the request was sent: .*INTERNAL_ERROR/],
    ['NO_ERROR', 0, /^never answered, though the request was sent: /],
  ])('fails if it was reset with %s, and the connection stays', async (_, code, reason) => {
    const { server, agent } = await against((request) => {
      if (request.number === 1) request.stream.close(code);
      else accept(request);
    });
    const { ending, seen } = await agent.push(0);
    expect(ending).toEqual(reset('connection_reset'));
    expect(seen.reason).toMatch(reason);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.connections).toHaveLength(1);
  });

  it.each([
    ['ends before', () => {}, (socket?: TLSSocket) => socket?.end(), /^never answered/],
    ['is cut before', () => {}, (socket?: TLSSocket) => socket?.destroy(), /^never answered/],
    ['ends within', beginAnswer, (socket?: TLSSocket) => socket?.end(), /^cut after \d+/],
    ['is cut within', beginAnswer, (socket?: TLSSocket) => socket?.destroy(), /^cut after \d+/],
  ])('fails if the connection %s its answer, and is not sent again', async (_, begin, end, reason) => {
    const { server, agent } = await against((request) => {
      if (request.number !== 2) {
        accept(request);
        return;
      }
      begin(request);
      void roundTrips(request.session).then(() => end(server.connections[0]));
    });
    await agent.push(0);
    const { ending, seen } = await agent.push(0);
    expect(ending).toEqual(reset('connection_reset'));
    expect(seen.reason).toMatch(reason);
    expect((await agent.push(0)).ending).toEqual(ACCEPTED);
    expect(server.requests).toHaveLength(3);
  });
});

function beginAnswer({ stream }: Request): void {
  stream.respond({ ':status': 200 });
  stream.write('{"rec');
}
