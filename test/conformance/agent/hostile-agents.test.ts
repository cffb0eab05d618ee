import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import { AGENT_CASES, tryAgent } from '../../../src/conformance/agent/mode.ts';

const PAGE = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>';
const ENDLESS = `HTTP/1.1 200 OK\r\n${'X-More: x\r\n'.repeat(6000)}`;
const FLOOD = Buffer.alloc(65_536, 'x');

/** Writes for as long as the client reads, with pauses that cost the client no time limit, and the test less processor time. */
function pour(socket: Socket, bytes: string | Buffer): void {
  if (socket.destroyed) return;
  if (socket.write(bytes)) setTimeout(pour, 1, socket, bytes);
  else socket.once('drain', () => setTimeout(pour, 1, socket, bytes));
}

const HOSTILE: readonly {
  readonly name: string;
  readonly serve: (socket: Socket) => void;
  readonly answers: boolean;
}[] = [
  { name: 'sends pages', serve: (socket) => socket.on('data', () => socket.write(PAGE)), answers: true },
  { name: 'says nothing', serve: () => {}, answers: false },
  { name: 'closes', serve: (socket) => socket.destroy(), answers: false },
  { name: 'resets', serve: (socket) => socket.resetAndDestroy(), answers: false },
  {
    name: 'redirects',
    serve: (socket) =>
      socket.on('data', () =>
        socket.write('HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n'),
      ),
    answers: true,
  },
  { name: 'sends headers without end', serve: (socket) => pour(socket, ENDLESS), answers: true },
  {
    name: 'floods',
    serve: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      pour(socket, Buffer.concat([Buffer.from('10000\r\n'), FLOOD, Buffer.from('\r\n')]));
    },
    answers: true,
  },
  { name: 'is no HTTP', serve: (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), answers: true },
];

/** Time limits are a twentieth. */
const SHARE = 0.05;
const CASES = AGENT_CASES.filter(({ id }) => /^(route|method|config|autotls|packages)\./.test(id));

it.concurrent.each(HOSTILE)('every case ends with an agent that $name', async ({ serve, answers }) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  const subject = {
    peer: { address: { host: '127.0.0.1', port }, tls: undefined },
    base: `http://127.0.0.1:${port}`,
    auth: undefined,
    authority: undefined,
    allowChanges: true,
    saved: () => {},
    patienceMs: 0,
    clock: monotonicClock,
    timer: (delayMs: number, act: () => void) => realTimer(delayMs * SHARE, act),
  };
  const { timer } = subject;
  const ports = { clock: monotonicClock, timer, signal: new AbortController().signal, onResult: () => {} };
  const found = await tryAgent(subject, CASES, ports);
  expect(found?.results.length).toBe(answers ? CASES.length : undefined);
  expect(found?.results.some(({ verdict }) => verdict.kind === 'broken') ?? true).toBe(true);
});
