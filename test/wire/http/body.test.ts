import { expect, it } from 'vitest';
import { createBodyReader, type ReceivedBody } from '../../../src/wire/http/body.ts';
import { createListener } from '../../../src/wire/http/listener.ts';
import { createHttpServer, serveAll } from '../../../src/wire/http/server.ts';
import { exchange } from '../../server/push-client.ts';

const LIMITS = { bodyBytes: 1_000_000, allBodiesBytes: 1_000_000 };

/** Returns what the body reader makes of these pieces, each sent as one HTTP chunk. */
async function read(pieces: readonly string[], limits = LIMITS): Promise<ReceivedBody> {
  const bodies = createBodyReader(limits);
  const { promise, resolve } = Promise.withResolvers<ReceivedBody>();
  const timeouts = { headMs: 60_000, requestMs: 60_000, idleMs: 60_000 };
  const http = createHttpServer<undefined>(timeouts, (request) => {
    bodies.read(request).then((body) => {
      resolve(body);
      request.response.setHeader('Connection', 'close').end();
    });
  });
  const listener = createListener({ host: '127.0.0.1', port: 0 }, serveAll(http, undefined));
  const port = await listener.open();
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
  await exchange(port, `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  listener.down();
  await http.stop(0);
  return promise;
}

const textOf = (body: ReceivedBody) => (body.kind === 'whole' ? Buffer.concat(body.chunks).toString() : body.kind);
const countOf = (body: ReceivedBody) => (body.kind === 'whole' ? body.chunks.length : body.kind);

it('a body that arrives byte by byte takes little more memory than its size', async () => {
  const pieces = Array.from({ length: 20_000 }, (_, n) => String(n % 10));
  const body = await read(pieces, { bodyBytes: 20_000, allBodiesBytes: 24_000 });
  expect(textOf(body)).toBe(pieces.join(''));
  expect(countOf(body)).toBeLessThan(6);
});

it('small and large pieces keep their order', async () => {
  const pieces = ['a', 'b', 'c'.repeat(5000), 'd', 'e'.repeat(4000), 'f'.repeat(200), 'g'.repeat(9000), 'h'];
  expect(textOf(await read(pieces))).toBe(pieces.join(''));
});
