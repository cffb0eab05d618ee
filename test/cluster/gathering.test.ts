import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VERSION } from '../../src/base/kernel/version.ts';
import type { Bucket } from '../../src/cluster/bucket.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { gather, offer } from '../../src/cluster/gathering.ts';
import { watchMembers } from '../../src/cluster/membership.ts';
import type { JoinedMachine, ToMachine, Work } from '../../src/cluster/messages.ts';

const WORK: Work = {
  run: 'storms',
  coordinator: 'c',
  part: 0,
  shard: { index: 0, count: 1 },
  generation: 0,
  elapsedS: 0,
  fromSequence: 0,
};
const MACHINE: JoinedMachine = { id: 'id-a', name: 'a', version: VERSION, build: buildHash() };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('offers nothing to an entry that is none of a machine, and names it when too few join', async () => {
  const values = { 'a.id-a': MACHINE, 'b.id-b': 7, 'c.id-c': { ...MACHINE, id: '>' }, 'd.id-d': MACHINE };
  const machines = {
    watch: async (take) => {
      for (const [key, value] of Object.entries(values)) take(key, { key, value, revision: 1 });
      return () => {};
    },
  } as Partial<Bucket> as Bucket;
  const members = await watchMembers(machines);
  expect(members.waiting()).toEqual([MACHINE]);
  const bus = {
    request: async () => ({ kind: 'refusal', text: 'it is tired' }),
    announceSearch: () => {},
    entriesOfOtherKeys: async () => 0,
  } as Partial<Bus> as Bus;
  const gathering = { count: 1, waitMs: 2000, workFor: () => WORK, canceled: new Promise<never>(() => {}) };
  const failed = expect(gather(bus, members, { ...gathering, note: () => {} })).rejects.toThrow(
    'refused: b: its entry in NATS is none of a machine; c: its entry in NATS is none of a machine; d: its entry',
  );
  await vi.advanceTimersByTimeAsync(3000);
  await failed;
});

it.each<[string, ToMachine['kind']]>([
  ['time', 'clocks'],
  ['workers', 'take'],
])('gives no part to a machine whose answer has no %s', async (_, asked) => {
  const answers: Partial<Record<ToMachine['kind'], unknown>> = {
    clocks: { monotonicMs: 0, unixMs: Date.now() },
    take: { workers: 1 },
  };
  const bus = {
    request: async (_, message) => ({ kind: 'answer', answer: answers[(message as ToMachine).kind] }),
  } as Partial<Bus> as Bus;
  const refusals = new Map<string, string>();
  const offered = () => offer(bus, { machine: MACHINE, work: WORK }, refusals);
  expect(await offered()).toMatchObject({ machine: { id: 'id-a' }, workers: 1 });
  for (const junk of [undefined, null, 'x', {}, { workers: -1, unixMs: 'now' }]) {
    answers[asked] = junk;
    expect(await offered()).toBeUndefined();
  }
  expect([...refusals.values()]).toEqual(['a: it does not answer']);
});
