import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VERSION } from '../../src/base/kernel/version.ts';
import { monotonicClock } from '../../src/base/runtime/event-loop.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { createMachineShards } from '../../src/cluster/machine-shards.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import type { FromMachine, JoinedMachine, PartRecord, ToMachine, ToMachines } from '../../src/cluster/messages.ts';
import type { RunStore, Stored } from '../../src/cluster/run-store.ts';
import { shardOf } from '../../src/load/shard.ts';
import type { SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { keptScenario } from '../../src/scenario/planning/staying.ts';
import type { ShardHandlers } from '../../src/workers/shards.ts';
import { frameOf } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const NO_SERIES: SeriesFrame = {
  phase: 'steady',
  operation: 'checkdata',
  planned: 0,
  started: 0,
  succeededWithin: 0,
  sentBytes: 0,
  receivedBytes: 0,
  dropped: {},
  outcomes: {},
  histograms: {},
};

const SCENARIO = scenarioOf(`fleet: { agents: 6 }
phases: [{ name: steady, duration: 1h, checkdata: { every: 30s } }]
events: [{ do: disconnect, name: cable, for: 10m }]
`);

/** The clock of machine n is this far ahead. */
const OFFSETS_MS = [5000, -7000, 90_000];

const partOf = (n: number): PartRecord => ({
  machine: { id: `id-${n}`, name: `m${n}` },
  workers: 1,
  generation: 0,
  clockOffsetMs: 0,
  clockErrorMs: 1,
  monotonicOffsetMs: OFFSETS_MS[n] ?? 0,
});

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Agents without an operation leave before the others, and the first machine does not say how many an event affects. */
function replyOf({ part, query }: Extract<ToMachine, { readonly kind: 'query' }>): Awaited<ReturnType<Bus['request']>> {
  if (query.kind === 'affected_by') return part === 0 ? { kind: 'late' } : { kind: 'answer', answer: 2 };
  return { kind: 'answer', answer: query.kind === 'leave' && query.how === 'idle' ? 1 : 0 };
}

/** Two machines of a run, whose stream is a list; a third one may wait to replace one of them. */
async function twoMachines({ replace = false, hasThird = false, scenario = SCENARIO } = {}) {
  const stream: { readonly subject: string; readonly message: unknown }[] = [];
  const told: string[] = [];
  const counted: SeriesFrame[] = [];
  const said: string[] = [];
  const released: string[] = [];
  const left: number[] = [];
  const heard = new Map<string, number>();
  const present = new Set<string>();
  let connectedAtMs: number | undefined = monotonicClock();
  let seconds = 0;
  let isDeleted = false;
  let taken: ToMachine | undefined;
  let reader = (_: Stored): void => {};
  const put = (subject: string, message: unknown): void => {
    stream.push({ subject, message });
    reader({ subject, message, sequence: stream.length });
  };
  const store = {
    publish: async (subject, _, message) => put(subject, message),
    read: (_, take) => {
      reader = take;
      return () => {};
    },
    lastSequence: async () => (isDeleted ? Promise.reject(new Error('stream not found')) : stream.length),
  } as Partial<RunStore> as RunStore;
  let renew = (_: unknown): unknown => undefined;
  let problem: string | undefined;
  const bus = {
    problem: () => problem,
    serve: (_, answer) => {
      renew = answer;
      return () => {};
    },
    connectedMs: () => (connectedAtMs === undefined ? undefined : monotonicClock() - connectedAtMs),
    request: async (subject, message) => {
      const asked = message as ToMachine;
      if (asked.kind === 'release') released.push(subject);
      if (asked.kind === 'take') {
        taken = asked;
        from(asked.work.part, { kind: 'ready' }, asked.work.generation);
      }
      if (asked.kind === 'query') return replyOf(asked);
      const clocks = { monotonicMs: monotonicClock() + (OFFSETS_MS[2] ?? 0), unixMs: Date.now() };
      return { kind: 'answer', answer: asked.kind === 'clocks' ? clocks : { workers: 1 } };
    },
  } as Partial<Bus> as Bus;
  const third: JoinedMachine = {
    id: 'id-2',
    name: 'm2',
    version: VERSION,
    build: buildHash(),
    run: undefined,
  };
  const members = {
    waiting: () => (hasThird && taken === undefined ? [third] : []),
    atWork: () => [0, 1, 2].map((n) => ({ ...third, id: `id-${n}`, name: `m${n}`, run: 'storms' })),
    lastSeenMs: (id) => heard.get(id),
    isPresent: async ({ id }) => present.has(id),
    refusals: new Map<string, string>(),
  } as Partial<Membership> as Membership;
  const events = {
    frame: ({ second, shard, series }) => {
      told.push(`second ${second} of ${shard}`);
      counted.push(...series);
    },
    incomplete: (text) => told.push(text),
    accounted: (shard) => told.push(`account of ${shard}`),
    finished: (shard) => told.push(`end of ${shard}`),
    relocate: async ({ agents, joining }) => {
      const { workers, open } = joining(20_000);
      await open();
      for (const how of ['idle', 'now'] as const) left.push(await shards.leave(agents, how));
      told.push(`${agents.join()} moved to ${workers}`);
      shards.start(startMs, Date.now());
    },
    lost: (shard, { message }) => told.push(`loss of ${shard}: ${message}`),
  } as Partial<ShardHandlers> as ShardHandlers;
  const shards = createMachineShards(
    {
      bus,
      store,
      members,
      replace,
      run: 'storms',
      scenario,
      coordinator: 'us',
      firstStartedAt: undefined,
      isResumed: false,
      compacted: undefined,
      note: (text) => said.push(text),
      keep: async ({ startedAtMs }) => {
        if (startedAtMs !== undefined) stream.push({ subject: 'bucket', message: { kind: 'start is kept' } });
      },
    },
    [partOf(0), partOf(1)],
    events,
  );
  const from = (n: number, message: Record<string, unknown>, generation = 0): void =>
    put(`from.${n}`, { ...message, generation } as FromMachine);
  const second = (n: number, at: number, generation = 0, series: readonly SeriesFrame[] = []): void =>
    from(n, { kind: 'frame', frame: { ...frameOf(at, []), shard: n, series } }, generation);
  for (const n of [0, 1]) from(n, { kind: 'ready' });
  await shards.ready();
  const startMs = monotonicClock();
  shards.start(startMs, Date.now());
  return {
    left,
    shards,
    stream,
    told,
    said,
    counted,
    released,
    from,
    second,
    put,
    present,
    /** Whether machine n may continue its part. */
    renews: (n: number, generation = 0, isLeaving = false) => renew({ part: n, generation, isLeaving }),
    renew: (request: unknown) => renew(request),
    refuses: (why: string | undefined) => {
      problem = why;
    },
    written: () => stream.filter(({ subject }) => subject === 'to').map(({ message }) => message as ToMachines),
    offered: () => (taken?.kind === 'take' ? taken.work : undefined),
    beats: (n: number) => heard.set(`id-${n}`, monotonicClock()),
    /** NATS becomes unreachable for everyone, or reachable again. */
    away: (isAway: boolean) => {
      connectedAtMs = isAway ? undefined : monotonicClock();
    },
    /** The store of the run is deleted. */
    destroy: () => {
      isDeleted = true;
    },
    /** Lets time pass; these machines report each second, and the others are silent. */
    pass: async (lengthS: number, reporting: readonly number[]) => {
      for (const untilS = seconds + lengthS; seconds < untilS; seconds++) {
        await vi.advanceTimersByTimeAsync(1000);
        for (const machine of reporting) second(machine, seconds);
      }
    },
  };
}

describe('the machines of a run', () => {
  it('start together, each at the time on its own clock, after the start time was stored', async () => {
    const { stream } = await twoMachines();
    const startMs = monotonicClock();
    await vi.advanceTimersByTimeAsync(0);
    expect(stream.slice(2).map(({ message }) => message)).toEqual([
      { kind: 'start is kept' },
      { kind: 'start', epochMs: Date.now(), atMs: [startMs + 5000, startMs - 7000] },
    ]);
  });

  it('are lost after ten seconds of silence, and of what a lost one says later, only its requests count', async () => {
    const { shards, released, told, written, pass, from } = await twoMachines();
    await pass(3, [0, 1]);
    await pass(9, [1]);
    expect(told.filter((text) => text.includes('of 0'))).toEqual(['second 0 of 0', 'second 1 of 0', 'second 2 of 0']);
    await pass(2, [1]);
    expect(written().at(-1)).toMatchObject({ kind: 'lost', part: 0, generation: 0 });
    expect(told.find((text) => text.startsWith('loss'))).toMatch(/^loss of 0: .*; its agents stopped at 3s$/);
    const before = told.length;
    from(0, { kind: 'worker_lost', worker: 0, text: 'gone' });
    from(0, { kind: 'account', account: { machine: {} } });
    from(0, { kind: 'finished' });
    expect(told.slice(before)).toEqual([]);
    await shards.close();
    expect(released).toEqual(['muster.machine.id-1']);
  });

  it('that are lost have their requests counted when they are back, but not what they left to the next one', async () => {
    const { told, said, counted, pass, second } = await twoMachines({ replace: true, hasThird: true });
    await pass(3, [0, 1]);
    await pass(12, [1]);
    const sent = { planned: 7, started: 4, dropped: { no_lease: 2, agent_busy: 1 }, outcomes: { ok: 4 } };
    const series = { ...NO_SERIES, ...sent };
    const before = told.length;
    second(0, 3, 0, [series]);
    second(0, 4, 0, [series]);
    expect(counted).toEqual([
      { ...series, planned: 5, dropped: { agent_busy: 1 } },
      { ...series, planned: 5, dropped: { agent_busy: 1 } },
    ]);
    const back = 'part 1: the lost machine is back, and what it sent from 3s on is counted, too';
    expect(told.slice(before)).toEqual(['second 3 of 0', back, 'second 4 of 0']);
    expect(said.filter((text) => text === back)).toHaveLength(1);
  });

  it('renew their leases while they run their parts, and are not silent as long as they do', async () => {
    const { written, pass, renews, renew } = await twoMachines({ replace: true, hasThird: true });
    await pass(3, [0, 1]);
    for (let n = 0; n < 4; n++) {
      await pass(5, [1]);
      expect(renews(0)).toBe('held');
    }
    expect(written().filter(({ kind }) => kind === 'lost')).toEqual([]);
    // The coordinator may not have read of a later generation.
    const others = [renews(0, 1), renews(2), ...[undefined, 'x', {}, { part: -1, generation: 0 }].map(renew)];
    expect(others).toEqual(Array(6).fill('unknown'));
    await pass(12, [1]);
    expect([renews(0), renews(0, 1)]).toEqual(['lost', 'held']);
  });

  it('are not lost before their entries have expired, however late their messages are', async () => {
    const { written, pass, present } = await twoMachines();
    present.add('id-0');
    await pass(30, [1]);
    expect(written().filter(({ kind }) => kind === 'lost')).toEqual([]);
    present.clear();
    await pass(1, [1]);
    expect(written().filter(({ kind }) => kind === 'lost')).toMatchObject([{ part: 0 }]);
  });

  it('are not lost because the coordinator stood still, but ten seconds of silence later', async () => {
    const { written, pass, second } = await twoMachines();
    await pass(3, [0, 1]);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 60_000;
    await pass(2, []);
    for (const machine of [0, 1]) second(machine, 3);
    await pass(9, [1]);
    expect(written().filter(({ kind }) => kind === 'lost')).toEqual([]);
    await pass(2, [1]);
    expect(written().filter(({ kind }) => kind === 'lost')).toMatchObject([{ part: 0 }]);
  });

  it.each(['machines', 'coordinator'])(
    'report within seconds that NATS has no room for the %s, and that it has again',
    async (whose) => {
      const { said, shards, pass, renews, renew, refuses } = await twoMachines();
      const full = (why: string | undefined) =>
        whose === 'machines' ? renew({ part: 1, generation: 0, isLeaving: false, problem: why }) : refuses(why);
      await pass(3, [0, 1]);
      full('insufficient resources');
      await pass(2, [0, 1]);
      const sentence = expect.stringMatching(
        /^NATS cannot store the run \(insufficient resources\): the machines continue,/,
      );
      expect(said).toEqual([sentence]);
      expect(shards.unreported?.(1)).toBe(
        'machine m1: what it sent after 5s is missing, because NATS could not store it (insufficient resources)',
      );
      full('insufficient resources');
      await pass(2, [0, 1]);
      full(undefined);
      expect(renews(0)).toBe('held');
      await pass(2, [0, 1]);
      expect(said).toEqual([sentence, 'NATS stores the run again']);
      expect(shards.unreported?.(1)).toBeUndefined();
    },
  );

  it('are not disturbed by messages of another form, which are named once', async () => {
    const { told, put, said, pass, second } = await twoMachines();
    await pass(1, [0, 1]);
    const before = [...told];
    const junk = [undefined, 7, 'x', [], {}, { kind: 'frame' }, { kind: 'lost', part: 'a' }, { kind: 'finished' }];
    const foreign = { kind: 'frame', generation: 0, frame: { ...frameOf(1, []), shard: 1 } };
    const broken = {
      kind: 'frame',
      generation: 0,
      frame: { ...frameOf(1, []), shard: 0, series: [{ phase: 'steady' }] },
    };
    for (const subject of ['from.0', 'from.9', 'from.x', 'to'])
      for (const message of [...junk, foreign, broken]) put(subject, message);
    expect(told).toEqual(before);
    expect(said.filter((text) => text.includes('not counted'))).toHaveLength(1);
    second(0, 1);
    expect(told.at(-1)).toBe('second 1 of 0');
  });

  it('are not lost while NATS is unreachable, nor while their heartbeats arrive', async () => {
    const { written, shards, pass, away, beats } = await twoMachines();
    await pass(3, [0, 1]);
    away(true);
    await pass(60, []);
    expect(shards.unreported?.(0)).toMatch(/^machine m0: what it sent after 3s .* NATS is unreachable$/);
    away(false);
    await pass(9, []);
    beats(0);
    expect(written().filter(({ kind }) => kind === 'lost')).toEqual([]);
    await pass(3, []);
    expect(written().filter(({ kind }) => kind === 'lost')).toMatchObject([{ part: 1 }]);
  });

  it('are released when NATS comes back without the run, which is then incomplete', async () => {
    const { told, said, released, pass, away, destroy } = await twoMachines({ replace: true });
    await pass(3, [0, 1]);
    away(true);
    destroy();
    await pass(2, []);
    away(false);
    await pass(2, []);
    const text = 'NATS has lost the run, because its store was deleted: what the machines had not reported is missing';
    expect(told.slice(-3)).toEqual([text, 'end of 0', 'end of 1']);
    expect(said.at(-1)).toBe(text);
    expect(released).toEqual(['muster.machine.id-0', 'muster.machine.id-1']);
  });

  it('are replaced by a waiting one, which gets the start on its clock, and only its messages count from then on', async () => {
    const startMs = monotonicClock();
    const { shards, told, offered, written, pass, second } = await twoMachines({ replace: true, hasThird: true });
    const event = { ...(SCENARIO.events[0] as (typeof SCENARIO.events)[number]), name: 'later' };
    shards.send({ kind: 'event', event, otherServers: [] });
    shards.send({ kind: 'stop' });
    await pass(3, [0, 1]);
    await pass(12, [1]);
    expect(offered()).toMatchObject({
      run: 'storms',
      part: 0,
      shard: { index: 0, count: 2 },
      generation: 1,
      events: [{ name: 'cable' }, { name: 'later' }],
    });
    const replaced = written().find((message) => message.kind === 'replaced');
    expect(replaced).toMatchObject({
      part: 0,
      record: { machine: { name: 'm2' }, generation: 1 },
      atMs: expect.closeTo(startMs + 90_000, 3),
    });
    // It has not read what was said before.
    expect(written().map(({ kind }) => kind)).toEqual(['start', 'event', 'stop', 'lost', 'replaced', 'stop']);
    const before = told.length;
    second(0, 17, 1);
    second(0, 18, 2);
    expect(told.slice(before)).toEqual(['second 17 of 0']);
    expect(shards.machines('whole').map(({ name, fromMs, toMs }) => [name, fromMs > 0, toMs])).toEqual([
      ['m0', false, 3000],
      ['m2', true, undefined],
      ['m1', false, undefined],
    ]);
  });

  it('of a fleet give a share to one that joins, which is ready before they give it; one that leaves gives all, and each has one row', async () => {
    const scenario = keptScenario(SCENARIO);
    const { shards, told, left, offered, written, pass, from, renews } = await twoMachines({
      hasThird: true,
      scenario,
    });
    await pass(4, [0, 1]);
    const joined = { shard: shardOf([4, 5]), elapsedS: 20, generation: 0, order: undefined };
    expect(offered()).toMatchObject({ part: 2, ...joined });
    // The machines that give are asked until all have left, and the one that joins is not.
    expect(left).toEqual([2, 0]);
    expect(told).toContain('4,5 moved to 1');
    expect(renews(0, 0, true)).toBe('held');
    await pass(1, [0, 1, 2]);
    expect(told).toContain('0,2 moved to 2');
    const starts = written().filter((message) => message.kind === 'start');
    expect(starts.map(({ atMs }) => atMs.length)).toEqual([2, 3, 5]);
    from(0, { kind: 'finished' });
    expect(told.at(-1)).toBe('end of 0');
    expect(shards.machines('whole').map(({ name, agents, toMs }) => [name, agents, toMs !== undefined])).toEqual([
      ['m0', 3, true],
      ['m1', 3, false],
      ['m2', 3, false],
    ]);
    expect(renews(1, 0, true)).toBe('held');
    await pass(1, [1, 2, 3, 4]);
    expect(told).toContain('0,1,3 moved to 1');
    expect(renews(2, 0, true)).toBe('alone');
  });

  it('that no other machine replaces within 30 s are given up', async () => {
    const { told, pass } = await twoMachines({ replace: true });
    await pass(3, [0, 1]);
    await pass(12 + 28, [1]);
    expect(told.filter((text) => text.startsWith('loss'))).toEqual([]);
    await pass(4, [1]);
    expect(told.filter((text) => text.startsWith('loss'))).toEqual([
      'loss of 0: it stopped responding, and no other machine took over; its agents stopped at 3s',
    ]);
  });

  it('name the agents whose passwords were lost with a machine, apart from those that wait for one, once and at the end', async () => {
    const { told, said, from } = await twoMachines();
    const agents = [{ agent: 2 }, { agent: 4, lostWith: 'm7' }, { agent: 6, lostWith: 'm7' }];
    for (const known of [agents, agents, agents.slice(1)]) from(1, { kind: 'held_back', agents: known });
    from(1, { kind: 'finished' });
    const lost =
      'part 2: 2 agents held back, because the server knows them, but their passwords were lost with machine m7, which is no failure of the server: 4, 6; remove them there before the next run';
    expect(said).toEqual(['part 2: 1 agent held back, because a lost machine may have registered them: 2', lost]);
    expect(told).toEqual([lost, 'end of 1']);
  });

  it('that are lost do not hold up the end of an event', async () => {
    const { shards, written, pass } = await twoMachines();
    await pass(1, [0, 1]);
    shards.send({ kind: 'end_event', name: 'cable', atMs: 1000 });
    await pass(1, [1]);
    expect(written().at(-1)).toEqual({ kind: 'end_event', name: 'cable', atMs: 1000 });
    const affected = () => shards.askAll({ kind: 'affected_by', name: 'cable', atMs: 999 }, 0);
    expect(await affected()).toEqual([0, 2]);
    await pass(12, [1]);
    expect(written().at(-1)).toMatchObject({ kind: 'lost', part: 0 });
    expect(await affected()).toEqual([0, 2]);
  });
});
