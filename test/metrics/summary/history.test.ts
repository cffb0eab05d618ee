import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { createHistory, type History } from '../../../src/metrics/summary/history.ts';
import { draws } from '../../draws.ts';
import { type Call, PHASES, perform, stateAt } from '../recordings.ts';

/** A second of the timeline in which these calls ended. */
function secondOf(second: number, calls: readonly Call[], part: Parameters<typeof stateAt>[1] = {}): TimelineFrame {
  const recorder = createRecorder();
  for (const call of calls) perform(recorder, call);
  const totals = createRunTotals(PHASES, [0]);
  totals.add(recorder.takeFrame(stateAt(second, part)));
  const frame = totals.takeTimeline().at(-1);
  if (frame === undefined) throw new Error('a second went missing');
  return frame;
}

function historyOf(frames: readonly TimelineFrame[], mostIntervals?: number): History {
  const history = createHistory(mostIntervals);
  for (const frame of frames) history.add(frame);
  return history.read(undefined);
}

const activities = (history: History) => history.intervals.map((interval) => interval.activity.get('checkdata'));
const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);

describe('the history of a run', () => {
  it('has one interval per second while there is room', () => {
    const history = historyOf([secondOf(0, [{}]), secondOf(1, []), secondOf(2, [{ serviceMs: 7 }, { serviceMs: 9 }])]);
    expect(history).toMatchObject({ secondsPerInterval: 1, seconds: 3, operations: ['checkdata'] });
    expect(activities(history)).toMatchObject([
      { started: 1, p50Ms: 5.003, maxMs: 5.003 },
      undefined,
      { started: 2, p50Ms: 7.003, p99Ms: 9.007, maxMs: 9.007, outcomes: new Map([['ok', 2]]) },
    ]);
  });

  it('excludes refused connections from response times, but counts them', () => {
    const refused = Array.from({ length: 9 }, () => ({ outcome: 'connection_refused', serviceMs: 1 }) as const);
    const [activity] = activities(historyOf([secondOf(0, [...refused, { outcome: 'http_503', serviceMs: 80 }])]));
    expect(activity).toMatchObject({ started: 10, unanswered: 9 });
    expect(activity?.p50Ms).toBeCloseTo(80, 0);
    expect(sum([...(activity?.cells.values() ?? [])])).toBe(1);
    const [nothing] = activities(historyOf([secondOf(0, refused)]));
    expect(nothing).toMatchObject({ unanswered: 9, p50Ms: undefined, maxMs: undefined, cells: new Map() });
  });

  it('merges a short last second into the one before, and ignores its load', () => {
    const history = createHistory();
    for (const second of [0, 1]) history.add(secondOf(second, [{}, {}], { loopUtilization: 0.2 }));
    history.add(secondOf(2, [{ serviceMs: 900 }], { loopUtilization: 1 }));
    const { seconds, intervals } = history.read(2012);
    expect(seconds).toBeCloseTo(2.012);
    expect(intervals).toMatchObject([{ busiestLoop: 0.2 }, { busiestLoop: 0.2, lastSecond: 2 }]);
    expect(intervals[1]?.activity.get('checkdata')).toMatchObject({ planned: 3, sentBytes: 300, receivedBytes: 30 });
    expect(intervals[1]?.activity.get('checkdata')?.maxMs).toBeCloseTo(900, -1);
    // Reading does not modify the history.
    expect(history.read(2012).intervals).toEqual(intervals);
  });

  it.each([
    ['most of the last second took place', 2600, 3, 2.6],
    ['its end is not known', undefined, 3, 3],
    ['the wall clock was set back', -5000, 3, 3],
    ['the wall clock was set forward', 90_000, 3, 3],
  ])('keeps the last second separate if %s', (_, endMs, intervals, seconds) => {
    const history = createHistory();
    for (const second of [0, 1, 2]) history.add(secondOf(second, [{}]));
    const read = history.read(endMs);
    expect([read.intervals.length, read.seconds]).toEqual([intervals, seconds]);
    expect(activities(read)).toMatchObject(read.intervals.map(() => ({ planned: 1 })));
  });

  it('keeps every count and every maximum of a run of any length in few intervals', () => {
    const run = fc.array(fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(run, (latencies) => {
        const frames = latencies.map((values, second) =>
          secondOf(second, [...values.map((serviceMs) => ({ serviceMs })), { outcome: 'timeout', serviceMs: 1 }]),
        );
        const [whole, few] = [historyOf(frames), historyOf(frames, 4)];
        expect(few.intervals.length).toBeLessThanOrEqual(4);
        expect(few.intervals.length * few.secondsPerInterval).toBeGreaterThanOrEqual(few.seconds);
        const figures = (history: History) => {
          const each = activities(history);
          return {
            started: sum(each.map((entry) => entry?.started)),
            timeouts: sum(each.map((entry) => entry?.outcomes.get('timeout'))),
            inCells: sum(each.flatMap((entry) => [...(entry?.cells.values() ?? [])])),
            unanswered: sum(each.map((entry) => entry?.unanswered)),
            highest: Math.max(...each.map((entry) => entry?.maxMs ?? 0)),
          };
        };
        expect(figures(few)).toEqual(figures(whole));
      }),
      { numRuns: draws(4) },
    );
  });

  it('does not depend on the order of its seconds', () => {
    const frames = Array.from({ length: 12 }, (_, second) => {
      const agents = { unregistered: second, waiting: 0, refused: 0, registered: 0, authorized: 12 - second };
      return secondOf(second, [{ serviceMs: 1 + ((second * 7) % 5) }], { agents, inFlight: second % 3 });
    });
    fc.assert(
      fc.property(fc.shuffledSubarray(frames, { minLength: 12, maxLength: 12 }), (shuffled) => {
        expect(historyOf(shuffled, 4)).toEqual(historyOf(frames, 4));
      }),
      { numRuns: draws(4) },
    );
  });

  it('reports the state of the fleet at the end of an interval, and the worst values within it', () => {
    const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 8 };
    const clients = (accepted: number, not_tls: number) => ({ ...NO_LISTENER_COUNTS, accepted, refused: { not_tls } });
    const frames = [
      secondOf(0, [{ serviceMs: 30 }], {
        listeners: clients(4, 1),
        inFlight: 9,
        down: 2,
        listening: 3,
        loopUtilization: 0.8,
      }),
      secondOf(1, [{ serviceMs: 3 }], {
        listeners: clients(3, 2),
        agents,
        inFlight: 1,
        down: 0,
        listening: 5,
        loopUtilization: 0.1,
      }),
    ];
    const [interval] = historyOf(frames, 1).intervals;
    expect(interval).toMatchObject({ agents, listening: 5, inFlight: 9, down: 2, busiestLoop: 0.8 });
    expect(interval?.listeners).toMatchObject({ accepted: 7, refused: { not_tls: 3 } });
    expect(interval?.activity.get('checkdata')).toMatchObject({ p50Ms: 30.015, maxMs: 30.015 });
  });

  it('puts a response time into a cell that is at most 25 % wider than its lower bound', () => {
    const history = historyOf([secondOf(0, [{ serviceMs: 1 }, { serviceMs: 9.9 }, { serviceMs: 1500 }])]);
    expect([...(activities(history)[0]?.cells.keys() ?? [])]).toEqual([30, 39, 61]);
  });
});
