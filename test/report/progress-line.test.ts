import { describe, expect, it } from 'vitest';
import { recentActivity } from '../../src/metrics/merging/recent-activity.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { progressLine } from '../../src/report/progress-line.ts';
import { PHASES, perform, stateAt } from '../metrics/recordings.ts';

const agents = { unregistered: 0, waiting: 2, refused: 0, registered: 0, authorized: 19_998 };

/** Two seconds: 300 pushes, three of them failed. */
function activity() {
  const totals = createRunTotals(PHASES, [0]);
  const recorder = createRecorder();
  for (const second of [4, 5]) {
    for (let i = 0; i < 150; i++) perform(recorder, { serviceMs: 7.8, outcome: i * second < 5 ? 'timeout' : 'ok' });
    totals.add(recorder.takeFrame(stateAt(second, { agents, inFlight: second })));
  }
  return recentActivity(totals.takeTimeline().slice(-2));
}

describe('the progress line', () => {
  it('tells time, phase, rate, latency, errors, operations in flight and agents', () => {
    expect(progressLine({ elapsedMs: 5900, totalMs: 90_000, phase: 'steady', activity: activity() }, 100)).toBe(
      '5s/1m30s  steady  150/s  p99 7.80 ms  errors 1.0%  in flight 5  2 waiting, 19,998 authorized',
    );
  });

  it('tells how many agents listen and are down, where any do', () => {
    const totals = createRunTotals(PHASES, [0]);
    totals.add(createRecorder().takeFrame(stateAt(0, { listening: 1000, down: 2 })));
    const line = progressLine(
      { elapsedMs: 1000, totalMs: 2000, phase: 'steady', activity: recentActivity(totals.takeTimeline()) },
      120,
    );
    expect(line).toContain('  1,000 listening  2 down  10 authorized');
  });

  it('counts a poll once, whose both ends are in the run, and served requests where only they are', () => {
    const lineOf = (polls: number) => {
      const totals = createRunTotals(PHASES, [0]);
      const recorder = createRecorder();
      for (let i = 0; i < polls; i++) perform(recorder, { operation: 'poll' });
      const answer = { serviceMs: 1, sentBytes: 1, receivedBytes: 1 };
      for (let i = 0; i < 50; i++) recorder.series('steady', 'serve-checkdata').served('ok', answer);
      totals.add(recorder.takeFrame(stateAt(0)));
      const activity = recentActivity(totals.takeTimeline());
      return progressLine({ elapsedMs: 1000, totalMs: 2000, phase: 'steady', activity }, 120);
    };
    expect(lineOf(50)).toContain('  50.0/s  p99 5.00 ms');
    expect(lineOf(0)).toContain('  50.0/s  p99 1.00 ms');
  });

  it('says how far a load falls short of its plan, and what is dropped', () => {
    const totals = createRunTotals(PHASES, [0]);
    const recorder = createRecorder();
    const series = recorder.series('steady', 'checkdata');
    for (let i = 0; i < 100; i++) {
      if (i < 60) perform(recorder, {});
      else {
        series.planned();
        series.dropped('agent_busy');
      }
    }
    totals.add(recorder.takeFrame(stateAt(0, { agents })));
    const line = progressLine(
      { elapsedMs: 1000, totalMs: 2000, phase: 'steady', activity: recentActivity(totals.takeTimeline()) },
      120,
    );
    expect(line).toContain('  60.0/s of 100/s  ');
    expect(line).toContain('  dropped 40.0/s  ');
  });

  it('says little before the first second is over and after the last', () => {
    const idle = { totalMs: 90_000, phase: undefined, activity: recentActivity([]) };
    expect(progressLine({ ...idle, elapsedMs: 0 }, 100)).toBe('0s/1m30s  starting');
    expect(progressLine({ ...idle, elapsedMs: 91_000 }, 100)).toBe('1m30s/1m30s  finishing');
  });

  it('has dashes where nothing has finished', () => {
    const totals = createRunTotals(PHASES, [0]);
    totals.add(createRecorder().takeFrame(stateAt(0, { agents: { ...agents, waiting: 0, authorized: 0 } })));
    const nothing = recentActivity(totals.takeTimeline());
    expect(progressLine({ elapsedMs: 1000, totalMs: 2000, phase: 'enrol', activity: nothing }, 100)).toBe(
      '1s/2s  enrol  0.0/s  p99 -  errors -  in flight 0',
    );
  });

  it('never exceeds the columns it is given', () => {
    const progress = { elapsedMs: 5900, totalMs: 90_000, phase: 'steady', activity: activity() };
    for (let columns = 1; columns <= 120; columns++) {
      expect(progressLine(progress, columns).length).toBeLessThanOrEqual(columns);
    }
    expect(progressLine(progress, 24)).toBe('5s/1m30s  steady  150/s…');
  });
});
