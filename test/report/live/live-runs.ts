import { createRunTotals } from '../../../src/metrics/merging/run-totals.ts';
import { createRunWatch, type LiveFigures } from '../../../src/metrics/merging/run-watch.ts';
import type { Frame } from '../../../src/metrics/recording/frame.ts';
import { createRecorder, type Recorder } from '../../../src/metrics/recording/recorder.ts';
import type { LiveRun } from '../../../src/report/live/live-view.ts';
import { PHASES, perform, stateAt, USUAL_LIMITS } from '../../metrics/recordings.ts';

const AGENTS = { unregistered: 0, waiting: 0, refused: 2, registered: 600, authorized: 398 };

/** A run named `nightly` in its last phase of three, with these figures. */
export function runOf(figures: LiveFigures, part: Partial<LiveRun> = {}): LiveRun {
  const phase = { name: 'steady', number: 3, of: 3 };
  const target = 'http://mon.example';
  return {
    name: 'nightly',
    target,
    totalMs: 90_000,
    phase,
    limits: USUAL_LIMITS,
    events: [],
    machines: [],
    figures,
    ...part,
  };
}

/** The live figures of a run with these frames, over its last three seconds. */
export function figuresOf(frames: readonly Frame[], shards: readonly number[] = [0]): LiveFigures {
  const totals = createRunTotals(PHASES, shards);
  const watch = createRunWatch(3);
  for (const frame of frames) totals.add(frame);
  watch.add(totals.takeTimeline());
  return watch.read();
}

/** Forty-five seconds of a server that gets slower, sometimes fails, and finally refuses connections. */
export function troubled(): LiveFigures {
  const recorder = createRecorder();
  return figuresOf(
    Array.from({ length: 45 }, (_, second) => {
      if (second < 2) for (let i = 0; i < 50; i++) perform(recorder, { phase: 'enroll', operation: 'register' });
      for (let i = 0; i < 20; i++)
        perform(recorder, { serviceMs: 2 + second * (i / 2), outcome: thresholdOutcome(second, i) });
      perform(recorder, { operation: 'authorize', serviceMs: 1 });
      if (second > 41) drop(recorder, 4);
      recorder.series('steady', 'checkdata').pickedUp(second > 41 ? 250 : 2);
      const refused = { unknown_ca: second > 40 ? 2 : 0 };
      const listeners = { accepted: 25, late: 1, handshakes: 20, refused, unanswered: 1 };
      const load = { loopUtilization: 0.96, inFlight: 17, listening: 998, down: 2, listeners };
      return recorder.takeFrame(stateAt(second, { agents: AGENTS, ...load }));
    }),
  );
}

/** Four seconds without problems. */
export function calm(): LiveFigures {
  return figuresOf(
    Array.from({ length: 4 }, (_, second) => {
      const recorder = createRecorder();
      for (let i = 0; i < 200; i++) perform(recorder, { serviceMs: 2 + i / 100 });
      recorder.series('steady', 'checkdata').pickedUp(0.4);
      return recorder.takeFrame(stateAt(second, { agents: { ...AGENTS, refused: 0, registered: 0 } }));
    }),
  );
}

function thresholdOutcome(second: number, i: number) {
  if (second > 41 && i > 12) return 'connection_refused';
  return second % 20 === 10 && i === 0 ? 'http_503' : i === 3 && second === 43 ? 'timeout' : 'ok';
}

function drop(recorder: Recorder, count: number): void {
  const series = recorder.series('steady', 'checkdata');
  for (let i = 0; i < count; i++) {
    series.planned();
    series.dropped('agent_busy');
  }
}
