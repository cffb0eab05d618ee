import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bus } from '../../src/cluster/bus.ts';
import { LOCAL_PART_LIFE, LOCAL_PART_STATES, type LocalPart } from '../../src/cluster/local-part-life.ts';
import { createPartLease } from '../../src/cluster/part-lease.ts';
import type { PartReports } from '../../src/cluster/part-reports.ts';
import type { PartShards } from '../../src/cluster/part-shards.ts';
import type { RunStore } from '../../src/cluster/run-store.ts';
import { lifeInCode, printedLife } from './printed-life.ts';

type StateName = keyof typeof LOCAL_PART_STATES;
type EventName = keyof typeof LOCAL_PART_LIFE;

const NAMES = Object.keys(LOCAL_PART_STATES) as readonly StateName[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

type Kind = { readonly isEndless?: boolean; readonly hasMoved?: boolean; readonly workers?: 'end' | 'hang' };

/** A part, what it does, and why it is over. Its workers end when they are stopped, unless they hang. */
function partIn(state: StateName, { isEndless = true, hasMoved = false, workers = 'end' }: Kind = {}) {
  const log: string[] = [];
  const workersEnded = Promise.withResolvers<void>();
  const end = Promise.withResolvers<string>();
  const shards: Partial<PartShards['shards']> = {
    start: (atMs) => log.push(`starts at ${atMs}`),
    restore: () => log.push('reads passwords again'),
    send: ({ kind }) => {
      log.push(kind);
      if (workers === 'end') workersEnded.resolve();
    },
  };
  const claims: Partial<PartShards['claims']> = {
    known: async () => [],
    releaseAll: async () => void log.push('releases claims'),
  };
  const reports: Partial<PartReports> = {
    send: ({ kind }) => log.push(`reports ${kind}`),
    conclude: () => log.push('reports its account'),
    flushed: async () => void log.push('flushes'),
    workersEnded: workersEnded.promise,
  };
  const part: LocalPart = {
    bus: {} as Bus,
    store: {} as RunStore,
    work: {
      run: 'storms',
      coordinator: 'c',
      part: 0,
      shard: { index: 0, count: 1 },
      generation: 0,
      elapsedS: hasMoved ? 20 : 0,
      fromSequence: 0,
    },
    agents: new Set([0, 1]),
    isEndless,
    leavingText: 'm was told to leave',
    reports: reports as PartReports,
    lease: createPartLease(),
    end,
    state: LOCAL_PART_STATES[state],
    isStarted: state !== 'building' && state !== 'ready',
    built: state === 'building' ? undefined : ({ shards, claims } as PartShards),
  };
  void end.promise.then((why) => {
    part.state = LOCAL_PART_STATES.over;
    log.push(`over: ${why}`);
  });
  return { part, log };
}

const EVENTS: { readonly [Event in EventName]: (part: LocalPart) => unknown } = {
  started: (part) => LOCAL_PART_LIFE.started[part.state](part, { atMs: 7, epochMs: 9 }),
  interrupted: (part) => LOCAL_PART_LIFE.interrupted[part.state](part),
  alone: (part) => LOCAL_PART_LIFE.alone[part.state](part),
  lost: (part) => LOCAL_PART_LIFE.lost[part.state](part),
  ended: (part) => LOCAL_PART_LIFE.ended[part.state](part),
};

const nameOf = ({ state }: LocalPart) => NAMES.find((name) => LOCAL_PART_STATES[name] === state);

/** The state right after the event, if it changes; all that the part does within two minutes. */
type Reaction = { readonly state?: StateName; readonly does?: readonly string[] };

const NOTHING: Reaction = {};
const START: Reaction = { does: ['starts at 7'] };
const LEFT = ['reports leaves', 'flushes', 'over: m was told to leave'];
const IN_ORDER = ['stop', 'releases claims', 'cancel', ...LEFT];
const LEAVE: Reaction = { state: 'leaving', does: IN_ORDER };
const GIVEN_AWAY = 'over: its lease ended, and its agents were given away';
const LOSE: Reaction = { state: 'lost', does: ['stop', GIVEN_AWAY] };
const concludes = (why: string): Reaction => ({ does: ['reports its account', 'flushes', `over: ${why}`] });

/** By event, in the order of `LOCAL_PART_STATES`. */
const REACTIONS: { readonly [Event in EventName]: readonly Reaction[] } = {
  started: [NOTHING, { ...START, state: 'running' }, START, START, NOTHING, NOTHING, NOTHING],
  interrupted: [
    { state: 'leaving', does: LEFT },
    LEAVE,
    { state: 'handingOver', does: IN_ORDER },
    NOTHING,
    NOTHING,
    LEAVE,
    NOTHING,
  ],
  alone: [NOTHING, NOTHING, NOTHING, LEAVE, NOTHING, NOTHING, NOTHING],
  lost: [{ state: 'lost', does: [GIVEN_AWAY] }, LOSE, LOSE, LOSE, LOSE, NOTHING, NOTHING],
  ended: [
    NOTHING,
    concludes('done'),
    concludes('done'),
    concludes('others have taken its agents over'),
    NOTHING,
    { does: ['releases claims', 'flushes', GIVEN_AWAY] },
    NOTHING,
  ],
};

const CELLS = (Object.keys(LOCAL_PART_LIFE) as EventName[]).flatMap((event) =>
  NAMES.map((state, at) => ({ event, state, expected: REACTIONS[event][at] ?? NOTHING })),
);

/** Makes an event happen. Returns the state right after it. */
async function happen(event: EventName, part: LocalPart, forMs = 120_000) {
  const done = EVENTS[event](part);
  const state = nameOf(part);
  await done;
  await vi.advanceTimersByTimeAsync(forMs);
  await setImmediate();
  return state;
}

describe('the life of a part on its machine', () => {
  it.each(CELLS)('$event in $state has the reaction of its cell', async ({ event, state, expected }) => {
    const { part, log } = partIn(state);
    const { state: next = state, does = [] } = expected;
    expect({ state: await happen(event, part), does: log }).toEqual({ state: next, does });
  });

  it.each(['running', 'handingOver'] as const)('a run with an end leaves at once: %s', async (state) => {
    const { part, log } = partIn(state, { isEndless: false });
    const event = state === 'running' ? 'interrupted' : 'alone';
    expect({ state: await happen(event, part), does: log }).toEqual({ state: 'leaving', does: IN_ORDER });
  });

  it('a part that hands its agents over leaves after a minute, if nobody has taken them', async () => {
    const { part, log } = partIn('running');
    await happen('interrupted', part, 59_999);
    expect([nameOf(part), log]).toEqual(['handingOver', []]);
    await vi.advanceTimersByTimeAsync(1);
    expect([nameOf(part), log]).toEqual(['over', IN_ORDER]);
  });

  it('a part whose agents were taken over does not leave after that', async () => {
    const { part, log } = partIn('running');
    await happen('interrupted', part, 1000);
    await happen('ended', part);
    expect(log).toEqual(['reports its account', 'flushes', 'over: others have taken its agents over']);
  });

  it('workers that do not end have five seconds before they are canceled, and keep their claims', async () => {
    const { part, log } = partIn('handingOver', { workers: 'hang' });
    await happen('alone', part, 4999);
    expect(log).toEqual(['stop']);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(['stop', 'cancel']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(log).toEqual(['stop', 'cancel', ...LEFT]);
  });

  it('the last frames of a lost part have 40 s, unless it has sent nothing', async () => {
    const { part, log } = partIn('running');
    await happen('lost', part, 39_999);
    expect(log).toEqual(['stop']);
    await vi.advanceTimersByTimeAsync(1);
    expect(log.at(-1)).toBe(GIVEN_AWAY);
    const { part: unstarted } = partIn('ready');
    await happen('lost', unstarted, 0);
    expect(nameOf(unstarted)).toBe('over');
  });

  it('a lost part that is told to leave does not wait 40 s for its workers', async () => {
    const { part, log } = partIn('running', { workers: 'hang' });
    await happen('lost', part, 20_000);
    await happen('interrupted', part, 10_000);
    expect(log).toEqual(['stop', 'stop', 'cancel', ...LEFT]);
  });

  it('agents that moved to the part start with the passwords that they got where they were', async () => {
    const { part, log } = partIn('ready', { hasMoved: true });
    await happen('started', part);
    await happen('started', part);
    expect(log).toEqual(['reads passwords again', 'starts at 7', 'starts at 7']);
  });

  it('is printed in docs/developers/mechanisms.md as the code has it', () => {
    const corner = 'Event on its machine';
    expect(printedLife(corner)).toEqual(lifeInCode(corner, NAMES, LOCAL_PART_LIFE));
  });
});
