import { connect as connectTo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { agents } from './proxies.ts';
import { accept, closedInTheEnd, listen, type RawServer, serve } from './wire.ts';

const ACCEPTED = { kind: 'answer', status: 200 };

describe('a SOCKS proxy', () => {
  /** Sends one of the replies after each piece that arrives, and forwards after the last. */
  async function socks(server: RawServer, replies: readonly string[]) {
    const asked: string[] = [];
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      let next = 0;
      const onData = (chunk: Buffer): void => {
        asked.push(chunk.toString('hex'));
        socket.write(Buffer.from(replies[next++] ?? '', 'hex'));
        if (next < replies.length) return;
        socket.off('data', onData);
        const onward = rawConnection(server.port, socket);
        socket.pipe(onward).pipe(socket);
      };
      socket.on('data', onData);
    });
    const port = await listen(proxy);
    closedInTheEnd({
      close: async () => {
        for (const socket of sockets) socket.destroy();
        proxy.close();
      },
    });
    return { port, asked };
  }

  function rawConnection(port: number, socket: Socket): Socket {
    const onward = connectTo(port);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    return onward;
  }

  const OPEN = '05000001000000000000';

  it.each([
    [
      'http://mon.example',
      'socks5://127.0.0.1:PORT',
      ['0500', OPEN],
      ['050100', '050100030b6d6f6e2e6578616d706c650050'],
    ],
    ['https://10.0.0.1', 'socks5h://127.0.0.1:PORT', ['0500', OPEN], ['050100', '050100010a00000101bb']],
    [
      'http://[::1]:81',
      'socks5://127.0.0.1:PORT',
      ['0500', `05000004${'00'.repeat(18)}`],
      ['050100', `05010004${'00'.repeat(15)}010051`],
    ],
    [
      'http://10.0.0.1',
      'socks5://u:p@127.0.0.1:PORT',
      ['0502', '0100', OPEN],
      ['05020002', '0101750170', '050100010a0000010050'],
    ],
    ['http://10.0.0.1', 'socks5://u:p@127.0.0.1:PORT', ['0500', OPEN], ['05020002', '050100010a0000010050']],
  ] as const)(
    'leads to %s through %s, and receives the bytes that the real agent sends',
    async (baseUrl, url, replies, expected) => {
      const server = await serve(accept, { overTls: baseUrl.startsWith('https') });
      const proxy = await socks(server, replies);
      const { push } = agents(proxy, { baseUrl }, url);
      for (const _ of [1, 2]) expect((await push(0, 'x'.repeat(30_000))).ending).toMatchObject(ACCEPTED);
      expect(proxy.asked).toEqual(expected);
      expect(server.requests[0]).toMatch(/^POST \/agentconnector/);
    },
  );

  it.each([
    ['no method', ['05ff', ''], /accepts none of the authentication methods offered$/],
    ['a wrong password', ['0502', '0101', ''], /refused user and password$/],
    ['a refusal', ['0500', '05050001000000000000', ''], /answered connection refused$/],
    ['HTTP', ['485454502f312e31', ''], /speaks version 72, not 5$/],
  ])('fails with %s', async (_title, replies, reason) => {
    const proxy = await socks(await serve(), replies);
    const { ending, seen } = await agents(proxy, { baseUrl: 'http://mon.example' }, 'socks5://u:p@127.0.0.1:PORT').push(
      0,
    );
    expect([ending, seen.reason]).toEqual([
      { kind: 'failure', failure: 'proxy_failed' },
      expect.stringMatching(reason),
    ]);
  });
});
