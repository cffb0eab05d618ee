import { serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordedTotals, createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import type { Frame, Stall } from '../../../src/metrics/recording/frame.ts';
import type { DropReason, Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder, type Recorder } from '../../../src/metrics/recording/recorder.ts';
import { timelineRowSchema, toTimelineRow } from '../../../src/results/timeline.ts';
import { draws } from '../../draws.ts';
import { digest, frameOf, PHASES, perform, stateAt } from '../recordings.ts';

const SECONDS = 5;

const incident = fc.record({
  shard: fc.nat(3),
  second: fc.nat(SECONDS - 1),
  phase: fc.constantFrom('enroll', 'steady'),
  operation: fc.constantFrom('register' as const, 'checkdata' as const),
  ending: fc.constantFrom<Outcome | DropReason>('ok', 'waiting', 'http_503', 'timeout', 'agent_busy', 'run_ended'),
  lagMs: fc.double({ min: 0, max: 5000, noNaN: true }),
  serviceMs: fc.double({ min: 0, max: 40_000, noNaN: true }),
});

type Incident = typeof incident extends fc.Arbitrary<infer T> ? T : never;

function play(recorder: Recorder, { ending, ...call }: Incident): void {
  recorder.series(call.phase, call.operation).pickedUp(call.lagMs);
  if (ending === 'agent_busy' || ending === 'run_ended') {
    const series = recorder.series(call.phase, call.operation);
    series.planned();
    series.dropped(ending);
  } else perform(recorder, { ...call, outcome: ending as Outcome });
}

/** The frames of `shards` shards whose recorders saw these incidents. */
function framesOf(incidents: readonly Incident[], shards: number): Frame[] {
  return Array.from({ length: shards }, (_, shard) => {
    const recorder = createRecorder();
    return Array.from({ length: SECONDS }, (_, second) => {
      for (const entry of incidents)
        if (entry.shard % shards === shard && entry.second === second) play(recorder, entry);
      const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 12 / shards };
      return recorder.takeFrame(stateAt(second, { shard, agents }));
    });
  }).flat();
}

function readingOf(frames: readonly Frame[]) {
  const totals = createRunTotals(PHASES, [0, 1, 2, 3]);
  for (const frame of frames) totals.add(frame);
  return totals.read();
}

describe('the totals of a run', () => {
  it('are the same for four shards as for one, with frames in any order', () => {
    fc.assert(
      fc.property(fc.array(incident, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (incidents, keys) => {
        const split = framesOf(incidents, 4)
          .map((frame) => ({ frame, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ frame }) => frame);
        expect(digest(readingOf(split))).toEqual(digest(readingOf(framesOf(incidents, 1))));
      }),
      { numRuns: draws(5) },
    );
  });

  it('take agents and operations in flight from the latest frame of each shard', () => {
    const frames = [
      { ...frameOf(1, []), inFlight: 3 },
      { ...frameOf(0, []), inFlight: 9 },
      { ...frameOf(0, []), shard: 1, inFlight: 4 },
    ];
    expect(readingOf(frames)).toMatchObject({ inFlight: 7, agents: { authorized: 20 } });
  });

  it('report how many agents listen and are down in the latest frames, and the most that listened', () => {
    const frames = [
      createRecorder().takeFrame(stateAt(0, { listening: 50 })),
      createRecorder().takeFrame(stateAt(1, { listening: 48, down: 2 })),
      createRecorder().takeFrame(stateAt(0, { shard: 1, listening: 50 })),
    ];
    const expected = { listening: 98, down: 2, mostListening: 100 };
    expect(readingOf(frames)).toMatchObject(expected);
    expect(readingOf(frames.toReversed())).toMatchObject(expected);
  });

  it('keep the highest number of agents that were down, although all are up at the end', () => {
    const totals = createRunTotals(PHASES, [0, 1]);
    const frames = [0, 3, 0].flatMap((down, second) => [
      createRecorder().takeFrame(stateAt(second, { down })),
      createRecorder().takeFrame(stateAt(second, { shard: 1, down: second })),
    ]);
    const recorded = createRecordedTotals(PHASES);
    for (const frame of frames) {
      totals.add(frame);
      for (const second of totals.takeTimeline()) recorded.add(second);
    }
    expect(totals.read()).toMatchObject({ down: 2, mostDown: 4 });
    expect(recorded.read()).toMatchObject({ down: 2, mostDown: 4 });
  });

  it("add up the counts of clients at agents' ports, in any order, in total and by phase", () => {
    const listeners = { accepted: 9, late: 1, handshakes: 4, refused: { unknown_ca: 2, plain_http: 1 }, unanswered: 3 };
    const frames = [
      createRecorder().takeFrame(stateAt(2, { listeners })),
      createRecorder().takeFrame(stateAt(3, { listeners })),
      createRecorder().takeFrame(stateAt(3, { shard: 1, listeners: { ...listeners, refused: { not_tls: 5 } } })),
    ];
    const refused = { unknown_ca: 4, plain_http: 2, not_tls: 5 };
    const expected = {
      listeners: { accepted: 27, late: 3, handshakes: 12, refused, unanswered: 9 },
    };
    const inSteady = { accepted: 18, late: 2, handshakes: 8, unanswered: 6 };
    const refusedInSteady = { unknown_ca: 2, plain_http: 1, not_tls: 5 };
    expect(readingOf(frames)).toMatchObject(expected);
    expect([...readingOf(frames).phaseListeners]).toMatchObject([
      ['enroll', { accepted: 0 }],
      ['warm-up', { accepted: 9 }],
      ['steady', { ...inSteady, refused: refusedInSteady }],
    ]);
    expect(JSON.stringify(readingOf(frames).listeners)).toBe(JSON.stringify(readingOf(frames.toReversed()).listeners));
    const totals = createRunTotals(PHASES, [0, 1]);
    for (const frame of frames) totals.add(frame);
    const [second] = totals.takeTimeline().slice(-1);
    expect(second && timelineRowSchema.parse(toTimelineRow(second)).listeners).toEqual({
      ...inSteady,
      refused: refusedInSteady,
    });
  });

  it('take generator figures from seconds that overlap a counted phase or follow it', () => {
    const busy = (second: number, loopUtilization: number) =>
      createRecorder().takeFrame(stateAt(second, { loopUtilization, gcMs: 10 }));
    expect(readingOf([busy(2, 0.9)]).workers).toMatchObject([{ shard: 0, seconds: 0, gcMs: 0 }]);
    const [worker] = readingOf([busy(2, 0.9), busy(3, 0.1), busy(9, 0.3)]).workers;
    expect(worker).toMatchObject({ seconds: 2, loopUtilization: 0.2, cpuMs: 400, gcMs: 20 });
  });

  it('count a stall in every phase that it overlaps', () => {
    const at = (second: number, stall: Stall, cpuMs: number) =>
      createRecorder().takeFrame(stateAt(second, { stalls: [stall], cpuMs }));
    const frames = [at(2, { fromMs: 1900, toMs: 3250 }, 200), at(3, { fromMs: 3500, toMs: 5500 }, 1100)];
    expect(readingOf(frames).workers[0]?.phases).toMatchObject([
      { phase: 'warm-up', seconds: 1, stalls: { totalMs: 1000, longestMs: 1000, idleMs: 1350 } },
      { phase: 'enroll', seconds: 0, stalls: { totalMs: 100, longestMs: 100, idleMs: 1350 } },
      // During the second one, the worker may have been busy for more than half of the time.
      { phase: 'steady', stalls: { totalMs: 2250, longestMs: 2000, idleMs: 1350 } },
    ]);
  });

  it('throw for a phase that the scenario does not have', () => {
    expect(() => readingOf([frameOf(0, [{ phase: 'stedy' }])])).toThrow('stedy');
  });
});

describe('the timeline of totals', () => {
  it('contains a second once all shards have reported it or a later one', () => {
    const totals = createRunTotals(PHASES, [0, 1]);
    const taken = () => totals.takeTimeline().map((frame) => frame.second);
    totals.add({ ...frameOf(0, []), shard: 0 });
    totals.add({ ...frameOf(1, []), shard: 0 });
    expect(taken()).toEqual([]);
    totals.add({ ...frameOf(1, []), shard: 1 });
    expect(taken()).toEqual([0, 1]);
    expect(taken()).toEqual([]);
  });

  it('contains a second again if a shard reports it late, so that nothing is lost', () => {
    const totals = createRunTotals(PHASES, [0]);
    totals.add(frameOf(1, [{}]));
    totals.takeTimeline();
    totals.add(frameOf(0, [{}, {}]));
    expect(totals.takeTimeline()).toMatchObject([{ second: 0, series: [{ planned: 2 }] }]);
  });

  it('is in order although frames were not', () => {
    const totals = createRunTotals(PHASES, [0]);
    for (const second of [2, 0, 1]) totals.add(frameOf(second, []));
    expect(totals.takeTimeline().map((frame) => frame.second)).toEqual([0, 1, 2]);
  });

  it('contains the seconds that a stalled shard skipped', () => {
    const totals = createRunTotals(PHASES, [0]);
    for (const second of [0, 3]) totals.add(frameOf(second, [{}]));
    expect(totals.takeTimeline()).toMatchObject([
      { second: 0, series: [{}] },
      { second: 1, series: [], workers: [], agents: { authorized: 10 } },
      { second: 2, series: [] },
      { second: 3, series: [{}] },
    ]);
  });

  it('does not wait for a shard that has ended', () => {
    const totals = createRunTotals(PHASES, [0, 1]);
    totals.add({ ...frameOf(0, []), shard: 0 });
    totals.end(1);
    expect(totals.takeTimeline()).toHaveLength(1);
  });

  it('adds up the shards, and keeps the agents of one that skipped a second', () => {
    const totals = createRunTotals(PHASES, [0, 1]);
    for (const second of [0, 1]) totals.add({ ...frameOf(second, [{}, {}]), shard: 0 });
    for (const second of [0, 2]) totals.add({ ...frameOf(second, [{}]), shard: 1 });
    expect(totals.takeTimeline()).toMatchObject([
      { second: 0, agents: { authorized: 20 }, series: [{ planned: 3, outcomes: { ok: 3 } }], workers: [{}, {}] },
      { second: 1, agents: { authorized: 20 }, series: [{ planned: 2 }], workers: [{ shard: 0, cpuMs: 200 }] },
    ]);
  });

  it('contains the agents that listen and those that are down', () => {
    const totals = createRunTotals(PHASES, [0, 1]);
    totals.add(createRecorder().takeFrame(stateAt(0, { listening: 9, down: 1 })));
    totals.add(createRecorder().takeFrame(stateAt(0, { shard: 1, listening: 10 })));
    const [second] = totals.takeTimeline();
    expect(second).toMatchObject({ listening: 19, down: 1 });
    expect(second && timelineRowSchema.parse(toTimelineRow(second))).toMatchObject({ listening: 19, down: 1 });
  });
});

it('an endless run keeps the activity of its last hour alone, and takes no more memory however often its workers stall', () => {
  const endless = { ...PHASES[0], durationMs: Number.POSITIVE_INFINITY } as (typeof PHASES)[number];
  const totals = createRunTotals([endless], [0]);
  const quiet = createRecorder().takeFrame(stateAt(0));
  let second = 0;
  const bytesAfter = (seconds: number): number => {
    for (; second < seconds; second++)
      totals.add({ ...quiet, second, stalls: [{ fromMs: second * 1000, toMs: second * 1000 + 12.5 }] });
    totals.takeTimeline();
    return serialize(totals.read()).length;
  };
  const [hour = 0, later] = [3700, 6000].map(bytesAfter);
  expect(totals.read().seconds.map(({ second: one }) => one)).toEqual(Array.from({ length: 3600 }, (_, n) => 2400 + n));
  expect(later).toBeLessThan(hour * 1.02);
});

it('the timeline holds back seconds that a worker may still add to, and releases them once all workers have ended', () => {
  const totals = createRunTotals(PHASES, [0, 1]);
  for (const second of [0, 1, 2]) totals.add(frameOf(second, [{}]));
  totals.end(0);
  expect(totals.takeTimeline()).toEqual([]);
  totals.end(1);
  expect(totals.takeTimeline().map(({ second }) => second)).toEqual([0, 1, 2]);
  expect(totals.takeTimeline()).toEqual([]);
});
