import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { jsonAnswer, sendAnswer } from '../../../src/wire/http/answer.ts';
import { createListener } from '../../../src/wire/http/listener.ts';
import { createHttpServer, serveAll } from '../../../src/wire/http/server.ts';

const TIMEOUTS = { headMs: 60_000, requestMs: 60_000, idleMs: 60_000 };
const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** A server that answers with the name of the listener, and the requested number of listeners. */
async function listen(count: number): Promise<readonly number[]> {
  const server = createHttpServer<string>(TIMEOUTS, ({ response, connection }) => {
    sendAnswer(response, jsonAnswer(200, { listener: connection.origin }));
  });
  closers.push(() => server.stop(1000));
  const listeners = Array.from({ length: count }, (_, i) =>
    createListener({ host: '127.0.0.1', port: 0 }, serveAll(server, `listener ${i}`)),
  );
  closers.push(() => {
    for (const listener of listeners) listener.down();
  });
  return Promise.all(listeners.map((listener) => listener.open()));
}

async function get(port: number): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}/`)).json();
}

it('many listeners feed one server, and each request knows the listener of its connection', async () => {
  const ports = await listen(200);
  const answers = await Promise.all(ports.map(get));
  expect(answers).toEqual(ports.map((_, i) => ({ listener: `listener ${i}` })));
});

it('a stop answers requests that clients have sent, and closes their connections', async () => {
  const [port = 0] = await listen(1);
  const socket = connect(port, '127.0.0.1');
  const received = text(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('readable', resolve));
  await Promise.all(closers.splice(0).map((close) => close()));
  expect(await received).toContain('{"listener":"listener 0"}');
});

it('a client that pipelines hundreds of requests is read no faster than it is answered, and gets all answers', async () => {
  let [open, most] = [0, 0];
  const server = createHttpServer<undefined>(TIMEOUTS, ({ response }) => {
    most = Math.max(most, ++open);
    // Long enough to read everything, if the server did so.
    setTimeout(() => {
      open--;
      sendAnswer(response, jsonAnswer(200, {}));
    }, 20);
  });
  const listener = createListener({ host: '127.0.0.1', port: 0 }, serveAll(server, undefined));
  closers.push(() => server.stop(1000), listener.down);
  const socket = connect(await listener.open(), '127.0.0.1');
  const request = (more: string) => `GET / HTTP/1.1\r\nHost: x\r\nPadding: ${'x'.repeat(1000)}${more}\r\n\r\n`;
  socket.write(request('').repeat(799) + request('\r\nConnection: close'));
  expect((await text(socket)).match(/HTTP\/1.1 200/g)).toHaveLength(800);
  // A single read of 64 KiB contains this many requests.
  expect(most).toBeLessThan(200);
});
