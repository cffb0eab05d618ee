import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/wire/transport/transport.ts';
import {
  accept,
  client,
  closedInTheEnd,
  httpAnswer,
  type Reply,
  rawServer,
  SETTINGS,
  serve,
  turns,
  until,
} from './wire.ts';

describe('the transport:', () => {
  describe('a request', () => {
    it('has the head of the real agent, byte for byte', async () => {
      const server = await serve(accept);
      await client(server, { apiKey: 'KEY' }).push(0, '{"checkdata":{}}');
      expect(server.requests).toEqual([
        [
          'POST /agentconnector/submit_checkdata.json HTTP/1.1',
          `Host: 127.0.0.1:${server.port}`,
          'User-Agent: openITCOCKPIT Agent/3.6.1',
          'Content-Length: 16',
          'Authorization: X-OITC-API KEY',
          'Content-Type: application/json',
          'Accept-Encoding: gzip',
          '',
          '{"checkdata":{}}',
        ].join('\r\n'),
      ]);
    });

    it("carries its agent's own API key, however long that is", async () => {
      const server = await serve(accept);
      const { transport, push } = client(server, { apiKey: 'KEY' });
      const own = 'k'.repeat(5000);
      transport.reconfigure(1, { apiKey: own, proxy: undefined });
      for (const agent of [0, 1, 0]) await push(agent);
      const keys = server.requests.map((request) => /Authorization: X-OITC-API (\w+)\r\n/.exec(request)?.[1]);
      expect(keys).toEqual(['KEY', own, 'KEY']);
      expect(server.requests[1]).toMatch(/^POST /);
    });

    it('trims the space before an empty API key, and keeps prefix and query of the base URL', async () => {
      const server = await serve(accept);
      await client(server, { baseUrl: `http://127.0.0.1:${server.port}/oitc//?apikey=1` }).push(0);
      expect(server.requests[0]).toMatch(
        /^POST \/oitc\/agentconnector\/submit_checkdata\.json\?apikey=1 HTTP\/1\.1\r\n/,
      );
      expect(server.requests[0]).toContain('\r\nAuthorization: X-OITC-API\r\n');
    });

    it.each([
      ['http://LocalHost:PORT', 'LocalHost:PORT'],
      ['http://user:secret@localhost:PORT/base?x', 'localhost:PORT'],
      ['http://127.0.0.1:PORT#part', '127.0.0.1:PORT'],
    ])('to %s names the host as written', async (baseUrl, host) => {
      const server = await serve(accept);
      const withPort = (text: string) => text.replace('PORT', String(server.port));
      await client(server, { baseUrl: withPort(baseUrl) }).push(0);
      expect(server.requests[0]).toContain(`\r\nHost: ${withPort(host)}\r\n`);
      expect(server.requests[0]).not.toContain('secret');
    });

    it.each([
      ["/a%2Fb/'()*![]|", '/a/b/%27%28%29%2A%21%5B%5D%7C/agentconnector/submit_checkdata.json'],
      ['/%7E/a%2e%2e/b/../x y/', '/~/a../x%20y/agentconnector/submit_checkdata.json'],
      ['/../%3F$&+,:;=@', '/%3F$&+,:;=@/agentconnector/submit_checkdata.json'],
      ['/?', '/agentconnector/submit_checkdata.json?'],
      ['?a=b c&d=[%2f]#part', '/agentconnector/submit_checkdata.json?a=b c&d=[%2f]'],
    ])('below %s requests the path that Go derives from it', async (written, target) => {
      const server = await serve(accept);
      await client(server, { baseUrl: `http://127.0.0.1:${server.port}${written}` }).push(0);
      expect(server.requests[0]?.split('\r\n')[0]).toBe(`POST ${target} HTTP/1.1`);
    });

    it('encodes an API key beyond ASCII as UTF-8', async () => {
      const server = await serve(accept);
      await client(server, { apiKey: 'schlüssel' }).push(0);
      expect(Buffer.from(server.requests[0] ?? '', 'latin1').toString('utf8')).toContain(': X-OITC-API schlüssel\r\n');
    });

    it('reports how many bytes went each way', async () => {
      const server = await serve(accept);
      const { traffic } = await client(server).push(0, '{"a":1}');
      expect(traffic.sentBytes).toBe(server.requests[0]?.length);
      expect(traffic.receivedBytes).toBe(httpAnswer(200, '{"received_checks":1}').length);
    });
  });

  describe('connections', () => {
    it('are kept and reused by their agent', async () => {
      const server = await serve(accept);
      const agents = client(server);
      for (let round = 0; round < 5; round++) await Promise.all([agents.push(0), agents.push(1)]);
      expect(server.sockets).toHaveLength(2);
    });

    it('outlive a Keep-Alive hint of the server, as with the real agent', async () => {
      const server = await serve((socket) => socket.write(httpAnswer(200, '{}', 'Keep-Alive: timeout=1\r\n')));
      const agent = client(server);
      await agent.push(0);
      await agent.push(0);
      expect(server.sockets).toHaveLength(1);
    });

    it('are reopened after the server closed them', async () => {
      const server = await serve((socket) => socket.end(httpAnswer(200, '{}', 'Connection: close\r\n')));
      const agent = client(server);
      expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
      expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
      expect(server.sockets).toHaveLength(2);
    });

    it('can be shared: requests wait in order, and start when they get one', async () => {
      const held: Socket[] = [];
      const server = await serve((socket) => held.push(socket));
      const agents = client(server, { sharedConnections: 2 });
      const ends = Promise.all([0, 1, 2, 3].map((agent) => agents.push(agent)));
      await until(() => held.length === 2);
      expect(agents.started).toEqual([0, 1]);
      for (const socket of held.splice(0)) accept(socket, '', 0);
      await until(() => held.length === 2);
      for (const socket of held.splice(0)) accept(socket, '', 0);
      await ends;
      expect(agents.started).toEqual([0, 1, 2, 3]);
      expect(server.sockets).toHaveLength(2);
    });
  });

  describe('answers', () => {
    it('compressed with gzip are unpacked', async () => {
      const body = gzipSync('{"received_checks":5}');
      const server = await serve((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      });
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'answer', status: 200, body: '{"received_checks":5}' });
    });

    it.each(['GZIP', 'Gzip'])('compressed with gzip are unpacked, even if it is spelled %s', async (spelling) => {
      const body = gzipSync('{"received_checks":5}');
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${spelling}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const server = await serve((socket) => socket.write(Buffer.concat([Buffer.from(head), body])));
      const { ending } = await client(server).push(0);
      expect(ending).toMatchObject({ body: '{"received_checks":5}' });
    });

    it.each([
      ['unpack to more than an answer may contain', gzipSync(' '.repeat(64 << 20))],
      ['cut', gzipSync('{"received_checks":5}').subarray(0, 20)],
      ['followed by other bytes', Buffer.concat([gzipSync('{"received_checks":5}'), Buffer.from('rest')])],
    ])('that are compressed and %s have their status and no body', async (_title, body) => {
      const head = `HTTP/1.1 500 X\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
      const server = await serve((socket) => socket.write(Buffer.concat([Buffer.from(head), body])));
      const before = process.memoryUsage().arrayBuffers;
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'answer', status: 500, body: undefined });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 << 20);
    });

    it.each([
      ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['100 Continue twice', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100\r\nX-Hint: a\r\n\r\n'],
      ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
      ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ])('are read after %s, wherever that is cut, and the connection stays', async (_title, interim) => {
      const whole = interim + httpAnswer(200, '{"received_checks":1}');
      const server = await serve(async (socket, _request, number) => {
        // The first answer is cut after every byte; the second one arrives in one piece.
        const bytes = number === 1 ? [...whole] : [whole];
        for (const piece of bytes) {
          socket.write(piece);
          await turns(2);
        }
      });
      const agent = client(server);
      for (const _ of [1, 2])
        expect((await agent.push(0)).ending).toMatchObject({ status: 200, body: '{"received_checks":1}' });
      expect(server.sockets).toHaveLength(1);
    });

    it.each([
      ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5;x=y\r\n{"a":\r\n2\r\n1}\r\n0\r\nX: y\r\n\r\n', 1],
      ['with a length', 'Content-Length: 7\r\n\r\n{"a":1}', 1],
      ['until the connection ends', '\r\n{"a":1}', 2],
    ])('%s are read, wherever they are cut', async (_title, answer, connections) => {
      const server = await serve(async (socket) => {
        for (const byte of `HTTP/1.1 200 OK\r\n${answer}`) {
          socket.write(byte);
          await turns(2);
        }
        if (connections === 2) socket.end();
      });
      const agent = client(server);
      for (const _ of [1, 2]) expect((await agent.push(0)).ending).toMatchObject({ status: 200, body: '{"a":1}' });
      expect(server.sockets).toHaveLength(connections);
    });

    it('that are not HTTP are malformed', async () => {
      const server = await serve((socket) => socket.write('220 mail.example ESMTP\r\n'));
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'malformed_answer' });
    });

    it('without an end are abandoned', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        for (let n = 0; n < 20; n++) socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
      });
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'malformed_answer' });
    });
  });

  describe('failures', () => {
    it('a closed port is connection_refused', async () => {
      const server = await rawServer(accept);
      await server.close();
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'connection_refused' });
    });

    it('the next request may be sent from the callback of a refused one', async () => {
      const server = await rawServer(accept);
      await server.close();
      const endings: string[] = [];
      const over = Promise.withResolvers<void>();
      const transport = createTransport(
        { ...SETTINGS, baseUrl: `http://127.0.0.1:${server.port}` },
        {
          started: () => {},
          buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
          openBody: () => ({ roomBytes: 2, write: (_out, offset) => offset }),
          ended: (agent, ending) => {
            endings.push(ending.kind);
            if (endings.length < 20) transport.send(agent, 'submit_checkdata');
            else over.resolve();
          },
        },
      );
      closedInTheEnd(transport);
      transport.send(0, 'submit_checkdata');
      await over.promise;
      expect(endings).toEqual(new Array(20).fill('failure'));
    });

    it.each<[string, Reply]>([
      ['reset', (socket) => socket.resetAndDestroy()],
      ['closed without an answer', (socket) => socket.end()],
      [
        'reset after an answer without a length',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n{"received_checks":1}');
          setTimeout(() => socket.resetAndDestroy(), 20);
        },
      ],
      [
        'closed in the middle of the answer',
        (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a'),
      ],
    ])('a connection that is %s is connection_reset', async (_title, reply) => {
      const server = await serve(reply);
      const { ending } = await client(server).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'connection_reset' });
    });

    it('an unknown name is name_not_resolved', async () => {
      const { ending } = await client({ port: 0 }, { baseUrl: 'http://nowhere.invalid:1', addresses: [] }).push(0);
      expect(ending).toEqual({ kind: 'failure', failure: 'name_not_resolved' });
    });

    it('an aborted request never reports an ending, and the agent can send the next one', async () => {
      const server = await serve((socket, _request, number) => {
        if (number > 1) accept(socket, '', 0);
      });
      const agent = client(server);
      const first = agent.push(0).then(() => 'first');
      await until(() => server.requests.length === 1);
      expect(agent.transport.abort(0)).toEqual({ sentBytes: server.requests[0]?.length, receivedBytes: 0 });
      const second = agent.push(0).then(() => 'second');
      expect(await Promise.race([first, second])).toBe('second');
      expect(server.sockets).toHaveLength(2);
    });

    it('a request after one that was aborted while dialing gets a new connection', async () => {
      // The first dial never completes, because the server never answers the TLS handshake.
      const server = await serve(() => {});
      const agent = client(server, { baseUrl: `https://127.0.0.1:${server.port}` });
      void agent.push(0);
      await until(() => server.sockets.length === 1);
      agent.transport.abort(0);
      let ended = false;
      void agent.push(0).then(() => {
        ended = true;
      });
      await until(() => server.sockets.length === 2);
      await turns(20);
      expect(ended).toBe(false);
    });

    it('a request that is aborted while it waits for a shared connection never starts', async () => {
      const held: Socket[] = [];
      const server = await serve((socket) => held.push(socket));
      const agents = client(server, { sharedConnections: 1 });
      const first = agents.push(0);
      void agents.push(1);
      await until(() => held.length === 1);
      expect(agents.transport.abort(1)).toEqual({ sentBytes: 0, receivedBytes: 0 });
      for (const socket of held.splice(0)) accept(socket, '', 0);
      await first;
      const third = agents.push(2);
      await until(() => held.length === 1);
      for (const socket of held.splice(0)) accept(socket, '', 0);
      expect((await third).ending).toMatchObject({ status: 200 });
      expect(agents.started).toEqual([0, 2]);
      expect(server.requests).toHaveLength(2);
    });

    it('an aborted request hands its shared connection to the next one', async () => {
      const server = await serve((socket, request) => {
        if (request.endsWith('{"live":1}')) accept(socket, '', 0);
      });
      const agents = client(server, { sharedConnections: 1 });
      void agents.push(0, '{"dead":1}');
      await until(() => server.requests.length === 1);
      const second = agents.push(1, '{"live":1}');
      agents.transport.abort(0);
      expect((await second).ending).toMatchObject({ status: 200 });
    });
  });

  describe('the send buffer', () => {
    it('is replaced by a larger one for a body that does not fit', async () => {
      const server = await serve(accept);
      const agents = client(server);
      for (const length of [100, 500_000, 100])
        expect((await agents.push(0, 'x'.repeat(length))).ending.kind).toBe('answer');
      const bodies = server.requests.map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
      expect(bodies.map(({ length }) => length)).toEqual([100, 500_000, 100]);
    });

    it('is never overwritten while a slow reader still needs it', async () => {
      const sizeBytes = 6 << 20;
      const letters = [...'abc'];
      const server = await serve(accept, { pauseOnConnect: true });
      const agents = client(server);
      const ends = letters.map((letter, agent) => agents.push(agent, letter.repeat(sizeBytes)));
      await until(() => server.sockets.length === letters.length);
      // No server reads until every request has filled the kernel's buffers and stalled.
      await until(() => agents.started.length === letters.length);
      await turns(50);
      for (const socket of server.sockets) socket.resume();
      await Promise.all(ends);
      const bodies = server.requests.map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
      const whole = bodies.map((body) => body === body.charAt(0).repeat(sizeBytes));
      expect(whole).toEqual(letters.map(() => true));
      expect(bodies.map((body) => body.charAt(0)).sort()).toEqual(letters);
    });
  });
});
