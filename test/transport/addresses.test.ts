import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { areLoopback, createTargetAddresses, resolveTarget } from '../../src/transport/addresses.ts';
import { takesConnections } from '../../src/transport/reachability.ts';
import { httpAnswer, probe, type RawServer, rawServer } from './wire.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
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

describe('a target that is waited for', () => {
  it('takes connections where the run has found it, whatever its name leads to', async () => {
    const { port } = await serverOf();
    const target = { url: `http://nowhere.invalid:${port}`, addresses: ['127.0.0.1'] };
    expect(await takesConnections(target, 60_000)).toBe(true);
  });

  it('does not if nobody listens in time', async () => {
    const { port, close } = await serverOf();
    open.pop();
    await close();
    expect(await takesConnections({ url: `http://nowhere.invalid:${port}`, addresses: ['127.0.0.1'] }, 10)).toBe(false);
  });
});

describe('a target whose dials fail', () => {
  // Nothing is dialled here: these are the addresses that a dial would have gone to.
  function targetAt(host: string, ...initial: string[]) {
    vi.useFakeTimers({ toFake: ['performance'] });
    const answers: string[][] = [];
    const asked = vi.spyOn(dns, 'lookup') as unknown as { mockImplementation(lookup: Resolver): void; mock: Calls };
    asked.mockImplementation((_host, _options, callback) => {
      const addresses = answers.shift();
      if (addresses === undefined) callback(new Error('no answer'), []);
      else
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
    });
    syncBuiltinESMExports();
    const target = createTargetAddresses(host, initial);
    const dialled = (): string[] => {
      let found: string[] = [];
      target.lookup(host, { all: true }, (_error, all) => {
        found = (all as { address: string }[]).map(({ address }) => address);
      });
      return found;
    };
    /** A dial fails, and the name is then found at these addresses. */
    const failsAndIsAt = (...addresses: string[]): string[] => {
      answers.push(addresses);
      vi.advanceTimersByTime(5000);
      target.failed();
      return dialled();
    };
    return { failsAndIsAt, failed: target.failed, dialled, timesAsked: () => asked.mock.calls.length };
  }

  it('stays this machine, however often its name leads elsewhere', () => {
    const { failsAndIsAt } = targetAt('muster.example', '127.0.0.1');
    expect(failsAndIsAt('192.0.2.7')).toEqual(['127.0.0.1']);
    expect(failsAndIsAt('127.0.0.2')).toEqual(['127.0.0.2']);
    expect(failsAndIsAt('192.0.2.7')).toEqual(['127.0.0.2']);
    expect(failsAndIsAt('127.0.0.3', '192.0.2.7')).toEqual(['127.0.0.2']);
  });

  it('that had no address becomes another machine only if its name is not of this one', () => {
    expect(targetAt('muster.localhost').failsAndIsAt('192.0.2.7')).toEqual([]);
    expect(targetAt('muster.localhost').failsAndIsAt('127.0.0.2')).toEqual(['127.0.0.2']);
    expect(targetAt('muster.example').failsAndIsAt('192.0.2.7')).toEqual(['192.0.2.7']);
  });

  it('moves to where its name leads as long as that is another machine', () => {
    const { failsAndIsAt } = targetAt('muster.example', '192.0.2.7');
    expect(failsAndIsAt('192.0.2.8')).toEqual(['192.0.2.8']);
    expect(failsAndIsAt()).toEqual(['192.0.2.8']);
    expect(failsAndIsAt('127.0.0.1')).toEqual(['127.0.0.1']);
    expect(failsAndIsAt('192.0.2.8')).toEqual(['127.0.0.1']);
  });

  it('is asked for once in five seconds', () => {
    const { failed, timesAsked } = targetAt('muster.example', '192.0.2.7');
    for (let dial = 0; dial < 100; dial++) failed();
    expect(timesAsked()).toBe(1);
    vi.advanceTimersByTime(5000);
    failed();
    expect(timesAsked()).toBe(2);
  });
});

type Found = { readonly address: string; readonly family: number };
type Resolver = (host: string, options: object, callback: (error: Error | null, found: Found[]) => void) => void;
type Calls = { readonly calls: readonly unknown[] };
