import { syncBuiltinESMExports } from 'node:module';
import net, { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeTls } from '../../../src/base/runtime/builtins.ts';
import { httpAnswer, type Probe, probe, type RawServer, rawServer, turns, until } from './wire.ts';

/** Stands for a host that drops all packets: no system offers such an address to a test. */
const VANISHED = '2001:db8::1';

const SOURCES = new Map([
  [VANISHED, '2001:db8::2'],
  ...['127.0.0.1', '127.0.0.2'].map((address) => [address, '127.0.0.1'] as const),
]);

let dials: string[];

/** Uses a socket that never connects for the address that drops all packets. */
function vanishing(module: { connect: unknown }): void {
  const real = module.connect as (options: net.TcpNetConnectOpts) => Socket;
  vi.spyOn(module as { connect(options: net.TcpNetConnectOpts): Socket }, 'connect').mockImplementation((options) => {
    let address = options.host ?? '';
    options.lookup?.(address, {}, (_error, found) => {
      address = String(found);
    });
    dials.push(address);
    return address === VANISHED ? new Socket() : real({ ...options, host: address });
  });
}

beforeEach(() => {
  dials = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vanishing(net);
  vanishing(nodeTls);
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe.each(['http', 'https'])('if the first family does not answer, over %s,', (scheme) => {
  let server: RawServer;
  let agent: Probe;

  beforeEach(async () => {
    server = await rawServer((socket) => socket.write(httpAnswer(200, '{}')), { overTls: scheme === 'https' });
    agent = probe({
      baseUrl: `${scheme}://mon.example:${server.port}`,
      addresses: [VANISHED, '127.0.0.1'],
      reachedFrom: SOURCES,
      loopbackOnly: false,
      tls: { verify: false, ca: undefined },
    });
  });

  afterEach(async () => {
    await agent.transport.close();
    await server.close();
  });

  it('the other one serves the waiting request and later ones', async () => {
    const ended = agent.push(0);
    vi.advanceTimersByTime(305);
    expect((await ended).ending).toMatchObject({ status: 200 });
    expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
    expect([dials, server.sockets.length]).toEqual([[VANISHED, '127.0.0.1'], 1]);
  });

  it('a dial that has outlasted its request serves the next one through the other family', async () => {
    void agent.push(0);
    await turns(1);
    agent.transport.abort(0);
    vi.advanceTimersByTime(305);
    await until(() => server.sockets.length === 1);
    await turns(5);
    expect((await agent.push(0)).ending).toMatchObject({ status: 200 });
    expect(dials.slice(0, 2)).toEqual([VANISHED, '127.0.0.1']);
    expect(server.sockets).toHaveLength(1);
  });

  it('a closed agent starts no other dial', async () => {
    void agent.push(0);
    await agent.transport.close();
    await turns(2);
    vi.advanceTimersByTime(305);
    expect(dials).toEqual([VANISHED]);
  });
});

describe('a dial that has outlasted its request', () => {
  it('moves on to the next address', async () => {
    const server = await rawServer((socket) => socket.write(httpAnswer(200, '{}')));
    const agent = probe({
      baseUrl: `http://mon.example:${server.port}`,
      addresses: ['127.0.0.1', '127.0.0.2'],
      reachedFrom: SOURCES,
      seed: 3,
    });
    void agent.push(0);
    agent.transport.abort(0);
    await until(() => server.sockets.length === 1);
    // The first address refused.
    expect(dials).toEqual(['127.0.0.2', '127.0.0.1']);
    await agent.transport.close();
    await server.close();
  });
});
