import { afterEach, expect, it, vi } from 'vitest';
import type { Bus } from '../../src/cluster/bus.ts';
import { joinCluster } from '../../src/cluster/join.ts';
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
    { ...QUERY, query: { kind: 'find_event', withAgents: true, event: { name: 'x', action: { kind: 'no' } } } },
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
