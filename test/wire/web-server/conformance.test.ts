import { describe, expect, it } from 'vitest';
import type { WebServerSetup } from '../../../src/wire/web-server/ports.ts';
import type { WebServerOptions } from '../../../src/wire/web-server/web-servers.ts';
import { type Behavior, dial, exchange, get, openAgent, post, received } from './fleet.ts';

/** Answers of release 3.6.1, byte for byte except the date, captured on a raw socket. */
type Case = {
  readonly name: string;
  readonly request: string;
  readonly answer: string;
  readonly setup?: Partial<WebServerSetup>;
  readonly behavior?: Behavior;
  readonly options?: Partial<WebServerOptions>;
};

const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: now\r\n';
const counted = (head: string, body: string) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
const json = (body: string) => counted(JSON_HEAD, body);
const plain = (body: string) => counted('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: now\r\n', body);
const error = (status: string, text: string, last = '') =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nDate: now\r\n` +
  `Content-Length: ${text.length + 1}\r\n${last}\r\n${text}\n`;
const refusal = (status: string, text = status) =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
const CLOSE = 'Connection: close\r\n';
const EMPTY_200 = 'HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n';
const EMPTY_405 = 'HTTP/1.1 405 Method Not Allowed\r\nDate: now\r\nContent-Length: 0\r\n\r\n';
const HEAD_405 = 'HTTP/1.1 405 Method Not Allowed\r\nDate: now\r\n\r\n';
const NOT_FOUND = error('404 Not Found', '404 page not found');
const FORBIDDEN = error('403 Forbidden', 'Forbidden');
const moved = (location: string) =>
  `HTTP/1.1 301 Moved Permanently\r\nLocation: ${location}\r\nDate: now\r\nContent-Length: 0\r\n\r\n`;
const request = (method: string, path: string) => get(path).replace('GET', method);
const showing = (sizeBytes: number): Behavior => ({ checkdata: () => Buffer.alloc(sizeBytes, 'x') });

const CONFIG_ON = { configPush: true };
const AUTO_TLS = { autoTls: true };
const PASSWORD = { basicAuth: 'us er:pa:ss' };
const credentials = (value: string) => `Authorization: ${value}`;
const RIGHT = credentials('Basic dXMgZXI6cGE6c3M=');
const SHIPPED = { dialect: 'shipped' } as const;
const CSR_OF = (domain: string) => json(`{"csr":"-----BEGIN CERTIFICATE REQUEST-----\\n${domain}\\n"}`);

const ROUTES: readonly Case[] = [
  { name: 'GET /', request: get('/'), answer: json('{}') },
  { name: 'GET /packages', request: get('/packages'), answer: json('{"Enabled":false}') },
  { name: 'GET /prometheus', request: get('/prometheus'), answer: json('["node","a\\"\\u003cb"]') },
  {
    name: 'GET /prometheus without exporters',
    request: get('/prometheus'),
    answer: json('[]'),
    behavior: { exporters: () => [] },
  },
  { name: 'a scrape', request: get('/prometheus?exporter=node'), answer: plain('# HELP up\nup 1\n') },
  { name: 'a scrape, escaped', request: get('/prometheus?x&exporter=%6eode'), answer: plain('# HELP up\nup 1\n') },
  {
    name: 'the first of two',
    request: get('/prometheus?exporter=node&exporter=x'),
    answer: plain('# HELP up\nup 1\n'),
  },
  {
    name: 'an unreadable pair',
    request: get('/prometheus?exporter=%zz&exporter=x'),
    answer: plain('Unknown exporter'),
  },
  { name: 'a semicolon', request: get('/prometheus?exporter=x;y'), answer: json('["node","a\\"\\u003cb"]') },
  { name: 'an unknown exporter', request: get('/prometheus?exporter=Node'), answer: plain('Unknown exporter') },
  {
    name: 'GET /config',
    request: get('/config'),
    answer: json(
      '{"configuration":"W2RlZmF1bHRdCg==","customcheck_configuration":"","prometheus_exporter":"OyBub25lCg=="}',
    ),
    setup: CONFIG_ON,
  },
  { name: 'POST /config', request: post('/config', '{"configuration":"W2Rd"}'), answer: EMPTY_200, setup: CONFIG_ON },
  { name: 'GET /autotls', request: get('/autotls'), answer: CSR_OF('undefined'), setup: AUTO_TLS },
  { name: 'a domain', request: get('/autotls?domain=a&domain=b'), answer: CSR_OF('a'), setup: AUTO_TLS },
  { name: 'an empty domain', request: get('/autotls?domain='), answer: CSR_OF('undefined'), setup: AUTO_TLS },
  { name: 'POST /autotls', request: post('/autotls', '{"signed":"s"}'), answer: EMPTY_200, setup: AUTO_TLS },
  { name: '/autotls if shipped', request: get('/autotls'), answer: CSR_OF('undefined'), options: SHIPPED },
  { name: '/autotls as documented', request: get('/autotls'), answer: NOT_FOUND },
  { name: 'POST /autotls as documented', request: post('/autotls', '{}'), answer: NOT_FOUND },
  { name: 'PUT /autotls as documented', request: request('PUT', '/autotls'), answer: NOT_FOUND },
  {
    name: '2048 bytes',
    request: get('/'),
    answer: json('x'.repeat(2048)),
    behavior: showing(2048),
  },
  {
    name: '2049 bytes, in one chunk',
    request: get('/'),
    answer: `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n801\r\n${'x'.repeat(2049)}\r\n0\r\n\r\n`,
    behavior: showing(2049),
  },
  {
    name: 'a large answer, to a client that closes',
    request: get('/', 'Connection: foo, Close'),
    answer: `${JSON_HEAD}${CLOSE}Transfer-Encoding: chunked\r\n\r\n30d40\r\n${'x'.repeat(200_000)}\r\n0\r\n\r\n`,
    behavior: showing(200_000),
  },
];

const PATHS: readonly Case[] = [
  ...['/nope', '/config/', '/Config', '/config%2F', '/config%20', '/config;x', '/config#a', '/debug/pprof/'].map(
    (path) => ({ name: `GET ${path}`, request: get(path), answer: NOT_FOUND }),
  ),
  { name: 'HEAD /nope', request: request('HEAD', '/nope'), answer: NOT_FOUND.replace('404 page not found\n', '') },
  ...['HEAD /', 'HEAD /config'].map((line) => ({
    name: line,
    request: request('HEAD', line.slice(5)),
    answer: HEAD_405,
  })),
  ...['OPTIONS', 'PUT', 'POST', 'PATCH', 'TRACE', 'DELETE'].map((method) => ({
    name: `${method} /packages`,
    request: request(method, '/packages'),
    answer: EMPTY_405,
  })),
  ...(
    [
      ['//config', '/config'],
      ['//config?a=b&c=%20d', '/config?a=b&c=%20d'],
      ['/./config', '/config'],
      ['/config/../', '/'],
      ['/config/..', '/'],
      ['/config/.', '/config'],
      ['/config/./', '/config/'],
      ['/../config', '/config'],
      ['//', '/'],
      ['///packages//', '/packages/'],
      ['//evil.example/config', '/evil.example/config'],
      ['/nope//', '/nope/'],
      ['/%2Fconfig', '/config'],
      ['/a/%2e%2e/config', '/config'],
      ['//config%2F..', '/'],
      ['//%E4"<>', '/%E4%22%3C%3E'],
      ['*', '/%2A'],
      ['http://other.example', 'http://other.example/'],
      ['http://other.example//config', 'http://other.example/config'],
    ] as const
  ).map(([path, location]) => ({ name: `GET ${path}`, request: get(path), answer: moved(location) })),
  {
    name: 'HEAD //config',
    request: request('HEAD', '//config'),
    answer: moved('/config').replace(/Content.*\r\n/, ''),
  },
  { name: 'escaped letters', request: get('/%70ackages'), answer: json('{"Enabled":false}') },
  { name: 'a question mark alone', request: get('/packages?'), answer: json('{"Enabled":false}') },
  { name: 'an absolute target', request: get('http://x.example/packages'), answer: json('{"Enabled":false}') },
  {
    name: 'OPTIONS *',
    request: request('OPTIONS', '*'),
    answer: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: now\r\n\r\n',
  },
  ...['http://x:80/packages', 'http://u:p@[::1]:/packages', 'http://x%e4/packages'].map((path) => ({
    name: `GET ${path}`,
    request: get(path),
    answer: json('{"Enabled":false}'),
  })),
  ...['/%', '/%zz', 'packages', '?x', 'http://x:y/', 'http://[::1', 'http://x%41/', 'http://x%zz/'].map((path) => ({
    name: `GET ${path}`,
    request: get(path),
    answer: refusal('400 Bad Request'),
  })),
];

const ORDER: readonly Case[] = [
  ...[
    'Accept: */*',
    credentials('Basic  dXMgZXI6cGE6c3M='),
    credentials('Basic dXMgZXI6cGE='),
    credentials('Basic dXNlcjpwYTpzcw=='),
    credentials('Basic VXMgZXI6cGE6c3M='),
    credentials('Basic dXNlcg=='),
    credentials('Basic !!!'),
    credentials('Basic dXMgZXI6cGE6c3M'),
    credentials(''),
    credentials('Bearer x'),
    credentials('dXMgZXI6cGE6c3M='),
  ].map((field) => ({ name: field, request: get('/', field), answer: FORBIDDEN, setup: PASSWORD })),
  ...[RIGHT, RIGHT.replace('Basic', 'basic'), RIGHT.replace('Basic', 'BASIC')].map((field) => ({
    name: field,
    request: get('/', field),
    answer: json('{}'),
    setup: PASSWORD,
  })),
  { name: '404 before a password', request: get('/nope'), answer: NOT_FOUND, setup: PASSWORD },
  { name: '405 before a password', request: request('PUT', '/'), answer: EMPTY_405, setup: PASSWORD },
  { name: '301 before a password', request: get('//config'), answer: moved('/config'), setup: PASSWORD },
  { name: 'a password before the mode', request: post('/config', ''), answer: FORBIDDEN, setup: PASSWORD },
  {
    name: 'the mode before the body',
    request: post('/config', 'not json'),
    answer: error('403 Forbidden', 'config update is disabled'),
  },
  {
    name: 'the mode when reading',
    request: get('/config'),
    answer: error('403 Forbidden', 'config update is disabled'),
  },
];

const CONNECTIONS: readonly Case[] = [
  {
    name: 'HTTP/1.0',
    request: 'GET / HTTP/1.0\r\n\r\n',
    answer: json('{}').replace('HTTP/1.1', 'HTTP/1.0'),
  },
  {
    name: 'HTTP/1.0, a large answer',
    request: 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
    answer: `${JSON_HEAD.replace('1.1', '1.0')}\r\n${'x'.repeat(2049)}`,
    behavior: showing(2049),
  },
  {
    name: 'Connection: close',
    request: get('/', 'Connection: close') + get('/nope'),
    answer: json('{}').replace('\r\n\r\n', `\r\n${CLOSE}\r\n`),
  },
  {
    name: 'pipelined requests',
    request: get('/') + post('/nope', 'hello') + request('PUT', '/') + get('/packages'),
    answer: json('{}') + NOT_FOUND + EMPTY_405 + json('{"Enabled":false}'),
  },
  {
    name: 'garbage after a request',
    request: `${get('/')}X\r\n\r\n`,
    answer: json('{}') + refusal('400 Bad Request'),
  },
  { name: 'an upgrade', request: get('/', 'Connection: Upgrade', 'Upgrade: websocket'), answer: json('{}') },
  {
    name: 'no Host',
    request: 'GET / HTTP/1.1\r\n\r\n',
    answer: refusal('400 Bad Request: missing required Host header'),
  },
  { name: 'an empty Host', request: 'GET / HTTP/1.1\r\nHost:\r\n\r\n', answer: json('{}') },
  {
    name: 'an invalid Host',
    request: 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n',
    answer: refusal('400 Bad Request: malformed Host header'),
  },
  { name: 'two Hosts', request: get('/', 'Host: y'), answer: refusal('400 Bad Request') },
  {
    name: 'HTTP/2.0',
    request: 'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
    answer: refusal('505 HTTP Version Not Supported: unsupported protocol version'),
  },
  ...['GET /\r\n\r\n', 'GARBAGE\r\n\r\n', 'G@T / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\nHost', '\xff\r\n'].map(
    (bytes) => ({
      name: JSON.stringify(bytes),
      request: bytes,
      answer: refusal('400 Bad Request'),
    }),
  ),
  { name: 'nothing', request: '', answer: '' },
  { name: 'a head of 266,000 bytes', request: get('/', `X: ${'a'.repeat(265_950)}`), answer: json('{}') },
  {
    name: 'a head of 267,000 bytes',
    request: get('/', `X: ${'a'.repeat(266_950)}`),
    answer: refusal('431 Request Header Fields Too Large'),
  },
  {
    name: '5000 header fields',
    request: get('/', ...Array<string>(5000).fill('X: a'), RIGHT),
    answer: json('{}'),
    setup: PASSWORD,
  },
  {
    name: 'an unknown Expect',
    request: get('/', 'Expect: 200-ok'),
    answer: `HTTP/1.1 417 Expectation Failed\r\n${CLOSE}Date: now\r\nContent-Length: 0\r\n\r\n`,
  },
  ...['100-continue, more', 'more\t100-Continue'].map((expected) => ({
    name: `Expect: ${expected}`,
    request: `POST /config HTTP/1.1\r\nHost: x\r\nExpect: ${expected}\r\nContent-Length: 2\r\n\r\n{}`,
    answer: `HTTP/1.1 100 Continue\r\n\r\n${error('500 Internal Server Error', 'invalid json or base64 string')}`,
    setup: CONFIG_ON,
  })),
  { name: 'an empty Expect', request: get('/', 'Expect:'), answer: json('{}') },
  {
    name: 'a length beyond 63 bits',
    request: 'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775808\r\n\r\n',
    answer: refusal('400 Bad Request'),
  },
  {
    name: 'the longest length',
    request: 'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775807\r\n\r\n',
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
  {
    name: 'an unknown transfer encoding',
    request: 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    answer: refusal('501 Not Implemented', 'Unsupported transfer encoding'),
  },
  {
    name: 'a large unused body',
    request: post('/nope', 'x'.repeat(300_000)),
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
  {
    name: 'a large body that is only announced',
    request: 'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 307200\r\n\r\n',
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
  {
    name: 'an unused body that ends too early',
    request: 'POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhello',
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
  {
    name: 'an unused body in chunks',
    request: `POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n${get('/')}`,
    answer: error('404 Not Found', '404 page not found') + json('{}'),
  },
  {
    name: 'a large unused body in chunks',
    request: `POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n${'x'.repeat(0x493e0)}\r\n0\r\n\r\n`,
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
  {
    name: 'a client that waits for a 100 Continue to send an unused body',
    request: 'POST /nope HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
    answer: error('404 Not Found', '404 page not found', CLOSE),
  },
];

describe.each([
  ['a route', ROUTES],
  ['a path or method', PATHS],
  ['a request with several faults', ORDER],
  ['a connection', CONNECTIONS],
])("the answer to %s equals the real agent's:", (_, cases) => {
  it.each(cases)('$name', async ({ request: bytes, answer, setup, behavior, options }) => {
    const { at } = await openAgent(setup, behavior, options);
    expect(await exchange(at, bytes)).toBe(answer);
  });
});

describe('a connection that the client leaves open', () => {
  it('serves the next request like the first', async () => {
    const { at } = await openAgent();
    const socket = dial(at);
    const all = received(socket);
    socket.write(get('/'));
    await new Promise((resolve) => socket.once('readable', resolve));
    socket.write(get('/'));
    await expect.poll(() => socket.bytesRead).toBe(2 * (json('{}').length + 26));
    expect(socket.closed).toBe(false);
    socket.end();
    expect(await all).toBe(json('{}') + json('{}'));
  });

  it('gets its answer after the whole body has arrived, even if the body is not used', async () => {
    const { at } = await openAgent();
    const socket = dial(at);
    const all = received(socket);
    socket.write('POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell');
    await new Promise((resolve) => socket.once('ready', resolve));
    await exchange(at, get('/'));
    expect(socket.bytesRead).toBe(0);
    socket.end('o');
    expect(await all).toBe(error('404 Not Found', '404 page not found'));
  });

  it('is closed without an answer if its head takes longer than the read timeout', async () => {
    const { at } = await openAgent({}, {}, { timeouts: { readMs: 50, writeMs: 60_000, idleMs: 60_000 } });
    const [silent, slow] = [dial(at), dial(at)];
    slow.write('GET / HTTP/1.1\r\nHos');
    expect(await Promise.all([received(silent), received(slow)])).toEqual(['', '']);
  });

  it('is closed after the idle timeout', async () => {
    const { at } = await openAgent({}, {}, { timeouts: { readMs: 60_000, writeMs: 60_000, idleMs: 50 } });
    const socket = dial(at);
    socket.write(get('/'));
    expect(await received(socket)).toBe(json('{}'));
  });

  it.each([
    ['/autotls', error('500 Internal Server Error', 'could not read body', CLOSE)],
    ['/nope', error('404 Not Found', '404 page not found', CLOSE)],
  ])('is answered and closed if its body at %s takes longer than the read timeout', async (path, answer) => {
    const { at } = await openAgent(AUTO_TLS, {}, { timeouts: { readMs: 50, writeMs: 60_000, idleMs: 60_000 } });
    const socket = dial(at);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhello`);
    expect(await received(socket)).toBe(answer);
  });
});
