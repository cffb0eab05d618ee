import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { FleetEvent } from '../../src/load/events/event.ts';
import type { TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { Outcome } from '../../src/metrics/recording/outcomes.ts';
import type { Control } from '../../src/run/control.ts';
import { createGroupCommit } from '../../src/run/group-commit.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { ShardHandlers } from '../../src/workers/shards.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { NO_COUNTS, startVirtually, withTarget } from './virtual-shards.ts';

describe('the control of a run', () => {
  it('starts all shards at the same time, slightly in the future, once they are ready', async () => {
    const started: number[] = [];
    const { told } = await startVirtually({ onStart: (at) => started.push(at.getTime()) });
    expect(told).toEqual(['start at 100 (1000100)']);
    expect(started).toEqual([1_000_100]);
  });

  it('starts at the same time on both clocks, even if the process is delayed between their readings', async () => {
    let nowMs = 0;
    const holdUps = [50, 20, 0, 0, 70];
    const clock = () => nowMs;
    const unixClock = () => {
      nowMs += holdUps.shift() ?? 0;
      return 1_000_000 + nowMs;
    };
    const { told } = await startVirtually({ clock, unixClock });
    expect(told).toEqual(['start at 170 (1000170)']);
  });

  it('waits for the agreed start time, and then starts all shards', async () => {
    const started: number[] = [];
    const startAt = new Date(1_060_000);
    const run = await startVirtually({ startAt, onStart: (at) => started.push(at.getTime()) });
    await run.time.pass(59_899);
    expect([run.told, started]).toEqual([[], []]);
    await run.time.pass(1);
    expect(run.told).toEqual(['start at 60000 (1060000)']);
    expect(started).toEqual([1_060_000]);
  });

  it('fails if its shards are ready only after the agreed start time', async () => {
    const run = await startVirtually({ startAt: new Date(1_000_099) });
    await expect(run.end).rejects.toThrow(
      /^--start-at: .* for 1970-01-01T00:16:40.099Z, but its fleet was ready only at/,
    );
    expect(run.told).toEqual(['close']);
  });

  describe('with events', () => {
    const event: FleetEvent = {
      name: 'cable',
      cohort: EVERYONE,
      fromMs: 2000,
      toMs: 5000,
      overMs: 0,
      action: { kind: 'disconnect', how: 'reset' },
    };
    const added = (fromMs: number, more: Partial<FleetEvent> = {}) => ({
      event: { ...event, fromMs, toMs: fromMs + 3000, ...more },
      withAgents: false,
    });

    it('forwards an event to all shards, and starts a past one once all shards know it', async () => {
      const changes: string[] = [];
      const onEvents = ({ events }: Scenario) => changes.push(events.map(({ name }) => name).join());
      const run = await startVirtually({ onEvents });
      await run.time.pass(100 + 4000);
      const past = await run.control.addEvent(added(2000), []);
      const ahead = await run.control.addEvent({ ...added(8000, { name: 'later' }), withAgents: true }, []);
      expect(past).toMatchObject({ event: { fromMs: 4100, toMs: 7100 }, count: 2, agents: undefined, isFinal: true });
      expect(ahead).toMatchObject({ event: { fromMs: 8000 }, agents: [0, 1] });
      expect(await run.control.endEvent('cable')).toEqual({ name: 'cable', atMs: 4100, count: 1 });
      expect(run.told.slice(1)).toEqual([
        'event cable from 4100 to 7100',
        'event later from 8000 to 11000',
        'end of cable at 4100',
      ]);
      expect(changes).toEqual(['cable', 'cable,later', 'cable,later']);
    });

    it('says of a dry run what really happens, and changes nothing', async () => {
      const run = await startVirtually();
      await run.time.pass(100 + 4000);
      const { event: _, ...dry } = await run.control.addEvent({ ...added(2000), isDry: true }, []);
      expect(run.told.slice(1)).toEqual([]);
      const { event, ...done } = await run.control.addEvent(added(2000), []);
      expect(dry).toEqual(done);
      await expect(run.control.addEvent({ ...added(2000), isDry: true }, [])).rejects.toThrow(/a name in use/);
      const ending = await run.control.endEvent('cable', { isDry: true });
      expect(run.told.slice(1)).toEqual([`event cable from ${event.fromMs} to ${event.toMs}`]);
      expect(await run.control.endEvent('cable')).toEqual(ending);
      await expect(run.control.endEvent('cable', { isDry: true })).rejects.toThrow(/has not ended/);
    });

    it('keeps the end of an event that lasts to the end of the run, whenever it starts', async () => {
      const run = await startVirtually();
      await run.time.pass(100 + 4000);
      await run.control.addEvent(added(0, { toMs: 10_000 }), []);
      expect(run.told.at(-1)).toBe('event cable from 4100 to 10000');
    });

    it('forwards events that were added before the shards exist', async () => {
      const run = await startVirtually({}, (control) => void control.addEvent(added(2000), []));
      expect(run.told.toSorted()).toEqual(['event cable from 2000 to 5000', 'start at 100 (1000100)']);
    });

    it.each<[string, (control: Control) => Promise<unknown>, RegExp]>([
      ['a name that is in use', (it) => it.addEvent(added(2000), []), /^event cable: expected a unique event name/],
      ['an unknown event', (it) => it.endEvent('cabel'), /expected the name of .* \(cable\), found/],
      [
        'an event that would start after the end',
        (it) => it.addEvent(added(10_000, { name: 'late' }), []),
        /^event late: expected a start before the run ends at 10s, found 10s\.$/,
      ],
      [
        'an event that has ended',
        async (it) => {
          await it.endEvent('cable');
          await it.endEvent('cable');
        },
        /^event cable: expected an event that has not ended, found one that ended at 100ms\.$/,
      ],
    ])('rejects %s', async (_what, command, sentence) => {
      const run = await startVirtually();
      await run.control.addEvent(added(1000), []);
      await run.time.pass(100);
      await expect(command(run.control)).rejects.toThrow(sentence);
    });

    it('rejects events after the end of the run', async () => {
      const run = await startVirtually();
      for (const shard of [0, 1]) run.events.finished(shard);
      await run.end;
      await expect(run.control.addEvent(added(1000), [])).rejects.toThrow(/^the run has ended/);
    });
  });

  describe('of a kept fleet', () => {
    const one = withTarget('target: { timeout: 5s }');
    const staying = { ...one, phases: one.phases.map((phase) => ({ ...phase, durationMs: Number.POSITIVE_INFINITY })) };
    const YEAR_MS = 365 * 86_400_000;

    it('continues for years until it is stopped, and then waits as long as any run', async () => {
      const run = await startVirtually({}, () => {}, staying);
      await run.time.pass(10 * YEAR_MS);
      expect(run.told).toHaveLength(1);
      run.control.send('stop');
      await run.time.pass(0);
      await run.time.pass(15_000);
      expect(run.told.slice(1)).toEqual(['stop', 'cancel']);
      await run.time.pass(10_000);
      const { recording, reasons } = await run.end;
      expect(recording.elapsedMs).toBe(10 * YEAR_MS - 100);
      expect(reasons.map(({ kind }) => kind)).toEqual(['interrupted', 'incomplete', 'incomplete']);
    });

    it('waits for a server that is never available', async () => {
      const run = await startVirtually({}, () => {}, staying);
      for (let second = 0; second < 20; second++) {
        await run.time.pass(1000);
        for (const shard of [0, 1]) run.frame(shard, second, 'connection_refused');
      }
      expect(run.told).toHaveLength(1);
    });

    it('stops if a worker is lost, because its agents cannot be started again', async () => {
      const run = await startVirtually({}, () => {}, staying);
      run.events.lost(0, new Error('out of memory'));
      expect(run.told.slice(1)).toEqual(['stop']);
      run.events.finished(1);
      expect((await run.end).reasons).toEqual([{ kind: 'incomplete', text: 'worker 0 was lost: out of memory' }]);
    });
  });

  it('stops waiting for the start time when it is interrupted', async () => {
    const run = await startVirtually({ startAt: new Date(1_060_000) });
    run.control.send('stop');
    await run.time.pass(0);
    expect(run.told).toEqual(['start at 100 (1000100)', 'stop']);
  });

  it('ends when the last shard has ended, with the reports of all of them', async () => {
    const run = await startVirtually();
    run.frame(0, 0);
    run.frame(1, 0);
    for (const shard of [0, 1]) {
      run.events.accounted(shard, { delivery: NO_COUNTS, responses: [], events: [], down: [] });
      run.events.finished(shard);
    }
    const { recording, reasons, accounts } = await run.end;
    expect(recording.run.series[0]?.totals).toMatchObject({ planned: 2, started: 2, outcomes: { ok: 2 } });
    expect([recording.elapsedMs, reasons, accounts.size]).toEqual([10_000, [], 2]);
    expect(run.told.at(-1)).toBe('close');
  });

  it('passes on each second once, as soon as all shards have completed it', async () => {
    const seconds: number[] = [];
    const onSeconds = (frames: readonly TimelineFrame[]) => seconds.push(...frames.map(({ second }) => second));
    const run = await startVirtually({ onSeconds });
    run.frame(0, 0);
    run.frame(0, 1);
    expect(seconds).toEqual([]);
    run.frame(1, 0);
    expect(seconds).toEqual([0]);
    run.events.finished(1);
    expect(seconds).toEqual([0, 1]);
  });

  it('cancels a shard that runs out of time, so that all its operations are accounted for', async () => {
    const run = await startVirtually();
    run.events.finished(0);
    run.frame(1, 0, 'ok', 120);
    // 100 ms to the start, 10 s of timeline, 5 s for the last request, 10 s of grace period.
    await run.time.pass(25_099);
    expect(run.told).not.toContain('cancel');
    await run.time.pass(1);
    expect(run.told.slice(1)).toEqual(['cancel']);
    run.frame(1, 25);
    run.events.accounted(1, { delivery: NO_COUNTS, responses: [], events: [], down: [] });
    run.events.finished(1);
    const { reasons, accounts, recording } = await run.end;
    const text =
      'worker 1 ran out of time: 10 s after the last deadline it still had 120 operations in flight, which were canceled; ' +
      'use more workers or machines, or a lower load';
    expect(reasons).toEqual([{ kind: 'incomplete', text }]);
    expect([accounts.size, recording.run.series[0]?.totals.planned]).toEqual([1, 2]);
  });

  it('restarts the time limit of the last request if the whole process was suspended beyond the last deadline', async () => {
    const run = await startVirtually();
    await run.time.pass(41_000);
    expect(run.told).not.toContain('cancel');
    for (const shard of [0, 1]) run.events.finished(shard);
    expect((await run.end).reasons).toEqual([]);

    const hung = await startVirtually();
    await hung.time.pass(41_000);
    await hung.time.pass(14_999);
    expect(hung.told).not.toContain('cancel');
    await hung.time.pass(1);
    expect(hung.told).toContain('cancel');
  });

  it('terminates a shard that ignores the cancellation, and does not report it as lost', async () => {
    let heard: ShardHandlers | undefined;
    const run = await startVirtually(
      {},
      () => {},
      undefined,
      () => heard?.lost(1, new Error('Terminating worker thread')),
    );
    heard = run.events;
    run.events.finished(0);
    run.frame(1, 0, 'ok', 7);
    await run.time.pass(25_100);
    await run.time.pass(9_999);
    expect(run.told).not.toContain('close');
    await run.time.pass(1);
    const { reasons } = await run.end;
    const text =
      'worker 1 ran out of time: 10 s after the last deadline it still had 7 operations in flight, and it did not end when ' +
      'they were canceled, so their outcome is unknown';
    expect(reasons).toEqual([{ kind: 'incomplete', text }]);
    expect(run.told.at(-1)).toBe('close');
  });

  it('says why a shard has not reported, if that is known, and not that it ran out of time', async () => {
    const run = await startVirtually();
    run.unreported.set(1, 'machine b: what it sent after 3s is missing');
    run.events.finished(0);
    await run.time.pass(25_100);
    await run.time.pass(10_000);
    expect((await run.end).reasons).toEqual([
      { kind: 'incomplete', text: 'machine b: what it sent after 3s is missing' },
    ]);
  });

  it('passes on all seconds that a hung shard delayed', async () => {
    const seconds: number[] = [];
    const run = await startVirtually({ onSeconds: (taken) => seconds.push(...taken.map(({ second }) => second)) });
    run.frame(0, 0);
    run.frame(0, 1);
    run.events.finished(0);
    expect(seconds).toEqual([]);
    await run.time.pass(25_100);
    await run.time.pass(10_000);
    const { recording } = await run.end;
    expect(seconds).toEqual([0, 1]);
    expect(recording.run.series[0]?.totals.planned).toBe(2);
  });

  it('waits for a certificate exchange as long as its two requests may take', async () => {
    const polled = withTarget(
      'target: { timeout: 5s, pull: { timeout: 20s } }\nwebServer: { listen: "127.20.0.0/24:3333" }',
    );
    const run = await startVirtually({}, () => {}, polled);
    await run.time.pass(60_099);
    expect(run.told).not.toContain('cancel');
    await run.time.pass(1);
    expect(run.told).toContain('cancel');
  });

  it('continues with the other shards if one is lost, and names it', async () => {
    const run = await startVirtually();
    run.events.lost(1, new Error('out of memory'));
    run.frame(0, 0);
    run.events.finished(0);
    const { reasons, recording } = await run.end;
    expect(reasons).toEqual([{ kind: 'incomplete', text: 'worker 1 was lost: out of memory' }]);
    expect(recording.elapsedMs).toBe(10_000);
  });

  it('stops, then cancels, on command, and counts only the time until the first command', async () => {
    const run = await startVirtually();
    await run.time.pass(3100);
    run.control.send('stop');
    await run.time.pass(1000);
    run.control.send('cancel');
    for (const shard of [0, 1]) run.events.finished(shard);
    const { recording, reasons } = await run.end;
    expect(run.told.slice(1, 3)).toEqual(['stop', 'cancel']);
    expect(recording.elapsedMs).toBe(3000);
    expect(reasons.map(({ kind }) => kind)).toEqual(['interrupted']);
  });

  it('ends in order, as after an interrupt, once a threshold with abort is crossed', async () => {
    const scenario = scenarioOf(`fleet: { agents: 2 }
phases: [{ name: all, duration: 10s, register: { over: 1s } }]
thresholds: { register: [{ condition: error_rate < 50%, abort: true, after: 3s }] }
`);
    const run = await startVirtually({}, () => {}, scenario);
    await run.time.pass(3200);
    for (const second of [0, 1]) for (const shard of [0, 1]) run.frame(shard, second, 'http_503');
    expect(run.told).not.toContain('stop');
    run.frame(0, 2, 'http_503');
    expect(run.told).not.toContain('stop');
    run.frame(1, 2);
    expect(run.told.slice(1)).toEqual(['stop']);
    // Later seconds do not end it again.
    for (const shard of [0, 1]) run.frame(shard, 3, 'http_503');
    for (const shard of [0, 1]) run.events.finished(shard);
    const { reasons, recording } = await run.end;
    expect(recording.elapsedMs).toBe(3100);
    expect(reasons).toEqual([
      {
        kind: 'threshold_crossed',
        text: 'a threshold ended the run early, after 3 s of 10 s: register error_rate < 50%: observed 83.3%',
      },
    ]);
  });

  it('obeys a command that comes before the shards are ready', async () => {
    const { told, events, end } = await startVirtually({}, (control) => control.send('stop'));
    for (const shard of [0, 1]) events.finished(shard);
    expect(told).toContain('stop');
    expect((await end).reasons).toMatchObject([{ kind: 'interrupted' }]);
  });

  it('confirms passwords only after they are saved, and ends the run if they cannot be', async () => {
    const saved: string[] = [];
    const saving = await startVirtually({ saveCredentials: (all) => saved.push(...all.map(({ uuid }) => uuid)) });
    await saving.events.storeCredentials([{ uuid: 'a', password: 'p' }]);
    expect(saved).toEqual(['a']);

    const failing = await startVirtually({
      saveCredentials: () => {
        throw new Error('disk full');
      },
    });
    void failing.events.storeCredentials([{ uuid: 'a', password: 'p' }]);
    await failing.time.pass(0);
    expect(failing.told).toContain('cancel');
    await expect(failing.end).rejects.toThrow('disk full');
  });

  it('ends a run as incomplete if the disk cannot store passwords, with what was measured', async () => {
    const run = await startVirtually({
      saveCredentials: () => {
        throw new UserError('the disk is full');
      },
    });
    for (const uuid of ['a', 'b']) {
      void run.events.storeCredentials([{ uuid, password: 'p' }]);
      await run.time.pass(1);
    }
    expect(run.told).toContain('cancel');
    for (const shard of [0, 1]) run.events.finished(shard);
    const { reasons, problem } = await run.end;
    expect({ reasons, problem }).toEqual({
      reasons: [{ kind: 'incomplete', text: 'the disk is full' }],
      problem: 'the disk is full',
    });
  });

  it('is not affected by changes of the wall clock', async () => {
    const unix = { setMs: 0 };
    let now = () => 0;
    const run = await startVirtually({ unixClock: () => 1_000_000 + unix.setMs + now() });
    now = run.time.now;
    unix.setMs = -60_000;
    await run.time.pass(5100);
    for (const shard of [0, 1]) run.events.finished(shard);
    const { startedAt, endedAt, clockSetMs } = await run.end;
    expect([endedAt.getTime() - startedAt.getTime(), clockSetMs]).toEqual([5000, -60_000]);
  });

  it('ends the run if it cannot store which agents have certificates', async () => {
    const run = await startVirtually({
      saveExchanges: () => {
        throw new Error('disk full');
      },
    });
    void run.events.storeExchanges([{ agent: 0, record: 'signed' }]);
    await new Promise(setImmediate);
    expect(run.told).toContain('cancel');
    await expect(run.end).rejects.toThrow('disk full');
  });

  describe('whose target nothing reaches', () => {
    const refusedFor = async (seconds: number, giveUpMs: number | undefined, first: Outcome = 'connection_refused') => {
      const run = await startVirtually({ giveUpMs });
      for (let second = 0; second < seconds; second++) {
        await run.time.pass(1000);
        run.frame(0, second, second === 0 ? first : 'connection_refused');
      }
      return run.told;
    };

    it('goes on trying until its end', async () => {
      expect(await refusedFor(9, undefined)).not.toContain('cancel');
    });

    it('gives up only after the given time, and never once the server has answered', async () => {
      expect(await refusedFor(2, 3000)).not.toContain('cancel');
      expect(await refusedFor(5, 3000)).toContain('cancel');
      expect(await refusedFor(5, 3000, 'http_500')).not.toContain('cancel');
    });
  });
});

describe('a group commit', () => {
  it('saves all entries of one turn together, and then confirms each caller', async () => {
    const log: string[] = [];
    const commit = createGroupCommit<number>(
      (entries) => log.push(`save ${entries.join()}`),
      () => log.push('failed'),
    );
    await Promise.all([
      commit([1, 2]).then(() => log.push('first confirmed')),
      commit([3]).then(() => log.push('second confirmed')),
    ]);
    await commit([4]);
    expect(log).toEqual(['save 1,2,3', 'first confirmed', 'second confirmed', 'save 4']);
  });

  it('never confirms an entry that could not be saved', async () => {
    const failures: unknown[] = [];
    const full = new Error('disk full');
    const commit = createGroupCommit<number>(
      () => {
        throw full;
      },
      (error) => failures.push(error),
    );
    const confirmed = commit([1]).then(() => 'confirmed');
    expect(await Promise.race([confirmed, twoTurns()])).toBe('two turns');
    expect(failures).toEqual([full]);
  });
});

async function twoTurns(): Promise<string> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return 'two turns';
}
