import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { realTimer } from '../../../src/base/runtime/event-loop.ts';
import { SERVER_CASES } from '../../../src/conformance/server/mode.ts';
import { tryAt } from './try-server.ts';

const FLOOD = Buffer.alloc(64 << 10, 'a');

/** Writes for as long as the client reads, with pauses that cost the client no time limit, and the test less processor time. */
function flood(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.write(FLOOD)) setTimeout(flood, 1, socket);
  else socket.once('drain', () => setTimeout(flood, 1, socket));
}

/** What a server does with a connection once something arrives; nothing of it is an answer of the API. */
const HOSTILE: Readonly<Record<string, (socket: Socket) => void>> = {
  'sends a page': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>'),
  'sends a page without a head': (socket) => socket.end('<html><body>'),
  'redirects elsewhere': (socket) =>
    socket.write('HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/login\r\nContent-Length: 0\r\n\r\n'),
  hangs: () => undefined,
  closes: (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy(),
  'floods without a head': flood,
  'floods in its head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    flood(socket);
  },
  'floods in its body': (socket) => {
    socket.write(
      'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{"password":"',
    );
    flood(socket);
  },
  'sends interim answers without end': (socket) => {
    const more = () =>
      socket.destroyed || socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), () => setImmediate(more));
    more();
  },
  'sends a chunk of no size': (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc'),
  'sends two lengths': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
  'sends gzip of zeros': (socket) =>
    socket.end('HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00'),
  'stops within a body': (socket) => socket.write('HTTP/1.1 201 Created\r\nContent-Length: 200\r\n\r\n{"agentuuid"'),
};

/** Time limits of cases are a fiftieth: a server that hangs makes each case last as long as that. */
const shortLimits: typeof realTimer = (delayMs, act) => realTimer(delayMs / 50, act);

describe('a server that', () => {
  it.each(Object.entries(HOSTILE))('%s: every case ends, and rules are broken', async (_, react) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => react(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const { results } = await tryAt(url, CASES, { timer: shortLimits });
    server.close();
    expect(results).toHaveLength(CASES.length);
    expect(results.some(({ verdict }) => verdict.kind === 'broken')).toBe(true);
    const kept = results.flatMap(({ wire }) =>
      wire.flatMap(({ sent, received }) => [sent.bytes.length, received.bytes.length]),
    );
    expect(Math.max(...kept)).toBeLessThanOrEqual(8 << 10);
  });
});

/** One of each kind: each would wait for its limit. */
const CASES = SERVER_CASES.filter(({ id }) => /\.(1|9|38)$|^connection/.test(id));
