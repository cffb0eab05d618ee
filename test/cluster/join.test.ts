import { afterEach, expect, it, vi } from 'vitest';
import { monotonicClock } from '../../src/base/runtime/event-loop.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { joinCluster } from '../../src/cluster/join.ts';
import type { FromMachine, ToMachines } from '../../src/cluster/messages.ts';
import type { RunStore } from '../../src/cluster/run-store.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { memoryBucket } from './memory-bucket.ts';

afterEach(() => {
  vi.useRealTimers();
});

const WORK = {
  run: 'storms',
  coordinator: 'c',
  part: 0,
  shard: { index: 0, count: 1 },
  generation: 0,
  elapsedS: 0,
  order: undefined,
  firstStartedAt: undefined,
  events: undefined,
  fromSequence: 0,
};
const QUERY = { kind: 'query', run: 'storms', part: 0 };
const EVENT = { name: 'x', fromMs: 0, overMs: 0, toMs: 1, cohort: EVERYONE, action: { kind: 'reboot' } };

it('a machine refuses requests of another form, and answers the others', async () => {
  vi.useFakeTimers();
  let ask = (_: unknown): unknown => undefined;
  const opened: string[] = [];
  const bus = {
    bucket: async () => memoryBucket(),
    connectedMs: () => 0,
    problem: () => undefined,
    serve: (_, answer) => {
      ask = answer;
      return () => {};
    },
    onOtherSearch: () => () => {},
    openRun: async (run) => void opened.push(run),
  } as Partial<Bus> as Bus;
  const { leave } = await joinCluster(bus, { name: 'a', workers: 1, once: false }, () => {});
  const junk = [
    ...[undefined, null, 7, 'x', [], {}, { kind: 'no' }, { kind: 'take' }, { kind: 'release', run: '>' }],
    { kind: 'take', work: { ...WORK, run: 'a b' } },
    { kind: 'take', work: { ...WORK, shard: { index: 0, count: 0 } } },
    { kind: 'take', work: { ...WORK, order: { scenario: {} } } },
    { ...QUERY, query: { kind: 'no' } },
    { ...QUERY, query: { kind: 'conditions', first: 'x' } },
    { ...QUERY, query: { kind: 'leave', agents: [1], how: 'now' } },
    ...[
      { ...EVENT, action: { kind: 'no' } },
      { ...EVENT, action: { kind: 'clone', password: 'no' } },
      { ...EVENT, action: { kind: 'clone', password: 'none', original: -1 } },
      { ...EVENT, action: { kind: 'misbehave', how: 'no' } },
      { ...EVENT, action: { kind: 'service-down' } },
      { ...EVENT, cohort: {} },
      { ...EVENT, cohort: { kind: 'agents', first: 0 } },
      { ...EVENT, cohort: { kind: 'fact', fact: 'no', pattern: 'x' } },
      { ...EVENT, cohort: { kind: 'not', cohort: {} } },
      { ...EVENT, cohort: { kind: 'and', left: EVERYONE, right: { kind: 'share' } } },
    ].map((event) => ({ ...QUERY, query: { kind: 'find_event', withAgents: true, event } })),
    // A worker would not survive writing such dates.
    { ...QUERY, query: { kind: 'document', agent: 0, document: 'checkdata', instantMs: 1e300 } },
    { ...QUERY, query: { kind: 'set_clock', setMs: -1e300 } },
  ];
  for (const message of junk) expect(() => ask(message)).toThrow('expected a request to a machine');
  expect(opened).toEqual([]);
  expect(ask({ kind: 'clocks' })).toMatchObject({ unixMs: Date.now() });
  await expect(ask({ kind: 'take', work: WORK })).rejects.toThrow('expected its scenario in NATS, found nothing');
  expect(() => ask({ ...QUERY, query: { kind: 'conditions', first: 0, count: 5 } })).toThrow('another run');
  await leave();
});

it('a machine says when NATS is away or full, and when it is neither', async () => {
  vi.useFakeTimers();
  let connectedMs: number | undefined = 0;
  let problem: string | undefined;
  const said: string[] = [];
  const bus = {
    bucket: async () => memoryBucket(),
    connectedMs: () => connectedMs,
    problem: () => problem,
    serve: () => () => {},
    onOtherSearch: () => () => {},
  } as Partial<Bus> as Bus;
  const { leave } = await joinCluster(bus, { name: 'a', workers: 1, once: false }, (text) => said.push(text));
  for (const [isAway, why] of [
    [false, undefined],
    [false, 'no room'],
    [false, 'no room'],
    [true, 'no room'],
    [false, undefined],
    [false, 'no room'],
    [false, undefined],
  ] as const) {
    connectedMs = isAway ? undefined : 0;
    problem = why;
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(said).toEqual([
    'NATS cannot store messages (no room): waiting until there is room',
    'NATS is unreachable: waiting until it is back',
    'NATS is reachable again',
    'NATS cannot store messages (no room): waiting until there is room',
    'NATS stores messages again',
  ]);
  await leave();
});

it('a worker survives requests about agents that its machine does not have, and about documents before the start', async () => {
  let ask = (_: unknown): unknown => undefined;
  let tell = (_: ToMachines): void => {};
  const ready = Promise.withResolvers<void>();
  const reported: FromMachine['kind'][] = [];
  const store = {
    publish: async (_, __, message) => {
      const { kind } = message as FromMachine;
      reported.push(kind);
      if (kind === 'ready') ready.resolve();
    },
    read: (subject, take) => {
      tell = (message) => take({ subject, sequence: 1, message });
      return () => {};
    },
  } as Partial<RunStore> as RunStore;
  const bus = {
    bucket: async () => memoryBucket(),
    connectedMs: () => 0,
    problem: () => undefined,
    roundTripMs: async () => 1,
    request: async () => ({ kind: 'answer', answer: 'held' }),
    serve: (_, answer) => {
      ask = answer;
      return () => {};
    },
    onOtherSearch: () => () => {},
    openRun: async () => store,
  } as Partial<Bus> as Bus;
  const { leave } = await joinCluster(bus, { name: 'a', workers: 1, once: false }, () => {});
  const query = async (one: object): Promise<unknown> =>
    (async () => ask({ ...QUERY, query: one }))().catch((error: Error) => error.message);
  const document = (agent: number) => query({ kind: 'document', agent, document: 'checkdata' });
  const scenario = scenarioOf(`target: { url: "http://127.0.0.1:9" }
fleet: { agents: 4, payload: lean }
phases: [{ name: steady, duration: 1h, checkdata: { every: 30s } }]
`);
  const shard = { index: 1, count: 2 };
  await ask({ kind: 'take', work: { ...WORK, shard, order: { scenario, replicas: 1 } } });
  await ready.promise;
  expect(await document(1)).toBe('the machine has no figures yet');
  tell({ kind: 'start', atMs: [monotonicClock()], epochMs: Date.now() });
  expect(await document(1)).toBeInstanceOf(Uint8Array);
  const outside = 'expected one of the 2 agents of the machine, found 2';
  expect(await document(2)).toBe(outside);
  expect(await query({ kind: 'agent_details', agent: 2, index: 5 })).toBe(outside);
  for (const kind of ['conditions', 'health']) await query({ kind, first: 9, count: 2 ** 40 });
  expect(await query({ kind: 'leave', agents: Uint32Array.of(9), how: 'now' })).toBe(0);
  tell({ kind: 'copied_password', agent: 9, password: 'x' });
  const clone = { kind: 'clone', password: 'shared', original: 9 } as const;
  const event = { ...EVENT, name: 'clones', toMs: 600_000, cohort: EVERYONE, action: clone };
  tell({ kind: 'event', event, otherServers: [] });
  expect(await query({ kind: 'find_event', event: { ...event, name: 'more' }, withAgents: true })).toHaveProperty(
    'count',
  );
  expect(await document(0)).toBeInstanceOf(Uint8Array);
  expect(reported).not.toContain('worker_lost');
  await leave();
});
