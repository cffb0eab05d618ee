import { expect, it } from 'vitest';
import { loadWarnings } from '../../../src/metrics/judging/warnings.ts';
import type { DropReason } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { perform, recordingOf, stateAt } from '../recordings.ts';

function warningsOf(done: number, dropped: readonly DropReason[], phase = 'steady') {
  const recorder = createRecorder();
  for (let i = 0; i < done; i++) perform(recorder, { phase });
  const series = recorder.series(phase, 'checkdata');
  for (const reason of dropped) {
    series.planned();
    series.dropped(reason);
  }
  return loadWarnings(recordingOf([recorder.takeFrame(stateAt(4))]));
}

it('work that was planned and never done is told with its main cause', () => {
  expect(warningsOf(6, ['agent_busy', 'agent_busy', 'agent_busy', 'run_ended'])).toEqual([
    'checkdata: 40% of 10 planned operations were never started: agents were still busy with earlier operations, as the ' +
      'server answered too slowly',
  ]);
});

it('one in a hundred, and what belongs to a phase that is not counted, is no matter', () => {
  expect(warningsOf(99, ['run_ended'])).toEqual([]);
  expect(warningsOf(1, ['run_ended', 'run_ended'], 'warm-up')).toEqual([]);
});
