import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ANSWER_KEPT_MS,
  areLoopback,
  createTargetAddresses,
  type KnownAddresses,
  type Resolver,
  resolveTarget,
} from '../../../src/wire/transport/target-addresses.ts';
import type { TransportSettings } from '../../../src/wire/transport/transport.ts';
import { httpAnswer, listen, type Probe, probe, rawServer } from './wire.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((part) => part.close()));
});

describe('the addresses of a target', () => {
  it.each([
    ['http://127.0.0.1:8080/x', ['127.0.0.1']],
    ['http://[::1]:8080', ['::1']],
    ['https://192.0.2.7', ['192.0.2.7']],
    ['http://nowhere.invalid', []],
  ])('%s are %j', async (url, addresses) => {
    expect(await resolveTarget(url)).toEqual(addresses);
  });

  it('of localhost are loopback', async () => {
    expect(areLoopback(await resolveTarget('http://localhost:1'))).toBe(true);
  });

  it.each([
    [['127.0.0.1', '::1', '127.9.9.9'], true],
    [['::ffff:127.0.0.1'], true],
    [['127.0.0.1', '192.0.2.7'], false],
    [['128.0.0.1'], false],
    [['::2'], false],
    [[], false],
  ])('%j are loopback: %s', (addresses, expected) => {
    expect(areLoopback(addresses)).toBe(expected);
  });
});

describe('a name', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });

  type Answer = readonly string[] | Error;

  /** The addresses or errors of consecutive dials, each made after the resolver's previous answer has expired. */
  async function toldOf(
    name: { readonly addresses: readonly string[]; readonly loopbackOnly: boolean },
    answers: Answer[],
  ) {
    const asked: Answer[] = [...answers];
    const resolver: Resolver = async () => {
      const answer = asked.shift();
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    };
    const target = createTargetAddresses({ host: 'muster.example', reachedFrom: undefined, ...name, resolver });
    const told: (readonly string[] | string)[] = [];
    for (const _ of answers) {
      vi.advanceTimersByTime(ANSWER_KEPT_MS);
      const { addresses, problem } = await new Promise<KnownAddresses>((resolve) => target.ask(resolve));
      told.push(problem?.message ?? addresses);
    }
    return told;
  }

  it('without permission is followed only to loopback, at every answer of the resolver', async () => {
    const target = { addresses: ['127.0.0.1'], loopbackOnly: true };
    expect(await toldOf(target, [['127.0.0.2'], ['192.0.2.7'], ['192.0.2.7', '127.0.0.3'], ['127.0.0.4']])).toEqual([
      ['127.0.0.2'],
      'resolve muster.example: 192.0.2.7, which is not this machine, and not allowed',
      ['127.0.0.3'],
      ['127.0.0.4'],
    ]);
  });

  it('without permission is limited to loopback from the first dial', () => {
    const target = createTargetAddresses({
      host: 'muster.example',
      reachedFrom: undefined,
      addresses: ['192.0.2.7'],
      loopbackOnly: true,
      resolver: async () => [],
    });
    let known: KnownAddresses | undefined;
    target.ask((told) => {
      known = told;
    });
    expect(known?.addresses).toEqual([]);
  });

  it('with permission is followed to any address', async () => {
    const target = { addresses: ['127.0.0.1'], loopbackOnly: false };
    expect(await toldOf(target, [['192.0.2.7'], ['192.0.2.8', '127.0.0.1']])).toEqual([
      ['192.0.2.7'],
      ['192.0.2.8', '127.0.0.1'],
    ]);
  });

  it('has no address once the resolver reports it unknown, and keeps its last result if the resolver fails', async () => {
    const target = { addresses: ['127.0.0.1'], loopbackOnly: true };
    const gone = Object.assign(new Error('gone'), { code: 'ENOTFOUND' });
    const silent = Object.assign(new Error('try again'), { code: 'EAI_AGAIN' });
    expect(await toldOf(target, [['127.0.0.2'], silent, gone, silent, ['127.0.0.3']])).toEqual([
      ['127.0.0.2'],
      ['127.0.0.2'],
      'resolve muster.example: no address',
      'resolve muster.example: no address',
      ['127.0.0.3'],
    ]);
  });

  it('is resolved at most once in five seconds, and not before the first five have passed', async () => {
    let timesAsked = 0;
    const resolver: Resolver = async () => {
      timesAsked++;
      return ['127.0.0.2'];
    };
    const target = createTargetAddresses({
      host: 'muster.example',
      reachedFrom: undefined,
      addresses: ['127.0.0.1'],
      loopbackOnly: true,
      resolver,
    });
    const dials = () =>
      Promise.all(Array.from({ length: 100 }, () => new Promise<KnownAddresses>((resolve) => target.ask(resolve))));
    vi.advanceTimersByTime(ANSWER_KEPT_MS - 1);
    expect((await dials())[99]?.addresses).toEqual(['127.0.0.1']);
    expect(timesAsked).toBe(0);
    vi.advanceTimersByTime(1);
    expect((await dials())[99]?.addresses).toEqual(['127.0.0.2']);
    vi.advanceTimersByTime(ANSWER_KEPT_MS - 1);
    await dials();
    expect(timesAsked).toBe(1);
  });
});

describe('for a name with several addresses,', () => {
  /** Servers on one port that record which of them answered. */
  async function serversAt(hosts: readonly string[]) {
    const reached: string[] = [];
    const serverOf = (host: string): Server =>
      createServer((socket) => {
        reached.push(host);
        socket.on('error', () => {});
        socket.on('data', () => socket.write(httpAnswer(200, '{}')));
      });
    const servers = hosts.map(serverOf);
    const [first, ...others] = servers;
    if (first === undefined) throw new Error('no server');
    const port = await listen(first, hosts[0]);
    for (const [index, server] of others.entries()) {
      server.listen(port, hosts[index + 1]);
      await once(server, 'listening');
    }
    for (const server of servers) open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    return { port, reached };
  }

  const THREE = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

  function agentsOf(settings: Partial<TransportSettings> & { readonly port: number }): Probe {
    const agents = probe({ addresses: THREE, ...settings, baseUrl: `http://muster.example:${settings.port}` });
    open.unshift(agents.transport);
    return agents;
  }

  async function pushed(agents: Probe, count: number): Promise<void> {
    for (let agent = 0; agent < count; agent++)
      expect((await agents.push(agent)).ending).toMatchObject({ status: 200 });
  }

  it('agents are distributed the same way each time, in whatever order the resolver lists the addresses', async () => {
    const { port, reached } = await serversAt(THREE);
    await pushed(agentsOf({ port }), 30);
    const first = reached.splice(0);
    await pushed(agentsOf({ port, addresses: THREE.toReversed() }), 30);
    expect(reached).toEqual(first);
    for (const host of THREE) expect(first.filter((one) => one === host).length).toBeGreaterThanOrEqual(5);
  });

  it('agents are distributed by their numbers in the fleet, whichever shard runs them', async () => {
    const { port, reached } = await serversAt(THREE);
    await pushed(agentsOf({ port }), 12);
    const whole = reached.splice(0);
    await pushed(agentsOf({ port, inFleet: (agent) => agent * 2 }), 6);
    await pushed(agentsOf({ port, inFleet: (agent) => agent * 2 + 1 }), 6);
    expect([...reached]).toEqual([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11].map((agent) => whole[agent]));
  });

  it('connections and requests of each address are counted, even if nothing listens there', async () => {
    const { port, reached } = await serversAt(['127.0.0.2', '127.0.0.3']);
    const agents = agentsOf({ port });
    await pushed(agents, 30);
    await pushed(agents, 10);
    const counts = agents.transport.addresses().toSorted((one, other) => one.address.localeCompare(other.address));
    const at = (host: string) => reached.filter((one) => one === host).length;
    expect(counts.map(({ host, address }) => `${host} ${address}`)).toEqual(
      THREE.map((one) => `muster.example ${one}`),
    );
    expect(counts.map(({ connections }) => connections)).toEqual([at('127.0.0.2'), at('127.0.0.3'), 0]);
    expect(counts.reduce((sum, { requests }) => sum + requests, 0)).toBe(40);
    expect(counts[2]).toMatchObject({ requests: 0, failed: 0 });
    const failedDials = counts.map((one) => one.failedDials);
    expect([failedDials[0], failedDials[1], (failedDials[2] ?? 0) > 0]).toEqual([0, 0, true]);
  });

  it('an answer other than 200 and 201, or none, counts as a failure of its address', async () => {
    const answers = [httpAnswer(503, '{}'), '', httpAnswer(201, '{}')];
    const server = await rawServer((socket, _request, number) => {
      const answer = answers[number - 1] ?? '';
      if (answer === '') socket.resetAndDestroy();
      else socket.write(answer);
    });
    open.push(server);
    const agents = agentsOf({ port: server.port, addresses: ['127.0.0.1'] });
    for (const agent of [0, 1, 2]) await agents.push(agent);
    void agents.push(3);
    await vi.waitUntil(() => server.requests.length === 4);
    agents.transport.abort(3);
    expect(agents.transport.addresses()).toMatchObject([{ connections: 4, requests: 4, failed: 3, failedDials: 0 }]);
  });

  it('a dial that is still pending when its request is aborted counts as one failure of its address', async () => {
    // The server accepts connections, and never answers a TLS handshake.
    const dials: Socket[] = [];
    const silent = createServer((socket) => {
      dials.push(socket.resume());
      if (dials.length > 1) socket.destroy();
    });
    const port = await listen(silent, '127.0.0.2');
    open.push({ close: () => new Promise((resolve) => silent.close(resolve)) });
    const agents = probe({ baseUrl: `https://muster.example:${port}`, addresses: ['127.0.0.2'] });
    open.unshift(agents.transport);
    void agents.push(0);
    await vi.waitUntil(() => agents.transport.addresses()[0]?.connections === 1);
    agents.transport.abort(0);
    const counted = [{ address: '127.0.0.2', connections: 1, failedDials: 1, requests: 0, failed: 0 }];
    expect(agents.transport.addresses()).toMatchObject(counted);
    // The dial goes on, and then fails on its own.
    dials[0]?.destroy();
    expect((await agents.push(1)).ending.kind).toBe('failure');
    expect(agents.transport.addresses()).toMatchObject([{ ...counted[0], connections: 2, failedDials: 2 }]);
  });

  it('an address in the base URL is not counted', async () => {
    const { port } = await serversAt(['127.0.0.2']);
    const agents = probe({ baseUrl: `http://127.0.0.2:${port}` });
    open.unshift(agents.transport);
    await agents.push(0);
    expect(agents.transport.addresses()).toEqual([]);
  });

  it('an agent that dials again may reach another address', async () => {
    const { port, reached } = await serversAt(THREE);
    const agents = agentsOf({ port });
    for (let dial = 0; dial < 20; dial++) {
      await pushed(agents, 1);
      agents.transport.disconnect(0);
    }
    expect(new Set(reached)).toEqual(new Set(THREE));
  });

  it('a dial moves on to the next address if one refuses', async () => {
    const { port, reached } = await serversAt(['127.0.0.3']);
    await pushed(agentsOf({ port }), 10);
    expect(reached).toEqual(new Array(10).fill('127.0.0.3'));
  });

  it('a dial also moves on with a source address, and uses the next port', async () => {
    const { port, reached } = await serversAt(['127.0.0.3']);
    const sources = { addresses: ['127.0.0.9'], ports: { first: 20_000, last: 30_000 }, beginAt: 0.5 };
    await pushed(agentsOf({ port, sources }), 5);
    expect(reached).toHaveLength(5);
  });

  it('a dial fails if all addresses refuse it, with the reason of the first', async () => {
    const { port } = await serversAt(['127.0.0.9']);
    const { ending, seen } = await agentsOf({ port }).push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'connection_refused' });
    expect(seen.reason).toMatch(/^never connected: connect ECONNREFUSED 127\.0\.0\.[234]:/);
  });

  it('a change is followed by the first dial after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { port, reached } = await serversAt(['127.0.0.2', '127.0.0.7']);
    const agents = agentsOf({ port, addresses: ['127.0.0.2'], resolver: async () => ['127.0.0.7'] });
    await pushed(agents, 2);
    vi.advanceTimersByTime(ANSWER_KEPT_MS);
    await pushed(agents, 4);
    expect(reached).toEqual(['127.0.0.2', '127.0.0.2', '127.0.0.7', '127.0.0.7']);
  });

  it('a name that leads beyond loopback without permission is not resolved, and the error states its address', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const agents = agentsOf({ port: 1, resolver: async () => ['192.0.2.7'] });
    vi.advanceTimersByTime(ANSWER_KEPT_MS);
    const { ending, seen } = await agents.push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'name_not_resolved' });
    expect(seen.reason).toBe(
      'never connected: resolve muster.example: 192.0.2.7, which is not this machine, and not allowed',
    );
  });
});
