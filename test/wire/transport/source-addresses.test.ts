import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/base/protocol/exchange.ts';
import type { Sources } from '../../../src/wire/transport/source-addresses.ts';
import { trySource } from '../../../src/wire/transport/source-addresses.ts';
import type { TransportSettings } from '../../../src/wire/transport/transport.ts';
import { httpAnswer, listen, probe, type RawServer, rawServer } from './wire.ts';

const TWO: Sources = { addresses: ['127.0.0.2', '127.0.0.3'], ports: undefined, beginAt: 0 };
const IN_TURN = ['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.3'];

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function answering(): Promise<RawServer> {
  const server = await rawServer((socket) => socket.write(httpAnswer(200, '{}')));
  open.push(server);
  return server;
}

function closing(transport: Transport): void {
  open.push(transport);
}

describe('with source addresses, the transport', () => {
  const client = ({ port }: { port: number }, settings: Partial<TransportSettings>) => {
    const made = probe({ baseUrl: `http://127.0.0.1:${port}`, ...settings });
    closing(made.transport);
    return made;
  };

  it('opens the connections of agents from them in turn, whichever agent dials first', async () => {
    const server = await answering();
    const agents = client(server, { sources: TWO });
    for (const agent of [3, 0, 2, 1]) await agents.push(agent);
    expect(server.sockets.map(({ remoteAddress }) => remoteAddress)).toEqual([
      ...['127.0.0.3', '127.0.0.2', '127.0.0.2', '127.0.0.3'],
    ]);
  });

  it('keeps the address of an agent whose connection was closed', async () => {
    const server = await answering();
    const agents = client(server, { sources: TWO });
    await agents.push(1);
    const before = server.sockets[0]?.remoteAddress;
    agents.transport.disconnect(1);
    await agents.push(1);
    expect([before, server.sockets[1]?.remoteAddress]).toEqual(['127.0.0.3', '127.0.0.3']);
  });

  it('opens shared connections from them in turn', async () => {
    const server = await answering();
    const agents = client(server, { sources: TWO, sharedConnections: 4 });
    await Promise.all([0, 1, 2, 3].map((agent) => agents.push(agent)));
    expect(server.sockets.map(({ remoteAddress }) => remoteAddress).toSorted()).toEqual(IN_TURN.toSorted());
  });

  it('reaches a name through its address of the same family', async () => {
    const server = await answering();
    const baseUrl = `http://nowhere.invalid:${server.port}`;
    const agents = client(server, { baseUrl, addresses: ['::1', '127.0.0.1'], sources: TWO });
    expect((await agents.push(0)).ending).toMatchObject({ status: 200 });
    expect(server.sockets[0]?.remoteAddress).toBe('127.0.0.2');
  });

  it('uses the configured ports, and skips a port that is in use', async () => {
    const server = await answering();
    const first = await listeningAt('127.0.0.2');
    const ports = { first, last: Math.min(first + 50, 65_535) };
    const agents = client(server, { sources: { addresses: ['127.0.0.2'], ports, beginAt: 0 } });
    for (const agent of [0, 1]) expect((await agents.push(agent)).ending).toMatchObject({ status: 200 });
    const [one = 0, other = 0] = server.sockets.map(({ remotePort }) => remotePort);
    expect(one).toBeGreaterThan(first);
    expect(other).toBeGreaterThan(one);
    expect(other).toBeLessThanOrEqual(ports.last);
  });

  it('fails with no_local_port once all ports are in use', async () => {
    const server = await answering();
    const port = await listeningAt('127.0.0.2');
    const ports = { first: port, last: port };
    const agents = client(server, { sources: { addresses: ['127.0.0.2'], ports, beginAt: 0 } });
    expect((await agents.push(0)).ending).toEqual({ kind: 'failure', failure: 'no_local_port' });
  });
});

/** A port of the address that is in use. */
async function listeningAt(host: string): Promise<number> {
  const server = createServer();
  open.push(server);
  return listen(server, host);
}

describe('trying a source address', () => {
  it.each([
    ['127.0.0.2', ['127.0.0.1'], undefined],
    ['127.0.0.2', ['::1', '127.0.0.1'], undefined],
    ['127.0.0.2', [], undefined],
    ['192.0.2.250', ['127.0.0.1'], 'not_local'],
    ['192.0.2.250', [], 'not_local'],
    ['127.0.0.2', ['192.0.2.250'], 'no_route'],
    ['127.0.0.2', ['::1'], 'no_route'],
  ])('%s for %j returns %s', async (source, targets, problem) => {
    expect(await trySource(source, targets)).toBe(problem);
  });
});
