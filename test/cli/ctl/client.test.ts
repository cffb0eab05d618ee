import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { createControlClient } from '../../../src/cli/ctl/client.ts';

/** A server that is not necessarily a control API, its client, and the connections that it accepted. */
async function serve(answer: RequestListener) {
  const connections: Socket[] = [];
  const server = createServer(answer).on('connection', (socket: Socket) => connections.push(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, connections, client: createControlClient({ url, token: 'secret' }) };
}

/** The events of a stream until it ends, and the reason why it ended. */
async function watched(parts: readonly (string | Buffer)[], end: 'end' | 'destroy' = 'end') {
  const { client, url } = await serve(async (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const part of parts) await new Promise<void>((written) => response.write(part, () => written()));
    response[end]();
  });
  const events: unknown[] = [];
  const reading = (async () => {
    for await (const event of client.events('/api/changes', new AbortController().signal)) events.push(event);
  })();
  const reason = await reading.then(undefined, (error: UserError) => error.message.replace(url, 'URL'));
  return { events, reason };
}

describe('the client of the control API', () => {
  it('sends its token and body, and several requests over one connection', async () => {
    const received: string[] = [];
    const { client, connections } = await serve(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      const { 'content-type': type = 'no type', authorization } = request.headers;
      received.push(`${request.method} ${request.url} ${authorization} ${type} ${body}`);
      response.end('{"n":1}');
    });
    expect(await client.get('/api/fleet?a=b')).toEqual({ n: 1 });
    expect(await client.post('/api/events', { do: 'restart' })).toEqual({ n: 1 });
    expect(await client.end('/api/events/a')).toEqual({ n: 1 });
    expect(received).toEqual([
      'GET /api/fleet?a=b Bearer secret no type ',
      'POST /api/events Bearer secret application/json {"do":"restart"}',
      'DELETE /api/events/a Bearer secret no type ',
    ]);
    expect(connections).toHaveLength(1);
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      'a refusal',
      (_, response) => response.writeHead(409).end('{"detail":"Agent 77: found none."}'),
      /^Agent 77: found none\.$/,
    ],
    [
      'a status of another server',
      (_, response) => response.writeHead(404).end('<html>'),
      /answers with status 404: expected a control API, found another server\.$/,
    ],
    [
      'the page of another server',
      (_, response) => response.end('<html>'),
      /answers with something else than JSON: expected a control API, found another server\.$/,
    ],
    [
      'an answer that ends early',
      (_, response) => response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy()),
      /sent only part of its answer: other side closed; check that the fleet is running\.$/,
    ],
    [
      'a connection that closes',
      (_, response) => response.destroy(),
      /^Nothing answers at http:\S+: other side closed; check/,
    ],
    [
      'another protocol',
      (_, response) => response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
      /^Nothing answers at http:\S+: Response does not match the HTTP\/1\.1 protocol/,
    ],
  ])('reports %s in one sentence', async (_, answer, sentence) => {
    const { client } = await serve(answer);
    const failure = await client.get('/api/fleet').then(undefined, (error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect((failure as UserError).message).toMatch(sentence);
  });

  it('reads events wherever the stream is cut, and no comments', async () => {
    const bytes = Buffer.from(': it begins\n\nevent: second\ndata: {"name":"Zoë\u2028"}\n\n: still here\n\n');
    const cut = bytes.indexOf('ë') + 1;
    const { events } = await watched([
      bytes.subarray(0, cut),
      bytes.subarray(cut),
      'event: event\r\n',
      'data: 1\r\n\r\n',
    ]);
    expect(events).toEqual([
      { event: 'second', data: { name: 'Zoë\u2028' } },
      { event: 'event', data: 1 },
    ]);
  });

  it.each(['end', 'destroy'] as const)('reports that a stream was lost by %s, after its events', async (end) => {
    expect(await watched(['event: a\ndata: 1\n\nevent: b\nda'], end)).toEqual({
      events: [{ event: 'a', data: 1 }],
      reason: 'The fleet at URL stopped sending: it has ended, or the connection is lost.',
    });
  });

  it('waits for a fleet that says nothing only so long', async () => {
    const { url } = await serve(() => undefined);
    const client = createControlClient({ url, token: 'secret' }, 50);
    await expect(client.get('/')).rejects.toThrow(/^Nothing answers at .*; check that the fleet is running\.$/);
  });

  it('waits for the rest of an answer only so long', async () => {
    const { url } = await serve((_, response) => response.writeHead(200).write('{"n":'));
    const client = createControlClient({ url, token: 'secret' }, 50);
    await expect(client.get('/')).rejects.toThrow(
      / sent only part of its answer: .*; check that the fleet is running\.$/,
    );
  });

  it('reports that a stream is lost if it is silent for a minute, however long it lasts', async () => {
    const sent: ServerResponse[] = [];
    const { url } = await serve(
      (_, response) => sent.push(response.writeHead(200)) && response.write('event: a\ndata: 1\n\n'),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const events = createControlClient({ url, token: 'secret' }).events('/', new AbortController().signal);
    for (let n = 0; n < 3; n++) {
      expect(await events.next()).toEqual({ done: false, value: { event: 'a', data: 1 } });
      vi.advanceTimersByTime(59_000);
      sent[0]?.write('event: a\ndata: 1\n\n');
    }
    await events.next();
    const next = events.next();
    vi.advanceTimersByTime(60_000);
    await expect(next).rejects.toThrow('stopped sending: it has ended, or the connection is lost.');
  });

  it('ends a stream without an error, and its connection, when the signal aborts', async () => {
    const { client, connections } = await serve((_, response) =>
      response.writeHead(200).write('event: a\ndata: 1\n\n'),
    );
    const stopping = new AbortController();
    const events: unknown[] = [];
    for await (const event of client.events('/api/changes', stopping.signal)) {
      events.push(event);
      stopping.abort();
    }
    expect(events).toHaveLength(1);
    while (connections.some((socket) => !socket.destroyed)) await new Promise(setImmediate);
  });
});
