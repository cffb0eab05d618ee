import fc from 'fast-check';
import { expect, it } from 'vitest';
import { draws } from '../../draws.ts';
import { dial, exchange, get, openAgent, received } from './fleet.ts';

const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'FOO'),
    path: fc.oneof(
      fc.constantFrom('/', '/packages', '/config', '/autotls', '/prometheus?exporter=a', '//', '*', 'http://x', '/%'),
      fc.stringMatching(/^\/[!-~]{0,20}$/),
    ),
    version: fc.constantFrom('1.1', '1.1', '1.0', '2.0', '1.2'),
    fields: fc.subarray([
      'Host: x',
      'Connection: close',
      'Connection: keep-alive',
      'Expect: 100-continue',
      'Expect: more',
      'Transfer-Encoding: chunked',
      'Upgrade: h2c',
      'Authorization: Basic ====',
    ]),
    body: fc.oneof(fc.json(), fc.string(), fc.constantFrom('5\r\nhello\r\n0\r\n\r\n', '{"configuration":"W2Rd"}')),
    lengthError: fc.constantFrom(0, 0, 0, 1, -1, 1_000_000),
    cut: fc.constantFrom(0, 0, 0, 1, 30),
  })
  .map(({ method, path, version, fields, body, lengthError, cut }) => {
    const length = `Content-Length: ${Math.max(0, body.length + lengthError)}`;
    const head = fields.includes('Transfer-Encoding: chunked') ? fields : [...fields, length];
    const whole = `${method} ${path} HTTP/${version}\r\n${head.join('\r\n')}\r\n\r\n${body}`;
    return whole.slice(0, whole.length - cut);
  });
const bytes = fc.oneof(
  { weight: 6, arbitrary: request },
  { weight: 3, arbitrary: fc.array(request, { maxLength: 6 }).map((requests) => requests.join('')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2000 }).map((raw) => Buffer.from(raw).toString('latin1')) },
);

it('for any input, the web server answers or closes, and answers the next client', async () => {
  const { at, calls } = await openAgent(
    { configPush: true, autoTls: true },
    { checkdata: () => Buffer.alloc(5000, 'x') },
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (text) => {
      expect(await exchange(at, text)).toMatch(/^($|HTTP\/1\.[01] \d{3} )/);
      expect(await exchange(at, get('/packages'))).toMatch(/^HTTP\/1.1 200 /);
    }),
    { numRuns: draws(60) },
  );
  const traffic = calls.filter(({ port }) => port === 'served').map(({ given }) => given[4]);
  expect(traffic).toEqual(traffic.map(() => ({ sentBytes: expect.any(Number), receivedBytes: expect.any(Number) })));
});

it('answers and closes if the body turns out to be invalid while its answer is being made', async () => {
  const asked = Promise.withResolvers<void>();
  const made = Promise.withResolvers<string>();
  const csr = () => {
    asked.resolve();
    return made.promise;
  };
  const { at } = await openAgent({ autoTls: true }, { csr });
  const socket = dial(at);
  const answer = received(socket);
  socket.write('GET /autotls HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  await asked.promise;
  socket.write('no length of a chunk\r\n');
  // The server reads those bytes before it answers a later connection.
  await exchange(at, get('/packages'));
  made.resolve('csr');
  expect(await answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*Connection: close\r\n.*\{"csr":"csr"\}$/s);
});
