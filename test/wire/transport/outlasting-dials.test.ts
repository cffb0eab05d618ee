import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CREDENTIALS, httpAnswer, listen, type Probe, probe, turns, until } from './wire.ts';

/** A TLS terminator that accepts connections and sends nothing until it is released. */
type Stalled = {
  readonly port: number;
  readonly accepted: Socket[];
  readonly handshakes: () => number;
  /** The position in `accepted` of each request's connection. */
  readonly served: readonly number[];
  readonly open: () => number;
  /** Releases one connection, or all, including those to come. */
  release(position?: number): void;
  close(): Promise<void>;
};

async function stalledTerminator(): Promise<Stalled> {
  let handshakes = 0;
  const served: number[] = [];
  let released = false;
  const accepted: Socket[] = [];
  const tls = createTlsServer(CREDENTIALS, (stream) => {
    handshakes++;
    stream.on('error', () => {});
    stream.on('data', () => {
      served.push(accepted.findIndex(({ remotePort }) => remotePort === stream.remotePort));
      stream.write(httpAnswer(200, '{"received_checks":1}'));
    });
  });
  const server: Server = createServer({ pauseOnConnect: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    if (released) tls.emit('connection', socket);
  });
  const port = await listen(server);
  return {
    port,
    accepted,
    handshakes: () => handshakes,
    served,
    open: () => accepted.filter(({ destroyed }) => !destroyed).length,
    release: (position) => {
      released = position === undefined;
      for (const [at, socket] of accepted.entries()) if (released || at === position) tls.emit('connection', socket);
    },
    close: async () => {
      for (const socket of accepted) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

let server: Stalled;
let agent: Probe;

function start(settings: { readonly spareDials?: number } = {}): void {
  agent = probe({ ...settings, baseUrl: `https://127.0.0.1:${server.port}`, tls: { verify: false, ca: undefined } });
}

/** A request that reaches its time limit while it dials. */
async function giveUp(): Promise<void> {
  const before = server.accepted.length;
  void agent.push(0);
  await until(() => server.accepted.length > before);
  agent.transport.abort(0);
  await turns(2);
}

beforeEach(async () => {
  server = await stalledTerminator();
});

afterEach(async () => {
  await agent.transport.close();
  await server.close();
});

describe('dials that outlast their requests', () => {
  it('accumulate while no handshake is answered, all complete later, and two connections stay', async () => {
    start();
    for (let n = 1; n <= 8; n++) {
      await giveUp();
      expect(server.open()).toBe(n);
    }
    server.release();
    await until(() => server.handshakes() === 8 && server.open() === 2);
    await turns(20);
    expect([server.handshakes(), server.open(), server.served.length]).toEqual([8, 2, 0]);
    const { ending } = await agent.push(0);
    expect(ending).toMatchObject({ kind: 'answer', status: 200 });
    expect(server.accepted).toHaveLength(8);
  });

  it('serve the request that is dialing when they are ready, and its own dial is kept for a later one', async () => {
    start();
    await giveUp();
    const push = agent.push(0);
    await until(() => server.accepted.length === 2);
    server.release();
    expect((await push).ending).toMatchObject({ kind: 'answer', status: 200 });
    await until(() => server.handshakes() === 2);
    expect((await agent.push(0)).ending).toMatchObject({ kind: 'answer', status: 200 });
    expect([server.accepted.length, server.open()]).toEqual([2, 2]);
  });

  it('replace the current connection if the server has closed it', async () => {
    start();
    await giveUp();
    await giveUp();
    server.release();
    await until(() => server.handshakes() === 2);
    await turns(20);
    server.accepted[0]?.destroy();
    await turns(20);
    expect((await agent.push(0)).ending).toMatchObject({ kind: 'answer', status: 200 });
    expect(server.accepted).toHaveLength(2);
  });

  it('serve the next request if they are ready after the last answer: the connection that became idle last does', async () => {
    start();
    await giveUp();
    await giveUp();
    server.release(0);
    await until(() => server.handshakes() === 1);
    await turns(20);
    await agent.push(0);
    server.release(1);
    await until(() => server.handshakes() === 2);
    await turns(20);
    for (let time = 0; time < 2; time++) await agent.push(0);
    server.accepted[1]?.destroy();
    await turns(20);
    await agent.push(0);
    expect(server.served).toEqual([0, 1, 1, 0]);
    expect(server.accepted).toHaveLength(2);
  });

  it('end when the agent disconnects', async () => {
    start();
    await giveUp();
    await giveUp();
    agent.transport.disconnect(0);
    for (const socket of server.accepted) socket.resume();
    await until(() => server.open() === 0);
  });

  it('are limited to the spare dials', async () => {
    start({ spareDials: 1 });
    for (let n = 0; n < 3; n++) await giveUp();
    for (const socket of server.accepted) socket.resume();
    await until(() => server.open() === 1);
  });

  it('do not affect the agent if they fail', async () => {
    start();
    await giveUp();
    server.accepted[0]?.resetAndDestroy();
    await turns(20);
    await giveUp();
    server.release();
    await until(() => server.handshakes() === 1);
    expect((await agent.push(0)).ending).toMatchObject({ kind: 'answer', status: 200 });
  });
});
