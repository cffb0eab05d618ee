import { describe, expect, it } from 'vitest';
import type { MeasuredOperation } from '../../../src/base/protocol/operations.ts';
import { crossedThresholds, judge, loadWarnings, unreachableTarget } from '../../../src/metrics/judging/verdict.ts';
import type { DropReason, Outcome } from '../../../src/metrics/recording/outcomes.ts';
import { createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { frameOf, PHASES, perform, recordingOf, servedFrameOf, stateAt } from '../recordings.ts';

describe('a verdict', () => {
  const kinds = ['threshold_crossed', 'invalid', 'incomplete', 'unreachable', 'interrupted'] as const;

  it('is the worst of its reasons, and keeps all of them', () => {
    const verdict = judge(
      kinds.map((kind) => ({ kind, text: `${kind} it was` })),
      true,
    );
    expect(verdict.kind).toBe('interrupted');
    expect(verdict.reasons.map((reason) => reason.kind)).toEqual([
      'interrupted',
      'incomplete',
      'unreachable',
      'invalid',
      'threshold_crossed',
    ]);
  });

  it('without reasons is a pass if there were thresholds, otherwise done', () => {
    expect(judge([], true)).toEqual({ kind: 'pass', reasons: [] });
    expect(judge([], false)).toEqual({ kind: 'done', reasons: [] });
    expect(judge([{ kind: 'invalid', text: 'late' }], false).kind).toBe('invalid');
  });

  it('names the thresholds that were crossed', () => {
    const register = { kind: 'operation', operation: 'register' } as const;
    const lost = { kind: 'delivery', text: 'lost == 0', figure: 'lost', unit: 'operations' } as const;
    const results = [
      { ...register, text: 'p(99) < 250ms', unit: 'milliseconds', observed: 300, passed: false } as const,
      { ...register, text: 'count > 1', unit: 'operations', observed: 3, passed: true } as const,
      { ...lost, unobserved: 'nobody saw it', passed: false } as const,
    ];
    expect(crossedThresholds(results)).toEqual([
      { kind: 'threshold_crossed', text: 'register p(99) < 250ms: observed 300ms' },
      { kind: 'threshold_crossed', text: 'delivery lost == 0: observed no data (nobody saw it)' },
    ]);
  });
});

describe('a target', () => {
  const unreachedWith = (...outcomes: Outcome[]) =>
    unreachableTarget(
      recordingOf(
        [
          frameOf(
            3,
            outcomes.map((outcome) => ({ outcome })),
          ),
        ],
        PHASES,
      ),
    );

  it('was never reachable if no operation got through', () => {
    expect(unreachedWith('connection_refused', 'connection_refused', 'canceled')).toEqual([
      { kind: 'unreachable', text: 'none of 2 operations reached the target in 7 s (connection_refused)' },
    ]);
  });

  it('was never reachable if dials hung and nothing was started', () => {
    const recorder = createRecorder();
    const series = recorder.series('steady', 'checkdata');
    for (let i = 0; i < 3; i++) {
      series.planned();
      series.dropped(i === 0 ? 'agent_busy' : 'no_connection');
    }
    expect(unreachableTarget(recordingOf([recorder.takeFrame(stateAt(3))], PHASES))).toEqual([
      { kind: 'unreachable', text: 'none of 2 operations reached the target in 7 s (no_connection)' },
    ]);
  });

  it('was reachable if anything answered, including errors and resets', () => {
    expect(unreachedWith('connection_refused', 'http_500')).toEqual([]);
    expect(unreachedWith('timeout', 'connection_reset')).toEqual([]);
  });

  it('was reached if it took a request, even if it never answered', () => {
    const endedAfter = (sentBytes: number) =>
      unreachableTarget(recordingOf([frameOf(3, [{ outcome: 'timeout', sentBytes }])], PHASES));
    expect(endedAfter(1)).toEqual([]);
    expect(endedAfter(0)).toMatchObject([{ kind: 'unreachable' }]);
  });

  it('is neither reached nor missed through requests to agents', () => {
    const refused = frameOf(3, [{ outcome: 'connection_refused' }]);
    const served = servedFrameOf(3, 'serve-checkdata', ['ok']);
    expect(unreachableTarget(recordingOf([refused, served]))).toMatchObject([{ kind: 'unreachable' }]);
    const polls = frameOf(3, [{ operation: 'poll', outcome: 'connection_refused' }]);
    expect(unreachableTarget(recordingOf([polls]))).toEqual([]);
  });

  it('is not called unreachable if no operation was completed', () => {
    expect(unreachedWith()).toEqual([]);
    expect(unreachedWith('canceled')).toEqual([]);
  });
});

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

it('planned operations that were never started cause a warning with the main reason', () => {
  expect(warningsOf(6, ['agent_busy', 'agent_busy', 'agent_busy', 'run_ended'])).toEqual([
    'checkdata: 40% of 10 planned operations were never started: agents were still busy with earlier operations, because the ' +
      'server answered too slowly',
  ]);
});

it('one dropped arrival in a hundred, and drops in an excluded phase, cause no warning', () => {
  expect(warningsOf(99, ['run_ended'])).toEqual([]);
  expect(warningsOf(1, ['run_ended', 'run_ended'], { phase: 'warm-up' })).toEqual([]);
});

it('polls that found their agent busy are attributed to the agents, not to the server', () => {
  expect(warningsOf(1, ['agent_busy'], { operation: 'poll' })).toEqual([
    'poll: 50% of 2 planned operations were never started: agents were still busy with earlier requests of the server, ' +
      'because they answered too slowly',
  ]);
});

describe('an operation that was never started', () => {
  /** Drops this many arrivals while the generator is late, and as many others. */
  const warningOf = (late: number, others: number) => {
    let nowMs = 0;
    const recorder = createRecorder({ clock: () => nowMs, phaseAt: () => 'steady', lateMs: 100 });
    const drop = (count: number) => {
      for (let i = 0; i < count; i++) {
        recorder.series('steady', 'checkdata').planned();
        recorder.series('steady', 'checkdata').dropped('agent_busy', nowMs - 10);
      }
    };
    drop(others);
    nowMs = 17_000;
    recorder.lateness.back(1000, nowMs, 1000);
    drop(late);
    return loadWarnings(recordingOf([recorder.takeFrame(stateAt(4))]))[0];
  };

  it('is not attributed to the server if the generator stalled', () => {
    expect(warningOf(3, 2)).toMatch(/, because the generator stalled$/);
    expect(warningOf(2, 3)).toMatch(/, because the server answered too slowly$/);
  });
});
