import { connect, createServer, type Server, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DatedFamilies } from '../../../src/outputs/exposition/run-families.ts';
import {
  exportFigures,
  type FigureExport,
  MAX_FINAL_WAIT_MS,
  type OtlpOrder,
} from '../../../src/outputs/otlp/export-figures.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';
import { type Answer, openReceiver, type Receiver } from './receiver.ts';

const INTERVAL_MS = 10_000;

const FIGURES: readonly DatedFamilies[] = [
  {
    startedAt: new Date(1000),
    families: [{ name: 'muster_things', type: 'counter', help: 'Things.', samples: [{ labels: {}, value: 7 }] }],
  },
];

const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

async function receiver(answer?: Answer): Promise<Receiver> {
  const opened = await openReceiver(answer);
  closing.push(opened.close);
  return opened;
}

/** A TCP server that handles each connection with `serve`. */
async function listener(serve: (socket: Socket) => void): Promise<{ url: string; server: Server; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server, open };
}

type Started = FigureExport & { readonly told: readonly string[] };

function start(url: string, order: Partial<OtlpOrder> = {}, sources = () => FIGURES): Started {
  const told: string[] = [];
  const base = { url: `${url}/v1/metrics`, shown: `${url}/v1/metrics`, headers: {}, tls: {}, attributes: {} };
  const none = { proxies: { httpProxy: '', httpsProxy: '', noProxy: '' }, warnings: [] };
  const settings = { ...base, ...none, intervalMs: INTERVAL_MS, timeoutMs: INTERVAL_MS, gzip: false, ...order };
  return { ...exportFigures(settings, sources, (sentence) => told.push(sentence)), told };
}

/** Sockets work in real time, while virtual time stands still. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** The timeout of the request was cleared, and only the interval timer remains. */
const isAnswered = (): boolean => vi.getTimerCount() === 1;

describe('exported figures', () => {
  it('are sent at every interval and once more at the end, each over a new connection', async () => {
    const { url, received, got } = await receiver();
    const sent = start(url, { headers: { 'x-key': 'secret', 'Content-Type': 'application/x-protobuf' } });
    for (const count of [1, 2]) {
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      await got(count);
      await until(isAnswered);
    }
    await sent.close();
    expect(received.map(({ path }) => path)).toEqual(Array(3).fill('/v1/metrics'));
    expect(received[0]?.headers).toMatchObject({
      'x-key': 'secret',
      'content-type': 'application/x-protobuf',
      connection: 'close',
    });
    expect(sent.told).toEqual([]);
  });

  it('are the same if compressed', async () => {
    const { url, received } = await receiver();
    const bodies = [];
    for (const gzip of [false, true]) {
      await start(url, { gzip, attributes: { 'service.instance.id': 'one' } }).close();
      bodies.push(received.at(-1)?.body ?? Buffer.alloc(0));
    }
    const [plain = Buffer.alloc(0), packed = Buffer.alloc(0)] = bodies;
    // All but the timestamps.
    expect(gunzipSync(packed)).toHaveLength(plain.length);
    expect(gunzipSync(packed).includes('muster_things')).toBe(true);
  });

  it('are sent over TLS only to a receiver with a trusted certificate', async () => {
    const credentials = await selfSigned(['127.0.0.1']);
    const { url, received, close } = await openReceiver(undefined, credentials);
    closing.push(close);
    const stranger = start(url);
    await stranger.close();
    expect(received).toEqual([]);
    expect(stranger.told).toEqual([
      expect.stringMatching(/^the last metrics could not be sent to https:.*self-signed/),
    ]);
    const known = start(url, { tls: { ca: credentials.certificate } });
    await known.close();
    expect(received).toHaveLength(1);
    expect(known.told).toEqual([]);
  });

  it('are sent through a proxy, which tunnels only TLS, and directly to a host that needs none', async () => {
    const credentials = await selfSigned(['127.0.0.1']);
    const [plain, secure] = [await receiver(), await openReceiver(undefined, credentials)];
    closing.push(secure.close);
    const asked: string[] = [];
    const proxy = await listener((socket) =>
      socket.once('data', (head) => {
        const [, method, target = ''] = /^(\S+) (\S+)/.exec(head.toString()) ?? [];
        asked.push(`${method} ${target}`);
        const next = connect(Number(new URL(target.includes('/') ? target : `tcp://${target}`).port), '127.0.0.1');
        if (method === 'CONNECT') socket.write('HTTP/1.1 200 OK\r\n\r\n');
        else next.write(head);
        socket.pipe(next).pipe(socket);
      }),
    );
    const proxies = { httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: '' };
    await start(plain.url, { proxies }).close();
    await start(secure.url, { proxies, tls: { ca: credentials.certificate } }).close();
    await start(plain.url, { proxies: { ...proxies, noProxy: 'other.example, 127.0.0.1' } }).close();
    expect(asked).toEqual([`POST ${plain.url}/v1/metrics`, `CONNECT ${new URL(secure.url).host}`]);
    expect([plain.received.length, secure.received.length]).toEqual([2, 1]);
  });

  it('carry the user of the URL, unless a header has other credentials', async () => {
    const { url, received } = await receiver();
    const withUser = `${url.replace('//', '//me%40site:pa%3Ass@')}/v1/metrics`;
    await start(url, { url: withUser }).close();
    await start(url, { url: withUser, headers: { Authorization: 'Bearer key' } }).close();
    const sent = received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Basic ${btoa('me@site:pa:ss')}`, 'Bearer key']);
  });

  it('have the given attributes instead of those of Muster', async () => {
    const { url, received } = await receiver();
    await start(url, { attributes: { 'service.name': 'given-name' } }).close();
    expect(received[0]?.body.includes('given-name')).toBe(true);
  });

  it('are sent at the end even after an interrupt that came while nothing waited', async () => {
    const { url, received } = await receiver();
    const sent = start(url);
    sent.abort();
    await sent.close();
    expect(received).toHaveLength(1);
    expect(sent.told).toEqual([]);
  });

  it('cause one message if part of them was rejected', async () => {
    // An ExportMetricsServiceResponse: partial_success { rejected_data_points: 3, error_message: "too old\n" }
    const body = Buffer.from([0x0a, 0x0c, 0x08, 3, 0x12, 8, ...Buffer.from('too old\n')]);
    const { url, got } = await receiver((response) => response.end(body));
    const sent = start(url);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await got(1);
    await sent.close();
    expect(sent.told).toEqual([`${url}/v1/metrics rejected part of the metrics: 3 points, too old`]);
  });

  it('cause a message with only the start of a long reason', async () => {
    // The same fields, with lengths of two bytes: an error_message of 10,000 letters
    const body = Buffer.from([0x0a, 0x95, 0x4e, 0x08, 3, 0x12, 0x90, 0x4e, ...Buffer.alloc(10_000, 'x')]);
    const { url } = await receiver((response) => response.end(body));
    const sent = start(url);
    await sent.close();
    expect(sent.told).toEqual([`${url}/v1/metrics rejected part of the metrics: 3 points, ${'x'.repeat(200)}`]);
  });

  it('leave no open connection if a header cannot be sent', async () => {
    const { url, open } = await listener(() => {});
    const sent = start(url, { headers: { 'transfer-encoding': 'chunked' } });
    await sent.close();
    expect(sent.told).toEqual([
      expect.stringMatching(/^the last metrics could not be sent to .*: invalid transfer-encoding header$/),
    ]);
    // Connections are accepted in their order, so any other is there before this one.
    const probe = connect(Number(new URL(url).port), '127.0.0.1');
    const isProbe = ({ remotePort }: Socket) => remotePort === probe.localPort;
    await until(() => [...open].some(isProbe) && open.size === 1);
    probe.destroy();
  });

  it('cause a message if they cannot be computed, without an exception', async () => {
    const { url, received } = await receiver();
    const sent = start(url, {}, () => {
      throw new Error('no figures today');
    });
    await sent.close();
    expect(received).toEqual([]);
    expect(sent.told).toEqual([`the last metrics could not be sent to ${url}/v1/metrics: no figures today`]);
  });
});

const status =
  (code: number, headers = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(code, headers).end(body);

const drip = (begin: string) => (socket: Socket) => {
  socket.write(begin);
  const timer = setInterval(() => socket.write('x'), 100);
  socket.once('close', () => clearInterval(timer));
};

describe('a receiver that', () => {
  it.each<[string, Answer, string]>([
    [
      'does not know the path',
      status(404, { 'Content-Type': 'text/plain' }, '404 page not found\n'),
      'status 404, 404 page not found',
    ],
    ['refuses the credentials', status(401), 'status 401'],
    [
      'reports an error with terminal control characters',
      status(500, { 'Content-Type': 'text/plain' }, '\x1b[2Jgone'),
      'status 500, \\u001b[2Jgone',
    ],
    ['asks for a retry in an hour', status(503, { 'Retry-After': '3600' }), 'status 503'],
    ['redirects', status(307, { Location: 'http://127.0.0.1:9/' }), 'status 307'],
    [
      'is a website',
      status(200, { 'Content-Type': 'text/html' }, '<html>'),
      'status 200 with a web page instead of an OTLP response',
    ],
    [
      'switches to another protocol',
      (response) =>
        response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
      'status 101',
    ],
    ['hangs up', (response) => response.destroy(), 'the connection closed before the end of the answer'],
    [
      'closes in mid-answer',
      (response) => response.writeHead(200, { 'Content-Length': 100 }).write('abc', () => response.destroy()),
      'the connection closed before the end of the answer',
    ],
    ['answers with more than 64 KB', status(200, {}, 'x'.repeat(65_537)), 'an answer of more than 64 KB'],
    ['reports an error as a web page', status(502, { 'Content-Type': 'text/html' }, '<html>'), 'status 502'],
  ])('%s causes one message, however often it happens', async (_, answer, reason) => {
    const { url, got } = await receiver(answer);
    const sent = start(url);
    for (const count of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
      await got(count);
      await until(isAnswered);
    }
    await sent.close();
    expect(sent.told).toEqual([
      `metrics cannot be sent to ${url}/v1/metrics: ${reason}; Muster continues, and tries again every 10s`,
    ]);
  });

  it('is unreachable causes one message, and no delay', async () => {
    const { url, close } = await openReceiver();
    await close();
    const sent = start(url);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await until(() => sent.told.length > 0);
    await sent.close();
    expect(sent.told).toEqual([expect.stringContaining(`${url}/v1/metrics: connect ECONNREFUSED 127.0.0.1`)]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not speak TLS causes a message without the words of OpenSSL', async () => {
    const { url } = await listener((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const sent = start(url.replace('http:', 'https:'));
    await sent.close();
    expect(sent.told).toEqual([expect.stringMatching(/: the TLS handshake failed: wrong version number$/)]);
  });

  it('fails at the ends of several runs causes one message, until it has accepted figures again', async () => {
    let code = 500;
    const { url } = await receiver((response) => response.writeHead(code).end());
    const sent = start(url);
    for (const next of [500, 500, 200, 500, 500]) {
      code = next;
      await sent.flush();
    }
    expect(sent.told).toHaveLength(2);
    await sent.close();
  });

  it('uses another protocol causes a message', async () => {
    const { url } = await listener((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const sent = start(url);
    await sent.close();
    expect(sent.told).toEqual([
      expect.stringMatching(
        /^the last metrics could not be sent to .*: Response does not match the HTTP\/1\.1 protocol/,
      ),
    ]);
  });

  it('disappears during a run causes one more message for the last figures, and none in between', async () => {
    const first = await openReceiver();
    const sent = start(first.url);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await first.got(1);
    await until(isAnswered);
    await first.close();
    await sent.close();
    expect(sent.told).toEqual([expect.stringMatching(/^the last metrics could not be sent to .*ECONNREFUSED/)]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['never answers', (socket) => socket.resume()],
    ['sends the head of its answer byte by byte', drip('HTTP/1.1 200 OK\r\nX-Long: ')],
    ['sends the body of its answer byte by byte', drip('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')],
    ['never reads', (socket) => void socket.pause()],
  ])('%s delays the end by five seconds at most', async (_, serve) => {
    const { url, open } = await listener(serve);
    const sent = start(url);
    let isOver = false;
    const end = sent.close().then(() => {
      isOver = true;
    });
    await until(() => open.size === 1);
    await vi.advanceTimersByTimeAsync(MAX_FINAL_WAIT_MS - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await end;
    expect(sent.told).toEqual([
      expect.stringMatching(/^the last metrics could not be sent to .*: no complete answer within 5s$/),
    ]);
    for (const socket of open) socket.resume();
    await until(() => open.size === 0);
  });

  it('never answers no longer delays the end after an interrupt', async () => {
    const { url, open } = await listener((socket) => socket.resume());
    const sent = start(url);
    const end = sent.close();
    await until(() => open.size === 1);
    sent.abort();
    await end;
    expect(sent.told).toEqual([`the last metrics could not be sent to ${url}/v1/metrics: interrupted`]);
  });

  it('never answers is given up after the timeout of a request, and tried again', async () => {
    const { url, open } = await listener((socket) => socket.resume());
    const sent = start(url, { timeoutMs: 2000 });
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await until(() => open.size === 1);
    await vi.advanceTimersByTimeAsync(2000);
    await until(() => sent.told.length > 0);
    expect(sent.told).toEqual([expect.stringContaining('no complete answer within 2s; Muster continues')]);
    await until(() => open.size === 0);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 2000);
    await until(() => open.size === 1);
    const end = sent.close();
    sent.abort();
    await end;
  });

  it('never answers is given up when the next figures are due, even if the timeout of a request is longer', async () => {
    const { url, open } = await listener((socket) => socket.resume());
    const sent = start(url, { timeoutMs: 6 * INTERVAL_MS });
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await until(() => open.size === 1);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent.told).toEqual([expect.stringContaining('no complete answer within 10s; Muster continues')]);
    const end = sent.close();
    sent.abort();
    await end;
  });

  it('delayed the end of one run receives the figures of the next', async () => {
    let isMute = true;
    const { url, received, got } = await receiver((response) => {
      if (!isMute) response.end();
    });
    const sent = start(url);
    const held = sent.flush();
    await got(1);
    await vi.advanceTimersByTimeAsync(MAX_FINAL_WAIT_MS);
    await held;
    isMute = false;
    await sent.close();
    expect(received).toHaveLength(2);
    expect(sent.told).toHaveLength(1);
  });
});
