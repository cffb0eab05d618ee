import { expect, it } from 'vitest';
import { loadWarnings } from '../../../src/metrics/judging/verdict.ts';
import type { DropReason } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import type { MeasuredOperation } from '../../../src/protocol/operations.ts';
import { perform, recordingOf, stateAt } from '../recordings.ts';

type Part = { readonly phase?: string; readonly operation?: MeasuredOperation };

function warningsOf(done: number, dropped: readonly DropReason[], part: Part = {}) {
  const { phase = 'steady', operation = 'checkdata' } = part;
  const recorder = createRecorder();
  for (let i = 0; i < done; i++) perform(recorder, { phase, operation });
  const series = recorder.series(phase, operation);
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
  expect(warningsOf(1, ['run_ended', 'run_ended'], { phase: 'warm-up' })).toEqual([]);
});

it('polls that found their agent busy are laid to the agents, not to the server', () => {
  expect(warningsOf(1, ['agent_busy'], { operation: 'poll' })).toEqual([
    'poll: 50% of 2 planned operations were never started: agents were still busy with earlier requests of the server, ' +
      'as they answered too slowly',
  ]);
});
