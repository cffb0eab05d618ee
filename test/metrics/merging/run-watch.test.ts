import { describe, expect, it } from 'vitest';
import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { createRunWatch, type LiveFigures } from '../../../src/metrics/merging/run-watch.ts';
import { succeededCount } from '../../../src/metrics/merging/totals.ts';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { type Call, frameOf, PHASES, perform, servedFrameOf, stateAt } from '../recordings.ts';

const WINDOW_SECONDS = 3;

function watched(frames: readonly Frame[]): LiveFigures {
  const totals = createRunTotals(PHASES, [0]);
  const watch = createRunWatch(WINDOW_SECONDS);
  for (const frame of frames) totals.add(frame);
  watch.add(totals.takeTimeline());
  return watch.read();
}

/** Consecutive seconds with these calls. */
function secondsOf(...calls: readonly (readonly Call[])[]): LiveFigures {
  return watched(calls.map((call, second) => frameOf(second, call)));
}

describe('watching a run', () => {
  it('sums up only the last seconds, by operation and in total', () => {
    const seen = secondsOf([{}], [{}, { operation: 'authorize' }], [{ operation: 'authorize' }], [], [{}, {}]);
    expect(seen.elapsedSeconds).toBe(5);
    expect(seen.recent?.seconds).toBe(3);
    expect(seen.recent?.totals.planned).toBe(3);
    expect(seen.recent?.operations.map(({ operation, totals }) => [operation, succeededCount(totals)])).toEqual([
      ['authorize', 1],
      ['checkdata', 2],
    ]);
  });

  it("lists all operations so far, in the order of an agent's lifecycle", () => {
    const register = { operation: 'register' } as const;
    expect(secondsOf([{}], [register], [], [], [{}]).operations).toEqual(['register', 'checkdata']);
  });

  it('counts failures since the start by outcome', () => {
    const seen = secondsOf([{ outcome: 'timeout' }], [{}], [], [], [{ outcome: 'timeout' }, { outcome: 'http_503' }]);
    expect(seen.failures).toEqual({ timeout: 2, http_503: 1 });
    expect(seen.finished).toBe(4);
  });

  it('keeps the latest new kind of failure, with the second in which it first occurred', () => {
    const refused = { operation: 'register', outcome: 'connection_refused' } as const;
    const timeout = { outcome: 'timeout' } as const;
    expect(secondsOf([{}]).newestFailure).toBeUndefined();
    expect(secondsOf([timeout], [{}], [refused], [timeout]).newestFailure).toEqual({ ...refused, second: 2 });
    const ofAnother = { operation: 'authorize', ...timeout } as const;
    expect(secondsOf([timeout], [ofAnother]).newestFailure).toEqual({ ...ofAnother, second: 1 });
  });

  it('keeps the p99 of each of the last 60 seconds, with gaps in seconds without answers', () => {
    const p99sMs = (seen: LiveFigures) => seen.responseP99sMs.map((ms) => ms && Math.round(ms));
    expect(p99sMs(secondsOf([{ serviceMs: 5 }], [], [{ serviceMs: 9 }]))).toEqual([5, undefined, 9]);
    const longer = Array.from({ length: 70 }, (_, second) => [{ serviceMs: second + 1 }]);
    expect(p99sMs(secondsOf(...longer))).toEqual(Array.from({ length: 60 }, (_, index) => index + 11));
  });

  it('counts a failed poll once, although both ends see it', () => {
    const recorder = createRecorder();
    perform(recorder, { operation: 'poll', outcome: 'timeout' });
    recorder
      .series('steady', 'serve-checkdata')
      .served('client_gone', { serviceMs: 900, sentBytes: 1, receivedBytes: 1 });
    const seen = watched([recorder.takeFrame(stateAt(0))]);
    expect(seen.failures).toEqual({ timeout: 1 });
    expect(seen.newestFailure?.outcome).toBe('timeout');
    expect(seen.responseP99sMs).toEqual([expect.closeTo(5, 1)]);
    expect(seen.operations).toEqual(['serve-checkdata', 'poll']);
  });

  it('counts failures of served requests', () => {
    expect(watched([servedFrameOf(0, 'serve-checkdata', ['ok', 'client_gone'])]).failures).toEqual({ client_gone: 1 });
  });

  it('reports the mean load of the busiest worker', () => {
    const busy = [0.2, 0.4].flatMap((loopUtilization, second) =>
      [0, 1].map((shard) => ({ ...frameOf(second, []), shard, loopUtilization: loopUtilization / (shard + 1) })),
    );
    const totals = createRunTotals(PHASES, [0, 1]);
    for (const frame of busy) totals.add(frame);
    const watch = createRunWatch(WINDOW_SECONDS);
    watch.add(totals.takeTimeline());
    expect(watch.read().recent?.busiestLoopUtilization).toBeCloseTo(0.3);
  });

  it('assigns a late report of a worker to its own second', () => {
    const totals = createRunTotals(PHASES, [0]);
    const watch = createRunWatch(WINDOW_SECONDS);
    for (const second of [2, 1, 2]) {
      totals.add(frameOf(second, [{}]));
      watch.add(totals.takeTimeline());
    }
    const { recent, elapsedSeconds } = watch.read();
    expect(recent?.totals.planned).toBe(3);
    expect(recent?.seconds).toBe(2);
    expect(elapsedSeconds).toBe(3);
    totals.add(frameOf(1, [{}]));
    watch.add(totals.takeTimeline());
    expect(watch.read().elapsedSeconds).toBe(3);
  });
});
