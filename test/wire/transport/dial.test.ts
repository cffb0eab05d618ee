import { connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginDial, retryDial } from '../../../src/wire/transport/dial.ts';
import type { DialOrder } from '../../../src/wire/transport/dial-order.ts';
import { listen, turns, until } from './wire.ts';

/** Addresses of a server, of a closed port, and of a host that drops all packets. */
const [SERVER, CLOSED, VANISHED] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
const SIX = { server: '::2', closed: '::3', vanished: '::4' } as const;
const PLAIN = new Map<string, string>([
  [SIX.server, SERVER],
  [SIX.closed, CLOSED],
  [SIX.vanished, VANISHED],
]);

let server: Server;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  server = createServer((socket) => sockets.push(socket));
  port = await listen(server, SERVER);
});

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** A dial to a name with these addresses, which continues after errors as a connection does. */
function dialTo(order: DialOrder, budget = { spareDials: 1, outlasts: true }) {
  const opened: string[] = [];
  const dial = { opened, socket: new Socket(), end: undefined as Error | 'connected' | undefined };
  const follow = (socket: Socket): void => {
    dial.socket = socket;
    socket.once('connect', () => {
      if (dial.socket === socket) dial.end = 'connected';
    });
    socket.once('error', (error) => {
      if (dial.socket !== socket) return;
      const next = retryDial(socket, error, false);
      if (next instanceof Socket) follow(next);
      else dial.end = next;
    });
  };
  follow(
    beginDial({
      host: 'mon.example',
      connect: ({ host, lookup }) => {
        let address = host;
        lookup?.('mon.example', {}, (_error, found) => {
          address = String(found);
        });
        opened.push(address);
        const reached = PLAIN.get(address) ?? address;
        const socket = reached === VANISHED ? new Socket() : connect(port, reached);
        sockets.push(socket);
        return socket;
      },
      ask: (callback) =>
        callback({
          addresses: [...order.primaries, ...order.fallbacks],
          reachedFrom: new Map(),
          problem: undefined,
        }),
      orderOf: () => order,
      tallyOf: undefined,
      budget,
      overtaken: (loser, winner) => {
        loser.destroy();
        dial.socket = winner;
        dial.end = 'connected';
      },
    }),
  );
  return dial;
}

describe('a dial', () => {
  it('stays with an address that does not answer, even if its family has other addresses', async () => {
    const dial = dialTo({ primaries: [VANISHED, SERVER], fallbacks: [] });
    vi.advanceTimersByTime(600_000);
    await turns(3);
    expect(dial.opened).toEqual([VANISHED]);
  });

  it('starts the other family after 300 ms, and keeps whichever connects first', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [SERVER] });
    const first = dial.socket;
    vi.advanceTimersByTime(298);
    expect(dial.opened).toEqual([SIX.vanished]);
    vi.advanceTimersByTime(5);
    await until(() => dial.end !== undefined);
    expect([dial.end, dial.socket.remoteAddress, first.destroyed]).toEqual(['connected', SERVER, true]);
  });

  it('closes the dial to the other family if the first family connects after all', async () => {
    const dial = dialTo({ primaries: [SIX.server], fallbacks: [VANISHED] });
    vi.advanceTimersByTime(305);
    const rival = sockets.at(-1);
    await until(() => dial.end !== undefined);
    expect([dial.opened, dial.end, rival?.destroyed]).toEqual([[SIX.server, VANISHED], 'connected', true]);
  });

  it('waits for the first family to fail if the budget has no second socket', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [SERVER] }, { spareDials: 0, outlasts: true });
    vi.advanceTimersByTime(305);
    expect(dial.opened).toEqual([SIX.vanished]);
    dial.socket.destroy(new Error('no way to the host'));
    await until(() => dial.end !== undefined);
    expect([dial.opened, dial.end]).toEqual([[SIX.vanished, SERVER], 'connected']);
  });

  it.each<[string, DialOrder, (dial: ReturnType<typeof dialTo>) => void]>([
    ['connects through the first family', { primaries: [SIX.server], fallbacks: [VANISHED] }, () => {}],
    ['connects through the other family', { primaries: [SIX.vanished], fallbacks: [SERVER] }, () => {}],
    ['has tried all addresses of the other family', { primaries: [SIX.vanished], fallbacks: [CLOSED] }, () => {}],
    ['is aborted', { primaries: [SIX.vanished], fallbacks: [VANISHED] }, ({ socket }) => socket.destroy()],
    [
      'continues with only the other family',
      { primaries: [SIX.vanished], fallbacks: [VANISHED] },
      ({ socket }) => socket.destroy(new Error('no way to the host')),
    ],
  ])('holds a spare dial for the other family until it %s', async (_name, order, then) => {
    const budget = { spareDials: 1, outlasts: true };
    const dial = dialTo(order, budget);
    vi.advanceTimersByTime(305);
    expect(budget.spareDials).toBe(0);
    then(dial);
    await until(() => budget.spareDials === 1);
  });

  it('never starts the other family once it is connected', async () => {
    const dial = dialTo({ primaries: [SIX.server], fallbacks: [SERVER] });
    await until(() => dial.end !== undefined);
    vi.advanceTimersByTime(1000);
    expect(dial.opened).toEqual([SIX.server]);
  });

  it('immediately moves to the other family if all addresses of the first refuse', async () => {
    const dial = dialTo({ primaries: [SIX.closed, SIX.closed], fallbacks: [CLOSED, SERVER] });
    await until(() => dial.end !== undefined);
    expect([dial.opened, dial.end]).toEqual([[SIX.closed, SIX.closed, CLOSED, SERVER], 'connected']);
  });

  it('tries the addresses of the other family in turn while an address of the first does not answer', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [CLOSED, SERVER] });
    vi.advanceTimersByTime(305);
    await until(() => dial.end !== undefined);
    expect([dial.opened, dial.end]).toEqual([[SIX.vanished, CLOSED, SERVER], 'connected']);
  });

  it('continues with the pending dial of the other family when the first family fails', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [VANISHED, SERVER] });
    vi.advanceTimersByTime(305);
    const rival = sockets.at(-1);
    dial.socket.destroy(new Error('no way to the host'));
    await until(() => dial.socket === rival);
    rival?.destroy(new Error('no way to the other'));
    await until(() => dial.end !== undefined);
    expect([dial.opened, dial.end]).toEqual([[SIX.vanished, VANISHED, SERVER], 'connected']);
  });

  it('fails with the error of its first address', async () => {
    const dial = dialTo({ primaries: [SIX.vanished, SIX.closed], fallbacks: [CLOSED] });
    dial.socket.destroy(new Error('no way to the host'));
    await until(() => dial.end !== undefined);
    expect((dial.end as Error).message).toBe('no way to the host');
  });

  it('that is aborted also aborts the other family', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [VANISHED] });
    vi.advanceTimersByTime(305);
    const rival = sockets.at(-1);
    dial.socket.destroy();
    await until(() => rival?.destroyed === true);
    expect(dial.opened).toHaveLength(2);
  });

  it('that is aborted early never starts the other family', async () => {
    const dial = dialTo({ primaries: [SIX.vanished], fallbacks: [VANISHED] });
    dial.socket.destroy();
    await turns(2);
    vi.advanceTimersByTime(305);
    expect(dial.opened).toEqual([SIX.vanished]);
  });
});
