import { describe, expect, it } from 'vitest';
import { progressLine } from '../../src/cli/output/progress.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { perform, stateAt } from '../metrics/recordings.ts';
import { figuresOf, runOf } from './live/live-runs.ts';

const agents = { unregistered: 0, waiting: 2, refused: 0, registered: 0, authorized: 19_998 };

/** Six seconds, the last three of which have 450 pushes, six of them failed. */
function pushes(): Frame[] {
  const recorder = createRecorder();
  return [0, 1, 2, 3, 4, 5].map((second) => {
    for (let i = 0; i < 150; i++) perform(recorder, { serviceMs: 7.8, outcome: i < 2 ? 'timeout' : 'ok' });
    return recorder.takeFrame(stateAt(second, { agents, inFlight: second }));
  });
}

function lineOf(frames: readonly Frame[]): string {
  return progressLine(runOf(figuresOf(frames)), 120);
}

describe('the progress line', () => {
  it('shows time, phase, rate, latency, errors, operations in flight and agents', () => {
    expect(lineOf(pushes())).toBe(
      '6s/1m30s  steady  148/s  p99 7.80 ms  errors 1.3% (timeout 6)  in flight 5  2 waiting, 19,998 authorized',
    );
  });

  it('says what agents try in vain, until something has reached the target', () => {
    const recorder = createRecorder();
    const frames = (['connection_refused', 'http_500', 'connection_refused'] as const).map((outcome, second) => {
      perform(recorder, { outcome });
      return recorder.takeFrame(stateAt(second));
    });
    const text = 'steady  nothing has reached http://mon.example in 1s; agents keep trying';
    expect(lineOf(frames.slice(0, 1))).toContain(text);
    expect(lineOf(frames)).not.toContain('reached');
  });

  it("shows the hosts' clock if it differs", () => {
    const line = progressLine(runOf(figuresOf(pushes()), { hostTime: '06:12' }), 120);
    expect(line).toMatch(/^6s\/1m30s {2}06:12 {2}steady {2}148\/s/);
  });

  it('names the machine of a cluster whose operations were picked up latest', () => {
    const figures = { startedPerSecond: 75, stalledMs: 0, busiestLoopUtilization: 0.3, usedCores: 0.3 };
    const machine = { part: 1, agents: 1, workers: 1, fromMs: 0, clockOffsetMs: 0, clockErrorMs: 0 };
    const machines = [3, 12.5, undefined].map((schedulingDelayP99Ms, n) => ({
      ...machine,
      name: `east-${n + 1}`,
      figures: { ...figures, ...(schedulingDelayP99Ms !== undefined && { schedulingDelayP99Ms }) },
    }));
    expect(progressLine(runOf(figuresOf(pushes()), { machines }), 160)).toMatch(
      / {2}slowest east-2, delay p99 12\.5 ms$/,
    );
  });

  it('shows how many agents listen and are down, if any listen', () => {
    const frame = createRecorder().takeFrame(stateAt(0, { listening: 1000, down: 2 }));
    expect(lineOf([frame])).toContain('  1,000 listening  2 down  10 authorized');
  });

  it('shows how many clients agents refused and left without an answer since the start', () => {
    const refused = { unknown_ca: 59, plain_http: 1 };
    const listeners = { accepted: 90, late: 0, handshakes: 30, refused, unanswered: 2 };
    const first = createRecorder().takeFrame(stateAt(0, { listening: 1000, listeners }));
    const last = createRecorder().takeFrame(stateAt(9, { listening: 1000 }));
    expect(lineOf([first, last])).toContain('  60 refused (unknown_ca 59, plain_http 1)  2 un');
  });

  it('counts a poll once, although both ends are in the run, and served requests if there are no polls', () => {
    const lineOfPolls = (polls: number) => {
      const recorder = createRecorder();
      for (let i = 0; i < polls; i++) perform(recorder, { operation: 'poll' });
      const answer = { serviceMs: 1, sentBytes: 1, receivedBytes: 1 };
      for (let i = 0; i < 50; i++) recorder.series('steady', 'serve-checkdata').served('ok', answer);
      return lineOf([recorder.takeFrame(stateAt(0))]);
    };
    expect(lineOfPolls(50)).toContain('  50.0/s  p99 5.00 ms');
    expect(lineOfPolls(0)).toContain('  50.0/s  p99 1.00 ms');
  });

  it('shows how far a load is below its plan, and what is dropped', () => {
    const recorder = createRecorder();
    const series = recorder.series('steady', 'checkdata');
    for (let i = 0; i < 100; i++) {
      if (i < 60) perform(recorder, {});
      else {
        series.planned();
        series.dropped('agent_busy');
      }
    }
    const line = lineOf([recorder.takeFrame(stateAt(0, { agents }))]);
    expect(line).toContain('  60.0/s of 100/s  ');
    expect(line).toContain('  dropped 40.0/s  ');
  });

  it('shows the rate of successes, not of sent requests', () => {
    const recorder = createRecorder();
    for (let i = 0; i < 250; i++) {
      const series = recorder.series('steady', 'checkdata');
      if (i < 100) perform(recorder, {});
      else {
        series.planned();
        series.started(0);
      }
    }
    expect(lineOf([recorder.takeFrame(stateAt(0, { agents }))])).toContain('  100/s of 250/s  ');
  });

  it('says before the first second that the run is starting, and after the last that it is finishing', () => {
    const before = runOf(figuresOf([]), { phase: undefined });
    expect(progressLine(before, 100)).toBe('0s/1m30s  starting');
    const after = runOf(figuresOf(pushes()), { phase: undefined, totalMs: 5500 });
    expect(progressLine(after, 100)).toContain('6s/6s  finishing  148/s');
  });

  it('lists the events in progress after the phase', () => {
    const events = ['cable', 'wave'].map((name) => ({ name, leftMs: 1000 }));
    expect(progressLine(runOf(figuresOf(pushes()), { events }), 100)).toContain(
      '6s/1m30s  steady (cable, wave)  148/s',
    );
  });

  it('has dashes if nothing has finished', () => {
    const frame = createRecorder().takeFrame(stateAt(0, { agents: { ...agents, waiting: 0, authorized: 0 } }));
    expect(lineOf([frame])).toBe('1s/1m30s  steady  0.0/s  p99 -  errors -  in flight 0');
  });

  it('never exceeds the available columns', () => {
    const run = runOf(figuresOf(pushes()));
    for (let columns = 1; columns <= 120; columns++)
      expect(progressLine(run, columns).length).toBeLessThanOrEqual(columns);
    expect(progressLine(run, 24)).toBe('6s/1m30s  steady  148/s…');
  });
});
