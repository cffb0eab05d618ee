import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/kernel/version.ts';
import { monotonicClock } from '../../src/base/runtime/event-loop.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import type { Bus } from '../../src/cluster/bus.ts';
import { type MachinesState, machinesState, PART_STATES, type RunPart } from '../../src/cluster/machines-state.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import type { FromMachine, PartRecord, ToMachine, ToMachines } from '../../src/cluster/messages.ts';
import { PART_LIFE } from '../../src/cluster/part-life.ts';
import type { RunStore } from '../../src/cluster/run-store.ts';
import { keptScenario } from '../../src/scenario/planning/staying.ts';
import type { ShardHandlers } from '../../src/workers/shards.ts';
import { frameOf } from '../metrics/recordings.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { lifeInCode, printedLife } from './printed-life.ts';

type StateName = keyof typeof PART_STATES;
type EventName = keyof typeof PART_LIFE;

const NAMES = Object.keys(PART_STATES) as readonly StateName[];

const SCENARIO = keptScenario(
  scenarioOf('fleet: { agents: 6 }\nphases: [{ name: steady, duration: 1h, checkdata: { every: 30s } }]\n'),
);

const recordOf = (id: string, generation: number): PartRecord => ({
  machine: { id, name: id },
  workers: 1,
  generation,
  clockOffsetMs: 0,
  clockErrorMs: 1,
  monotonicOffsetMs: 0,
});

/** A part of machine `m`, with another machine `spare` waiting, and what it says, writes, requests and reports. */
function partIn(state: StateName) {
  const log: string[] = [];
  const store = {
    publish: async (_, __, message) => void log.push(`writes ${(message as ToMachines).kind}`),
    lastSequence: async () => 0,
  } as Partial<RunStore> as RunStore;
  const bus = {
    connectedMs: () => 3_600_000,
    request: async (_, message) => {
      const { kind } = message as ToMachine;
      if (kind !== 'clocks') log.push(`requests ${kind}`);
      const clocks = { monotonicMs: monotonicClock(), unixMs: Date.now() };
      return { kind: 'answer', answer: kind === 'clocks' ? clocks : { workers: 1 } };
    },
  } as Partial<Bus> as Bus;
  const members = {
    waiting: () => [{ id: 'spare', name: 'spare', version: VERSION, build: buildHash(), run: undefined }],
    atWork: () => [],
    lastSeenMs: () => 0,
    isPresent: async () => new Promise<boolean>(() => {}),
    refusals: new Map<string, string>(),
  } as Partial<Membership> as Membership;
  const handlers = {
    frame: ({ workers }) => log.push(workers?.length === 0 ? 'counts late' : 'counts'),
    incomplete: () => {},
    finished: () => log.push('reports its end'),
    lost: () => log.push('reports its loss'),
  } as Partial<ShardHandlers> as ShardHandlers;
  const run: MachinesState = machinesState(
    {
      bus,
      store,
      members,
      run: 'storms',
      scenario: SCENARIO,
      coordinator: 'us',
      replace: true,
      firstStartedAt: undefined,
      isResumed: false,
      compacted: undefined,
      note: () => {},
      keep: async () => {},
    },
    [recordOf('m', 0)],
    handlers,
  );
  run.startMs = monotonicClock();
  const [part] = run.parts as [RunPart];
  part.state = PART_STATES[state];
  part.assignment.lastSeenMs = Number.NEGATIVE_INFINITY;
  return { run, part, log };
}

const WORKER = { shard: 0, loopUtilization: 0, cpuMs: 0, gcMs: 0, listening: 0, stalls: [] };

const FRAME = {
  kind: 'frame',
  generation: 0,
  frame: { ...frameOf(1, []), shard: 0, workers: [WORKER] },
} as unknown as FromMachine;

/** Makes each event happen to a part. */
const EVENTS: { readonly [Event in EventName]: (run: MachinesState, part: RunPart) => unknown } = {
  accepted: (run, part) => PART_LIFE.accepted[part.state](run, part, { record: recordOf('m', 0), elapsedS: 5 }),
  reported: (run, part) => PART_LIFE.reported[part.state](run, part, FRAME),
  renewed: (run, part) => PART_LIFE.renewed[part.state](run, part, { part: 0, generation: 0, isLeaving: false }),
  queried: (run, part) => PART_LIFE.queried[part.state](run, part, { kind: 'find_event', name: 'x' } as never),
  failed: (run, part) => PART_LIFE.failed[part.state](run, part, 'it failed'),
  checked: (run, part) => PART_LIFE.checked[part.state](run, part),
  present: (run, part) => PART_LIFE.present[part.state](run, part),
  expired: (run, part) => PART_LIFE.expired[part.state](run, part, 'it was silent'),
  lost: (run, part) =>
    PART_LIFE.lost[part.state](run, part, { kind: 'lost', part: 0, generation: 0, why: 'silence', second: 3 }),
  refused: (run, part) => PART_LIFE.refused[part.state](run, part),
  replaced: (run, part) =>
    PART_LIFE.replaced[part.state](run, part, {
      kind: 'replaced',
      part: 0,
      record: recordOf('spare', 1),
      elapsedS: 20,
      atMs: 0,
      epochMs: 0,
    }),
  abandoned: (run, part) => PART_LIFE.abandoned[part.state](run, part, 'no other machine took over'),
  finished: (run, part) => PART_LIFE.finished[part.state](run, part),
  canceled: (run, part) => PART_LIFE.canceled[part.state](run, part),
};

/** The state after an event, if it changes; what the coordinator does; what it answers. */
type Reaction = { readonly state?: StateName; readonly does?: readonly string[]; readonly answer?: unknown };

const NOTHING: Reaction = {};
const END: Reaction = { state: 'over', does: ['reports its loss'] };
const CLOSE: Reaction = { state: 'over', does: ['reports its end'] };
const DECLARE: Reaction = { state: 'failing', does: ['writes lost'] };
const TAKE_OVER: Reaction = { state: 'running' };
const RELEASE: Reaction = { does: ['requests release'] };
const LATE: Reaction = { does: ['counts late'] };
const ASK: Reaction = { does: ['requests query'], answer: { workers: 1 } };
const LOSE: Reaction = { state: 'lost' };
const GIVE_UP: Reaction = { state: 'over', does: ['requests release', 'reports its end'] };
const answers = (answer: unknown): Reaction => ({ answer });
const refuses = (text: RegExp): Reaction => ({
  answer: expect.objectContaining({ message: expect.stringMatching(text) }),
});
const GONE = refuses(/^Machine m was lost with its agents: try again/);
const FINISHED = refuses(/^Machine m has finished,/);
const HAS_MACHINE = refuses(/^part 0 already has a machine$/);
const SEEK: Reaction = { state: 'offered', does: ['requests take', 'writes replaced'] };

/** By event, in the order of `PART_STATES`. */
const REACTIONS: { readonly [Event in EventName]: readonly Reaction[] } = {
  accepted: [TAKE_OVER, ...Array<Reaction>(5).fill(HAS_MACHINE), RELEASE],
  reported: [...Array<Reaction>(4).fill({ does: ['counts'] }), LATE, LATE, LATE],
  renewed: ['unknown', 'held', 'unknown', 'unknown', 'lost', 'lost', 'unknown'].map(answers),
  queried: [FINISHED, ASK, ASK, ASK, GONE, GONE, FINISHED],
  failed: [NOTHING, DECLARE, DECLARE, NOTHING, NOTHING, NOTHING, NOTHING],
  checked: [NOTHING, { state: 'suspect' }, NOTHING, NOTHING, SEEK, NOTHING, NOTHING],
  present: [NOTHING, NOTHING, { state: 'running' }, NOTHING, NOTHING, NOTHING, NOTHING],
  expired: [NOTHING, NOTHING, DECLARE, NOTHING, NOTHING, NOTHING, NOTHING],
  lost: [NOTHING, LOSE, LOSE, LOSE, NOTHING, NOTHING, NOTHING],
  refused: [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, { state: 'lost' }, NOTHING],
  replaced: [NOTHING, ...Array<Reaction>(5).fill(TAKE_OVER), RELEASE],
  abandoned: [...Array<Reaction>(6).fill(END), NOTHING],
  finished: [...Array<Reaction>(6).fill(CLOSE), NOTHING],
  canceled: [CLOSE, GIVE_UP, GIVE_UP, GIVE_UP, CLOSE, CLOSE, NOTHING],
};

const CELLS = (Object.keys(PART_LIFE) as EventName[]).flatMap((event) =>
  NAMES.map((state, at) => ({ event, state, expected: REACTIONS[event][at] ?? NOTHING })),
);

describe('the life of a part of a fleet', () => {
  it.each(CELLS)('$event in $state has the reaction of its cell', async ({ event, state, expected }) => {
    const { run, part, log } = partIn(state);
    const answer = await (async () => EVENTS[event](run, part))().catch((error: unknown) => error);
    await setImmediate();
    const now = NAMES.find((name) => PART_STATES[name] === part.state);
    const { state: next = state, does = [], answer: wanted } = expected;
    expect({ now, log, answer }).toEqual({ now: next, log: does, answer: wanted });
  });

  it('is printed in docs/developers/mechanisms.md as the code has it', () => {
    const corner = 'Event of a part';
    expect(printedLife(corner)).toEqual(lifeInCode(corner, NAMES, PART_LIFE));
  });
});
