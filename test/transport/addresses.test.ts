import { afterEach, describe, expect, it } from 'vitest';
import { areLoopback, resolveTarget } from '../../src/transport/addresses.ts';
import { httpAnswer, probe, type RawServer, rawServer } from './wire.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

async function serverOf(): Promise<RawServer> {
  const server = await rawServer((socket) => socket.write(httpAnswer(200, '{}')));
  open.push(server);
  return server;
}

describe('the addresses of a target', () => {
  it.each([
    ['http://127.0.0.1:8080/x', ['127.0.0.1']],
    ['http://[::1]:8080', ['::1']],
    ['https://192.0.2.7', ['192.0.2.7']],
    ['http://nowhere.invalid', []],
  ])('%s are %j', async (url, addresses) => {
    expect(await resolveTarget(url)).toEqual(addresses);
  });

  it('of localhost are this machine', async () => {
    expect(areLoopback(await resolveTarget('http://localhost:1'))).toBe(true);
  });

  it.each([
    [['127.0.0.1', '::1', '127.9.9.9'], true],
    [['::ffff:127.0.0.1'], true],
    [['127.0.0.1', '192.0.2.7'], false],
    [['128.0.0.1'], false],
    [['::2'], false],
    [[], false],
  ])('%j are this machine: %s', (addresses, expected) => {
    expect(areLoopback(addresses)).toBe(expected);
  });

  it('are where dials go: the resolver is not asked about the name', async () => {
    const server = await serverOf();
    const agents = probe({ baseUrl: `http://nowhere.invalid:${server.port}`, addresses: ['127.0.0.1'] });
    open.push(agents.transport);
    for (const agent of [0, 1]) expect((await agents.push(agent)).ending).toMatchObject({ status: 200 });
    expect(server.requests[0]).toContain(`\r\nHost: nowhere.invalid:${server.port}\r\n`);
  });

  it('are tried in turn', async () => {
    const server = await serverOf();
    const agents = probe({
      baseUrl: `http://nowhere.invalid:${server.port}`,
      addresses: ['127.0.0.2', '127.0.0.1'],
    });
    open.push(agents.transport);
    expect((await agents.push(0)).ending).toMatchObject({ status: 200 });
  });

  it('are asked for again after a dial that failed', async () => {
    const server = await serverOf();
    const agents = probe({ baseUrl: `http://localhost:${server.port}`, addresses: ['127.0.0.2'] });
    open.push(agents.transport);
    expect((await agents.push(0)).ending).toEqual({ kind: 'failure', failure: 'connection_refused' });
    await expect.poll(async () => (await agents.push(0)).ending.kind).toBe('answer');
  });
});
