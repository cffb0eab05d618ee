import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { summarize } from '../../../src/metrics/summary/summary.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { FACTS, perform, recordingOf, stateAt } from '../recordings.ts';

type Part = {
  readonly serviceMs?: number;
  readonly count?: number;
  readonly failed?: number;
  readonly agents?: number;
};

/** A run whose pushes in `steady` take from `serviceMs` to three times as long. */
export function runOf({ serviceMs = 10, count = 400, failed = 0, agents = 100 }: Part = {}): Summary {
  const recorder = createRecorder();
  for (let i = 0; i < agents; i++) perform(recorder, { phase: 'enroll', operation: 'register', serviceMs: 1 + i / 50 });
  for (let i = 0; i < count; i++) {
    const outcome = i < failed ? 'http_503' : 'ok';
    perform(recorder, { outcome, serviceMs: serviceMs * (1 + (2 * i) / count) });
  }
  return summarize(recordingOf([recorder.takeFrame(stateAt(4))]), FACTS);
}

/** Runs in turns, as if each had started a minute after the one before: pairs of one of the base and one of the candidate. */
export function inTurns(base: readonly Summary[], candidate: readonly Summary[]): readonly [Summary[], Summary[]] {
  const at = (run: Summary, minute: number): Summary => {
    return { ...run, startedAt: new Date(Date.parse(run.startedAt) + 60_000 * minute).toISOString() };
  };
  return [
    base.map((run, pair) => at(run, 2 * pair + (pair % 2))),
    candidate.map((run, pair) => at(run, 2 * pair + 1 - (pair % 2))),
  ];
}
