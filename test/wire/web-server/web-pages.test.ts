import { expect, it } from 'vitest';
import { exchange, openAgent } from './fleet.ts';

const PUSH = JSON.stringify({ configuration: Buffer.from('[default]\naddress = 0.0.0.0\n').toString('base64') });

function push(...fields: readonly string[]): string {
  const head = [...fields, 'Content-Type: text/plain', `Content-Length: ${PUSH.length}`].join('\r\n');
  return `POST /config HTTP/1.1\r\n${head}\r\n\r\n${PUSH}`;
}

const FROM_PAGES = [
  ['Host: 127.0.0.1:3333', 'Origin: http://evil.example'],
  ['Host: 127.0.0.1:3333', 'Origin: null'],
  ['Host: 127.0.0.1:3333', 'Origin: http://127.0.0.1:3333'],
  ['Host: evil.example:3333'],
  ['Host: 127.0.0.1.evil.example'],
  ['Host: localhost.evil.example'],
  ['Host: evillocalhost'],
];

it.each(FROM_PAGES)('a web page in a browser cannot configure an agent: %s %s', async (...fields) => {
  const { at, calls } = await openAgent({ configPush: true }, {}, { trustWebPages: false });
  expect(await exchange(at, push(...fields))).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[\s\S]*webServer\.trustWebPages/);
  expect(calls.map(({ port, given }) => [port, given[2]])).toEqual([['served', 'http_403']]);
  expect(await exchange(at, `GET /config HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /);
});

it.each(FROM_PAGES)('an agent that trusts web pages, like a real one, accepts the push: %s %s', async (...fields) => {
  const { at, calls } = await openAgent({ configPush: true });
  expect(await exchange(at, push(...fields))).toMatch(/^HTTP\/1.1 200 /);
  expect(calls[0]?.port).toBe('storeDocuments');
});

it.each(['127.0.0.1:3333', '127.0.0.1', '[::1]:3333', 'localhost:20000', 'a.localhost', ''])(
  'a request that names a local address is served: Host %j',
  async (host) => {
    const { at } = await openAgent({ configPush: true }, {}, { trustWebPages: false });
    expect(await exchange(at, push(`Host: ${host}`))).toMatch(/^HTTP\/1.1 200 /);
  },
);
