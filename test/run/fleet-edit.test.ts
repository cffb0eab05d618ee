import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { FleetEvent } from '../../src/load/events/event.ts';
import type { TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { PreparedEdit } from '../../src/run/control.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { startVirtually } from './virtual-shards.ts';

const scenario = scenarioOf('fleet: { agents: 2 }\nphases: [{ name: all, duration: 10s, register: { over: 1s } }]\n');
const NOTHING: PreparedEdit = {
  scenario,
  otherServers: [],
  leaving: [],
  joining: undefined,
  leadMs: 1500,
  events: { gone: [], changed: [], come: [] },
};
const cable: FleetEvent = {
  name: 'cable',
  cohort: EVERYONE,
  fromMs: 2000,
  toMs: 9000,
  overMs: 0,
  action: { kind: 'disconnect', how: 'reset' },
};

describe('an edit of a running fleet', () => {
  it('first stops agents that change, and starts new ones at a whole second of the run', async () => {
    const run = await startVirtually();
    await run.time.pass(100 + 2300);
    run.still.push(2, 1);
    const done = run.control.edit({ ...NOTHING, leaving: [1], joining: async (sinceMs) => run.joining(sinceMs) });
    for (const ms of [0, 20, 20]) await run.time.pass(ms);
    await done;
    expect(run.told.slice(1)).toEqual([
      '1 leave idle',
      '1 leave idle',
      '1 leave idle',
      '1 more since 4000',
      'start at 100 (1000100)',
    ]);
  });

  it('cuts off operations of leaving agents after one second', async () => {
    const run = await startVirtually();
    await run.time.pass(100);
    run.still.push(...Array.from({ length: 51 }, () => 1));
    const done = run.control.edit({ ...NOTHING, leaving: [0] });
    await run.time.pass(0);
    for (let turn = 0; turn < 51; turn++) await run.time.pass(20);
    await done;
    expect(run.told.filter((one) => one === '0 leave idle')).toHaveLength(50);
    expect(run.told.filter((one) => one === '0 leave now')).toHaveLength(2);
  });

  it('reports no second twice: seconds wait for new agents from their start', async () => {
    const seconds: number[] = [];
    const onSeconds = (frames: readonly TimelineFrame[]) => seconds.push(...frames.map(({ second }) => second));
    const run = await startVirtually({ onSeconds });
    await run.time.pass(100);
    await run.control.edit({ ...NOTHING, joining: async (sinceMs) => run.joining(sinceMs) });
    for (const second of [0, 1, 2]) for (const shard of [0, 1]) run.frame(shard, second);
    expect(seconds).toEqual([0, 1]);
    run.frame(2, 2);
    expect(seconds).toEqual([0, 1, 2]);
    for (const shard of [0, 1, 2]) run.events.finished(shard);
    expect((await run.end).isChanged).toBe(true);
  });

  it('ends removed events, and starts new ones that are not over yet', async () => {
    const run = await startVirtually();
    await run.control.addEvent({ event: cable, withAgents: false }, []);
    await run.time.pass(100 + 5000);
    const events = {
      gone: ['cable'],
      changed: [],
      come: [
        { ...cable, name: 'later', fromMs: 8000 },
        { ...cable, name: 'over', fromMs: 1000, toMs: 2000 },
        { ...cable, name: 'daily', fromMs: 0, toMs: 1000, repeat: { everyMs: 3000, times: 4 } },
      ],
    };
    await run.control.edit({ ...NOTHING, events });
    expect(run.told.slice(-4, -1)).toEqual([
      'end of cable at 5100',
      'event later from 8000 to 9000',
      'event daily from 6000 to 7000',
    ]);
    await expect(run.control.endEvent('cable')).rejects.toThrow(/expected the name of an event/);
  });

  it('that only moves agents opens their new shards first, and moves nothing if they cannot be opened', async () => {
    const run = await startVirtually();
    await run.time.pass(100 + 2300);
    run.still.push(1);
    const relocation = { agents: [1], leadMs: 1500, joining: run.joining };
    const done = run.events.relocate(relocation);
    for (const ms of [0, 1499]) await run.time.pass(ms);
    expect(run.told.slice(1)).toEqual(['1 more since 4000']);
    for (const ms of [1, 20, 20]) await run.time.pass(ms);
    await done;
    expect(run.told.slice(2)).toEqual(['1 leave idle', '1 leave idle', 'start at 100 (1000100)']);
    const joining = () => ({ ...run.joining(0), open: () => Promise.reject(new UserError('no room')) });
    await expect(run.events.relocate({ ...relocation, joining })).rejects.toThrow('no room');
    expect(run.told).toHaveLength(5);
    await run.control.edit({ ...NOTHING, leaving: [0] });
  });

  it('ends the run if new agents cannot start, because those that left are already gone', async () => {
    const run = await startVirtually();
    await run.time.pass(100);
    const joining = () => Promise.reject(new UserError('no port is left'));
    await expect(run.control.edit({ ...NOTHING, leaving: [0], joining })).rejects.toThrow('no port is left');
    await expect(run.end).rejects.toThrow('no port is left');
  });

  it('is rejected before the run has started', async () => {
    let early: Promise<unknown> = Promise.resolve();
    await startVirtually({}, (control) => {
      early = control.edit(NOTHING);
      early.catch(() => {});
    });
    await expect(early).rejects.toThrow(UserError);
  });
});
